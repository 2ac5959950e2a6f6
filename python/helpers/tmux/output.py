"""Screen text for a model: cleaned, cut and counted. Also its width in cells. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

MOST = 16_000  # characters of an answer: what a model can take in at once
_HEAD = 4_000  # of these from the start (the request), the rest from the end (the outcome)
_ROOM = 200  # characters for the note between them
_RUN = 400  # longest run of one character kept: the host counts the tokens of longer ones slowly
_KEPT = 80  # characters kept of a longer run

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
_SHAPED = "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"  # Cf with a glyph
_LONG_RUN = re.compile(rf"(.)\1{{{_RUN},}}")
_NO_GLYPH = re.compile(f"[^{_SHAPED}\u200d\n\t]")


_INSTEAD = {"Cs": "\ufffd", "Zl": "\n", "Zp": "\n"}  # category -> what is shown instead


class _Shown(dict[int, str]):
    """What is shown for a character, by its code point."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kind = unicodedata.category(char)
        hidden = kind in ("Cc", "Cf") and _NO_GLYPH.match(char)
        return self.setdefault(code, "" if hidden else _INSTEAD.get(kind, char))


def clean(text: str) -> str:
    """`text` without control sequences, control characters (except tab and line feed) and
    characters that hide or reorder text; every visible character stays."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    text = _SEQUENCE.sub("", text).translate(_Shown())
    return _LOOSE_JOINER.sub("", _LOOSE_STYLE.sub("", _HIDDEN.sub("", text)))


def fit(text: str, more: str = "") -> str:
    """`text` with long runs collapsed, and cut to MOST characters; what was cut is counted, and
    `more` says how to read it."""
    text = _LONG_RUN.sub(
        lambda run: run[1] * _KEPT + f"[… {len(run[0]) - _KEPT} more of the same character]", text
    )
    if len(text) <= MOST:
        return text
    head, tail = text[:_HEAD], text[_HEAD + _ROOM - MOST :]
    head, tail = head[: head.rfind("\n") + 1] or head, tail[tail.find("\n") + 1 :] or tail
    gone = text[len(head) : len(text) - len(tail)]
    lines = gone.count("\n") + (not gone.endswith("\n"))
    note = f"[… {len(gone)} characters ({lines} lines) left out{'; ' + more if more else ''}]"
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
        yield from (line[at : at + columns] for at in range(0, len(line), columns))
        return
    begin, used = 0, 0
    for at, wide in enumerate(map(width, line)):
        if used + wide > columns:
            yield line[begin:at]
            begin, used = at, 0
        used += wide
    yield line[begin:]


def squeezed(text: str) -> str:
    """`text` without white space, so that wrapped lines and expanded tabs compare equal."""
    return "".join(text.split())


def trimmed_end(lines: list[str]) -> list[str]:
    """`lines` without the empty ones at the end."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines
