"""What is typed into the raw reader: the 13 hard strings of the field survey, and random ones."""

from __future__ import annotations

import random

HARD = {
    "semicolon": "echo hi;",
    "key name": "Enter",
    "option": "-l foo",
    "control name": "C-c",
    "leading blanks": "   indented",
    "unicode": "naïve ✓ 日本語 🚀",
    "three lines": "one\ntwo\nthree",
    "tab": "a\tb",
    "backslash semicolon": "a\\;",
    "formats": "#{pane_id} $(id) `id` ${HOME}",
    "empty": "",
    "20 KB": "abcdefghij" * 2000,
    "200 KB": "0123456789" * 20000,
}
_PIECES = (
    "echo ",
    "hi",
    ";",
    "\\;",
    "\\",
    "'",
    '"',
    "`",
    "$(id)",
    "${A}",
    "#{pane_id}",
    "#S",
    "%1",
    "%%",
    "~",
    "!",
    "!!",
    "*",
    "?",
    "&&",
    "|",
    "<",
    ">",
    "-t",
    "-l",
    "--",
    "Enter",
    "Tab",
    "Space",
    "C-c",
    "M-x",
    "^C",
    "0x41",
    "Up",
    "F1",
    " ",
    "  ",
    "\t",
    "é",
    "ß",
    "日本",
    "🚀",
    "👩\u200d💻",
    "\u0301",
    "ا",
    "{",
    "}",
    "[",
    "]",
    "x" * 200,
    "\n",
)


def random_text(seed: int, number: int) -> str:
    """The `number`th random text of this seed."""
    dice = random.Random(f"{seed}/text/{number}")
    text = "".join(dice.choices(_PIECES, k=dice.choice((1, 2, 3, 5, 8, 20))))
    if dice.random() < 0.02:
        text *= 1 + 6000 // max(1, len(text))
    return text


def same(text: str, came: bytes) -> bool:
    """`came` is `text` and one Enter; the line break may come as CR or LF."""
    return came.replace(b"\r\n", b"\n").replace(b"\r", b"\n") == text.encode() + b"\n"
