"""What the agent reads: an answer's first line, notes and body; text cleaned, quoted, cut. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace

from .words import Word

MOST = 16_000  # characters of an answer: what a model can take in at once
_HEAD = 4_000  # of these from the start (the request), the rest from the end (the outcome)
REST = "read shows all)"  # ends the row that counts those which are as they were
_ROOM = 200  # characters for the note between them
_ELSE = "write it to a file to see all of it"
_RUN = 400  # longest run of one character kept: the host counts the tokens of longer ones slowly
_KEPT = 80  # characters kept of a longer run
_LONGEST = 2_000  # characters of a first line, a note or another field
_QUOTED = 1_000  # characters of a text that is quoted

# ECMA-48 sequences, 7- and 8-bit. A string (OSC, DCS, SOS, PM, APC) ends at ST or BEL, or, if cut
# off, at the end of the line. `\x1b[1;31m`, `\x1b]0;title\x07`, `\x1b(B`.
_SEQUENCE = re.compile(
    r"(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]*"
    r"(?:\x07|\x1b\\|\x9c|(?=\x1b)|(?=\n)|\Z)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
)
# Default-ignorable code points (Unicode 15, DerivedCoreProperties) that are not in category Cf,
# invisible spaces, and noncharacters: they show nothing, and can reorder text or carry it unseen.
_HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0e\uffa0"
    "\ufff0-\ufff8\U000e0000-\U000e0fff\ufdd0-\ufdef\ufffe\uffff]"
)
# A joiner or variation selector is kept inside an emoji. These are emoji, and signs shown as one.
_PICTURE = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_LOOSE_STYLE = re.compile(f"(?<![{_PICTURE}0-9#*])\ufe0f")
_LOOSE_JOINER = re.compile(f"(?<![{_PICTURE}\ufe0f])\u200d|\u200d(?![{_PICTURE}])")
_SHAPED = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
_LONG_RUN = re.compile(rf"(.)\1{{{_RUN},}}")

_INSTEAD = {"Cs": "\ufffd", "Zl": "\n", "Zp": "\n"}  # category -> what is shown instead


class _Shown(dict[int, str]):
    """What is shown for a character, by its code point."""

    def __missing__(self, code: int) -> str:
        """Looked up once for each character: `translate` asks for its code point."""
        char = chr(code)
        kind = unicodedata.category(char)  # some of Cf have a glyph
        hidden = kind in ("Cc", "Cf") and char not in "\n\t\u200d" + _SHAPED
        return self.setdefault(code, "" if hidden else _INSTEAD.get(kind, char))


def clean(text: str) -> str:
    """`text` without control sequences, control characters (except tab and line feed) and
    characters that hide or reorder text; every visible character stays."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    text = _SEQUENCE.sub("", text).translate(_Shown())
    return _LOOSE_JOINER.sub("", _LOOSE_STYLE.sub("", _HIDDEN.sub("", text)))


def fit(text: str) -> str:
    """`text` with long runs collapsed, and cut to MOST characters; what was cut is counted."""
    text = _LONG_RUN.sub(
        lambda run: run[1] * _KEPT + f"[… {len(run[0]) - _KEPT} more of the same character]", text
    )
    if len(text) <= MOST:
        return text

    head = text[:_HEAD]
    tail = text[_HEAD + _ROOM - MOST :]
    head = head[: head.rfind("\n") + 1] or head
    tail = tail[tail.find("\n") + 1 :] or tail
    gone = text[len(head) : len(text) - len(tail)]
    lines = gone.count("\n") + (not gone.endswith("\n"))
    note = f"[… {len(gone)} characters ({lines} lines) left out; {_ELSE}]"
    return f"{head.rstrip(chr(10))}\n{note}\n{tail}"


def quoted(text: str, most: int = _QUOTED) -> str:
    """`text` in quotation marks, as it stands: a host that hides a secret looks for its text. A
    very long one is cut between two words, so that a secret stands there whole or not at all."""
    return f"'{cut(one_line(text), most)}'"


def cut(text: str, most: int) -> str:
    """`text`, a longer one cut between two words."""
    if len(text) <= most:
        return text
    kept = text[:most].rpartition(" ")[0]
    return f"{kept}[… {len(text) - len(kept)} more characters]"


def one_line(text: str) -> str:
    """`text`, cleaned, as one line: no name of a file or a program can begin another."""
    return " ".join(clean(text).split("\n"))


def counted(count: int, what: str) -> str:
    """`1 line`, `2 lines`."""
    if count == 1:
        return f"{count} {what}"
    return f"{count} {what}s"


@dataclass(kw_only=True)
class Answer:
    """`first`: the first line; `detail`: what it quotes; `seconds`: since the wait began;
    `evidence`: what shows the prompt: shell, line editor, prompt matched, pattern; `rule`: the name
    of the rule that has decided."""

    word: Word
    first: str
    notes: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    evidence: str = ""
    rule: str = ""
    detail: str = ""
    seconds: float | None = None
    exit_status: int | None = None
    pane: str = ""

    def shortened(self, lines: int | None, notes: list[str]) -> Answer:
        """The answer with at most so many of its last rows, behind which one may count what is as
        it was; a note counts the others."""
        if lines and self.body and self.body[-1].endswith(REST):
            lines += 1
        if lines is None or len(self.body) <= lines:
            return self
        rows = counted(len(self.body) - lines, "earlier row")
        notes.append(f"left out: {rows}; read shows them")
        return replace(self, body=self.body[-lines:])

    def cleaned(self, notes: list[str], pane: str) -> Answer:
        """The answer as it is given, about this pane: each field cleaned and cut, and no row of
        output begins like a note."""
        return replace(
            self,
            first=_line(self.first),
            detail=_line(self.detail),
            pane=_line(pane),
            notes=list(dict.fromkeys(map(_line, notes))),
            body=[_row(row) for row in self.body],
        )

    @property
    def text(self) -> str:
        """What the agent reads: at most 16,000 characters, with a count of what was cut."""
        whole = "\n".join([self.first, *(f"note: {note}" for note in self.notes), *self.body])
        return fit(whole)


def _line(text: str) -> str:
    """`text` as one line of limited length."""
    return cut(one_line(text), _LONGEST)


def _row(text: str) -> str:
    """`text` as a row of the body, which never begins like a note."""
    row = one_line(text)
    if row.startswith("note: "):
        return f" {row}"
    return row
