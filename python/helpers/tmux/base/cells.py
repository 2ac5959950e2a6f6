"""The arithmetic of cells: how wide a text is drawn, and how a line lies in rows. Pure.

tmux counts a combining character as no cell and a wide one as two. What stands left of the cursor
is so many cells of a row, not so many characters. A *line* may be wrapped over several *rows*.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Line(NamedTuple):
    """A line, and the row on which it begins, counted from the oldest row of the history."""

    row: int
    text: str


def text_at(lines: Iterable[Line], row: int) -> str:
    """The text of the line that begins on `row`; "" if none does."""
    return next((line.text for line in lines if line.row == row), "")


def width(char: str) -> int:
    """Cells of one character as tmux counts them: 0 if combining, 2 if wide."""
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    if unicodedata.east_asian_width(char) in "WF":
        return 2
    return 1


def breadth(text: str) -> int:
    """Cells of `text`."""
    if text.isascii():
        return len(text)
    return sum(map(width, text))


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
            begin = at
            used = 0
        used += wide

    yield line[begin:]


def joined(rows: Iterable[str], columns: int) -> list[str]:
    """Rows of a screen with wrapped lines joined, judging by the rows alone: a full row continues
    in the next one. (The host masks a secret only if it is on one line.)"""
    lines = [""]
    for row in rows:
        lines[-1] += row
        if breadth(row) < columns:
            lines.append("")

    if lines[-1]:
        return lines
    return lines[:-1]


def trimmed(lines: Iterable[str]) -> list[str]:
    """`lines` without trailing spaces, and without empty lines at either end."""
    text = "\n".join(line.rstrip() for line in lines).strip("\n")
    if text:
        return text.split("\n")
    return []


def in_one_line(text: str) -> str:
    """`text` without line breaks and runs of blanks, as it is quoted."""
    return " ".join(text.split())


def squeezed(text: str) -> str:
    """`text` without white space, so that wrapped lines and expanded tabs compare equal."""
    return "".join(text.split())
