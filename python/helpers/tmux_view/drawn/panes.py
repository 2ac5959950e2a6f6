"""The panes there are, as one `list-panes` tells them, and which of them is meant. Pure."""

from __future__ import annotations

from dataclasses import dataclass

_NUMBERS = (
    "window_panes window_active pane_active pane_width pane_height cursor_x cursor_y cursor_flag"
    " history_size pane_dead"
).split()
_TEXTS = "pane_id session_name window_index pane_index bracket_paste_flag window_name".split()
FORMAT = "\t".join(f"#{{{name}}}" for name in (*_NUMBERS, *_TEXTS))


@dataclass(frozen=True, slots=True)
class Pane:
    """One pane. Sizes and places in cells."""

    id: str
    session: str
    label: str
    names: frozenset[str]  # targets that mean it
    active: bool  # of its session
    width: int
    height: int
    cursor: tuple[int, int] | None  # None: hidden
    history: int  # rows above the screen
    brackets: bool  # its program asked for bracketed paste; tmux before 3.7 does not know
    dead: bool


def parsed(lines: list[str]) -> dict[str, Pane]:
    """By id. A window linked into several sessions counts where it is listed first."""
    panes: dict[str, Pane] = {}
    for line in lines:
        pane = _pane(line)
        panes.setdefault(pane.id, pane)
    return panes


def _pane(line: str) -> Pane:
    words = line.split("\t", len(_NUMBERS) + len(_TEXTS) - 1)
    number = {name: int(word or 0) for name, word in zip(_NUMBERS, words, strict=False)}
    id, session, window, index, brackets, name = words[len(_NUMBERS) :]
    single = number["window_panes"] == 1
    active = bool(number["window_active"] and number["pane_active"])
    names = {id, *(f"{session}:{one}.{index}" for one in (window, name))}
    if number["pane_active"]:
        names |= {f"{session}:{window}", f"{session}:{name}"}
    return Pane(
        id=id,
        session=session,
        label=f"{session}:{window}{'' if single else '.' + index} {name}",
        names=frozenset(names),
        active=active,
        width=number["pane_width"],
        height=number["pane_height"],
        cursor=(number["cursor_x"], number["cursor_y"]) if number["cursor_flag"] else None,
        history=number["history_size"],
        brackets=brackets == "1",
        dead=bool(number["pane_dead"]),
    )


def chosen(panes: dict[str, Pane], wanted: str, session: str) -> Pane | None:
    """The pane that `wanted` names (an id, or a target as the agent writes it), else the active one
    of `session`; None where that is missing."""
    wanted = wanted.removeprefix("=")
    for pane in panes.values():
        if wanted in pane.names or pane.active and wanted.removesuffix(":") == pane.session:
            return pane
    return next((pane for pane in panes.values() if pane.active and pane.session == session), None)
