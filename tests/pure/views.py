"""Looks at a pane, made up: rows of text and a cursor."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from python.helpers.tmux.evidence.screen.view import Stamp, View, placed
from python.helpers.tmux.output import breadth
from python.helpers.tmux.transcript.mark import Input

_MANY = 10_000  # rows: more than any of these has
FACTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
FACTS |= {"version": (3, 5), "bracketed": None, "stamp": Stamp("$0 1", True, 1)}


def view_of(
    lines: list[str],
    cursor: tuple[int, int] | None = None,
    *,
    width: int = 20,
    height: int = 5,
    trimmed: int = 0,
    **more: Any,
) -> View:
    """A pane that shows the end of `lines` (whole ones: they wrap). `cursor`: row counted from the
    oldest of the history, column; behind the last line where none is given. `trimmed`: lines at
    the beginning that the look does not bring along."""
    count = _MANY - placed(lines, _MANY, width, False).first
    joined = placed(lines, count, width, True)
    rows = list(joined.physical.values())
    history = max(len(rows) - height, 0)
    row, x = cursor or (len(rows) - 1, breadth(lines[-1]) % width)
    facts = FACTS | {
        "width": width,
        "height": height,
        "history_size": history,
        "cursor_x": x,
        "cursor_y": row - history,
        "lines": tuple(rows[history:]),
        "joined": placed(lines[trimmed:], count, width, not trimmed),
    }
    return View(**(facts | more))


def input_of(**more: Any) -> Input:
    """The record of an input, made up."""
    facts = {"number": 3, "pid": 7, "at": 12.5, "foreground": 70, "subject": 71, "cpu_ns": 1000}
    return Input(**(facts | {"bytes_read": 50} | more))
