"""What a page shows of a pane. Pure."""

from __future__ import annotations

from typing import Any

from .styles import drawn

Frame = dict[Any, Any]  # by name, as tmux says it; the runs of rows by their number

_FIELDS = {
    "pane": "#{pane_id}",
    "width": "#{pane_width}",
    "height": "#{pane_height}",
    "x": "#{cursor_x}",
    "y": "#{cursor_y}",
    "cursor": "#{cursor_flag}",
    "history": "#{history_size}",  # rows above the screen
    "brackets": "#{bracket_paste_flag}",  # 1: pastes go in brackets; empty before tmux 3.7
    "joins": "#{?#{m/r:^3[.][0-4],#{version}},,1}",  # see styles.py
    "say": "#{?pane_dead,the program in this pane has ended,}",
}
_LABEL = (
    "#{session_name}:#{window_index}#{?#{==:#{window_panes},1},,.#{pane_index}} #{window_name}"
)
# A line of a pane's fields, then one for each pane of the server: its id and label.
FORMAT = "\t".join(_FIELDS.values()) + "\n#{S:#{W:#{P:#{pane_id}\t" + _LABEL + "\n}}}"


def parsed(lines: list[str]) -> Frame:
    """Of what FORMAT prints: a frame without its rows. Its pane is empty where there is none."""
    fields, *panes = lines
    frame = dict(zip(_FIELDS, fields.split("\t"), strict=True))
    return frame | {"top": None, "panes": [line.split("\t")[:2] for line in panes if line]}


def framed(frame: Frame, captured: list[str], above: int) -> Frame:
    """With its rows, from `above` rows above the screen on, where no cursor is."""
    if above:
        frame |= {"top": int(frame["history"]) - above, "cursor": "0"}
    height = int(frame["height"])
    rows = (captured + [""] * height)[:height]
    return frame | dict(enumerate(drawn("\n".join(rows), bool(frame["joins"]))))


def difference(new: Frame, old: Frame) -> Frame:
    """What a page that shows `old` must be sent to show `new`."""
    return {name: new[name] for name in new if name not in old or old[name] != new[name]}
