"""Which pane a target names; the session, created if it is missing; windows of the agent's own."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field

from ..evidence import programs
from ..evidence.kernel.process import children, read
from ..evidence.screen.view import View
from ..settings import Settings
from .client import GONE, Kind, TmuxError, rows_of, tmux
from .look import DEFAULT, OPENED, SLACK, view_of
from .pane import Pane, argument, panes

_LONGEST_TARGET = 200  # characters; a longer one would not fit into tmux's message
_CREATE_TRIES = 10  # a server that is about to end still accepts the call, and the session is lost
_CREATE_PAUSE = 0.05  # seconds between two tries
_NAMES = ("#{window_id}", "#{window_index}", f"#{{{OPENED}}}", "#{window_name}")
_SEEN = f"#{{?#{{==:#{{{OPENED}}},#{{window_name}}}},#{{window_name}},#{{window_index}}}}"


@dataclass(slots=True)
class Found:
    """A pane and the look that found it."""

    pane: Pane
    view: View
    new: bool = False  # it was created just now
    notes: list[str] = field(default_factory=list)


def find(
    target: str | None, settings: Settings, above: int = SLACK, goes_on: bool = False
) -> Found:
    """The pane that `target` names exactly; for None or the session's name, the pane that the
    person looks at. A missing session is created.

    `above`: rows above the screen that the look fetches; `goes_on`: the action continues the turn
    that the last answer left open. Raises TmuxError; for any other missing target its hint lists
    the existing panes.
    """
    session = settings.session
    if target is not None and target.removesuffix(":") != session:
        return _exactly(target, above)
    new = False
    try:
        view = view_of(f"={session}:", above)
    except TmuxError as problem:
        if problem.kind not in GONE:
            raise
        _create(session, settings)
        new = True
        view = view_of(f"={session}:", above)
    if view.opened and (other := _persons_window(session)):
        view = view_of(other, above)
    found = Found(Pane(view, session), view, new)
    before, _, was_open = view.default.partition(" ")
    if before != view.id:
        if was_open and goes_on:
            _must_not_be_elsewhere(before, view, session)
        tmux("set-option", "-t", f"={session}:", DEFAULT, view.id)
        found.pane.is_default = True
        if before and not new:
            found.notes.append(f"the person has gone on to {view.id}; this answer is about it")
    if new:
        found.notes.append(
            f"session {session} did not exist and was created in {_place(settings)} (detached,"
            f" {view.width}x{view.height}); a person sees it with: tmux attach -t {session}"
        )
    return found


def _must_not_be_elsewhere(before: str, here: View, session: str) -> None:
    """Raises TmuxError: a turn is open in the pane `before`, but the person now looks at the pane
    `here`, so text could reach the wrong program. If `before` has ended, of kind NO_TARGET, and
    only once."""
    try:
        view_of(before)
    except TmuxError as problem:
        if problem.kind in GONE:
            tmux("set-option", "-t", f"={session}:", DEFAULT, here.id)
            lost = f"the pane {before} has ended, and what was open there with it"
            raise TmuxError(f"{lost}; nothing was typed", kind=Kind.NO_TARGET) from None
        raise
    raise TmuxError(
        f"the last answer was about {before}, where a turn is open, and the person looks at"
        f" {here.id} now",
        f"say which is meant: pane {before!r} or pane {here.id!r}; nothing was typed",
    )


def _exactly(target: str, above: int) -> Found:
    try:
        exact = _exact(target)
        if len(exact) > _LONGEST_TARGET:
            raise TmuxError("the target is too long", kind=Kind.NO_TARGET)
        view = view_of(exact, above)
    except TmuxError as problem:
        if problem.kind not in GONE:
            raise
        shown = target[:_LONGEST_TARGET]
        if same := _same_name(target):
            several = f"{len(same)} windows are named {shown!r}"
            raise TmuxError(several, f"use one of: {', '.join(same)}", Kind.NO_TARGET) from None
        raise TmuxError(f"there is no pane {shown!r}", _hint(), Kind.NO_TARGET) from None
    return Found(Pane(view, target), view)


def _same_name(target: str) -> list[str]:
    """The windows with the name `target`, if there are several."""
    form = "#{session_name}:#{window_name}\t#{session_name}:#{window_index} (#{window_id})"
    rows = [row.split("\t") for row in rows_of("list-windows", "-a", "-F", form)]
    same = [where for name, where in rows if name == target.removeprefix("=")]
    return same if len(same) > 1 else []


def _hint() -> str:
    existing = ", ".join(f"{target} ({id})" for target, id in panes())
    return f"use one of: {existing}" if existing else "there are no panes; leave out `pane`"


def _exact(target: str) -> str:
    """`target`, so that tmux compares whole names of sessions and windows, not their beginnings."""
    target = argument(target)
    if target[:1] in "%@$":
        return target
    session, _, rest = target.removeprefix("=").partition(":")
    named = rest and not re.match(r"\d+(?:\.|$)|[@%=.+{^$!-]", rest)
    return f"={session}:{'=' * bool(named)}{rest}"


def _place(settings: Settings) -> str:
    """The directory in which a new session starts."""
    with suppress(OSError):  # the caller's directory was removed
        return settings.directory or os.getcwd()
    return os.path.expanduser("~")


def _create(session: str, settings: Settings) -> None:
    where = ["-c", _place(settings)]
    size = ["-x", str(settings.width), "-y", str(settings.height)]
    for tries in range(_CREATE_TRIES, 0, -1):
        try:
            tmux("new-session", "-d", "-s", session, *size, *where)
            return
        except TmuxError as problem:
            if problem.kind is Kind.EXISTS:  # another caller was faster
                return
            if problem.kind is not Kind.NO_SERVER or tries == 1:
                raise
            time.sleep(_CREATE_PAUSE)


@dataclass(frozen=True, slots=True)
class Window:
    """One window of the session. `opened`: the name that `open` gave it, "" for a person's."""

    id: str
    index: str
    opened: str
    name: str


def _windows(session: str) -> list[Window]:
    rows = rows_of("list-windows", "-t", f"={session}:", "-F", "\t".join(_NAMES))
    return [Window(*row.split("\t", 3)) for row in rows]


def _persons_window(session: str) -> str:
    """The id of the window, not one of the agent's own, that the person looked at last."""
    stack = tmux("display-message", "-p", "-t", f"={session}:", "#{session_stack}").strip()
    persons = {window.index: window.id for window in _windows(session) if not window.opened}
    order = [index for index in stack.split(",") if index in persons]
    return persons[order[0]] if order else next(iter(persons.values()), "")


def persons_view(session: str) -> str:
    """The window that people attached to the session see: `shared:0`."""
    return tmux("display-message", "-p", "-t", f"={session}:", f"{session}:{_SEEN}").strip()


def attached_people() -> int:
    """The number of terminals attached to the server. A client in control mode is a program."""
    return rows_of("list-clients", "-F", "#{client_control_mode}").count("0")


def open_window(name: str, directory: str | None, settings: Settings) -> Found:
    """The agent's window `name` in the session, opened if there is none. The person's view stays.

    Raises TmuxError if a person's window has that name or the directory does not exist.
    """
    shared = find(None, settings)
    session = settings.session
    existing = _by_name(session, name)
    if existing is not None:
        dead = view_of(existing.id).dead
        if dead:  # the person's configuration keeps windows whose program has ended
            tmux("respawn-pane", "-t", existing.id)
        return _found(session, existing, shared, dead)
    place = directory or settings.directory or shared.view.path or _place(settings)
    if not os.path.isdir(place):
        raise TmuxError(f"argument 'directory': there is no directory {place!r}", "name another")
    target = ("-t", f"={session}:={name}")
    id = tmux(
        *("new-window", "-d", "-P", "-F", "#{window_id}", "-t", f"={session}:"),
        *("-n", name, "-c", os.path.abspath(place)),
        *(";", "set-option", "-w", *target, OPENED, name),
        *(";", "set-option", "-w", *target, "allow-rename", "off"),
    ).strip()
    same = [window.id for window in _windows(session) if window.opened == name]
    first = min(same, key=lambda id: int(id[1:]), default=id)
    if first != id:  # another caller opened the same one at the same moment
        tmux("kill-window", "-t", id)
    return _found(session, Window(first, "", name, name), shared, first == id)


def _by_name(session: str, name: str) -> Window | None:
    for window in _windows(session):
        if window.opened == name:
            return window
        if window.name == name:
            raise TmuxError(
                f"the person has a window {name!r} in {session}; nothing was opened",
                "open one with another name",
            )
    return None


def _found(session: str, window: Window, shared: Found, new: bool) -> Found:
    view = view_of(window.id)  # a person may have renamed it
    return Found(Pane(view, f"{session}:{window.name}"), view, new, shared.notes)


def must_be_free(found: Found, settings: Settings) -> None:
    """Raises TmuxError if the pane's window must not be closed: `open` did not make it, a program
    runs in it, or it is not alone."""
    view, name = found.view, found.pane.name
    if not view.opened:
        raise TmuxError(
            f"{name} is not a window that open made; nothing was closed",
            "only the person may end their own windows",
        )
    if names := ", ".join(_running(view)):
        raise TmuxError(
            f"{names} is still running in {name}; nothing was closed",
            "end it first: with interrupt, its own way out, or kill %1 for a background job; then"
            " close again",
        )
    inside = tmux("list-panes", "-t", view.id, "-F", "#{pane_id}").split()
    if len(inside) > 1:
        raise TmuxError(
            f"the window of {name} has other panes: {', '.join(inside)}; nothing was closed",
            "it was split after open made it, and closing it would end them too; leave it",
        )
    if len(_windows(settings.session)) == 1:
        raise TmuxError(
            f"{name} is the last window of {settings.session}; nothing was closed",
            "closing it would end the session that the person looks at; leave it",
        )


def close_window(pane: Pane) -> None:
    """Ends the window of `pane`."""
    tmux("kill-window", "-t", pane.id)


def _running(view: View) -> list[str]:
    """Names of the programs that run in the pane: its shell's children, or what replaced it."""
    first = None if view.dead else read(view.pid)
    if first and not programs.of(first.name).shell:
        return [first.name]
    started = [read(pid) for pid in children(first)] if first else []
    return list(dict.fromkeys(child.name for child in started if child and not child.ended))
