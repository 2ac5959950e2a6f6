"""The program in the pane: it has a server kept (server.py) and shows OpenCode's TUI in front.

Where the server is it writes into an option of the pane, for every caller. When TUI, server or this
program ends, so do the others; only the id of a conversation that a person has ended is kept, until
the next caller has heard of it.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import select
import signal
import subprocess
import sys
import termios
import time
from contextlib import suppress
from dataclasses import replace

from ..tmux.evidence.kernel import process
from ..tmux.terminal.client import TmuxError, tmux
from . import record
from .api import Api
from .record import ENDING, FAILED, UP, Record, Turn
from .reply import OpenCodeError, OpenCodeStartFailed
from .server import Server, find, mend, serving

DRAWN_LIMIT = 15.0  # seconds for the TUI to show its cursor, unless a dialog hides it
LOOK_EVERY = 0.1  # seconds between two looks, each of which costs a process
QUIT_LIMIT = 6.0  # seconds for the TUI to end by itself; 0.1 to 0.4 are usual
_NAME = 15  # PR_SET_NAME of prctl(2)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="opencode")
    parser.add_argument("directory")
    parser.add_argument("program", nargs="?", default="")
    parser.add_argument("-s", dest="session", default="")
    options = parser.parse_args(arguments)
    ctypes.CDLL(None).prctl(_NAME, parser.prog.encode())  # who looks at the pane is told it
    for one in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda *_: sys.exit())
    pane, there = os.environ["TMUX_PANE"], record.starting(os.getpid(), options.directory)
    with suppress(TmuxError):  # the pane has gone
        try:
            program = find(options.program)
            with serving(there.directory, program, pane) as server:
                _show(pane, there, program, server, options.session)
        except OpenCodeError as problem:
            print(problem, flush=True)
            record.write(pane, record=replace(there, state=FAILED, error=str(problem)))
    return 0


def _show(pane: str, there: Record, program: str, server: Server, session: str) -> None:
    """The TUI. Returns when it or the server has ended."""
    api, place, modes = server.api, there.directory, termios.tcgetattr(0)
    if not session or not api.go_to(session, place):
        api.begin()
    words = [program, "attach", f"http://127.0.0.1:{api.port}", "--dir", place, "-s", api.session]
    # It holds what the keeper hears of until it is OpenCode, which the keeper can find.
    tui = subprocess.Popen(words, cwd=place, env=server.environment, close_fds=False)
    try:
        _until_drawn(pane, tui)
        up = replace(there, state=UP, port=api.port, password=api.password)
        record.write(pane, record=up, turn=Turn(session=api.session, directory=place))
        select.select([os.pidfd_open(tui.pid), server.life], [], [])
    finally:
        with suppress(TmuxError):
            record.write(pane, record=replace(there, state=ENDING))
        _end(tui, api)
        with suppress(OSError, termios.error, TmuxError):
            if tui.returncode and os.tcgetpgrp(0) == os.getpgrp():
                mend(pane)
                termios.tcsetattr(0, termios.TCSANOW, modes)


def _until_drawn(pane: str, tui: subprocess.Popen[bytes]) -> None:
    """What happens before the TUI has drawn its input it may miss, a permission too."""
    end = time.monotonic() + DRAWN_LIMIT
    form = "#{alternate_on}#{cursor_flag}"
    while tmux("display-message", "-p", "-t", pane, form).strip() != "11":
        if tui.poll() is not None:
            reason = f"OpenCode's TUI ended at once (exit status {tui.returncode})"
            raise OpenCodeStartFailed(reason, "its pane may say why")
        if time.monotonic() > end:
            return
        time.sleep(LOOK_EVERY)


def _end(tui: subprocess.Popen[bytes], api: Api) -> None:
    """By itself, which leaves its farewell, else by force."""
    for one in process.members(os.getpgrp()):
        if one.state == "T":  # the person has stopped it: it would come back over the shell
            os.kill(one.pid, signal.SIGKILL)
    with suppress(OpenCodeError, subprocess.TimeoutExpired):
        if tui.poll() is None:
            api.quit()
            tui.wait(QUIT_LIMIT)
    tui.kill()
    tui.wait()
