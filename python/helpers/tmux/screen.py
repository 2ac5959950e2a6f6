"""A screen that a program draws, for a reader of text: what is shown, what is highlighted. Pure."""

import operator
import re
from itertools import groupby, takewhile

from .line import is_pager, question
from .look import Look, digest
from .output import width

_FRAME = "".join(map(chr, range(0x2500, 0x25A0)))  # lines, blocks and shades
_EMPTY = set(_FRAME + " ")
_BLANK = " ~"  # of a row: vi and less draw `~` below their text
_BAR = 3  # highlighted parts of one row: more are names of keys
_LONGEST = 60  # characters of a highlighted text
_COMMAND = re.compile(r"^:.|\w[:?] ")  # vim's `:w`, emacs' `Find file: ~/`, in the last row
_COLOUR = r"[;:](?:5[;:]\d+|2[;:]+\d+[;:]\d+[;:]\d+)"
# `31`, `48;5;240`, `38:2::255:0:0`
_CODE = re.compile(
    rf"(?P<fore>38{_COLOUR}|[39]\d)"
    rf"|(?P<back>48{_COLOUR}|4\d|10\d)"
    r"|(?P<bold>1\b)"
    r"|(?P<reverse>7\b)"
    r"|\d+"
)
_TOKEN = re.compile(r"\x1b\[([\d;:]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\x0e\x0f]|(.|\n)")


Style = dict[str, str]  # how a cell is drawn: what of it is set, and its code
Cells = list[tuple[str, Style]]  # of a row; the second cell of a wide character is ""
Mark = tuple[int, str]  # a row, and what is highlighted in it


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
    style: Style = {}
    for token in _TOKEN.finditer(text):
        codes, char = token.groups()
        if codes is not None:
            style = _styled(style, codes)
        elif char == "\n":
            rows.append([])
        elif char:
            rows[-1] += [(char, style), *[("", style)] * (width(char) - 1)]
    return [row + [(" ", {})] * (columns - len(row)) for row in rows[:-1]]


def _styled(style: Style, codes: str) -> Style:
    """`style` after a sequence with these codes; tmux ends an attribute by 0 alone."""
    for code in _CODE.finditer(codes or "0"):
        if code[0] == "0":
            style = {}
        elif code.lastgroup:
            style = {**style, code.lastgroup: "" if code[0] == "49" else code[0]}
    return style


def colours(painted: str, seen: Look) -> int:
    """What identifies a screen with its colours, and the cell of its cursor."""
    return digest(painted + str(seen.cell) * seen.cursor_flag)


def highlighted(screen: list[Cells]) -> list[Mark]:
    """What stands out by its ground from what is around it; else the one text that is bold."""
    marks = _standing_out(screen, [[_ground(style) for _, style in row] for row in screen])
    if marks:
        return marks
    bold = _standing_out(
        screen, [["bold" * ("bold" in style) for _, style in row] for row in screen]
    )
    return bold if len(bold) == 1 else []


def _ground(style: Style) -> str:
    """The colour behind a cell's sign."""
    if "reverse" in style:
        return f"reverse {style.get('fore')}"
    return style.get("back", "")


def _standing_out(screen: list[Cells], grounds: list[list[str]]) -> list[Mark]:
    """The texts whose ground is not that of the rows around them, joined in each row."""
    marks: list[Mark] = []
    for y, row in enumerate(grounds[:-1]):  # the last row is a program's status
        around = [grounds[at] for at in (y - 1, y + 1) if at >= 0]
        found: list[str] = []
        end = 0
        for ground, run in groupby(row):
            begin, end = end, end + len(list(run))
            title = y == 0 and end - begin == len(row)
            if not ground or title or any(_is_part(row, begin, end, other) for other in around):
                continue
            text = "".join(char for char, _ in screen[y][begin:end]).strip(_FRAME + " ")
            found += [" ".join(text.split())] if text else []
        if 0 < len(found) <= _BAR:
            marks.append((y, " ".join(found)[:_LONGEST]))
    return marks


def _is_part(row: list[str], begin: int, end: int, other: list[str]) -> bool:
    """Whether most of these cells have the same ground in another row."""
    return sum(map(operator.eq, row[begin:end], other[begin:end])) * 2 > end - begin
