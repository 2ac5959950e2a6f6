"""Reading a pane for the agent: its last lines, or only what came since the last reading, whoever made that one."""
from __future__ import annotations

import json

from .output import trimmed, width
from .pane import MEMORY, Pane, View
from .probe import printed_bytes
from .transcript import lost_lines

_ABOVE = 3     # lines above the cursor by which a place is found again when rows have moved
_KEPT = 200    # characters of a line that are remembered


def last_lines(pane: Pane, view: View, lines: int) -> list[str]:
    """At least the last `lines` lines, wrapped ones joined, as far as tmux holds them."""
    above = lines
    while True:
        rows = trimmed(pane.lines(view, max(view.history_size - above, 0))[2])
        if len(rows) > lines or above >= view.history_size or view.alternate:  # the first one may lack its beginning
            return rows
        above *= 4


def remember(pane: Pane, view: View) -> None:
    """Leave a note of this reading on the pane: where the cursor's line begins, its text, and the lines above it, by which
    the place is found again when rows have moved (history full, cleared, window resized)."""
    y = view.cursor_y
    while y and sum(map(width, view.lines[y - 1])) >= view.width:  # its upper rows
        y -= 1
    view, before, rows = pane.lines(view, view.history_size + y, view.height)
    pane.set_option(MEMORY[3], json.dumps({
        "row": view.history_size + y, "history": view.history_size, "width": view.width, "printed": printed_bytes(view.server),
        "line": rows[0].rstrip()[:_KEPT] if rows else "", "above": _above(before)}))


def unread(pane: Pane, view: View) -> tuple[View, str, list[str]]:
    """The lines that came since the last reading; a note where some are lost."""
    try:
        last = json.loads(pane.get_option(MEMORY[3]))
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
            return view, " " + lost_lines(view, last["printed"], everything) if full else "", everything
        rows = everything[place:]
    return view, "", rows[1:] if rows and rows[0].rstrip()[:_KEPT] == last["line"] else rows


def _above(before: list[str]) -> list[str]:
    return [row.rstrip()[:_KEPT] for row in before[-60:] if row.strip()][-_ABOVE:]


def _same_place(before: list[str], rows: list[str], last: dict) -> bool:
    return bool(rows) and rows[0].startswith(last["line"]) and _above(before)[-len(last["above"]) or _ABOVE:] == last["above"]
