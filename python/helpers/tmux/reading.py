"""Reading a pane for the agent: its last lines, or only what came since the last reading, whoever made that one."""
from __future__ import annotations

import json

from .output import trimmed
from .pane import MEMORY, Pane, View

_ABOVE = 3     # lines above the cursor by which a place is found again when rows have moved
_KEPT = 400    # characters of a line that are remembered


def last_lines(pane: Pane, view: View, lines: int) -> list[str]:
    above = lines
    while True:
        rows = trimmed(pane.lines(view, max(view.history_size - above, 0))[2])
        if len(rows) >= lines or above >= view.history_size or view.alternate:
            return rows
        above *= 4


def remember(pane: Pane, view: View) -> None:
    """Leave a note of this reading on the pane: the cursor's row and its text, and the lines above it, by which the place
    is found again when rows have moved (history full, cleared, window resized)."""
    rows = trimmed([row for row in view.lines[:view.cursor_y] if row.strip()])[-3:]
    pane.set_option(MEMORY[3], json.dumps({
        "row": view.row, "history": view.history_size, "width": view.width, "full": view.alternate,
        "line": view.lines[view.cursor_y].rstrip()[:400], "above": [row[:200] for row in rows]}))


def unread(pane: Pane, view: View) -> tuple[View, str, list[str]]:
    """The lines that came since the last reading; a note where some are lost."""
    try:
        last = json.loads(pane.get_option(MEMORY[3]))
    except ValueError:
        return view, "", pane.lines(view, 0)[2]
    if view.alternate:
        return view, "", list(view.lines)
    view, before, rows = pane.lines(view, min(last["row"], view.row), 50)
    if not _same_place(before, rows, last):
        everything = pane.lines(view, 0)[2]
        place = next((i for i in range(len(everything) - 1, -1, -1) if _same_place(everything[:i], everything[i:], last)), None)
        if place is None:
            full = view.history_limit and view.history_size >= view.history_limit * 9 // 10 - 1
            note = " [lines were lost: tmux's history holds only " + f"{view.history_limit}]" if full else ""
            return view, note, everything
        rows = everything[place:]
    return view, "", rows[1:] if rows and rows[0].rstrip()[:400] == last["line"] else rows


def _same_place(before: list[str], rows: list[str], last: dict) -> bool:
    above = [row.rstrip()[:200] for row in before[-60:] if row.strip()][-len(last["above"]) or None:]
    return bool(rows) and rows[0].startswith(last["line"]) and (above == last["above"] or not last["above"])

