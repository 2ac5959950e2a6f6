"""What a page shows of a pane. Pure."""

from __future__ import annotations

from typing import Any

from .styles import Run, drawn

Frame = dict[Any, Any]  # name -> tmux's value; number of a row -> its runs

OWNER = "@tmux_tool_owner"  # on a window: the page whose size it has, see served/size.py
_FIELDS = {
    "server": "#{pid}",
    "pane": "#{pane_id}",
    "width": "#{pane_width}",
    "height": "#{pane_height}",
    "x": "#{cursor_x}",
    "y": "#{cursor_y}",
    "cursor": "#{cursor_flag}",
    "history": "#{history_size}",  # rows above the screen
    "limit": "#{history_limit}",
    "full": "#{alternate_on}",
    # What the program wants to know of the mouse: clicks, drags too, or all movements.
    "mouse": "#{?mouse_all_flag,all,#{?mouse_button_flag,drags,#{?mouse_standard_flag,clicks,}}}",
    "sgr": "#{mouse_sgr_flag}",  # in which form
    "mode": "#{pane_in_mode}",  # somebody at an attached terminal has scrolled back
    "window": "#{window_id}",
    "size": "#{window_width} #{window_height}",
    "owner": f"#{{{OWNER}}}",
    "joins": "#{?#{m/r:^3[.][0-4],#{version}},,1}",  # see styles.py
    "say": "#{?pane_dead,the program in this pane has ended,}",
}
_LABEL = "#{session_name}:#{window_index}#{?#{==:#{window_panes},1},,.#{pane_index}} #{window_name}"
# A line of a pane's fields, then one for each pane of the server: its id and label.
FORMAT = "\t".join(_FIELDS.values()) + "\n#{S:#{W:#{P:#{pane_id}\t" + _LABEL + "\n}}}"


def framed(printed: str) -> Frame:
    """What FORMAT and then capture-pane have printed, as a frame."""
    head, _, screen = printed.partition("\n\n")
    fields, *panes = head.split("\n")
    frame: Frame = dict(zip(_FIELDS, fields.split("\t"), strict=True))
    frame["panes"] = [line.split("\t")[:2] for line in panes]
    return frame | dict(enumerate(drawn(screen[:-1], frame["joins"])))


def difference(new: Frame, old: Frame) -> Frame:
    """The part of `new` that a page needs if it shows `old`, whose rows it moves up by as many as
    the history has grown."""
    moved = int(new.get("history", 0)) - int(old.get("history", 0))
    height = int(old.get("height", 0))
    rows = {at: old[at] for at in range(height) if at in old}  # others are of a higher window
    part: Frame = {}
    for name, value in new.items():
        is_row = isinstance(name, int)
        before = rows.get(name + moved, rows.get(name)) if is_row else old.get(name)
        if before != value:
            part[name] = _shortened(value, before or []) if is_row else value

    return part


def _shortened(row: list[Run], before: list[Run]) -> list[Any]:
    """Its runs; only the text of one whose style stays."""
    part: list[Any] = list(row)
    for at, was in enumerate(before[: len(row)]):
        if row[at][1:] == was[1:]:
            part[at] = row[at][0]
    return part
