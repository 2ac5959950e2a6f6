"""One exact tmux pane, by its id: look, type, press keys, store, lock.

Typing is conditional: the server checks `only_if`, a condition made from a look, in the same call,
so that no key of a person's can come in between.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import groupby

from ..evidence.kernel.probe import exit_status
from ..evidence.screen.view import Lines, View
from .client import MOST_KEYS, PASTES_AS_IT_IS, Kind, TmuxError, rows_of, tmux
from .keys import as_text
from .look import DEFAULT, INPUT, MARK, OPENED, SLACK, STAMP, look_and, ordinary, view_of

_LOCK_PAUSE = 0.004  # seconds between two tries for the lock
_LINE_TRIES = 5  # requests for lines while the pane scrolls
_DONE, _MOVED = "done", "moved"  # what the server prints if a condition is true, or false
# A window of the agent's own has the name that `open` gave it, unless the person has renamed it.
_OWN_NAME = f"#{{==:#{{{OPENED}}},#{{window_name}}}}"
_OF_SEVERAL = "#{?#{==:#{window_panes},1},,.#{pane_index}}"
TARGET = (
    "#{?#{m:*:*,#{session_name}},#{session_id},#{session_name}}:"
    f"#{{?{_OWN_NAME},#{{window_name}}{_OF_SEVERAL},#{{window_index}}.#{{pane_index}}}}"
)


def untouched(view: View) -> str:
    """A tmux condition: since `view` no key has come from an attached terminal, and no other caller
    has typed or answered."""
    condition = same_stamp(view)
    for name in (INPUT, MARK):
        number = view.memory[name].partition(" ")[0]
        value = f"#{{{name}}}"
        same = f"#{{m:{number} *,{value}}}" if number else f"#{{==:{value},}}"
        condition = both(condition, same)
    return condition


def same_stamp(view: View) -> str:
    """A tmux condition: since `view` no key has come from an attached terminal."""
    return f"#{{==:{STAMP},{view.stamp.value}}}"


def at_cell(cells: Sequence[tuple[int, int]]) -> str:
    """A tmux condition: the cursor is in one of `cells`."""
    row = "#{e|+:#{history_size},#{cursor_y}}"
    each = [f"#{{&&:#{{==:#{{cursor_x}},{x}}},#{{==:{row},{y}}}}}" for y, x in cells]
    return each[0] if len(each) == 1 else f"#{{||:{each[0]},{each[1]}}}"


def both(one: str, other: str) -> str:
    """A tmux condition: both of these."""
    return f"#{{&&:{one},{other}}}"


class Pane:
    """One pane by its id, which survives renaming, moving and swapping. `name`: the caller's name
    for it."""

    def __init__(self, view: View, name: str):
        self.id = view.id
        self.is_default = view.default.partition(" ")[0] == view.id
        self.name = name
        self.tty = view.tty
        self._version = view.version

    # reading

    def look(self, above: int = SLACK) -> View:
        """The visible rows and the state, from one tmux call; `above`: rows above the screen.

        Raises TmuxError, of kind NO_TARGET if the pane is gone.
        """
        view = view_of(self.id, above)
        # tmux learns the status a moment after the end, and 3.3a may never learn it.
        if view.dead and not view.dead_status:
            status = exit_status(view.pid)
            if status is None:
                return view_of(self.id, above)
            return replace(view, dead_status=str(status))
        return view

    def ordinary(self, view: View) -> View:
        """The ordinary screen behind the full screen of `view`."""
        return ordinary(view)

    def lines(self, view: View, first: int) -> tuple[View, Lines]:
        """The lines from row `first` on (counted from the oldest row of the history), wrapped rows
        joined, and the view they belong to: `view` itself if it contains them."""
        for _ in range(_LINE_TRIES):
            if view.alternate or view.joined.first <= max(first, 0):
                break
            view = self.look(max(view.history_size - first, 0) + SLACK)  # it may go on printing
        return view, view.joined

    def coloured(self) -> list[str]:
        """The visible rows with their attributes as SGR sequences."""
        return tmux("capture-pane", "-p", "-e", "-t", self.id).split("\n")

    def command(self) -> str:
        """The name of the program in front, according to tmux."""
        return tmux("display-message", "-p", "-t", self.id, "#{pane_current_command}").strip()

    # writing

    def type(
        self,
        data: str,
        *,
        only_if: str = "",
        note: dict[str, str] | None = None,
        bracketed: bool = False,
    ) -> bool:
        """Types `data` exactly, a line break as Enter, if `only_if` is true; returns whether it is.

        Bypasses copy mode, and reaches only this pane. `bracketed`: as a bracketed paste if the
        program has turned that on. `note`: options to set on the pane in the same tmux call, JSON
        of numbers and words.
        """
        buffer = f"tmux-tool-{secrets.token_hex(6)}"
        paste = f"paste-buffer -d{' -p' * bracketed}{self._raw} -b {buffer} -t {self.id}"
        try:
            said = tmux(
                *("load-buffer", "-b", buffer, "-", ";"),
                *self._if(only_if, self._noted(note) + paste, f"delete-buffer -b {buffer}"),
                stdin=data.encode(),
            )
        except TmuxError as problem:
            if problem.kind not in (Kind.NO_ANSWER, Kind.NO_SERVER):
                with suppress(TmuxError):  # the buffer may never have been loaded
                    tmux("delete-buffer", "-b", buffer)
            raise
        return _DONE in said

    def look_and_enter(
        self, only_if: str, note: dict[str, str] | None = None, above: int = SLACK
    ) -> tuple[View, bool]:
        """Looks, and presses Enter in the same tmux call if `only_if` is true; returns the view
        and whether Enter was pressed."""
        buffer = f"tmux-tool-{secrets.token_hex(6)}"
        enter = f'set-buffer -b {buffer} "\\n" ; '
        enter += f"paste-buffer -d{self._raw} -b {buffer} -t {self.id}"
        view, said = look_and(self.id, above, self._if(only_if, self._noted(note) + enter, ""))
        return view, said == _DONE

    @property
    def _raw(self) -> str:
        return " -S" * (self._version >= PASTES_AS_IT_IS)

    def _if(self, condition: str, then: str, otherwise: str) -> list[str]:
        show = f"display-message -p -t {self.id}"
        words = ["if-shell", "-F", "-t", self.id, condition or "1", f"{then} ; {show} {_DONE}"]
        return [*words, f"{otherwise} ; {show} {_MOVED}" if otherwise else f"{show} {_MOVED}"]

    def _noted(self, note: dict[str, str] | None) -> str:
        """Commands inside a command: values are quoted, and contain no quote themselves."""
        values = (note or {}).items()
        return "".join(f"set-option -p -t {self.id} {name} '{value}' ; " for name, value in values)

    def press(self, names: list[str], view: View, note: dict[str, str]) -> bool:
        """Presses keys, named as `keys.parse` returns them, in the pane that `view` shows; returns
        whether a person's copy mode was left for it. `note`: as in `type`."""
        fixed = as_text(names)
        if (view.in_mode or view.synchronized) and fixed is not None:
            # A paste bypasses copy mode and reaches this pane alone.
            self.type(fixed.replace("\r", "\n"), note=note)
            return False
        before = [*self._settings(note), ";"]
        if view.in_mode:
            before += ["send-keys", "-t", self.id, "-X", "cancel", ";"]
        alone, again = self._alone() if view.synchronized else ([], [])
        for at in range(0, len(names), MOST_KEYS):
            tmux(*before, *alone, *self._send_keys(names[at : at + MOST_KEYS]), *again)
            before = []
        return view.in_mode

    def _send_keys(self, names: list[str]) -> list[str]:
        words: list[str] = []
        for literal, run in groupby(names, lambda name: len(name) == 1):
            words += [";"] * bool(words) + ["send-keys", *["-l"] * literal, "-t", self.id, "--"]
            words += map(argument, run)
        return words

    def _alone(self) -> tuple[list[str], list[str]]:
        """Commands before and after keys, so that only this one of synchronized panes gets them."""
        option = ("-t", self.id, "synchronize-panes")
        own = tmux("show-options", "-pqv", *option).strip()
        again = ["-p", *option, own] if own else ["-pu", *option]
        return ["set-option", "-p", *option, "off", ";"], [";", "set-option", *again]

    # storing: user options exist as long as the pane, and every process sees them

    def set_option(self, name: str, value: str) -> None:
        """Sets a user option of the pane."""
        tmux(*self._settings({name: value}))

    def remember(self, values: dict[str, str], is_open: bool) -> None:
        """Stores `values` on the pane, and on its session whether a turn is open in the default
        pane, in one tmux call."""
        words = self._settings(values)
        if self.is_default:
            words += [";"] * bool(words) + ["set-option", "-t", self.id]
            words += [DEFAULT, f"{self.id} open" if is_open else self.id]
        if words:
            tmux(*words)

    def _settings(self, values: dict[str, str]) -> list[str]:
        set_one = (";", "set-option", "-p", "-t", self.id)
        return [word for pair in values.items() for word in (*set_one, *pair)][1:]

    @contextmanager
    def lock(
        self, limit: float = 10.0, nap: Callable[[float], object] = time.sleep
    ) -> Iterator[bool]:
        """Holds the pane for one caller, by `flock` on its terminal: threads, processes and chats
        take turns, and the kernel releases the lock when its holder dies. Yields whether it had to
        wait for another caller. Raises TmuxError, of kind BUSY, after `limit` seconds.
        """
        try:
            import fcntl

            terminal = os.open(self.tty, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except (ImportError, OSError):  # no such lock here, or a dead pane: the caller sees that
            yield False
            return
        try:
            end = time.monotonic() + limit
            waited = False
            while True:
                try:
                    fcntl.flock(terminal, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > end:
                        raise self._busy(limit) from None
                    waited = True
                    nap(_LOCK_PAUSE)
            yield waited
        finally:
            os.close(terminal)

    def _busy(self, limit: float) -> TmuxError:
        return TmuxError(
            f"another caller has been using {self.name} for {limit:g}s",
            "wait for it with wait_ready and try again, or stop its program with interrupt",
            Kind.BUSY,
        )


def panes() -> list[tuple[str, str]]:
    """(target, id) of every pane of the server; empty if there is no server."""
    rows = rows_of("list-panes", "-a", "-F", f"#{{pane_id}} {TARGET}")
    return [(target, id) for id, _, target in (row.partition(" ") for row in rows)]


def argument(word: str) -> str:
    """`word`, quoted so that tmux does not take a ";" at its end for the end of a command."""
    return word[:-1] + "\\;" if word.endswith(";") else word
