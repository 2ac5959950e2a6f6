"""The program in the pane: it owns a server, and shows OpenCode's TUI in front of it. When the TUI,
the server or this program ends, the others end too."""

import ctypes
import os
import signal
import subprocess
import sys
import termios
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from ..tmux.base import process
from ..tmux.base.answer import clean
from ..tmux.base.client import TmuxError, tmux
from . import record
from .record import Record
from .reply import OpenCodeError, OpenCodeStartFailed, Patience
from .server import NAME, Popen, Start, Wire, keep, serving
from .turn import MOST_QUOTED

ANSWER_LIMIT = 100.0  # seconds until the server must answer; 2 are usual
DRAWN_LIMIT = 15.0  # seconds for the TUI to show its cursor, unless a dialog hides it
_PARENTS_DEATH = 1  # PR_SET_PDEATHSIG of prctl(2)
# Mouse, bracketed paste, hidden cursor, keyboard protocol and colour that a killed TUI leaves on.
MODES_OFF = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?25h\033[<u\033[0m"
QUIT_LIMIT = 5.0  # seconds for the TUI to end by itself; 0.1 to 0.4 are usual


def main(arguments: list[str]) -> None:
    """PANE DIRECTORY PROGRAM CONVERSATION ("": a new one), or --keep TAG."""
    if arguments[0] == "--keep":
        return keep(arguments[1])

    pane, directory, program, session = arguments

    Path("/proc/self/comm").write_text(NAME)  # which a look at the pane shows
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit())

    with suppress(TmuxError):  # the pane has gone
        try:
            with serving(directory, program, Patience(ANSWER_LIMIT), pane) as (wire, start):
                _show(pane, wire, start, session)
        except OpenCodeError as problem:
            print(problem, flush=True)
            failed = Record(
                error=problem.reason,
                hint=problem.hint,
                session=session,  # with which the next start() goes on
                directory=directory,
            )
            record.write(pane, failed)


def _show(pane: str, wire: Wire, start: Start, session: str) -> None:
    """Shows the TUI; returns when it or the server has ended. Raises OpenCodeStartFailed if it ends
    before it has drawn anything."""
    modes = termios.tcgetattr(0)

    if not session or not wire.go_to(session):
        wire.begin()

    stamp = record.stamp(pane)  # what a person types from now on goes to the TUI
    # It ends with us, before the shell knows: later it would draw over the shell's prompt.
    ends_with_us = partial(ctypes.CDLL(None).prctl, _PARENTS_DEATH, signal.SIGKILL)
    tui = start([NAME, *wire.tui_words()], preexec_fn=ends_with_us)
    record.change(pane, version=wire.OLDEST[0], session=wire.session, stamp=stamp)

    try:
        # Until then it may miss events, even a permission: its own screen, and the cursor in it.
        look = ("display-message", "-p", "-t", pane, "#{alternate_on}#{cursor_flag}")
        process.until(lambda: tui.poll() is not None or "11" in tmux(*look), DRAWN_LIMIT)

        if tui.returncode is not None:
            screen = clean(tmux("capture-pane", "-pJ", "-t", pane))
            said = " ".join(screen.rpartition(record.LINE)[2].split()[1:])
            raise OpenCodeStartFailed(f"OpenCode's TUI has ended: {said[-MOST_QUOTED:]}")

        record.change(pane, address=wire.address)
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)  # until one ends
    finally:
        with suppress(TmuxError):
            record.change(pane, address="")  # it takes no more turns

        _end(tui, wire)

        with suppress(OSError, termios.error, TmuxError):
            if tui.returncode and os.tcgetpgrp(0) == os.getpgrp():
                _mend(pane, modes)
            record.leave(pane)


def _mend(pane: str, modes: list[Any]) -> None:
    """Turns off what a killed TUI has left on in its terminal."""
    termios.tcsetattr(0, termios.TCSANOW, modes)

    if "1" in tmux("display-message", "-p", "-t", pane, "#{alternate_on}"):
        print("\033[?1049l", end="")  # the ordinary screen
    print(MODES_OFF, end="", flush=True)


def _end(tui: Popen, wire: Wire) -> None:
    """Ends the TUI: by itself, which leaves its farewell, else by force."""
    for member in process.members(os.getpgrp()):
        if member.state == "T":  # by the person: if continued, it would draw over the shell
            os.kill(member.pid, signal.SIGKILL)

    with suppress(OpenCodeError, OSError):  # it has ended, or has got the request all the same
        wire.quit_tui(tui.pid)

    with suppress(subprocess.TimeoutExpired):
        tui.wait(QUIT_LIMIT)

    tui.kill()
    tui.wait()
