"""The panes there are, as one `list-panes` tells them, and which of them is meant. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ...tmux.terminal.client import Kind, TmuxError

_NUMBERS = {
    "width": "#{pane_width}",
    "height": "#{pane_height}",
    "x": "#{cursor_x}",
    "y": "#{cursor_y}",
    "cursor": "#{cursor_flag}",
    "history": "#{history_size}",
    "dead": "#{pane_dead}",
    "brackets": "#{bracket_paste_flag}",
}
_OF_SEVERAL = "#{?#{==:#{window_panes},1},,.#{pane_index}}"
_WINDOWS = ("#{session_name}:#{window_index}", "#{session_name}:#{window_name}")
_TEXTS = (
    "#{pane_id}",
    f"{_WINDOWS[0]}{_OF_SEVERAL} #{{window_name}}",
    "#{?#{&&:#{window_active},#{pane_active}},#{session_name},}",
    *(f"#{{?pane_active,{window},}}" for window in _WINDOWS),
    *(f"{window}.#{{pane_index}}" for window in _WINDOWS),
)
FORMAT = "\t".join([*_NUMBERS.values(), *_TEXTS])  # a window's name with a tab is cut there


@dataclass(frozen=True, slots=True, kw_only=True)
class Pane:
    """One pane. Sizes and places in cells."""

    width: int
    height: int
    x: int  # the cursor's column
    y: int
    cursor: int  # 0: hidden
    history: int  # rows above the screen
    dead: int
    brackets: int  # 1: its program asked for bracketed paste; tmux before 3.7 does not know
    id: str
    label: str
    names: tuple[str, ...]  # targets that mean it


def parsed(lines: list[str]) -> list[Pane]:
    """A window that is linked into several sessions is there several times."""
    panes = []
    for line in lines:
        words = line.split("\t")
        numbers, texts = words[: len(_NUMBERS)], words[len(_NUMBERS) :]
        measured = {name: int(word or 0) for name, word in zip(_NUMBERS, numbers, strict=False)}
        panes.append(Pane(id=texts[0], label=texts[1], names=tuple(texts), **measured))
    return panes


def chosen(panes: list[Pane], wanted: str, session: str) -> Pane:
    """The pane that `wanted` names (an id, or a target as the agent writes it), else the one that
    `session` is at. Raises TmuxError where there is no such session."""
    for name in (wanted.removeprefix("=").removesuffix(":"), session):
        for pane in panes:
            if name and name in pane.names:
                return pane
    raise TmuxError(f"there is no session {session}", kind=Kind.NO_TARGET)
