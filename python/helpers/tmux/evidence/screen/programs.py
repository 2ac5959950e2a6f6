"""What is known of programs by their names: how they are left, what their line editors do. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

# It asks for a second C-c: `(interrupt again to give up)`, `press Ctrl+C again to exit`.
_AGAIN = re.compile(r"(?i)\b(?:again|twice|once more|second time)\b")
_ASKING_ROWS = 3  # rows in which it asks

_NAMES = {
    "keys Escape, then send :q! (or :wq to save)": "vim vi nvim",
    "keys q": "less more man top htop",
    "keys C-x, then n": "nano",
    "keys C-x C-c": "emacs",
    "keys F10": "mc",
    "send exit(), or keys C-d": "python python3",
    "send exit, or keys C-d": "ipython irb",
    "send .exit, or keys C-d": "node",
    "send .quit, or keys C-d": "sqlite3",
    "send quit": "gdb",
    "send quit, or keys C-d": "bc",
    "send \\q, or keys C-d": "psql",
    "send exit": "mysql mariadb",
    "keys C-d": "cat",
    "keys Enter ~ . (ends the connection)": "ssh",
    "keys C-], then send quit": "telnet",
    "keys C-b d (leaves the inner one)": "tmux",
    "send /exit": "opencode claude",
    "send /quit": "codex",
}
# They ask for bracketed paste at their prompt. Measured; tmux shows it itself from 3.7 on.
_TAKES_PASTE = frozenset("bash zsh sqlite3 gdb lua psql bc perl ipython ptpython".split())
# They read the rest of a command on an empty line. Measured: guile, without its readline module.
_HIDES_REST = frozenset("guile sbcl csi".split())
_FISH_VI = re.compile(r"\[[NRV]\] ")  # fish shows its mode before its prompt: `[N] ~> `
_WAYS = {name: way for way, names in _NAMES.items() for name in names.split()}


def way_out(program: str) -> str:
    """How `program` is left; "" where that is not known."""
    return _WAYS.get(program.removesuffix(".exe").lstrip("."), "")


def goes_on(program: str) -> str:
    """Advice where C-c did not end `program`."""
    way = way_out(program)
    if way:
        return f"{program} did not give the prompt back on C-c; its own way out: {way}"
    return (
        f"{program} did not give the prompt back on C-c; try its own way out (q, Escape, C-d, its"
        " quit command), or keys C-\\ to force it"
    )


def asks_again(rows: Sequence[str]) -> bool:
    """Do the newest rows ask for a second C-c?"""
    return any(_AGAIN.search(row[:400]) for row in rows[-_ASKING_ROWS:])


def takes_paste(program: str) -> bool:
    """Does its line editor take several lines as one paste?"""
    return program in _TAKES_PASTE


def hides_rest(program: str) -> bool:
    """Does it ask for the rest of a command without any sign?"""
    return program in _HIDES_REST


def shows_vi_mode(program: str, left: str) -> bool:
    """Does its prompt, `left` of the cursor, say that letters are vi's commands?"""
    return program == "fish" and bool(_FISH_VI.match(left))
