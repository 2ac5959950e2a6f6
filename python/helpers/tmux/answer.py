"""What the agent reads: an answer's words, notes and body; text cleaned, cut and counted. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

MOST = 16_000  # characters of an answer: what a model can take in at once
_HEAD = 4_000  # of these from the start (the request), the rest from the end (the outcome)
_ROOM = 200  # characters for the note between them
_ELSE = "write it to a file to see all of it"
_RUN = 400  # longest run of one character kept: the host counts the tokens of longer ones slowly
_KEPT = 80  # characters kept of a longer run
_LONGEST = 2_000  # characters of a first line, a note or another field

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
    head, tail = text[:_HEAD], text[_HEAD + _ROOM - MOST :]
    head, tail = head[: head.rfind("\n") + 1] or head, tail[tail.find("\n") + 1 :] or tail
    gone = text[len(head) : len(text) - len(tail)]
    lines = gone.count("\n") + (not gone.endswith("\n"))
    note = f"[… {len(gone)} characters ({lines} lines) left out; {_ELSE}]"
    return f"{head.rstrip(chr(10))}\n{note}\n{tail}"


def trimmed(lines: Iterable[str]) -> list[str]:
    """`lines` without trailing spaces, and without empty lines at either end."""
    text = "\n".join(line.rstrip() for line in lines).strip("\n")
    return text.split("\n") if text else []


def joined(rows: Iterable[str], columns: int) -> list[str]:
    """Rows of a screen with wrapped lines joined, judging by the rows alone: a full row continues
    in the next one. (The host masks a secret only if it is on one line.)"""
    lines = [""]
    for row in rows:
        lines[-1] += row
        if breadth(row) < columns:
            lines.append("")
    return lines if lines[-1] else lines[:-1]


def width(char: str) -> int:
    """Cells of one character as tmux counts them: 0 if combining, 2 if wide."""
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def breadth(text: str) -> int:
    """Cells of `text`."""
    return len(text) if text.isascii() else sum(map(width, text))


def cells(line: str, count: int) -> tuple[str, str]:
    """`line` split after `count` cells; a shorter left part is padded with spaces."""
    if line.isascii():
        return line[:count].ljust(count), line[count:]
    used = 0
    for at, char in enumerate(line):
        if used >= count and width(char):
            return line[:at], line[at:]
        used += width(char)
    return line + " " * (count - used), ""


def pieces(line: str, columns: int) -> Iterator[str]:
    """`line` as rows of `columns` cells; a wide character that does not fit moves to the next."""
    if line.isascii():
        yield from (line[at : at + columns] for at in range(0, len(line) or 1, columns))
        return
    begin, used = 0, 0
    for at, wide in enumerate(map(width, line)):
        if used + wide > columns:
            yield line[begin:at]
            begin, used = at, 0
        used += wide
    yield line[begin:]


def counted(count: int, what: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def squeezed(text: str) -> str:
    """`text` without white space, so that wrapped lines and expanded tabs compare equal."""
    return "".join(text.split())


class Word(StrEnum):
    """How an answer begins: the verdicts, then the receipts and reports."""

    READY = "ready"
    NEEDS_INPUT = "needs input"
    NEEDS_PASSWORD = "needs password"
    NEEDS_KEY = "needs key"
    UNFINISHED = "unfinished"
    MATCHED = "matched"
    QUIET = "quiet"
    TIMED_OUT = "timed out"
    GONE = "gone"
    SENT = "sent"
    PRESSED = "pressed"
    READ = "read"
    LIST = "list"
    OPENED = "opened"
    CLOSED = "closed"
    ERROR = "error"


CLOSED = (Word.READY, Word.GONE)  # after the other words a turn is open
RAN = (Word.TIMED_OUT, Word.MATCHED, Word.QUIET)  # the program may go on
ASKS_LINE = (Word.NEEDS_INPUT, Word.NEEDS_PASSWORD)
ASKS = (*ASKS_LINE, Word.NEEDS_KEY)
SURE = ("", *ASKS, Word.UNFINISHED)  # of what an answer leaves open: somebody waits there


@dataclass(kw_only=True)
class Answer:
    """`first`: the first line; `detail`: what it quotes; `seconds`: since the wait began;
    `evidence`: what shows the prompt: shell, line editor, prompt matched, pattern."""

    word: Word
    first: str
    notes: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    evidence: str = ""
    detail: str = ""
    seconds: float | None = None
    exit_status: int | None = None
    pane: str = ""

    def told(self, notes: list[str], pane: str) -> Answer:
        """The answer as it is given, about this pane: each field cleaned and cut, and no row of
        output begins like a note."""
        body = clean("\n".join(self.body)).split("\n") if self.body else []
        return replace(
            self,
            first=_line(self.first),
            detail=_line(self.detail),
            pane=_line(pane),
            notes=list(dict.fromkeys(map(_line, notes))),
            body=[" " * row.startswith("note: ") + row for row in body],
        )

    @property
    def text(self) -> str:
        """What the agent reads: at most 16,000 characters, with a count of what was cut."""
        whole = "\n".join([self.first, *(f"note: {note}" for note in self.notes), *self.body])
        return fit(whole)


def _line(text: str) -> str:
    """`text` as one line."""
    line = " ".join(clean(text).split("\n"))
    more = len(line) - _LONGEST
    return f"{line[:_LONGEST]}[… {more} more characters]" if more > 0 else line
