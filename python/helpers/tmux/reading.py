"""Reading a pane for the agent: its last lines, or only what came since the last reading, whoever made that one."""

from __future__ import annotations

import json

from .output import trimmed
from .pane import Pane
from .probe import printed_bytes
from .transcript import lost_lines
from .view import MEMORY, View

_ABOVE = 3  # lines above the cursor by which a place is found again when rows have moved
_KEPT = 200  # characters of a line that are remembered


def last_lines(pane: Pane, lines: int) -> tuple[View, str, list[str]]:
    """At least the last `lines` lines, wrapped ones joined, as far as tmux holds them."""
    view, above = pane.view, lines
    while True:
        view, _, rows = pane.lines(view, max(view.history_size - above, 0))
        if (
            view.alternate or above >= view.history_size or len(trimmed(rows)) > lines
        ):  # the first may lack its beginning
            break
        above *= 4
    _remember(pane, view, rows)
    return view, "", rows


def unread(pane: Pane) -> tuple[View, str, list[str]]:
    """The lines that came since the last reading; a note where some are lost."""
    view, note, rows = _unread(pane, pane.view)
    _remember(pane, *pane.lines(view, max(view.history_size - view.height, 0))[::2])
    return view, note, rows


def _remember(pane: Pane, view: View, rows: list[str]) -> None:
    """Leave a note of this reading on the pane: the cursor's row, its line's text, and the lines above it, by which the
    place is found again when rows have moved (history full, cleared, window resized)."""
    if any(
        row.strip() for row in view.lines[view.cursor_y + 1 :]
    ):  # a menu below the cursor, or a full screen
        _, above, below = pane.lines(view, view.row, view.height)
        rows = above + below[:1]
    rows = trimmed(rows)
    here = rows.pop() if rows and view.lines[view.cursor_y].strip() else ""
    pane.set_option(
        MEMORY[3],
        json.dumps(
            {
                "row": view.row,
                "history": view.history_size,
                "width": view.width,
                "printed": printed_bytes(view.server),
                "line": here[:_KEPT],
                "above": _above(rows),
            }
        ),
    )


def _unread(pane: Pane, view: View) -> tuple[View, str, list[str]]:
    try:
        last = json.loads(view.memory[3])
    except ValueError:
        return view, "", pane.lines(view, 0)[2]
    if view.alternate:
        return view, "", list(view.lines)
    view, before, rows = pane.lines(view, min(last["row"], view.row), view.height)
    full = view.history_limit > 0 and view.history_size >= view.history_limit * 9 // 10 - 1
    moved = full or view.width != last["width"] or view.history_size < last["history"]
    if not _same_place(before, rows, last) or (moved and not last["above"]):
        everything = pane.lines(view, 0)[2]
        places = range(len(everything) - 1, -1, -1) if last["above"] else ()
        place = next((i for i in places if _same_place(everything[:i], everything[i:], last)), None)
        if place is None:
            return (
                view,
                " " + lost_lines(view, last["printed"], everything) if full else "",
                everything,
            )
        rows = everything[place:]
    return view, "", rows[1:] if rows and rows[0].rstrip()[:_KEPT] == last["line"] else rows


def _above(before: list[str]) -> list[str]:
    return [row.rstrip()[:_KEPT] for row in before[-60:] if row.strip()][-_ABOVE:]


def _same_place(before: list[str], rows: list[str], last: dict) -> bool:
    return (
        bool(rows)
        and rows[0].startswith(last["line"])
        and _above(before)[-len(last["above"]) or _ABOVE :] == last["above"]
    )
