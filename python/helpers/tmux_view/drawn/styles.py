"""Converts the output of `capture-pane -e -N` into runs, which a page draws as text. Pure.

A run is a text, its CSS and, where it is a link, its address. Characters whose width depends on the
font are runs of their own, each as wide as in tmux, so that columns are exact in any font.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

from ...tmux.cells import width

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
_JOINER, _EMOJI_STYLE = "\u200d", "\ufe0f"
_SKINS = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"

_BASE = (
    "#1d1f21 #cc4b4b #6fae54 #d0a03c #4f88d0 #a870c0 #3fa5a5 #c5c8c6 "
    "#70757a #f0716f #98d070 #f0c765 #7fb2f0 #d09ae0 #70cfcf #ffffff"
).split()
_CUBE = [f"rgb{levels}" for levels in product((0, 95, 135, 175, 215, 255), repeat=3)]
_GREYS = [f"rgb{(level, level, level)}" for level in range(8, 248, 10)]
_COLOURS = [*_BASE, *_CUBE, *_GREYS]
_LAYERS = {"38": "--ink", "48": "--paper", "58": "text-decoration-color"}
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
for _code, _colour in zip([*range(30, 38), *range(90, 98), 39], [*_BASE, ""], strict=True):
    _EFFECTS |= {str(_code): ("--ink", _colour), str(_code + 10): ("--paper", _colour)}


@lru_cache(maxsize=100)  # most screens are the same as at the last look
def drawn(screen: str, joins: str) -> list[list[Run]]:
    """The runs of each row. A colour continues in the next row.

    `joins`: "1" from tmux 3.5 on, where a skin tone takes no cell and an emoji style two; else "".
    """
    style: dict[str, str] = {}
    link: Run = []  # the address of what follows
    lines = False  # whether letters draw lines
    rows: list[list[Run]] = []
    for row in screen.split("\n"):
        runs: list[Run] = []
        for part in _PART.finditer(row):
            text = part[0].translate(_LINES) if lines else part[0]
            match part.lastgroup:
                case "style":
                    _set(style, part["style"].split(";"))
                case "charset":
                    lines = text == "\x0e"
                case "link":
                    link = [part["link"]] * part["link"].startswith(("http://", "https://"))
                case "tab" | "text":
                    inline = "display:inline;" * (text == "\t")
                    runs.append([text, inline + _css(style), *link])
                case "other":
                    _add(runs, text, _css(style), joins)
        if runs and not runs[-1][1]:  # tmux from 3.8 on pads with spaces
            runs[-1][0] = runs[-1][0].rstrip()
        rows.append(runs)
    return rows


def _add(runs: list[Run], char: str, css: str, joins: str) -> None:
    """Adds a character, or a part of the last one."""
    if runs and (runs[-1][0].endswith(_JOINER) or joins and char in _SKINS or not width(char)):
        runs[-1][0] += char
        if joins and char == _EMOJI_STYLE:
            runs[-1][1] = runs[-1][1].replace("width:1ch", "width:2ch")
    else:
        runs.append([char, f"width:{width(char)}ch;{css}"])


def _set(style: dict[str, str], codes: list[str]) -> None:
    """Applies one of tmux's sequences, which sets one colour, or resets all and sets attributes."""
    if layer := _LAYERS.get(codes[0]):
        indexed = codes[1] == "5"
        style[layer] = _COLOURS[int(codes[2])] if indexed else f"rgb({','.join(codes[2:])})"
        return
    if codes[0] in ("", "0"):
        style.clear()
    for code in codes:
        name, value = _EFFECTS.get(code.partition(":")[0], ("", ""))  # 4:3 is a wavy 4
        style[name] = value


def _css(style: dict[str, str]) -> str:
    return "".join(f"{name}:{value};" for name, value in style.items() if value)
