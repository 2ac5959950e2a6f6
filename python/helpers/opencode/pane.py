"""The program in the pane: it owns a server, and shows OpenCode's TUI in front of it. When the TUI,
the server or this program ends, the others end too."""

import os
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
from .record import Record
from .reply import OpenCodeError, OpenCodeStartFailed, Patience
from .server import NAME, Popen, Server, keep, serving
from .turn import MOST_QUOTED

ANSWER_LIMIT = 100.0  # seconds until the server must answer; 2 are usual
DRAWN_LIMIT = 15.0  # seconds for the TUI to show its cursor, unless a dialog hides it
QUIT_LIMIT = 5.0  # seconds for the TUI to end by itself; 0.1 to 0.4 are usual


def main(arguments: list[str]) -> int:
    """DIRECTORY PROGRAM CONVERSATION ("": a new one), or --keep and what keep() takes."""
    if arguments[0] == "--keep":
        return keep(*arguments[1:])

    directory, program, session = arguments

    Path("/proc/self/comm").write_text(NAME)  # which a look at the pane shows
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit())

    pane = os.environ["TMUX_PANE"]
    with suppress(TmuxError):  # the pane has gone
        try:
            with serving(directory, program, Patience(ANSWER_LIMIT), pane) as server:
                _show(pane, server, session)
        except OpenCodeError as problem:
            print(problem, flush=True)
            failed = Record(
                error=problem.reason,
                hint=problem.hint,
                session=session,  # with which the next start() goes on
                directory=directory,
            )
            record.write(pane, failed)
    return 0


def _show(pane: str, server: Server, session: str) -> None:
    """Shows the TUI, and another one where a caller wants another conversation; returns when it or
    the server has ended. Raises OpenCodeStartFailed if it ends before it has drawn anything."""
    wire = server.wire
    modes = termios.tcgetattr(0)

    if not session or not wire.go_to(session):
        wire.begin()

    record.change(pane, version=wire.OLDEST[0], session=wire.session)
    tui = _begun(pane, server)

    try:
        while True:
            if drawn := _draws(pane, tui):
                record.change(pane, address=wire.address, shown=wire.session)
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)  # until one ends

            # Where it was to make room for another conversation, the next one shows that.
            wanted = record.load(pane).wanted
            if wanted in ("", wire.session):
                break
            wire.session = wanted
            tui = _begun(pane, server)

        if not drawn:
            raise OpenCodeStartFailed(f"OpenCode's TUI has ended: {_said(pane)}")
    finally:
        with suppress(TmuxError):
            record.change(pane, address="")  # it takes no more turns
        _end(tui, server)

        with suppress(OSError, termios.error, TmuxError):
            killed = server.process.poll() is not None or tui.returncode
            in_front = os.tcgetpgrp(0) == os.getpgrp()
            if killed and in_front:
                termios.tcsetattr(0, termios.TCSANOW, modes)  # the keeper mends the screen
            else:
                record.leave(pane)


def _begun(pane: str, server: Server) -> Popen:
    """A TUI that begins to show the wire's conversation."""
    stamp = record.stamp(pane)  # what a person types from now on goes to it

    tui = server.start([NAME, *server.wire.tui_words()])
    record.change(pane, tui=tui.pid, stamp=stamp)
    return tui


def _draws(pane: str, tui: Popen) -> bool:
    """Waits until the TUI has drawn its input: it may miss earlier events, even a permission.
    Returns whether it has not ended instead."""
    # Its own screen, and the cursor in it.
    look = ("display-message", "-p", "-t", pane, "#{alternate_on}#{cursor_flag}")
    process.until(lambda: tui.poll() is not None or "11" in tmux(*look), DRAWN_LIMIT)
    return tui.returncode is None


def _said(pane: str) -> str:
    """What stands on the screen since the line was typed that started all."""
    screen = clean(tmux("capture-pane", "-pJ", "-t", pane))
    words = screen.rpartition(record.LINE)[2].split()
    return " ".join(words[1:])[-MOST_QUOTED:]


def _end(tui: Popen, server: Server) -> None:
    """Ends the TUI: by itself, which leaves its farewell, else by force."""
    for member in process.members(os.getpgrp()):
        if member.state == "T":  # by the person: if continued, it would draw over the shell
            os.kill(member.pid, signal.SIGKILL)

    with suppress(OpenCodeError, OSError):  # it has ended, or has got the request all the same
        server.wire.quit_tui(tui.pid)
    with suppress(subprocess.TimeoutExpired):
        tui.wait(QUIT_LIMIT)

    tui.kill()
    tui.wait()
