"""A page's own size for a window, while no terminal is attached, which would decide it.

It is taken back when no page has asked for it for a while, or the process ends.
"""

from __future__ import annotations

import atexit
import threading
import time
from contextlib import suppress

from ...tmux.client import TmuxError, rows_of, tmux

_KEPT = 10.0  # seconds; a page that is open asks every 4 s
_LEAST = 20, 5  # columns and rows

_before: dict[str, tuple[str, float]] = {}  # by window: its size until then, when it was asked for


def fit(target: str, columns: int, rows: int) -> None:
    """Raises TmuxError; TypeError if a size is no number."""
    columns, rows = max(columns, _LEAST[0]), max(rows, _LEAST[1])
    facts = "#{window_id} #{window_width} #{window_height}"
    window, size = tmux("display-message", "-p", "-t", target, facts).strip().split(" ", 1)
    first = not _before
    _before[window] = _before.get(window, (size,))[0], time.monotonic()
    if first:  # a thread that finds nothing to take back ends
        threading.Thread(target=_take_back, name="tmux view", daemon=True).start()
    if size != f"{columns} {rows}":
        _resize(window, columns, rows)


def _resize(window: str, columns: object, rows: object) -> None:
    if "0" in rows_of("list-clients", "-F", "#{client_control_mode}"):
        return
    own = tmux("show-options", "-wqv", "-t", window, "window-size").strip()
    resize = ("resize-window", "-t", window, "-x", str(columns), "-y", str(rows), ";")
    # It sets an option, with which a terminal that is attached later would not get its own size.
    tmux(*resize, "set-option", "-wt" if own else "-uwt", window, "window-size", *own.split())


def _take_back(kept: float = _KEPT) -> None:
    while _before:
        for window, (size, asked) in list(_before.items()):
            if time.monotonic() - asked >= kept:
                del _before[window]
                with suppress(TmuxError):
                    _resize(window, *size.split())
        time.sleep(kept / 10)


atexit.register(_take_back, 0.0)
