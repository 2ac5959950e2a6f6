"""How programs are left: advice for when C-c was not enough. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

# It asks for a second C-c: `(interrupt again to give up)`, `press Ctrl+C again to exit`.
_AGAIN = re.compile(r"(?i)\b(?:again|twice|once more|second time)\b")
_ASKING_ROWS = 3  # rows in which it asks

_WAYS = {
    "vim": "keys Escape, then send :q! (or :wq to save)",
    "vi": "keys Escape, then send :q! (or :wq to save)",
    "nvim": "keys Escape, then send :q! (or :wq to save)",
    "less": "keys q",
    "more": "keys q",
    "man": "keys q",
    "top": "keys q",
    "htop": "keys q",
    "nano": "keys C-x, then n",
    "emacs": "keys C-x C-c",
    "mc": "keys F10",
    "python": "send exit(), or keys C-d",
    "python3": "send exit(), or keys C-d",
    "ipython": "send exit, or keys C-d",
    "node": "send .exit, or keys C-d",
    "sqlite3": "send .quit, or keys C-d",
    "gdb": "send quit",
    "psql": "send \\q, or keys C-d",
    "mysql": "send exit",
    "mariadb": "send exit",
    "bc": "send quit, or keys C-d",
    "irb": "send exit, or keys C-d",
    "cat": "keys C-d",
    "ssh": "keys Enter ~ . (ends the connection)",
    "telnet": "keys C-], then send quit",
    "tmux": "keys C-b d (leaves the inner one)",
    "opencode": "send /exit",
    "claude": "send /exit",
    "codex": "send /quit",
}


def way_out(program: str) -> str:
    """Advice on leaving `program`, which C-c did not end."""
    way = _WAYS.get(program.removesuffix(".exe").lstrip("."))
    if way:
        return f"{program} did not give the prompt back on C-c; its own way out: {way}"
    return (
        f"{program} did not give the prompt back on C-c; try its own way out (q, Escape, C-d, its"
        " quit command), or keys C-\\ to force it"
    )


def asks_again(rows: Sequence[str]) -> bool:
    """Do the newest rows ask for a second C-c?"""
    return any(_AGAIN.search(row[:400]) for row in rows[-_ASKING_ROWS:])
