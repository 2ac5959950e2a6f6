"""The panes of a tmux server, and what a page shows of one. Pure."""

from __future__ import annotations

from typing import Any

from ...tmux.terminal.client import Kind, TmuxError
from .styles import drawn

Pane = dict[str, Any]
Frame = dict[Any, Any]  # what a page shows: by name, and the runs of rows by their number

_FIELDS = {  # names of windows are last, because a tab in one cuts it off
    "width": "#{pane_width}",
    "height": "#{pane_height}",
    "x": "#{cursor_x}",
    "y": "#{cursor_y}",
    "cursor": "#{cursor_flag}",
    "history": "#{history_size}",  # rows above the screen
    "brackets": "#{bracket_paste_flag}",  # 1: pastes go in brackets; empty before tmux 3.7
    "joins": "#{?#{m/r:^3[.][0-4],#{version}},,1}",  # see styles.py
    "say": "#{?pane_dead,the program in this pane has ended,}",
    "pane": "#{pane_id}",
    "label": "#{session_name}:#{window_index}#{?#{==:#{window_panes},1},,.#{pane_index}}"
    " #{window_name}",
}
_TARGETS = [  # that mean the pane, as the agent may write them
    "#{pane_id}",
    "#{?#{&&:#{window_active},#{pane_active}},#{session_name},}",
    "#{?pane_active,#{session_name}:#{window_index},}",
    "#{session_name}:#{window_index}.#{pane_index}",
    "#{?pane_active,#{session_name}:#{window_name},}",
    "#{session_name}:#{window_name}.#{pane_index}",
]
FORMAT = "\t".join([*_FIELDS.values(), *_TARGETS])


def listed(lines: list[str]) -> list[Pane]:
    """The panes, of list-panes' lines. A window of several sessions is there several times."""
    panes = []
    for line in lines:
        words = line.split("\t")
        panes.append(dict(zip(_FIELDS, words, strict=False)) | {"targets": words[len(_FIELDS) :]})
    return panes


def chosen(panes: list[Pane], wanted: str, session: str) -> Pane:
    """The pane that `wanted` names (an id, or a target as the agent writes it), else the one that
    `session` is at. Raises TmuxError where there is no such session."""
    for name in (wanted.removeprefix("=").removesuffix(":"), session):
        for pane in panes:
            if name and name in pane["targets"]:
                return pane
    raise TmuxError(f"there is no session {session}", kind=Kind.NO_TARGET)


def framed(pane: Pane, panes: list[Pane], captured: list[str], above: int) -> Frame:
    """`pane` as a page shows it, `above` rows above its screen, where no cursor is."""
    frame = pane | {"top": None, "panes": [[one["pane"], one["label"]] for one in panes]}
    if above:
        frame |= {"top": int(pane["history"]) - above, "cursor": "0"}
    height = int(pane["height"])
    rows = (captured + [""] * height)[:height]
    return frame | dict(enumerate(drawn("\n".join(rows), bool(pane["joins"]))))


def difference(new: Frame, old: Frame) -> Frame:
    """What a page that shows `old` must be sent to show `new`."""
    return {name: new[name] for name in new if name not in old or old[name] != new[name]}
