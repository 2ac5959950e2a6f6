"""The program in the pane: it owns a server, and shows OpenCode's TUI in front of it. When the TUI,
the server or this program ends, the others end too."""

import os
import select
import signal
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

from ..tmux import process
from ..tmux.answer import clean
from ..tmux.client import TmuxError, tmux
from . import record
from .keeper import keep
from .record import Record
from .reply import OpenCodeError, OpenCodeStartFailed, Patience
from .server import Popen, Server, serving
from .turn import MOST_QUOTED

NAME = "opencode"
ANSWER_LIMIT = 100.0  # seconds until the server must answer; 2 are usual
DRAWN_LIMIT = 15.0  # seconds for the TUI to show its cursor, unless a dialog hides it
QUIT_LIMIT = 5.0  # seconds for the TUI to end by itself; 0.1 to 0.4 are usual
DRAWN = "11"  # its own screen, and the cursor in it


def main(arguments: list[str]) -> int:
    """DIRECTORY PROGRAM [CONVERSATION], or --keep and what keep() takes."""
    if arguments[0] == "--keep":
        return keep(*arguments[1:])
    directory, program, *session = arguments
    Path("/proc/self/comm").write_text(NAME)  # which a look at the pane shows
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit())
    pane = os.environ["TMUX_PANE"]
    with suppress(TmuxError):  # the pane has gone
        try:
            with serving(directory, program, Patience(ANSWER_LIMIT), pane) as server:
                _Shown(pane, server).show(*session)
        except OpenCodeError as problem:
            print(problem, flush=True)
            record.write(pane, Record(error=problem.reason, hint=problem.hint))
    return 0


class _Shown:
    """The TUI in front of a server: one after the other where callers want other conversations."""

    def __init__(self, pane: str, server: Server):
        self.pane = pane
        self.server = server
        self.wire = server.wire
        self.modes = termios.tcgetattr(0)
        self.tui: Popen | None = None

    def show(self, session: str = "") -> None:
        """Returns when a TUI or the server has ended. Raises OpenCodeStartFailed if it ends before
        it has drawn anything."""
        if not session or not self.wire.go_to(session):
            self.wire.begin()
        record.change(self.pane, version=self.wire.OLDEST[0], session=self.wire.session)
        try:
            while True:
                tui = self._begun()
                drawn = self._draws(tui)
                if drawn:
                    record.change(self.pane, address=self.wire.address, shown=self.wire.session)
                    _until_one_ends(tui, self.server.process)
                wanted = record.load(self.pane).wanted
                if wanted in ("", self.wire.session):
                    break
                self.wire.session = wanted
            if not drawn:
                raise OpenCodeStartFailed(f"OpenCode's TUI has ended: {self._said()}")
        finally:
            self._end()

    def _begun(self) -> Popen:
        """A TUI that begins to show the wire's conversation."""
        stamp = record.stamp(self.pane)
        self.tui = self.server.starter.start(*self.wire.tui_words())
        record.change(self.pane, tui=self.tui.pid, stamp=stamp)
        return self.tui

    def _draws(self, tui: Popen) -> bool:
        """Waits until the TUI has drawn its input: it may miss earlier events, even a permission.
        Returns whether it has not ended instead."""
        look = ("display-message", "-p", "-t", self.pane, "#{alternate_on}#{cursor_flag}")
        process.until(lambda: tui.poll() is not None or DRAWN in tmux(*look), DRAWN_LIMIT)
        return tui.returncode is None

    def _said(self) -> str:
        """What stands on the screen since the line was typed that started all."""
        rows = clean(tmux("capture-pane", "-pJ", "-t", self.pane)).rpartition(record.LINE)[2]
        return " ".join(rows.split()[1:])[-MOST_QUOTED:]

    def _end(self) -> None:
        with suppress(TmuxError):
            record.change(self.pane, address="")  # it takes no more turns
        if tui := self.tui:
            self._quit(tui)
        with suppress(OSError, termios.error, TmuxError):
            # One of them was killed: the keeper mends the screen.
            killed = self.server.process.poll() is not None or (tui and tui.returncode)
            if killed and os.tcgetpgrp(0) == os.getpgrp():
                termios.tcsetattr(0, termios.TCSANOW, self.modes)
            else:
                there = record.load(self.pane)
                left = Record(session=there.session, directory=there.directory)
                record.write(self.pane, left)

    def _quit(self, tui: Popen) -> None:
        """Ends the TUI: by itself, which leaves its farewell, else by force."""
        for member in process.members(os.getpgrp()):
            if member.state == "T":  # by the person: if continued, it would draw over the shell
                os.kill(member.pid, signal.SIGKILL)
        with suppress(OpenCodeError, OSError):  # it has ended, or has got the request all the same
            self.wire.quit_tui(tui.pid)
        with suppress(subprocess.TimeoutExpired):
            tui.wait(QUIT_LIMIT)
        tui.kill()
        tui.wait()


def _until_one_ends(*processes: Popen) -> None:
    ends = [os.pidfd_open(each.pid) for each in processes]
    select.select(ends, [], [])
    for end in ends:
        os.close(end)
