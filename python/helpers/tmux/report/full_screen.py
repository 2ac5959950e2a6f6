"""A full screen as an answer shows it. Pure."""

from __future__ import annotations

from ..evidence.screen.view import View
from ..output import trimmed

_EMPTY_ROWS = 3  # this many empty rows of a full screen, or more, are shown as one


def without_filler(rows: list[str]) -> list[str]:
    """`rows` without the `~` that a program draws below its text down to the end of the screen."""
    return trimmed([row for row in rows if row.strip() != "~"])


def screen_rows(view: View) -> list[str]:
    """A full screen without filler: vi's and less's `~`, empty rows at either end, and all but one
    of many empty rows. A text's own empty rows remain: an editor counts them."""
    rows: list[str] = []
    empty = 0
    for row in without_filler(list(view.lines)):
        empty = 0 if row else empty + 1
        if empty == _EMPTY_ROWS:
            del rows[2 - _EMPTY_ROWS :]
        if empty < _EMPTY_ROWS:
            rows.append(row)
    return rows
