"""What a page shows of a pane. Pure."""

from __future__ import annotations

from typing import Any

from .styles import drawn

Frame = dict[Any, Any]  # name -> tmux's value; number of a row -> its runs

_FIELDS = {
    "server": "#{pid}",
    "pane": "#{pane_id}",
    "width": "#{pane_width}",
    "height": "#{pane_height}",
    "x": "#{cursor_x}",
    "y": "#{cursor_y}",
    "cursor": "#{cursor_flag}",
    "history": "#{history_size}",  # rows above the screen
    "full": "#{alternate_on}",
    "mouse": "#{&&:#{mouse_any_flag},#{mouse_sgr_flag}}",  # 1: a program asks for the mouse
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
    """The part of `new` that a page needs if it shows `old`."""
    return {name: value for name, value in new.items() if old.get(name) != value}
