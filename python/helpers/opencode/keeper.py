"""The keeper: a process that outlives the owner of a server, and ends what that has started."""

import os
import shutil
import signal
import termios
import time
from contextlib import suppress

from ..tmux import process
from ..tmux.client import TmuxError, tmux
from . import record
from .record import Record

TAG = "OPENCODE_PANE_TAG"  # environment variable of everything started for one server: a folder
END_LIMIT = 2.0  # seconds from SIGTERM to SIGKILL, and from that to the end; 0.4 are usual
REDRAW = 0.05  # seconds for a shell to draw its prompt at one size before it gets the next
FULL_SCREEN_OFF = "\033[?1049l"
# Mouse, bracketed paste, hidden cursor, keyboard protocol and colour that a killed TUI leaves on.
MODES_OFF = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?25h\033[<u\033[0m"


def keep(tag: str, pane: str, owner: str) -> int:
    """Waits for the end of its stdin, which is the end of its owner."""
    os.read(0, 1)
    sweep(tag)
    with suppress(TmuxError, OSError):  # the pane has gone
        there = record.load(pane) if pane else Record()
        if there.pid == int(owner):  # the owner or its TUI was killed
            left = Record()
            if there.session:
                left = Record(session=there.session, directory=there.directory)
            record.write(pane, left)
            _mend(pane)
    return 0


def sweep(tag: str) -> None:
    """Ends all processes with the tag, and those that they start meanwhile; removes the folder."""

    def signalled(number: int) -> set[int]:
        found = process.carrying(f"{TAG}={tag}")
        for pid in found:
            with suppress(OSError):  # it has ended
                os.kill(pid, number)
        return found

    signalled(signal.SIGTERM)
    signalled(signal.SIGCONT)  # a stopped process would not get the other signal
    process.until(lambda: not signalled(0), END_LIMIT)
    process.until(lambda: not signalled(signal.SIGKILL), END_LIMIT)
    shutil.rmtree(tag, ignore_errors=True)


def _mend(pane: str) -> None:
    """Turns off what a killed TUI has left on in its terminal."""
    form = "#{pane_tty} #{pane_width} #{pane_height} #{alternate_on}"
    tty, width, height, full = tmux("display-message", "-p", "-t", pane, form).split()
    terminal = os.open(tty, os.O_WRONLY | os.O_NOCTTY)
    if full == "1":
        os.write(terminal, FULL_SCREEN_OFF.encode())
    os.write(terminal, MODES_OFF.encode())
    for columns in (int(width) - 1, int(width)):  # another size: the shell draws its prompt again
        termios.tcsetwinsize(terminal, (int(height), columns))
        time.sleep(REDRAW)
