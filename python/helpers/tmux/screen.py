"""A screen that a program draws, for a reader of text: what is shown, what is highlighted. Pure."""

import re
from itertools import groupby
from operator import itemgetter

from .cells import width
from .line import is_pager, question
from .look import Look, digest

_FRAME = "".join(map(chr, range(0x2500, 0x25A0)))  # lines, blocks and shades
_SIGN = re.compile(f"[{_FRAME}]")
_EDGE = _FRAME + " "
_BAR = 3  # highlighted parts of one row: more are names of keys
_LONGEST = 60  # characters of a highlighted text
_COMMAND = re.compile(r"^:.|\w[:?] ")  # vim's `:w`, emacs' `Find file: ~/`, in the last row
_COLOUR = r"[;:](?:5[;:]\d+|2[;:]+\d+[;:]\d+[;:]\d+)"
# `31`, `48;5;240`, `38:2::255:0:0`
_CODE = re.compile(rf"38{_COLOUR}|(?P<reverse>7\b)|(?P<back>48{_COLOUR}|4\d|10\d)|\d+")
_TOKEN = re.compile(r"\x1b\[([\d;:]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\x0e\x0f]|(.|\n)")
_PLAIN = {"reverse": "", "back": "49"}

Mark = tuple[int, str]  # a row, and what is highlighted in it


def filled(rows: list[str]) -> list[str]:
    """`rows`, "" where one holds nothing but frames and filler: vi and less draw `~`."""
    return [row if row.strip(_EDGE + "~") else "" for row in rows]


def without_frame(row: str) -> str:
    """`row` without what ends it."""
    return row.rstrip(_EDGE)


def shown(rows: list[str]) -> list[str]:
    """`rows` without what all begin with, and without what ends them: indent and frames."""
    cut = min((len(row) - len(row.lstrip(_EDGE)) for row in rows if row), default=0)
    return [without_frame(row[cut:]) for row in rows]


def asked(seen: Look) -> str:
    """The question that a screen shows left of the cursor, or in its frame right above it, "" if
    there is none."""
    if not seen.cursor_flag:
        return ""
    rows, x = seen.screen[: seen.cursor_y + 1], seen.cursor_x
    left = _part(rows[-1][:x], x)
    if is_pager(left):
        return ""
    if question(left) or len(rows) == seen.height and _COMMAND.search(left):
        return left
    if left or not _SIGN.search(rows[-1][:x]):
        return ""
    above = next(filter(None, (_part(row, x) for row in reversed(rows[-4:-1]))), "")
    return above if question(above) else ""


def _part(row: str, x: int) -> str:
    """What stands around the column `x` between two frames."""
    return (_SIGN.split(row[:x])[-1] + _SIGN.split(row[x:])[0]).strip()


def colours(painted: str, seen: Look) -> int:
    """What identifies a screen with its colours, and the cell of its cursor."""
    return digest(painted + str(seen.cell) * seen.cursor_flag)


def highlighted(painted: str) -> list[Mark]:
    """What stands out by its ground from the rows around it, joined in each row. `painted`: as
    `look.painted` returns it."""
    rows = _cells(painted)
    marks: list[Mark] = []
    for y, row in enumerate(rows[:-1]):  # the last row is a program's status
        around = [*rows[max(y - 1, 0) : y], rows[y + 1]]
        found, begin = [], 0
        for ground, run in groupby(row, itemgetter(1)):
            cells = list(run)
            end = begin + len(cells)
            grounds = [[one for _, one in other[begin:end]] for other in around]
            text = " ".join("".join(sign for sign, _ in cells).strip(_EDGE).split())
            stands_out = all(one.count(ground) * 2 <= len(cells) for one in grounds)
            if text and stands_out and ground != _PLAIN["back"]:
                found.append(text)
            begin = end
        if 0 < len(found) <= _BAR:
            marks.append((y, " ".join(found)[:_LONGEST]))
    return marks


def _cells(painted: str) -> list[list[tuple[str, str]]]:
    """The cells of each row: a sign and its ground; the second of a wide sign is empty."""
    rows: list[list[tuple[str, str]]] = [[]]
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
            rows[-1] += [(char, ground), *[("", ground)] * (width(char) - 1)]
    return rows[:-1]
