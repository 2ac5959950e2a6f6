"""The panes there are, as one `list-panes` tells them, and which of them is meant. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ...tmux.terminal.client import Kind, TmuxError

_NUMBERS = (
    "pane_width pane_height cursor_x cursor_y cursor_flag history_size pane_dead"
    " window_panes pane_active window_active"
)
_TEXTS = "bracket_paste_flag pane_id session_name window_index pane_index window_name"
_NAMES = f"{_NUMBERS} {_TEXTS}".split()
FORMAT = "\t".join(f"#{{{name}}}" for name in _NAMES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pane:
    """One pane. Sizes and places in cells."""

    id: str
    label: str
    names: tuple[str, ...]  # targets that mean it
    width: int
    height: int
    cursor: tuple[int, int] | None  # None: hidden
    history: int  # rows above the screen
    brackets: bool  # its program asked for bracketed paste; tmux before 3.7 does not know
    dead: bool


def parsed(lines: list[str]) -> dict[str, Pane]:
    """By id. A window linked into several sessions counts where it is listed last."""
    panes = [_pane(line) for line in lines]
    return {pane.id: pane for pane in panes}


def _pane(line: str) -> Pane:
    is_ = dict(zip(_NAMES, line.split("\t", len(_NAMES) - 1), strict=False))
    number = {name: int(is_[name] or 0) for name in _NUMBERS.split()}
    session, index = is_["session_name"], is_["pane_index"]
    windows = [f"{session}:{is_[name]}" for name in ("window_index", "window_name")]
    names = [is_["pane_id"], *(f"{window}.{index}" for window in windows)]
    if number["pane_active"]:
        names += windows
        if number["window_active"]:
            names += [session, f"{session}:"]
    window = windows[0] if number["window_panes"] == 1 else f"{windows[0]}.{index}"
    return Pane(
        id=is_["pane_id"],
        label=f"{window} {is_['window_name']}",
        names=tuple(names),
        width=number["pane_width"],
        height=number["pane_height"],
        cursor=(number["cursor_x"], number["cursor_y"]) if number["cursor_flag"] else None,
        history=number["history_size"],
        brackets=is_["bracket_paste_flag"] == "1",
        dead=bool(number["pane_dead"]),
    )


def chosen(panes: dict[str, Pane], wanted: str, session: str) -> Pane:
    """The pane that `wanted` names (an id, or a target as the agent writes it), else the one that
    `session` is at. Raises TmuxError where there is no such session."""
    for name in (wanted.removeprefix("="), session):
        for pane in panes.values():
            if name in pane.names:
                return pane
    raise TmuxError(f"there is no session {session}", kind=Kind.NO_TARGET)
