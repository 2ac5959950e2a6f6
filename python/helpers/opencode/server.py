"""An OpenCode server on loopback, what else is started for it, and the end of all of it.

The owner is the program in the pane (pane.py), or the caller of opencode_run(). When it ends, the
keeper, a process that outlives it, ends everything else.
"""

import ctypes
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..tmux import process
from ..tmux.answer import clean
from ..tmux.client import TmuxError, tmux
from . import record
from .installed import Wire, find, must_fit, say_once
from .record import Record
from .reply import OpenCodeStartFailed, OpenCodeTimedOut, Patience
from .turn import MOST_QUOTED

NAME = "opencode"
PROGRAM = str(Path(__file__).parent)  # what runs in the pane: __main__.py
TAG = "OPENCODE_PANE_TAG"  # environment variable of everything started for one server: a folder
END_LIMIT = 2.0  # seconds from SIGTERM to SIGKILL, and from that to the end; 0.4 are usual
REDRAW = 0.05  # seconds for a shell to draw its prompt at one size before it gets the next
FULL_SCREEN_OFF = "\033[?1049l"
# Mouse, bracketed paste, hidden cursor, keyboard protocol and colour that a killed TUI leaves on.
MODES_OFF = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?25h\033[<u\033[0m"
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+(?=\D)")  # which only a server that has it prints
_PARENTS_DEATH = 1  # PR_SET_PDEATHSIG of prctl(2)

Popen = subprocess.Popen[Any]


@dataclass
class Server:
    """One that answers only to its password."""

    wire: Wire
    process: Popen
    start: Callable[..., Popen]  # starts OpenCode with a list of words, to end with the server


@contextmanager
def serving(directory: str, program: str, patience: Patience, pane: str = "") -> Iterator[Server]:
    """A server; afterwards all that was started for it is ended. `pane`: where the owner runs, if
    in one. Raises OpenCodeStartFailed, OpenCodeTimedOut."""
    tag = tempfile.mkdtemp(prefix="opencode-")  # for this user alone

    # It is there before anything else is, and until all has ended.
    us = process.read(os.getpid())
    keeper = subprocess.Popen(
        [sys.executable, PROGRAM, "--keep", tag, pane, str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        if pane and us:
            record.write(pane, Record(pid=us.pid, since=us.since, folder=tag, directory=directory))

        try:
            program = find(program)
            kind = must_fit(program)
            say_once(kind)

            password = secrets.token_urlsafe(24)
            wire = kind("", password, patience, lambda: None, directory=directory)
            variables = {**kind.variables(password), TAG: tag}
            start = _starter(program, directory, variables, alone=bool(pane))
            server = _served(start, wire, tag)
        except OSError as problem:
            raise OpenCodeStartFailed(f"OpenCode did not start: {problem}") from None

        yield server

    finally:
        keeper.communicate()  # closes its stdin; it ends when everything else has
        if keeper.returncode:  # it was killed
            sweep(tag)


def _starter(
    program: str, directory: str, variables: dict[str, str], alone: bool
) -> Callable[..., Popen]:
    """What starts OpenCode with a list of words. `alone`: this process has only one thread."""
    # It ends with its parent, before the shell knows: later it would set the terminal's modes back
    # under the shell's prompt.
    ends_with_us = partial(ctypes.CDLL(None).prctl, _PARENTS_DEATH, signal.SIGKILL)
    return partial(
        subprocess.Popen,
        executable=program,
        env={
            **os.environ,
            **variables,
            "BUN_TMPDIR": variables[TAG],  # each start leaves 19 MB of libraries there
            "PWD": directory,
        },
        cwd=directory,
        close_fds=False,  # it holds the keeper's stdin open until that can find it by its tag
        preexec_fn=ends_with_us if alone else None,
    )


def _served(start: Callable[..., Popen], wire: Wire, tag: str) -> Server:
    """One that answers."""
    # Only this user can read it.
    kept = record.password_file(tag)
    kept.touch(0o600)
    kept.write_text(wire.password)

    output = Path(tag, "output")
    with output.open("wb") as file:
        served = start(
            [NAME, *wire.serve()],
            stdin=subprocess.PIPE,
            stdout=file,
            stderr=file,
            start_new_session=True,  # C-z stops the TUI, not the turn
        )

    def must_live() -> None:
        if served.poll() is not None:
            words = " ".join(clean(output.read_text(errors="replace")).split())
            raise OpenCodeStartFailed(f"OpenCode's server has ended: {words[-MOST_QUOTED:]}")

    wire.must_live = must_live

    # Only then is the port its own: another user may be faster, and would get the password.
    while not (address := _ADDRESS.search(output.read_text(errors="replace"))):
        must_live()
        if not wire.patience.left:
            raise OpenCodeTimedOut("OpenCode's server is not up", "The machine may be busy")
        wire.patience.pause("waits for OpenCode's server")

    wire.address = address[0]
    wire.must_be_up()
    return Server(wire, served, start)


def keep(tag: str, pane: str, owner: str) -> int:
    """The keeper: waits for the end of its stdin, which is the end of its owner."""
    os.read(0, 1)
    sweep(tag)

    with suppress(TmuxError, OSError):  # the pane has gone
        there = record.load(pane)
        if pane and there.pid == int(owner):  # the owner or its TUI was killed
            record.leave(pane)
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
