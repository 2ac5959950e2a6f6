"""The program in the pane: it owns OpenCode's server and, in front, its TUI, and ends both.

Where they are it writes into an option of the pane, for every caller. When either ends, or this
program, nothing of it stays; only the id of a conversation that a person has ended is kept, until
the next caller has heard of it. Without a terminal it keeps a server alone, until its stdin ends.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import secrets
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NoReturn

from ..tmux.evidence.kernel import process
from ..tmux.terminal.client import TmuxError, tmux
from . import record
from .api import HttpError
from .record import ENDING, FAILED, STARTING, UP, Record, Turn
from .reply import OpenCodeError, OpenCodeStartFailed
from .server import Guard, Server, be_called

DRAWN_LIMIT = 15.0  # seconds for the TUI to show its cursor, unless a dialog hides it
LOOK_EVERY = 0.1  # seconds between two looks, each of which costs a process
QUIT_LIMIT = 5.0  # seconds for the TUI to end by itself; 0.1 to 0.4 are usual
REDRAW = 0.05  # seconds for a shell to draw its prompt for one size before it gets the next
SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
FULL_SCREEN_OFF = "\033[?1049l"
# Mouse, bracketed paste, hidden cursor, the keys and the colour that a killed TUI leaves.
MODES_OFF = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?25h\033[<u\033[0m"


class Signalled(BaseException):
    """One of SIGNALS has come."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="opencode", description=__doc__)
    parser.add_argument("directory")
    parser.add_argument("program", nargs="?", default="", help="default: opencode")
    parser.add_argument("-s", dest="session", default="", help="the conversation to go on with")
    options = parser.parse_args(arguments)
    pane = os.environ.get("TMUX_PANE", "") if os.isatty(0) else ""
    if os.isatty(0) and not pane:
        parser.error("this runs in a pane of tmux")
    be_called(parser.prog)
    for one in SIGNALS:
        signal.signal(one, _raise_once)
    tag, scratch = secrets.token_hex(8), tempfile.mkdtemp(prefix="opencode-")
    guard = Guard(tag, scratch, partial(_clear_after_kill, pane, tag) if pane else int)
    there = _starting(options.directory, tag)
    failed: Record | None = None
    try:
        start = partial(Server, options.directory, options.program, tag, scratch)
        if pane:
            _in_pane(pane, there, start, options.session)
        else:
            _keep(start(_owner_must_live))
    except OpenCodeError as problem:
        failed = replace(there, state=FAILED, error=str(problem))
        print(problem if pane else json.dumps({"error": str(problem)}), flush=True)
    except (Signalled, TmuxError):
        pass
    finally:
        _hold_signals()
        guard.end()
        with contextlib.suppress(TmuxError):
            if pane:
                record.write(pane, record=failed)
    return 0


def _clear_after_kill(pane: str, tag: str) -> None:
    """For the guard: nothing is left on the pane, and its shell's screen is back."""
    record.clear(pane, tag)
    _mend(pane)


def _mend(pane: str) -> None:
    """Takes back what a killed TUI has left on in its terminal."""
    form = "#{pane_tty} #{pane_width} #{pane_height} #{alternate_on}"
    tty, width, height, full = tmux("display-message", "-p", "-t", pane, form).split()
    terminal = os.open(tty, os.O_WRONLY | os.O_NOCTTY)
    os.write(terminal, (FULL_SCREEN_OFF * int(full) + MODES_OFF).encode())
    for columns in (int(width) - 1, int(width)):  # another size: the shell draws its prompt again
        size = struct.pack("4H", int(height), columns, 0, 0)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
        time.sleep(REDRAW)


def _raise_once(*_: object) -> NoReturn:
    """Later signals are held off: it cleans up then."""
    _hold_signals()
    raise Signalled


def _hold_signals() -> None:
    for one in SIGNALS:
        signal.signal(one, signal.SIG_IGN)


def _starting(directory: str, tag: str) -> Record:
    own = process.read(os.getpid())
    since = own.since if own else 0
    return Record(state=STARTING, pid=os.getpid(), since=since, tag=tag, directory=directory)


def _owner_must_live() -> None:
    """Who started this, and holds its stdin open."""
    if select.select([0], [], [], 0)[0]:
        raise Signalled


def _keep(server: Server) -> None:
    """Says where the server is, and returns when stdin or the server has ended."""
    print(json.dumps({"port": server.port, "password": server.password}), flush=True)
    _until_one_ends(0, os.pidfd_open(server.process.pid))


def _in_pane(pane: str, there: Record, start: Callable[..., Server], session: str) -> None:
    """Returns when the TUI or the server has ended, and both have."""
    modes, left = termios.tcgetattr(0), None
    record.write(pane, record=there, turn=None)
    server = start(lambda: None)
    if not session or not server.api.holds(session, there.directory):
        session = server.api.begin()
    url = f"http://127.0.0.1:{server.port}"
    tui = server.start(["attach", url, "--dir", there.directory, "-s", session])
    try:
        _until_drawn(pane, tui)
        there = replace(there, state=UP, session=session)
        there = replace(there, port=server.port, password=server.password)
        record.write(pane, record=there)
        _until_one_ends(os.pidfd_open(tui.pid), os.pidfd_open(server.process.pid))
        left = Turn(session=record.load(pane)[1].session, directory=there.directory)
    finally:
        _hold_signals()
        with contextlib.suppress(TmuxError):
            record.write(pane, record=replace(there, state=ENDING), turn=left)
        _end_tui(tui, server)
        with contextlib.suppress(OSError, termios.error, TmuxError):
            if tui.returncode and os.tcgetpgrp(0) == os.getpgrp():
                _mend(pane)
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


def _until_one_ends(*descriptors: int) -> None:
    end = select.poll()
    for one in descriptors:
        end.register(one, select.POLLIN)
    end.poll()


def _end_tui(tui: subprocess.Popen[bytes], server: Server) -> None:
    """By itself, which leaves its farewell, else by force."""
    for one in process.members(os.getpgrp()):
        if one.state == "T":  # the person has stopped it: it would come back over the shell
            os.kill(one.pid, signal.SIGKILL)
    with contextlib.suppress(HttpError, subprocess.TimeoutExpired):
        if tui.poll() is None:
            server.api.quit()
            tui.wait(QUIT_LIMIT)
    if tui.poll() is None:
        tui.kill()
    tui.wait()
