"""Rows as `capture-pane -e -N` gives them, made into runs that a page draws as text. Pure.

A run is `[text, foreground, background, classes, cells]`, without its empty end: colours are CSS,
classes one letter each, `cells` is given where the run must have that width whatever its font says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ...tmux.output import width

Run = list[str | int]

_INK, _PAPER = "var(--ink)", "var(--paper)"  # the page's own colours
_TAB = 8  # cells; tmux from 3.8 on gives tabs back as they came
_JOINER = "\u200d"
# An SGR sequence, a hyperlink (not drawn as one), line drawing on and off; what else is a control
# character is no text either.
_MARK = re.compile(
    r"\x1b\[([\d;:]*)m|\x1b\]8;.*?\x1b\\|(\x0e)|(\x0f)|[\x00-\x08\x0a-\x1f\x7f-\x9f]"
)
_LINES = str.maketrans("`afgijklmnopqrstuvwxyz{|}~", "◆▒°±␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
# A fixed-width font has these itself, so a run of them keeps its columns; from here on each
# character is a run of its own.
_IN_THE_FONT = re.compile("[\u0020-\u007e\u00a0-\u024f\u0370-\u04ff\u2500-\u259f]")
_COMBINES = re.compile("[\u0300-\u036f]")

_BASE = (
    "#1d1f21 #cc4b4b #6fae54 #d0a03c #4f88d0 #a870c0 #3fa5a5 #c5c8c6 "
    "#70757a #f0716f #98d070 #f0c765 #7fb2f0 #d09ae0 #70cfcf #ffffff"
).split()
_LEVELS = (0, 95, 135, 175, 215, 255)  # of xterm's colour cube
_SET = {1: "b", 2: "d", 3: "i", 4: "u", 7: "r", 8: "h", 9: "s", 21: "u", 53: "o"}
_UNSET = {22: "bd", 23: "i", 24: "u", 27: "r", 28: "h", 29: "s", 55: "o"}


@dataclass(frozen=True, slots=True)
class Style:
    """How the next cell is drawn. `flags`: letters of _SET; `lines`: letters draw lines."""

    ink: str = ""
    paper: str = ""
    flags: frozenset[str] = frozenset()
    lines: bool = False

    def look(self) -> tuple[str, str, str]:
        """Foreground, background and classes, with reverse and hidden worked out."""
        ink, paper = self.ink, self.paper
        if "r" in self.flags:
            ink, paper = paper or _PAPER, ink or _INK
        if "h" in self.flags:
            ink = paper or _PAPER
        return ink, paper, "".join(sorted(self.flags - {"r", "h"}))


PLAIN = Style()


def drawn(rows: list[str]) -> list[list[Run]]:
    """The runs of each row. Colours go on from row to row, as tmux writes them."""
    style, result = PLAIN, []
    for row in rows:
        runs, style = _row(row, style)
        result.append(runs)
    return result


@lru_cache(maxsize=2000)  # some screens: most rows are those of the last look
def _row(row: str, style: Style) -> tuple[list[Run], Style]:
    runs: list[Run] = []
    at = column = 0
    for mark in _MARK.finditer(row):
        column = _write(runs, row[at : mark.start()], style, column)
        at = mark.end()
        parameters, on, off = mark.groups()
        if parameters is not None:
            style = coloured(style, parameters)
        elif on or off:
            style = replace(style, lines=bool(on))
    _write(runs, row[at:], style, column)
    return runs, style


def _write(runs: list[Run], text: str, style: Style, column: int) -> int:
    """Adds `text` as runs; the column behind it."""
    if style.lines:
        text = text.translate(_LINES)
    look = style.look()
    for piece, cells, fixed in _pieces(text, column):
        column += cells
        run: Run = [piece, *look, cells * fixed]
        while not run[-1]:
            run.pop()
        runs.append(run)
    return column


def _pieces(text: str, column: int) -> Iterator[tuple[str, int, bool]]:
    """Text, its cells, and whether a page must be told them."""
    plain = ""
    odd: tuple[str, int] | None = None
    for char in text:
        cells = width(char)
        if odd and (not cells or odd[0].endswith(_JOINER)):
            odd = odd[0] + char, odd[1]
            continue
        if odd:
            yield *odd, True
            column += odd[1]
            odd = None
        if char == "\t":
            plain += " " * (_TAB - (column + len(plain)) % _TAB)
        elif _IN_THE_FONT.match(char) or _COMBINES.match(char) and plain:
            plain += char
        else:
            if plain:
                taken = sum(map(width, plain))
                yield plain, taken, False
                column += taken
            plain, odd = "", (char, cells)
    if odd:
        yield *odd, True
    elif plain:
        yield plain, sum(map(width, plain)), False


@lru_cache(maxsize=500)
def coloured(style: Style, parameters: str) -> Style:
    """`style` after an SGR sequence: coloured(PLAIN, "1;38;5;196") is bold and red."""
    codes = [one for one in parameters.split(";")] or ["0"]
    at = 0
    while at < len(codes):
        code, *sub = codes[at].split(":")
        number = int(code or 0)
        at += 1
        if number in (38, 48, 58):
            if not sub:
                taken = 2 if codes[at : at + 1] == ["5"] else 4
                sub, at = codes[at : at + taken], at + taken
            colour = _extended(sub)
            if number != 58:  # an underline's colour is not drawn
                style = _with(style, number, colour)
        elif number in (39, 49):
            style = _with(style, number, "")
        elif 30 <= number <= 107 and number % 10 < 8 and number // 10 in (3, 4, 9, 10):
            bright = 8 * (number >= 90)
            style = _with(style, number // 10 % 6 * 10, _BASE[number % 10 + bright])
        elif number in _SET and sub != ["0"]:
            style = replace(style, flags=style.flags | {_SET[number]})
        elif number in _UNSET or sub == ["0"]:
            style = replace(style, flags=style.flags - set(_UNSET.get(number, "u")))
        elif not number:
            style = replace(PLAIN, lines=style.lines)
    return style


def _with(style: Style, code: int, colour: str) -> Style:
    """30 and 38 are the foreground, 40 and 48 the background."""
    if code // 10 == 3:
        return replace(style, ink=colour)
    return replace(style, paper=colour)


def _extended(words: list[str]) -> str:
    """The colour of `5;N` or `2;R;G;B` (with colons also `2::R:G:B`)."""
    numbers = [int(word) for word in words if word]
    if numbers[:1] == [5] and len(numbers) == 2 and numbers[1] < 256:
        return _palette(numbers[1])
    if numbers[:1] == [2] and len(numbers) >= 4:
        return "#" + "".join(f"{min(one, 255):02x}" for one in numbers[-3:])
    return ""


def _palette(number: int) -> str:
    if number < 16:
        return _BASE[number]
    if number >= 232:
        return f"#{8 + 10 * (number - 232):02x}" + f"{8 + 10 * (number - 232):02x}" * 2
    number -= 16
    return "#" + "".join(f"{_LEVELS[number // one % 6]:02x}" for one in (36, 6, 1))
