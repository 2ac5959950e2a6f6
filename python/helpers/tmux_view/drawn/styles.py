"""Converts the output of `capture-pane -e -N` into runs, which a page draws as text. Pure.

A run is a text, its CSS and, where it is a link, its address. Characters whose width depends on the
font are runs of their own, each as wide as in tmux, so that columns are exact in any font.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

from ...tmux.base.cells import width

Run = list[str]

_PART = re.compile(
    r"\x1b\[(?P<style>[\d;:]*)m"
    r"|(?P<charset>[\x0e\x0f])"  # line drawing on and off
    r"|(?P<tab>\t)"  # tmux from 3.8 on returns tabs as tabs
    r"|\x1b\]8;[^;]*;(?P<link>.*?)\x1b\\"  # its address, or its end
    r"|[\x00-\x1f\x7f-\x9f]"  # a control character: not drawn
    r"|(?P<text>[ -~\u00a0-\u04ff\u2500-\u259f]+)"  # in every fixed-width font
    r"|(?P<other>.)"
)
_LINES = str.maketrans("`afgijklmnopqrstuvwxyz{|}~", "◆▒°±␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
_WEB = re.compile("^https?://.*")  # no page's script
_JOINER = "\u200d"
_EMOJI_STYLE = "\ufe0f"
_SKINS = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"

_BASE = [f"var(--c{number})" for number in range(16)]  # see terminal.css: they depend on the ground
_LEVELS = (0, 95, 135, 175, 215, 255)
_CUBE = [f"rgb{levels}" for levels in product(_LEVELS, repeat=3)]
_GREYS = [f"rgb{(level, level, level)}" for level in range(8, 248, 10)]
_COLOURS = [*_BASE, *_CUBE, *_GREYS]
_LAYERS = {
    "38": "--ink",
    "48": "--paper",
    "58": "text-decoration-color",
}
_EFFECTS = {  # SGR code -> a property of CSS and its value; see terminal.css for ink and paper
    "1": ("font-weight", "bold"),
    "2": ("opacity", ".6"),
    "3": ("font-style", "italic"),
    "4": ("text-decoration-line", "underline"),
    "7": ("color", "var(--paper);background:var(--ink)"),
    "8": ("color", "transparent"),
    "9": ("text-decoration-line", "line-through"),
    "53": ("text-decoration-line", "overline"),
}
_CODES = [*range(30, 38), *range(90, 98), 39]  # of letters; those of the ground are 10 more
for _code, _colour in zip(_CODES, [*_BASE, ""], strict=True):
    _EFFECTS |= {
        str(_code): ("--ink", _colour),
        str(_code + 10): ("--paper", _colour),
    }


@lru_cache(maxsize=100)  # most screens are the same as at the last look
def drawn(screen: str, joins: str) -> list[list[Run]]:
    """The runs of each row. A colour continues in the next row.

    `joins`: "1" from tmux 3.5 on, where a skin tone takes no cell and an emoji style two; else "".
    """
    pen = _Pen(joins)
    return [pen.row(text) for text in screen.split("\n")]


class _Pen:
    """Draws the rows from the first to the last, as a colour, a link and the choice of letters
    that one of them has begun go on in the next.
    """

    def __init__(self, joins: str):
        self.joins = joins
        self.style: dict[str, str] = {}
        self.link: Run = []  # the address of what follows
        self.lines = False  # whether letters draw lines

    def row(self, row: str) -> list[Run]:
        runs: list[Run] = []
        for part in _PART.finditer(row):
            text = part[0]
            if self.lines:
                text = text.translate(_LINES)

            match part.lastgroup:
                case "style":
                    self._set(part["style"].split(";"))
                case "charset":
                    self.lines = text == "\x0e"
                case "link":
                    self.link = _WEB.findall(part["link"])
                case "tab":
                    runs.append([text, f"display:inline;{self._css()}", *self.link])
                case "text":
                    runs.append([text, self._css(), *self.link])
                case "other":
                    self._add(runs, text)

        if runs and not runs[-1][1]:  # tmux from 3.8 on pads with spaces
            runs[-1][0] = runs[-1][0].rstrip()
        return runs

    def _add(self, runs: list[Run], char: str) -> None:
        """Adds a character, or a part of the last one."""
        if not runs or not self._continues(runs[-1][0], char):
            place = f"width:{width(char)}ch;"
            runs.append([char, place + self._css()])
            return

        last = runs[-1]
        last[0] += char
        if self.joins and char == _EMOJI_STYLE:
            last[1] = last[1].replace("width:1ch", "width:2ch")

    def _continues(self, before: str, char: str) -> bool:
        """Whether it is drawn in the cell of what stands before it."""
        if before.endswith(_JOINER) or not width(char):
            return True
        return bool(self.joins) and char in _SKINS

    def _set(self, codes: list[str]) -> None:
        """Applies one of tmux's sequences, which sets one colour, or resets all and sets
        attributes."""
        if layer := _LAYERS.get(codes[0]):
            colour = f"rgb({','.join(codes[2:])})"
            if codes[1] == "5":
                colour = _COLOURS[int(codes[2])]
            self.style[layer] = colour
            return

        if codes[0] in ("", "0"):
            self.style.clear()

        for code in codes:
            kind = code.partition(":")[0]  # 4:3 is a wavy 4
            name, value = _EFFECTS.get(kind, ("", ""))
            self.style[name] = value

    def _css(self) -> str:
        parts = []
        for name, value in self.style.items():
            if value:
                parts.append(f"{name}:{value};")
        return "".join(parts)
