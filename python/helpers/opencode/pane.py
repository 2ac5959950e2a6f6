"""The program in the pane: it owns OpenCode's server and, in front, its TUI, and ends both.

Where they are it writes into an option of the pane, for every caller. When either ends, or this
program, nothing of it stays; only the id of a conversation that a person has ended is kept, until
the next caller has heard of it.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from dataclasses import replace
from functools import partial
from typing import NoReturn

from ..tmux.evidence.kernel import process
from ..tmux.terminal.client import TmuxError, tmux
from . import record
from .api import Api, HttpError
from .record import ENDING, FAILED, STARTING, UP, Record, Turn
from .reply import OpenCodeError, OpenCodeStartFailed
from .server import Server, be_called, end_with, find, serving

DRAWN_LIMIT = 15.0  # seconds for the TUI to show its cursor, unless a dialog hides it
LOOK_EVERY = 0.1  # seconds between two looks, each of which costs a process
QUIT_LIMIT = 5.0  # seconds for the TUI to end by itself; 0.1 to 0.4 are usual
REDRAW = 0.05  # seconds for a shell to draw its prompt for one size before it gets the next
SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
FULL_SCREEN_OFF = "\033[?1049l"
# Mouse, bracketed paste, hidden cursor, the keys and the colour that a killed TUI leaves.
MODES_OFF = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?25h\033[<u\033[0m"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="opencode", description=__doc__)
    parser.add_argument("directory")
    parser.add_argument("program", nargs="?", default="", help="default: opencode")
    parser.add_argument("-s", dest="session", default="", help="the conversation to go on with")
    options = parser.parse_args(arguments)
    if not (pane := os.environ.get("TMUX_PANE")):
        parser.error("this runs in a pane of tmux")
    be_called(parser.prog)
    for one in SIGNALS:
        signal.signal(one, _end)
    own = process.read(os.getpid())
    since = own.since if own else 0
    there = Record(state=STARTING, pid=os.getpid(), since=since, directory=options.directory)
    failed: Record | None = None
    with contextlib.suppress(TmuxError):  # the pane has gone
        record.write(pane, record=there, turn=None)
        try:
            program = find(options.program)
            with serving(options.directory, program, lambda: None, pane) as server:
                _show(pane, there, program, server, options.session)
        except OpenCodeError as problem:
            print(problem, flush=True)
            failed = replace(there, state=FAILED, error=str(problem))
        finally:
            record.write(pane, record=failed)
    return 0


def _end(*_: object) -> NoReturn:
    """Later signals are held off: this program cleans up then."""
    _hold_signals()
    sys.exit()


def _hold_signals() -> None:
    for one in SIGNALS:
        signal.signal(one, signal.SIG_IGN)


def _show(pane: str, there: Record, program: str, server: Server, session: str) -> None:
    """The TUI. Returns when it or the server has ended."""
    api, modes = Api(server.port, server.password), termios.tcgetattr(0)
    if not session or not api.holds(session, there.directory):
        session = api.begin()
    url = f"http://127.0.0.1:{server.port}"
    tui = subprocess.Popen(
        [program, "attach", url, "--dir", there.directory, "-s", session],
        cwd=there.directory,
        env=server.environment,
        preexec_fn=partial(end_with, os.getpid()),
    )
    try:
        _until_drawn(pane, tui)
        up = replace(there, state=UP, port=server.port, password=server.password)
        record.write(pane, record=up, turn=Turn(session=session, directory=there.directory))
        until_one_ends(os.pidfd_open(tui.pid), server.life)
    finally:
        _hold_signals()
        with contextlib.suppress(TmuxError):
            record.write(pane, record=replace(there, state=ENDING))
        _end_tui(tui, api)
        with contextlib.suppress(OSError, termios.error, TmuxError):
            if tui.returncode and os.tcgetpgrp(0) == os.getpgrp():
                mend(pane)
                termios.tcsetattr(0, termios.TCSANOW, modes)


def _until_drawn(pane: str, tui: subprocess.Popen[bytes]) -> None:
    """What happens before the TUI has drawn its input it may miss, a permission too."""
    end = time.monotonic() + DRAWN_LIMIT
    form = "#{alternate_on}#{cursor_flag}"
    while time.monotonic() < end:
        if tmux("display-message", "-p", "-t", pane, form).strip() == "11":
            return
        if tui.poll() is not None:
            reason = f"OpenCode's TUI ended at once (exit status {tui.returncode})"
            raise OpenCodeStartFailed(reason, "its pane may say why")
        time.sleep(LOOK_EVERY)


def until_one_ends(*descriptors: int) -> None:
    """Returns when one of them can be read."""
    end = select.poll()
    for one in descriptors:
        end.register(one, select.POLLIN)
    end.poll()


def _end_tui(tui: subprocess.Popen[bytes], api: Api) -> None:
    """By itself, which leaves its farewell, else by force."""
    for one in process.members(os.getpgrp()):
        if one.state == "T":  # the person has stopped it: it would come back over the shell
            os.kill(one.pid, signal.SIGKILL)
    with contextlib.suppress(HttpError, subprocess.TimeoutExpired):
        if tui.poll() is None:
            api.quit()
            tui.wait(QUIT_LIMIT)
    tui.kill()
    tui.wait()


def mend(pane: str) -> None:
    """Takes back what a killed TUI has left on in its terminal."""
    form = "#{pane_tty} #{pane_width} #{pane_height} #{alternate_on}"
    tty, width, height, full = tmux("display-message", "-p", "-t", pane, form).split()
    terminal = os.open(tty, os.O_WRONLY | os.O_NOCTTY)
    os.write(terminal, (FULL_SCREEN_OFF * int(full) + MODES_OFF).encode())
    for columns in (int(width) - 1, int(width)):  # another size: the shell draws its prompt again
        size = struct.pack("4H", int(height), columns, 0, 0)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
        time.sleep(REDRAW)
