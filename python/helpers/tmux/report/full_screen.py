"""A full screen as an answer shows it. Pure."""

from __future__ import annotations

from ..evidence.screen.view import View
from ..output import trimmed

_MANY = 3  # so many empty rows of a full screen are shown as one


def without_filler(rows: list[str]) -> list[str]:
    """`rows` without those that a program draws below its text up to the end of the screen."""
    return trimmed([row for row in rows if row.strip() != "~"])


def screen_rows(view: View) -> list[str]:
    """A full screen without its filler: vi's and less's `~`, rows that are empty at its ends, and
    all but one of many empty rows. A text's own empty rows remain: an editor counts them."""
    rows: list[str] = []
    empty = 0
    for row in without_filler(list(view.lines)):
        empty = 0 if row else empty + 1
        if empty == _MANY:
            del rows[2 - _MANY :]
        if empty < _MANY:
            rows.append(row)
    return rows
