"""All that this package uses of the shared terminal: one pane, who is in front, typing, waiting."""

from __future__ import annotations

import contextlib
import fcntl
import struct
import termios
import time
from dataclasses import dataclass

from ..tmux.client import GONE, Kind, TmuxError
from ..tmux.probe import SHELLS, probe
from ..tmux.process import until
from ..tmux.sending import type_text
from ..tmux.settings import Settings
from ..tmux.view import View
from ..tmux.wait import wait
from ..tmux.watch import Watch
from ..tmux.windows import find

__all__ = ["BUSY", "GONE", "Front", "Terminal", "TmuxError", "View", "until"]

BUSY = Kind.BUSY  # of TmuxError: another caller holds the pane
READY_LIMIT = 5.0  # seconds a shell may take to show its prompt: a new session's has just begun
OTHER_LIMIT = 0.5  # seconds that another program in front is given to end
REDRAW = 0.05  # seconds for a shell to draw its prompt for one size before it gets the next
# What a killed TUI leaves on: full screen, mouse, bracketed paste, hidden cursor, its keys, colour.
MEND = "\033[?1049l\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?25h\033[<u\033[0m"


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """One look: the screen, and the process group in front (0: not known) with its name."""

    view: View
    group: int
    name: str

    @property
    def is_shell(self) -> bool:
        return self.name in SHELLS


class Terminal:
    """One pane. Everything may raise TmuxError."""

    def __init__(self, target: str):
        self.pane = find(target, Settings.load()).pane
        self.name = target
        self.lock = self.pane.lock
        self.option = self.pane.get_option
        self.set_option = self.pane.set_option

    def front(self) -> Front:
        view = self.pane.look()
        kernel = probe(view.pid, view.tty)
        return Front(view=view, group=kernel.foreground or 0, name=kernel.name)

    def wait_for_shell(self, limit: float = READY_LIMIT) -> Front | None:
        """Who is in front once a shell waits for a command; None where that is not so in time."""
        limit = limit if self.front().is_shell else OTHER_LIMIT
        outcome = wait(Watch(self.pane, self.pane.look()), limit)
        front = self.front()
        return front if outcome.ready and front.is_shell else None

    def type_command(self, line: str) -> None:
        """Types `line` at the shell's prompt, unless somebody has typed there already."""
        watch = Watch(self.pane, self.pane.look())
        watch.read_kernel()
        type_text(watch, line, True)

    def paste(self, text: str) -> None:
        self.pane.type(text, enter=False, block=True)

    def press(self, *names: str) -> None:
        self.pane.press(list(names))

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
