"""Pane: one exact tmux pane; its state in one call; type, press, capture, mark, lock."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import groupby

from .client import MOST_KEYS, PASTES_AS_IT_IS, TmuxError, tmux
from .keys import as_text
from .probe import exit_status
from .view import CUT, MEMORY, View, view_of

SHARED = "shared"  # the session that a person and the agent look at
_SIZE = ("160", "50")  # cells: wide enough that few lines wrap
_LONGEST_TARGET = 200  # characters; a longer one would not fit into tmux's message
_CREATE_TRIES = 10  # a server that is just ending still takes the call, and takes it with it
_CREATE_PAUSE = 0.05  # seconds
_LOCK_PAUSE = 0.004  # seconds between two tries for the lock
TARGET = "#{?#{m:*:*,#{session_name}},#{session_id},#{session_name}}:#{window_index}.#{pane_index}"


class Pane:
    """One pane by its id, which survives renaming, moving and swapping."""

    def __init__(self, view: View, name: str, created: bool = False):
        self.id = view.id
        self.name = name
        self.created = created  # the session did not exist and was made just now
        self.view = view  # the look that found it

    @classmethod
    def open(cls, target: str = SHARED) -> Pane:
        """The pane that `target` names, exactly. The session `shared` is created when it is missing.

        Raises TmuxError; for any other missing target its hint lists the panes there are.
        """
        exact = _exact(target)
        created = False
        try:
            if len(exact) > _LONGEST_TARGET:
                raise TmuxError("too long for a name", kind="no target")
            return cls(view_of(exact)[0], target)
        except TmuxError as problem:
            if problem.kind not in ("no target", "no server"):
                raise
            if exact != f"={SHARED}:":
                raise TmuxError(
                    f"there is no pane {target[:_LONGEST_TARGET]!r}", _hint_panes(), "no target"
                ) from None
        for tries in range(_CREATE_TRIES, 0, -1):
            try:
                tmux("new-session", "-d", "-s", SHARED, "-x", _SIZE[0], "-y", _SIZE[1])
                created = True
                break
            except TmuxError as problem:
                if "duplicate session" in str(
                    problem
                ):  # another caller was faster: its session is as good
                    break
                if problem.kind != "no server" or tries == 1:
                    raise
                time.sleep(_CREATE_PAUSE)
        return cls(view_of(exact)[0], target, created)

    # reading

    def look(self) -> View:
        """The visible rows and the state, from one tmux call. Raises TmuxError, kind "no target" when it is gone."""
        view = view_of(self.id)[0]
        if (
            view.dead and not view.dead_status
        ):  # tmux learns it a moment after the end, and 3.3a may miss it for good
            status = exit_status(view.pid)
            view = view_of(self.id)[0] if status is None else replace(view, dead_status=str(status))
        return view

    def lines(self, view: View, first: int, context: int = 0) -> tuple[View, list[str], list[str]]:
        """Wrapped lines joined: up to `context` rows before row `first` (counted from the oldest row of the history),
        and those from it to the end of the screen; and the view they belong to. A full screen has no history."""
        parting = f":{secrets.token_hex(8)}"
        for _ in range(5):
            start = 0 if view.alternate else min(first - view.history_size, view.height - 1)
            above = max(start - context, -view.history_size)
            grab = ["capture-pane", "-p", "-J", "-t", self.id]
            before = (
                [";", *grab, "-S", str(above), "-E", str(start - 1)]
                if above < start and not view.alternate
                else []
            )
            latest, rows = view_of(
                self.id,
                [
                    *before,
                    ";",
                    "display-message",
                    "-p",
                    "-t",
                    self.id,
                    parting,
                    ";",
                    *grab,
                    "-S",
                    str(start),
                ],
            )
            if latest.history_size == view.history_size and latest.alternate == view.alternate:
                break
            view = latest  # it scrolled in between: the row is now further up
        if parting not in rows:
            raise TmuxError(CUT, kind="no server")
        part = rows.index(parting)
        return latest, rows[:part], rows[part + 1 :]

    def coloured(self) -> list[str]:
        """The visible rows with their attributes as SGR sequences."""
        return tmux("capture-pane", "-p", "-e", "-t", self.id).split("\n")

    # writing

    def type(
        self,
        text: str,
        enter: bool = True,
        *,
        mark: dict | None = None,
        block: bool = False,
        gap: float = 0.0,
    ) -> None:
        """Type `text` exactly, then Enter. `block`: with bracketed paste where the program asks for it, as several
        lines and tabs want it. `gap`: seconds before Enter, for programs that take text and Enter in one go for a
        paste. `mark` is left on the pane in the same tmux call. Goes round copy mode and only to this pane."""
        block = block or "\n" in text or "\t" in text
        if text and enter and (block or gap):
            self._paste(text, block, mark)
            time.sleep(gap)
            self._paste("\n", False, None)
        else:
            self._paste(text + "\n" * enter, block, mark)

    def _paste(self, data: str, block: bool, mark: dict | None) -> None:
        buffer = f"tmux-tool-{secrets.token_hex(6)}"
        queue = [
            "load-buffer",
            "-b",
            buffer,
            "-",
            ";",
            *self._marking(mark),
            "paste-buffer",
            "-d",
            "-b",
            buffer,
            "-t",
            self.id,
            *["-p"] * block,
            *["-S"] * (self.view.version >= PASTES_AS_IT_IS),
        ]
        try:
            tmux(*queue, stdin=data.encode())
        except TmuxError as problem:
            if problem.kind not in ("no answer", "no server"):
                with suppress(TmuxError):  # it may never have been loaded
                    tmux("delete-buffer", "-b", buffer)
            raise

    def press(
        self, names: list[str], *, mark: dict | None = None, view: View | None = None
    ) -> bool:
        """Press keys, named as `keys.parse` returns them. True if a person's copy mode had to be left for it."""
        view = view or self.look()
        fixed = as_text(names)
        if (view.in_mode or view.synchronized) and fixed is not None:
            self._paste(
                fixed.replace("\r", "\n"), False, mark
            )  # goes round copy mode, and to this pane alone
            return False
        if view.synchronized:  # only this pane was meant
            return self._alone(
                lambda: self.press(names, mark=mark, view=replace(view, synchronized=False))
            )
        before = [
            *self._marking(mark),
            *(["send-keys", "-t", self.id, "-X", "cancel", ";"] if view.in_mode else []),
        ]
        for at in range(0, len(names), MOST_KEYS):
            press = [
                (";", "send-keys", *["-l"] * literal, "-t", self.id, "--", *map(_argument, run))
                for literal, run in groupby(names[at : at + MOST_KEYS], lambda name: len(name) == 1)
            ]
            tmux(*before, *[word for command in press for word in command][1:])
            before = []
        return view.in_mode

    def _alone(self, press: Callable[[], bool]) -> bool:
        local = self.get_option("synchronize-panes")
        self.set_option("synchronize-panes", "off")
        try:
            return press()
        finally:
            self.set_option("synchronize-panes", local or None)

    # memory of the pane: user options live as long as it does and every process sees them

    def _marking(self, mark: dict | None) -> list[str]:
        if mark is None:
            return []
        return [
            "set-option",
            "-p",
            "-t",
            self.id,
            MEMORY[0],
            json.dumps(mark),
            ";",
            "set-option",
            "-pF",
            "-t",
            self.id,
            MEMORY[1],
            "#{history_size}:#{cursor_y}",
            ";",
        ]

    def get_option(self, name: str) -> str:
        """A pane user option's value; "" where it is not set."""
        return tmux("show-options", "-pqv", "-t", self.id, name).rstrip("\n")

    def set_option(self, name: str, value: str | None) -> None:
        """Set a pane user option, or unset it with None."""
        tmux(
            "set-option",
            *(
                ["-pu", "-t", self.id, name]
                if value is None
                else ["-p", "-t", self.id, name, value]
            ),
        )

    @contextmanager
    def lock(
        self, limit: float = 10.0, nap: Callable[[float], object] = time.sleep
    ) -> Iterator[None]:
        """Hold the pane for one caller: `flock` on its terminal, so threads, processes and chats take turns, and the
        kernel frees it when the holder dies. Raises TmuxError, kind "busy", after `limit` seconds."""
        try:
            import fcntl

            held = os.open(self.view.tty, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except (ImportError, OSError):  # no such lock here, or a dead pane: what follows says so
            yield
            return
        try:
            end = time.monotonic() + limit
            while True:
                try:
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > end:
                        raise TmuxError(
                            f"another caller has been using {self.name} for {limit:g}s",
                            "try again when it is done (wait_ready), or stop its program: interrupt",
                            "busy",
                        ) from None
                    nap(_LOCK_PAUSE)
            yield
        finally:
            os.close(held)


def panes() -> list[tuple[str, str]]:
    """(target, id) of every pane of the server; empty where there is no server."""
    try:
        rows = tmux("list-panes", "-a", "-F", f"#{{pane_id}} {TARGET}").splitlines()
    except TmuxError as problem:
        if problem.kind == "no server":
            return []
        raise
    return [(target, id) for id, _, target in (row.partition(" ") for row in rows)]


def _hint_panes() -> str:
    there = ", ".join(f"{target} ({id})" for target, id in panes())
    return (
        f"use one of: {there}" if there else f"there are no panes; leave out `pane` to use {SHARED}"
    )


def _exact(target: str) -> str:
    """`target` so that tmux matches a session's name whole and not by its beginning."""
    target = _argument(target)
    if target[:1] in "%@$":
        return target
    session, _, rest = target.removeprefix("=").partition(":")
    return f"={session}:{rest}"


def _argument(word: str) -> str:
    """`word` so that tmux does not take its last character for the end of a command."""
    return word[:-1] + "\\;" if word.endswith(";") else word
