"""A screen that a program draws, for a reader of text: what is shown, what is highlighted. Pure.

A reader of text needs what a person's eye sees: the rows without the frames around them and the
filler below (vi's `~`), without the indent that all of them share, and which row is highlighted.
Highlighted is what stands out by its ground, in reverse video or on another colour, from the rows
above and below: a menu's row, a button; not a title that fills its row like the next one, not what
a page or a dialog is drawn on, and not the last row, which is a program's status.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from ..base.cells import in_one_line, width
from .line import is_pager, question
from .look import Look, digest

_FRAME = "".join(map(chr, range(0x2500, 0x25A0)))  # lines, blocks and shades
_SIGN = re.compile(f"[{_FRAME}]")
# What parts the labels of two fields that stand side by side: `File name:      Content:`.
_COLUMN = re.compile(rf"[{_FRAME}]|\s{{3,}}")
_EDGE = _FRAME + " "
_RULE = re.compile(r"[\u2500-\u257f]{4,}")  # a line that is drawn: above a box, around its title
BOX = tuple("│┃║")  # at the beginning of its rows: a dialog's, a form's
_INNER = re.compile(rf" *[{_FRAME}] ?[{_FRAME}]")
_FILLER = _EDGE + "~"
_ON_BUTTON = re.compile(r"<\s*$")  # dialog's `<  OK  >`, up to the cursor
_BAR = 3  # highlighted parts of one row: more are names of keys
_MENU = 4  # rows at most that a menu highlights
_LONGEST = 60  # characters of a highlighted text
_COMMAND = re.compile(r"^:.|\w[:?] ")  # vim's `:w`, emacs' `Find file: ~/`, in the last row
_COLOUR = r"[;:](?:5[;:]\d+|2[;:]+\d+[;:]\d+[;:]\d+)"
# `31`, `48;5;240`, `38:2::255:0:0`
_CODE = re.compile(
    rf"(?P<fore>38{_COLOUR}|3[0-79]|9\d)|(?P<reverse>7\b)|(?P<back>48{_COLOUR}|4\d|10\d)|\d+"
)
_TOKEN = re.compile(r"\x1b\[([\d;:]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\x0e\x0f]|(.|\n)")
# How far red, green and blue of a sign and of its ground may lie apart if nobody sees the sign: of
# blue an eye sees least.
_NEAR = (36, 36, 95)
_LEVELS = (0, 95, 135, 175, 215, 255)  # of each of them in the cube of 256 colours


class Style(NamedTuple):
    """How cells are drawn: the codes of their colours, `7` in reverse video."""

    fore: str = "39"
    back: str = "49"
    reverse: str = ""

    @property
    def ground(self) -> str:
        """What a blank cell of this style shows."""
        return self.reverse + self.back


_PLAIN = Style()


class Mark(NamedTuple):
    """A row of the screen, and what is highlighted in it."""

    row: int
    text: str


class Cell(NamedTuple):
    """A sign and how it is drawn; the second cell of a wide sign is empty."""

    sign: str
    style: Style


def filled(rows: list[str]) -> list[str]:
    """`rows`, "" where one holds nothing but frames and filler: vi and less draw `~`."""
    return [row if row.strip(_FILLER) else "" for row in rows]


def without_frame(row: str) -> str:
    """`row` without what ends it."""
    return row.rstrip(_EDGE)


def cursors_row(seen: Look) -> str:
    """The row that holds the cursor, between its frames. Where it is hidden it stands there all the
    same (whiptail)."""
    return in_one_line(_part(seen.screen[seen.cursor_y], seen.cursor_x, _SIGN))


def has_field(seen: Look) -> bool:
    """Whether a box (a dialog's) waits for a text: it shows a cursor, and on no button."""
    return seen.cursor_flag and not _ON_BUTTON.search(seen.left)


def asks_by_buttons(seen: Look, painted: str) -> bool:
    """Whether a box is answered by its buttons alone: `< Yes >  < No >`, not by a field, or by a
    list, in which a row is highlighted too."""
    buttons = re.findall(r"<[^<>]+>", "\n".join(seen.screen))
    if len(buttons) < 2 or has_field(seen):
        return False
    marks = [mark.text for mark in highlighted(painted)]
    return bool(marks) and all(text.startswith("<") for text in marks)


def shown(rows: list[str]) -> list[str]:
    """`rows` without what all begin with, and without what ends them: indent and frames; those of
    a box (a dialog's, in the middle of the screen), and of one within it, without what all of these
    begin with."""
    margins = [_margin([row for row in rows if _depth(row) >= deep]) for deep in range(3)]
    return [unframed(row, margins[_depth(row)]) for row in rows]


def _depth(row: str) -> int:
    """In how many boxes a row stands: 2 in a list of dialog's, which has a frame of its own."""
    if not _is_boxed(row):
        return 0
    return 1 + bool(_INNER.match(row))


def unframed(row: str, margin: int = 0) -> str:
    """`row` without its margin and what ends it; one that a line is drawn in, 158 signs above a
    panel, is its title."""
    if _is_boxed(row) and _RULE.search(row):
        return _RULE.sub("  ", row).strip(_EDGE)
    return without_frame(row[margin:])


def _is_boxed(row: str) -> bool:
    """Whether a frame begins the row and ends it."""
    text = row.strip()
    return len(text) > 1 and text[0] in _FRAME and text[-1] in _FRAME


def _margin(rows: list[str]) -> int:
    """The columns of frames and blanks that all of these rows begin with."""
    return min((len(row) - len(row.lstrip(_EDGE)) for row in rows if row), default=0)


def question_on(seen: Look) -> str:
    """The question that a screen shows left of the cursor, or in its frame right above it, whatever
    stands in its field; "" if there is none."""
    if not seen.cursor_flag:
        return ""

    rows = seen.screen[: seen.cursor_y + 1]
    x = seen.cursor_x
    before_cursor = rows[-1][:x]
    left = _part(before_cursor, x, _SIGN)
    if is_pager(left):
        return ""
    if question(left):
        return left
    if len(rows) == seen.height and _COMMAND.search(left):
        return left
    if ":" in left or not _SIGN.search(before_cursor):
        return ""

    above = next(filter(None, [_part(row, x, _COLUMN) for row in reversed(rows[-4:-1])]), "")
    if question(above):
        return above
    return ""


def _part(row: str, x: int, between: re.Pattern[str]) -> str:
    """What stands around the column `x`, as far as `between` parts it from the rest: frames, or
    gaps too."""
    return (between.split(row[:x])[-1] + between.split(row[x:])[0]).strip()


def colours(painted: str, seen: Look) -> int:
    """What identifies a screen with its colours, and the cell of its cursor."""
    if seen.cursor_flag:
        painted += str(seen.cell)
    return digest(painted)


def highlighted(painted: str) -> list[Mark]:
    """What stands out by its ground from the rows around it, joined in each row. `painted`: as
    `look.painted` returns it."""
    rows = _cells(painted)
    pages = _pages(rows[:-1])
    marks = []

    for y, row in enumerate(rows[:-1]):
        around = [*rows[max(y - 1, 0) : y], rows[y + 1]]
        parts = list(_parts_that_stand_out(row, around, pages))
        if 0 < len(parts) <= _BAR:
            marks.append(Mark(y, " ".join(parts)[:_LONGEST]))

    return marks


def _pages(rows: list[list[Cell]]) -> set[str]:
    """The grounds that draw no eye, so many rows are written on them.

    mc's panels and its dialogs, whose rows lie between fields of another colour; the black of a
    program that sets all colours itself (ncurses' start_color), while tmux tells the rest of the
    screen as the terminal's own. Fields without a text count for nothing: the field or the box that
    is chosen may have their ground.
    """
    written = [
        ground
        for row in rows
        for ground in {cell.style.ground for cell in row if cell.sign.isalnum()}
    ]
    most = min(max(len(written) // 2, 1), _MENU)
    return {ground for ground in written if written.count(ground) > most}


def _parts_that_stand_out(
    row: list[Cell], around: list[list[Cell]], pages: set[str]
) -> Iterator[str]:
    """The texts of `row` on a ground that at most half of the cells above and below have, and that
    is no page's: a button of a dialog, the row of a list, not the dialog's own rows."""
    begin = 0
    for ground, run in groupby(row, attrgetter("style.ground")):
        cells = list(run)
        end = begin + len(cells)
        drawn = "".join(cell.sign for cell in cells if not _is_faint(cell.style))
        text = in_one_line(drawn.strip(_EDGE))
        others = [[cell.style.ground for cell in other[begin:end]] for other in around]
        rare = all(grounds.count(ground) * 2 <= len(cells) for grounds in others)
        named = any(map(str.isalnum, text))  # a lone `*` in a box is told with its row
        if named and rare and ground not in pages | {_PLAIN.ground}:
            yield text

        begin = end


def visible(painted: str, rows: list[str]) -> list[str]:
    """`rows` with blanks for the signs that are drawn with hardly any contrast to their ground: a
    checkbox that is off has an `X` that a person does not see (Textual)."""
    found = list(rows)
    for y, cells in enumerate(_cells(painted)[: len(rows)]):
        text = "".join(cell.sign for cell in cells)
        seen = "".join(" " if _is_faint(cell.style) else cell.sign for cell in cells)
        if text.rstrip() == rows[y]:  # of the same moment
            found[y] = seen.rstrip()
    return found


@lru_cache(maxsize=256)
def _is_faint(style: Style) -> bool:
    """Whether sign and ground are nearly of one colour: `38;5;16` on `48;5;234`."""
    fore, back = _mixed(style.fore), _mixed(style.back)
    if not (fore and back):
        return False
    parts = zip(fore, back, _NEAR, strict=True)
    return all(abs(one - other) <= most for one, other, most in parts)


def _mixed(code: str) -> list[int]:
    """Red, green and blue of a colour's code; [] where a terminal's theme chooses them."""
    colour = [*map(int, re.findall(r"\d+", code))][2:]
    if len(colour) != 1:
        return colour
    number = colour[0]
    if number >= 232:
        return [10 * number - 2312] * 3
    return [_LEVELS[(number - 16) // size % 6] for size in (36, 6, 1)]


def _cells(painted: str) -> list[list[Cell]]:
    """The cells of each row."""
    rows: list[list[Cell]] = [[]]
    style = _PLAIN
    for codes, char in _TOKEN.findall(painted):
        for code in _CODE.finditer(codes):
            if code[0] == "0":  # tmux ends an attribute by 0 alone
                style = _PLAIN
            elif code.lastgroup:
                style = style._replace(**{code.lastgroup: code[0]})

        if char == "\n":
            rows.append([])
        elif char:
            rows[-1] += [Cell(char, style), *[Cell("", style)] * (width(char) - 1)]

    return rows[:-1]
