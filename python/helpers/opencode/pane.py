"""The program in the pane: it starts a server (server.py) and shows OpenCode's TUI in front.

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
from .record import Record
from .reply import OpenCodeError, OpenCodeStartFailed, Patience
from .server import Server, end_with_parent, find, serving

ANSWER_LIMIT = 100.0  # seconds until the server must answer; 2 are usual
DRAWN_LIMIT = 15.0  # seconds for the TUI to show its cursor, unless a dialog hides it
LOOK_EVERY = 0.1  # seconds between two looks, each of which costs a process
QUIT_LIMIT = 5.0  # seconds for the TUI to end by itself; 0.1 to 0.4 are usual
_NAME = 15  # PR_SET_NAME of prctl(2)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="opencode")
    parser.add_argument("directory")
    parser.add_argument("program", nargs="?", default="")
    parser.add_argument("-s", dest="session", default="")
    options = parser.parse_args(arguments)
    ctypes.CDLL(None).prctl(_NAME, parser.prog.encode())  # the name that a look at the pane shows
    for one in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda *_: sys.exit())
    pane = os.environ["TMUX_PANE"]
    with suppress(TmuxError):  # the pane has gone
        try:
            program = find(options.program)
            with serving(options.directory, program, Patience(ANSWER_LIMIT), pane) as server:
                _show(pane, program, server, options.directory, options.session)
        except OpenCodeError as problem:
            print(problem, flush=True)
            record.write(pane, Record(error=str(problem)))
    return 0


def _show(pane: str, program: str, server: Server, directory: str, session: str) -> None:
    """The TUI. Returns when it or the server has ended."""
    api, modes = server.api, termios.tcgetattr(0)
    if not session or not api.go_to(session, directory):
        api.begin()
    url = f"http://127.0.0.1:{api.port}"
    tui = subprocess.Popen(
        [program, "attach", url, "--dir", directory, "-s", api.session],
        cwd=directory,
        env=server.environment,
        close_fds=False,  # it holds what the keeper hears of until that can find it by its tag
        preexec_fn=end_with_parent,
    )
    try:
        _until_drawn(pane, tui)
        there = replace(record.load(pane), tui=tui.pid, session=api.session)
        record.write(pane, replace(there, port=api.port, password=api.password))
        select.select([*map(os.pidfd_open, (tui.pid, server.pid))], [], [])
    finally:
        with suppress(TmuxError):
            record.write(pane, replace(record.load(pane), tui=0))  # it takes no more turns
        _end(tui, api)
        with suppress(OSError, termios.error, TmuxError):
            if tui.returncode and os.tcgetpgrp(0) == os.getpgrp():  # killed: the keeper mends
                termios.tcsetattr(0, termios.TCSANOW, modes)
            else:
                left = Record(session=record.load(pane).session, directory=directory)
                record.write(pane, left if left.session else Record())


def _until_drawn(pane: str, tui: subprocess.Popen[bytes]) -> None:
    """The TUI may miss what happens before it has drawn its input, even a permission."""
    end, form = time.monotonic() + DRAWN_LIMIT, "#{alternate_on}#{cursor_flag}"
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
    if tui.poll() is None:
        with suppress(OpenCodeError):  # it may have heard of it all the same
            api.quit()
    with suppress(subprocess.TimeoutExpired):
        tui.wait(QUIT_LIMIT)
    tui.kill()
    tui.wait()
