"""A screen that a program draws, for a reader of text: what is shown, what is highlighted. Pure."""

import operator
import re
from dataclasses import dataclass, replace
from itertools import groupby, takewhile

from .line import is_pager, question
from .look import Look, digest
from .output import width

_FRAME = "".join(map(chr, range(0x2500, 0x25A0)))  # lines, blocks and shades
_EMPTY = set(_FRAME + " ")
_BLANK = " ~"  # of a row: vi and less draw `~` below their text
_GAP = 3  # blank cells between two parts of one highlighted text
_BAR = 3  # parts of one row with the same ground: names of keys
_LONGEST = 60  # characters of a highlighted text
_COMMAND = re.compile(r"^:.|\w[:?] ")  # vim's `:w`, emacs' `Find file: ~/`, in the last row
# `31`, `48;5;240`, `38:2::255:0:0`
_CODE = re.compile(r"[345]8[;:](?:5[;:]\d+|2[;:]+\d+[;:]\d+[;:]\d+)|\d+")
_TOKEN = re.compile(r"\x1b\[([\d;:]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\x0e\x0f]|(.|\n)")


@dataclass(frozen=True, slots=True)
class Style:
    """How a cell is drawn."""

    bold: bool = False
    reverse: bool = False
    fore: str = ""
    back: str = ""

    @property
    def ground(self) -> str:
        return f"reverse {self.fore}" if self.reverse else self.back


@dataclass(frozen=True, slots=True)
class Mark:
    """A highlighted text in a row, and its cells."""

    row: int
    begin: int
    end: int
    text: str

    @property
    def digest(self) -> int:
        return digest(f"{self.row} {self.text}")


Cells = list[tuple[str, Style]]  # of a row; the second cell of a wide character is ""


def filled(rows: list[str]) -> list[str]:
    """`rows`, "" where one holds nothing but frames and filler."""
    return [row if row.strip(_FRAME + _BLANK) else "" for row in rows]


def without_frame(row: str) -> str:
    """`row` without what ends it."""
    return row.rstrip(_FRAME + " ")


def shown(rows: list[str]) -> list[str]:
    """`rows` without what all begin with, and without what ends them: indent and frames."""
    filled = [row for row in rows if row]
    columns = map(set, zip(*filled, strict=False))
    cut = len([*takewhile(lambda signs: len(signs) == 1 and signs <= _EMPTY, columns)])
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
    if not set(_FRAME).intersection(rows[-1][:x]) or left:
        return ""
    above = next(filter(None, (_part(row, x) for row in reversed(rows[-4:-1]))), "")
    return above if question(above) else ""


def _part(row: str, x: int) -> str:
    """What stands around the column `x` between two frames."""
    begin = max(row.rfind(sign, 0, x) for sign in _FRAME) + 1
    ends = [at for at in (row.find(sign, x) for sign in _FRAME) if at >= 0]
    return row[begin : min(ends, default=len(row))].strip()


def cells_of(text: str, columns: int) -> list[Cells]:
    """The cells of rows that `painted` has returned."""
    rows: list[Cells] = [[]]
    style = Style()
    for token in _TOKEN.finditer(text):
        codes, char = token.groups()
        if codes is not None:
            style = _styled(style, codes)
        elif char == "\n":
            rows.append([])
        elif char:
            rows[-1] += [(char, style), *[("", style)] * (width(char) - 1)]
    return [row + [(" ", Style())] * (columns - len(row)) for row in rows[:-1]]


def _styled(style: Style, codes: str) -> Style:
    """`style` after a sequence with these codes; tmux ends an attribute by 0 alone."""
    for code in _CODE.findall(codes) or ["0"]:
        kind = code[:-1] if code.isdigit() else code[0]
        if code == "0":
            style = Style()
        elif code == "1":
            style = replace(style, bold=True)
        elif code == "7":
            style = replace(style, reverse=True)
        elif kind in ("3", "9"):
            style = replace(style, fore="" if code == "39" else code)
        elif kind in ("4", "10"):
            style = replace(style, back="" if code == "49" else code)
    return style


def colours(screen: list[Cells], seen: Look) -> int:
    """What identifies the colours of a screen, and the cell of its cursor."""
    cursor = str(seen.cell) * seen.cursor_flag
    return digest(repr([[style for _, style in row] for row in screen]) + cursor)


def highlighted(screen: list[Cells]) -> list[Mark]:
    """What stands out by its ground from what is around it; else the one text that is bold."""
    marks = _standing_out(screen, [[style.ground for _, style in row] for row in screen])
    if marks:
        return marks
    bold = _standing_out(screen, [["bold" * style.bold for _, style in row] for row in screen])
    return bold if len(bold) == 1 else []


def _standing_out(screen: list[Cells], grounds: list[list[str]]) -> list[Mark]:
    marks: list[Mark] = []
    for y, row in enumerate(grounds[:-1]):  # the last row is a program's status
        around = [grounds[at] for at in (y - 1, y + 1) if at >= 0]
        found: list[Mark] = []
        end = 0
        for ground, run in groupby(row):
            begin, end = end, end + len(list(run))
            title = y == 0 and end - begin == len(row)
            if not ground or title or any(_is_part(row, begin, end, other) for other in around):
                continue
            if found and row[found[-1].begin] == ground:
                gap = [char for char, _ in screen[y][found[-1].end : begin]]
                if len(gap) <= _GAP and not "".join(gap).strip():
                    begin = found.pop().begin
            text = "".join(char for char, _ in screen[y][begin:end]).strip(_FRAME + " ")
            found += [Mark(y, begin, end, " ".join(text.split())[:_LONGEST])] if text else []
        marks += found if len(found) <= _BAR else []
    return marks


def _is_part(row: list[str], begin: int, end: int, other: list[str]) -> bool:
    """Whether most of these cells have the same ground in another row."""
    return sum(map(operator.eq, row[begin:end], other[begin:end])) * 2 > end - begin
