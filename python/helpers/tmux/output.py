"""Screen text made fit for a model: without control sequences and hidden characters, cut, counted.
Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

MOST = 16_000  # characters of an answer: what a model reads at one look
_HEAD = 4_000  # of these at the start: what was asked; the rest at the end: how it came out
_RUN = 400  # longest run of one character kept: the host counts tokens of longer ones very slowly

# ECMA-48 sequences, 7- and 8-bit. A string (OSC, DCS, SOS, PM, APC) ends at ST or BEL, or, cut off,
# at the line's end. `\x1b[1;31m`, `\x1b]0;title\x07`, `\x1b(B`.
_SEQUENCE = re.compile(
    r"(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]*"
    r"(?:\x07|\x1b\\|\x9c|(?=\x1b)|(?=\n)|\Z)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
)
# Seen as nothing, or able to reorder or carry text unseen: default-ignorable code points (Unicode
# 15, DerivedCoreProperties) that are not in category Cf, invisible blanks, and noncharacters.
_HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\uffa0\ufff0-\ufff8"
    "\U000e0000-\U000e0fff\ufdd0-\ufdef\ufffe\uffff]"
)
_CELL = re.compile(r"(?s)\x1b\[([\d;]*)m|(.)")  # an SGR sequence, or a character
_LONG_RUN = re.compile(rf"(.)\1{{{_RUN},}}")
_SHAPED = re.compile(
    "[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]"
)  # format characters with a glyph
_JOINER, _EMOJI_STYLE = "\u200d", "\ufe0f"


def clean(text: str) -> str:
    """`text` without control sequences, control characters (but tab and newline) and characters
    that hide or reverse text; every visible character stays."""
    text = text.replace("\r\n", "\n")
    if not (text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()):
        text = _SEQUENCE.sub("", text)
        text = _HIDDEN.sub("", text)
        kept: list[str] = []
        for char, after in zip(text, text[1:] + " ", strict=False):
            kept += _visible(char, kept[-1] if kept else " ", after)
        text = "".join(kept)
    return text


def _visible(char: str, before: str, after: str) -> str:
    """`char` as it may stay behind `before`: joiner and style mark only within one emoji."""
    if char == _JOINER:
        return char if (_pictures(before) or before == _EMOJI_STYLE) and _pictures(after) else ""
    if "\ufe00" <= char <= "\ufe0f":
        return (
            char if char == _EMOJI_STYLE and (_pictures(before) or before in "0123456789#*") else ""
        )
    kind = unicodedata.category(char)
    if kind == "Cs":
        return "\ufffd"
    if kind in ("Zl", "Zp"):
        return "\n"
    if kind == "Cf":
        return char if _SHAPED.match(char) else ""
    return "" if kind == "Cc" and char not in "\n\t" else char


def _pictures(char: str) -> bool:
    return unicodedata.category(char) in ("So", "Sk", "Sm", "Po") and not char.isascii()


def fit(text: str, more: str = "") -> str:
    """`text` with long runs collapsed and at most MOST characters; what was left out is counted,
    and `more` says how to get it."""
    text = _LONG_RUN.sub(
        lambda m: m[1] * 80 + f"[… {len(m[0]) - 80} more of the same character]", text
    )
    if len(text) <= MOST:
        return text
    room = MOST - 200
    head, tail = text[:_HEAD], text[_HEAD - room :]
    head, tail = head[: head.rfind("\n") + 1] or head, tail[tail.find("\n") + 1 :] or tail
    gone = text[len(head) : len(text) - len(tail)]
    lines = gone.count("\n") + (not gone.endswith("\n"))
    note = f"[… {len(gone)} characters ({lines} lines) left out{'; ' + more if more else ''}]"
    return f"{head.rstrip(chr(10))}\n{note}\n{tail}"


def trimmed(lines: list[str]) -> list[str]:
    """`lines` without trailing blanks, and without blank lines at either end."""
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def joined(rows: Iterable[str], columns: int) -> list[str]:
    """Rows of a screen with wrapped lines joined, as far as the rows tell: a full row goes on in
    the next one. (The host masks secrets only where they are whole.)"""
    lines: list[str] = []
    goes_on = False
    for row in rows:
        lines[-1:] = [lines[-1] + row] if goes_on else [*lines[-1:], row]
        goes_on = breadth(row) >= columns
    return lines


def width(char: str) -> int:
    """Cells of one character as tmux counts them: 0 for combining ones, 2 for wide ones."""
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def breadth(text: str) -> int:
    """Cells of `text`."""
    return len(text) if text.isascii() else sum(map(width, text))


def cells(line: str, count: int) -> tuple[str, str]:
    """`line` split after `count` cells; the left part is padded with blanks where it is shorter."""
    if line.isascii():
        return line[:count].ljust(count), line[count:]
    used = 0
    for at, char in enumerate(line):
        if used >= count and width(char):
            return line[:at], line[at:]
        used += width(char)
    return line + " " * (count - used), ""


def pieces(line: str, columns: int) -> Iterator[str]:
    """`line` as rows of `columns` cells; a wide character that does not fit goes to the next."""
    if line.isascii():
        yield from (line[at : at + columns] for at in range(0, len(line), columns))
        return
    begin, used = 0, 0
    for at, taken in enumerate(map(width, line)):
        if used + taken > columns:
            yield line[begin:at]
            begin, used = at, 0
        used += taken
    yield line[begin:]


def attributes_at(rows: Sequence[str], x: int, y: int) -> str:
    """The SGR parameters before the cell at `x`, `y` of `rows` with sequences; they go on from row
    to row. `38;5;240`; "" for none."""
    attributes, row, column = "", 0, 0
    for piece in _CELL.finditer("\n".join(rows[: y + 1])):
        sequence, char = piece.groups()
        if char and (row, column) >= (y, x):
            break
        if char == "\n":
            row, column = row + 1, 0
        elif char:
            column += width(char)
        else:
            attributes = sequence
    return attributes


def squeezed(text: str) -> str:
    """`text` without white space: equal whether lines were wrapped, tabs expanded or not."""
    return "".join(text.split())


def trimmed_end(lines: list[str]) -> list[str]:
    """`lines` without blank ones at the end."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines
