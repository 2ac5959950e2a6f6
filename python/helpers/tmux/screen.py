"""A screen that a program draws, for a reader of text: what is shown, what is highlighted. Pure.

A reader of text needs what a person's eye sees: the rows without the frames around them and the
filler below (vi's `~`), without the indent that all of them share, and which row is highlighted.
Highlighted is what stands out by its ground, in reverse video or on another colour, from the rows
above and below: a menu's row, a button; not a title that fills its row like the next one, and not
the last row, which is a program's status.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from .cells import width
from .line import is_pager, question
from .look import Look, digest

_FRAME = "".join(map(chr, range(0x2500, 0x25A0)))  # lines, blocks and shades
_SIGN = re.compile(f"[{_FRAME}]")
_EDGE = _FRAME + " "
_FILLER = _EDGE + "~"
_BAR = 3  # highlighted parts of one row: more are names of keys
_LONGEST = 60  # characters of a highlighted text
_COMMAND = re.compile(r"^:.|\w[:?] ")  # vim's `:w`, emacs' `Find file: ~/`, in the last row
_COLOUR = r"[;:](?:5[;:]\d+|2[;:]+\d+[;:]\d+[;:]\d+)"
# `31`, `48;5;240`, `38:2::255:0:0`
_CODE = re.compile(rf"38{_COLOUR}|(?P<reverse>7\b)|(?P<back>48{_COLOUR}|4\d|10\d)|\d+")
_TOKEN = re.compile(r"\x1b\[([\d;:]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\x0e\x0f]|(.|\n)")
_PLAIN = {"reverse": "", "back": "49"}


class Mark(NamedTuple):
    """A row of the screen, and what is highlighted in it."""

    row: int
    text: str


class Cell(NamedTuple):
    """A sign and its ground; the second cell of a wide sign is empty."""

    sign: str
    ground: str


def filled(rows: list[str]) -> list[str]:
    """`rows`, "" where one holds nothing but frames and filler: vi and less draw `~`."""
    return [row if row.strip(_FILLER) else "" for row in rows]


def without_frame(row: str) -> str:
    """`row` without what ends it."""
    return row.rstrip(_EDGE)


def shown(rows: list[str]) -> list[str]:
    """`rows` without what all begin with, and without what ends them: indent and frames."""
    indents = [len(row) - len(row.lstrip(_EDGE)) for row in rows if row]
    cut = min(indents, default=0)
    return [without_frame(row[cut:]) for row in rows]


def asked(seen: Look) -> str:
    """The question that a screen shows left of the cursor, or in its frame right above it, "" if
    there is none."""
    if not seen.cursor_flag:
        return ""
    rows, x = seen.screen[: seen.cursor_y + 1], seen.cursor_x
    before_cursor = rows[-1][:x]
    left = _part(before_cursor, x)
    if is_pager(left):
        return ""
    if question(left):
        return left
    if len(rows) == seen.height and _COMMAND.search(left):
        return left
    if left or not _SIGN.search(before_cursor):
        return ""
    parts = [_part(row, x) for row in reversed(rows[-4:-1])]
    above = next(filter(None, parts), "")
    return above if question(above) else ""


def _part(row: str, x: int) -> str:
    """What stands around the column `x` between two frames."""
    return (_SIGN.split(row[:x])[-1] + _SIGN.split(row[x:])[0]).strip()


def colours(painted: str, seen: Look) -> int:
    """What identifies a screen with its colours, and the cell of its cursor."""
    cursor = str(seen.cell) if seen.cursor_flag else ""
    return digest(painted + cursor)


def highlighted(painted: str) -> list[Mark]:
    """What stands out by its ground from the rows around it, joined in each row. `painted`: as
    `look.painted` returns it."""
    rows = _cells(painted)
    marks = []
    for y, row in enumerate(rows[:-1]):
        around = [*rows[max(y - 1, 0) : y], rows[y + 1]]
        parts = list(_parts_that_stand_out(row, around))
        if 0 < len(parts) <= _BAR:
            marks.append(Mark(y, " ".join(parts)[:_LONGEST]))
    return marks


def _parts_that_stand_out(row: list[Cell], around: list[list[Cell]]) -> Iterator[str]:
    """The texts of `row` on a ground that at most half of the cells above and below have."""
    begin = 0
    for ground, run in groupby(row, attrgetter("ground")):
        cells = list(run)
        end = begin + len(cells)
        text = " ".join("".join(cell.sign for cell in cells).strip(_EDGE).split())
        others = [[cell.ground for cell in other[begin:end]] for other in around]
        rare = all(grounds.count(ground) * 2 <= len(cells) for grounds in others)
        if text and rare and ground != _PLAIN["back"]:
            yield text
        begin = end


def _cells(painted: str) -> list[list[Cell]]:
    """The cells of each row."""
    rows: list[list[Cell]] = [[]]
    style = _PLAIN
    for codes, char in _TOKEN.findall(painted):
        for code in _CODE.finditer(codes):
            if code[0] == "0":  # tmux ends an attribute by 0 alone
                style = _PLAIN
            elif code.lastgroup:
                style = {**style, code.lastgroup: code[0]}
        ground = "".join(style.values())
        if char == "\n":
            rows.append([])
        elif char:
            rows[-1] += [Cell(char, ground), *[Cell("", ground)] * (width(char) - 1)]
    return rows[:-1]
