"""All that this package uses of the shared terminal: one pane, who is in front, typing, waiting."""

from __future__ import annotations

import contextlib
import fcntl
import struct
import termios
import time
from collections.abc import Iterator
from typing import NamedTuple

from ..tmux.evidence.kernel.probe import SHELLS, probe
from ..tmux.evidence.kernel.process import until
from ..tmux.settings import BadSetting, Settings
from ..tmux.terminal.client import GONE, Kind, TmuxError, tmux
from ..tmux.terminal.pane import Pane
from ..tmux.terminal.view import View
from ..tmux.terminal.windows import find
from ..tmux.turn.front import Front as PaneFront
from ..tmux.turn.front import front_once
from ..tmux.turn.wait import wait
from ..tmux.turn.watch import Watch
from ..tmux.typing.sending import type_text
from .reply import OpenCodeError, Progress

__all__ = ["GONE", "Front", "Terminal", "TmuxError", "View", "until"]

READY_LIMIT = 5.0  # seconds a shell may take to show its prompt: a new session's has just begun
OTHER_LIMIT = 0.5  # seconds that another program in front is given to end
DRAWN_LIMIT = 1.0  # seconds for a shell to have drawn the line that is typed
REDRAW = 0.05  # seconds for a shell to draw its prompt for one size before it gets the next
# What a killed TUI leaves on: full screen, mouse, bracketed paste, hidden cursor, its keys, colour.
MEND = "\033[?1049l\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?25h\033[<u\033[0m"


class Front(NamedTuple):
    """One look: the screen, and the process group in front (0: not known) with its name."""

    view: View
    group: int
    name: str

    @property
    def is_shell(self) -> bool:
        return self.name in SHELLS


class Terminal(Pane):
    """One pane; `target` None: the one that the person looks at in the session of the settings.
    Everything may raise TmuxError."""

    def __init__(self, target: str | None):
        try:
            settings = Settings.load()
        except BadSetting as problem:
            raise OpenCodeError(str(problem), "change it or take it back") from None
        found = find(target, settings)
        super().__init__(found.view, found.pane.name)

    def beside(self, option: str) -> list[Terminal]:
        """The panes of this one's session that have that option set, this one first."""
        form = f"#{{?{option},#{{pane_id}},}}"
        found = tmux("list-panes", "-s", "-t", self.id, "-F", form).split()
        others = [Terminal(pane) for pane in found if pane != self.id]
        return [self, *others] if self.id in found else others

    @contextlib.contextmanager
    def held(self, deadline: float, report: Progress) -> Iterator[None]:
        """Holds the pane; another caller's turn is waited for, until `deadline`."""

        def nap(seconds: float) -> None:
            report.say("waits for another caller of this pane")
            time.sleep(seconds)

        try:
            with self.lock(deadline - time.monotonic(), nap):
                yield
        except TmuxError as problem:
            if problem.kind != Kind.BUSY:
                raise
            reason = f"another caller uses pane {self.name}"
            raise OpenCodeError(reason, "try again when it is done") from None

    def front(self) -> Front:
        view = self.look()
        kernel = probe(view.pid, view.tty)
        return Front(view, kernel.foreground or 0, kernel.name)

    def wait_for_shell(self, limit: float = READY_LIMIT) -> Front | None:
        """Who is in front once a shell waits for a command; None where that is not so in time."""
        limit = limit if self.front().is_shell else OTHER_LIMIT
        outcome = wait(Watch(self, self.look()), limit)
        front = self.front()
        return front if outcome.ready and front.is_shell else None

    def half_typed(self) -> str | None:
        """What stands at the prompt and is not the tool's own; None where no prompt is, or that
        cannot be told."""
        watch = Watch(self, self.look())
        watch.read_kernel()

        def known(here: PaneFront) -> bool:
            return here.at_prompt and here.typed is not None and here.typed.text is not None

        here = front_once(watch, known, DRAWN_LIMIT)
        return here.persons if known(here) else None

    def type_command(self, line: str) -> None:
        """Types `line` at the shell's prompt, unless somebody has typed there already."""
        watch = Watch(self, self.look())
        watch.read_kernel()
        type_text(watch, line, True)

    def set_secret(self, name: str, value: str) -> None:
        """Like set_option, for a word of letters, digits, - and _: every user sees arguments."""
        tmux("source-file", "-", stdin=f'set-option -p -t "{self.id}" {name} {value}'.encode())

    def drop_unread(self) -> None:
        """Takes back what was typed and nobody has read."""
        with contextlib.suppress(OSError, termios.error), open(self.tty) as terminal:
            termios.tcflush(terminal, termios.TCIFLUSH)

    def mend(self, view: View) -> None:
        """The shell's own screen again, after a program that could not put the terminal right."""
        with contextlib.suppress(OSError), open(view.tty, "w") as terminal:
            terminal.write(MEND)
            terminal.flush()
            # Its prompt was on the other screen: another size makes it draw it again.
            for columns in (view.width - 1, view.width):
                size = struct.pack("4H", view.height, columns, 0, 0)
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
                time.sleep(REDRAW)
