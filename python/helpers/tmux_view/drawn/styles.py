"""Rows as `capture-pane -e -N` gives them, made into runs that a page draws as text. Pure.

A run is `[text, foreground, background, classes, cells]`, without its empty end: colours are CSS,
classes one letter each, `cells` the width that a run must be given, whatever its font says.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from ...tmux.output import width

Run = list[Any]

_INK, _PAPER = "var(--ink)", "var(--paper)"  # the page's own colours
_TAB = 8  # cells; tmux from 3.8 on gives tabs back as they came
# An SGR sequence; line drawing on and off; what is no text: a link's address, control characters.
_MARK = re.compile(r"\x1b\[([\d;:]*)m|([\x0e\x0f])|\x1b\]8;.*?\x1b\\|[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_LINES = str.maketrans("`afgijklmnopqrstuvwxyz{|}~", "◆▒°±␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
# What a fixed-width font has itself. Each other character is a run of its own, with those that
# combine with it.
_IN_FONT = re.compile("[ -~\u00a0-\u04ff\u2500-\u259f]+")
_PIECE = re.compile(f"{_IN_FONT.pattern}|(?s:.)")
_JOINER, _EMOJI_STYLE = "\u200d", "\ufe0f"
_SKINS = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
JOINS = (3, 5)  # tmux from here on: a skin is no cell of its own, the emoji style takes two

_BASE = (
    "#1d1f21 #cc4b4b #6fae54 #d0a03c #4f88d0 #a870c0 #3fa5a5 #c5c8c6 "
    "#70757a #f0716f #98d070 #f0c765 #7fb2f0 #d09ae0 #70cfcf #ffffff"
).split()
_CUBE = [f"{level:02x}" for level in (0, 95, 135, 175, 215, 255)]
_GREYS = [f"#{level:02x}{level:02x}{level:02x}" for level in range(8, 248, 10)]
_COLOURS = [*_BASE, *(f"#{r}{g}{b}" for r in _CUBE for g in _CUBE for b in _CUBE), *_GREYS]
_FLAGS = {"1": "b", "2": "d", "3": "i", "4": "u", "7": "r", "8": "h", "9": "s", "53": "o"}


class Style(NamedTuple):
    """How the next cell is drawn. `flags`: of _FLAGS; `lines`: letters draw lines."""

    ink: str = ""
    paper: str = ""
    flags: str = ""
    lines: bool = False

    def look(self) -> Run:
        """Foreground, background and classes, with reverse and hidden worked out."""
        ink, paper = self.ink, self.paper
        if "r" in self.flags:
            ink, paper = paper or _PAPER, ink or _INK
        if "h" in self.flags:
            ink = paper or _PAPER
        return [ink, paper, self.flags.replace("r", "").replace("h", "")]


def drawn(rows: list[str], joins: bool) -> list[list[Run]]:
    """The runs of each row; `joins`: of a tmux from JOINS on. Colours go on from row to row."""
    style, result = Style(), []
    for row in rows:
        runs, style = _row(row, style, joins)
        result.append(runs)
    return result


@lru_cache(maxsize=2000)  # most rows are those of the last look
def _row(row: str, style: Style, joins: bool) -> tuple[list[Run], Style]:
    runs: list[Run] = []
    at = 0
    row = _untabbed(row)
    for mark in _MARK.finditer(row):
        runs += _runs(row[at : mark.start()], style, joins)
        at = mark.end()
        if mark[1] is not None:
            style = coloured(style, mark[1])
        elif mark[2]:
            style = style._replace(lines=mark[2] == "\x0e")
    runs += _runs(row[at:], style, joins)
    if runs and len(runs[-1]) == 1:  # tmux from 3.8 on fills up with blanks
        text = runs.pop()[0].rstrip()
        runs += [[text]] if text else []
    return runs, style


def _untabbed(row: str) -> str:
    while "\t" in row:
        before, _, after = row.partition("\t")
        cells = sum(map(width, _MARK.sub("", before)))
        row = before + " " * (_TAB - cells % _TAB) + after
    return row


def _runs(text: str, style: Style, joins: bool) -> list[Run]:
    runs: list[Run] = []
    for piece in _PIECE.findall(text.translate(_LINES) if style.lines else text):
        cells = 0 if _IN_FONT.match(piece) else width(piece)
        combines = len(piece) == 1 and not width(piece) or joins and piece in _SKINS
        if runs and (combines or runs[-1][0].endswith(_JOINER)):
            runs[-1][0] += piece
            if joins and piece == _EMOJI_STYLE and runs[-1][4]:
                runs[-1][4] = 2
        else:
            runs.append([piece, *style.look(), cells])
    return [_short(run) for run in runs]


def _short(run: Run) -> Run:
    while not run[-1]:
        run.pop()
    return run


def coloured(style: Style, parameters: str) -> Style:
    """`style` after an SGR sequence of tmux's, which takes nothing back but colours and all:
    coloured(Style(), "1;38;5;196") is bold and red."""
    codes = iter(re.sub(":[^;]*", "", parameters).split(";"))  # 4:3 is an underline too
    for code in codes:
        if code in ("38", "48", "58"):
            kind = next(codes, "")
            numbers = [int(next(codes, "0") or 0) & 255 for _ in range(1 if kind == "5" else 3)]
            colour = _COLOURS[numbers[0]] if kind == "5" else "#" + bytes(numbers).hex()
        else:
            number = int(code or 0)
            bright = 8 * (number >= 90)
            colour = _BASE[number % 10 + bright] if number % 10 < 8 and number >= 30 else ""
        if code in _FLAGS:
            style = style._replace(flags=style.flags + _FLAGS[code])
        elif code in ("", "0"):
            style = Style(lines=style.lines)
        elif code[:1] in "39" and code != "58":
            style = style._replace(ink=colour)
        elif code[:1] in "41":
            style = style._replace(paper=colour)
    return style
