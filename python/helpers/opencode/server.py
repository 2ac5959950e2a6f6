"""An OpenCode server on loopback, and what else is started for it; all of it ends together.

The owner is the program in the pane (pane.py), or the caller of opencode_run().
"""

import ctypes
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..tmux import process
from ..tmux.answer import clean
from . import record
from .installed import Wire, find, must_fit, say_once
from .keeper import TAG, sweep
from .record import Record
from .reply import OpenCodeStartFailed, OpenCodeTimedOut, Patience
from .turn import MOST_QUOTED

PROGRAM = str(Path(__file__).parent)  # what runs in the pane: __main__.py
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+(?=\D)")  # which only a server that has it prints
_PARENTS_DEATH = 1  # PR_SET_PDEATHSIG of prctl(2)

Popen = subprocess.Popen[Any]


@dataclass
class Starter:
    """How OpenCode is started here, as a server or a TUI."""

    program: str
    directory: str
    tag: str  # the folder of everything that is started for one server
    variables: dict[str, str]
    alone: bool  # this process has only one thread

    def start(self, *words: str, **how: Any) -> Popen:
        environment = {
            **os.environ,
            **self.variables,
            "BUN_TMPDIR": self.tag,  # each start leaves 19 MB of libraries there
            "PWD": self.directory,
            TAG: self.tag,
        }
        # It ends with its parent, before the shell knows: later it would set the terminal's modes
        # back under the shell's prompt.
        prctl = ctypes.CDLL(None).prctl
        ends_with_us = (lambda: prctl(_PARENTS_DEATH, signal.SIGKILL)) if self.alone else None
        return subprocess.Popen(
            [self.program, *words],
            env=environment,
            cwd=self.directory,
            close_fds=False,  # it holds the keeper's stdin open until that can find it by its tag
            preexec_fn=ends_with_us,
            **how,
        )


@dataclass
class Server:
    """One that answers only to its password."""

    wire: Wire
    process: Popen
    starter: Starter


@contextmanager
def serving(directory: str, program: str, patience: Patience, pane: str = "") -> Iterator[Server]:
    """A server; afterwards all that was started for it is ended. `pane`: where the owner runs, if
    in one. Raises OpenCodeStartFailed, OpenCodeTimedOut."""
    tag = tempfile.mkdtemp(prefix="opencode-")  # for this user alone
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
            starter = Starter(program, directory, tag, kind.variables(password), bool(pane))
            server = _started(kind, starter, password, patience)
        except OSError as problem:
            raise OpenCodeStartFailed(f"OpenCode did not start: {problem}") from None
        yield server
    finally:
        keeper.communicate()  # closes its stdin; it ends when everything else has
        if keeper.returncode:  # it was killed
            sweep(tag)


def _started(kind: type[Wire], starter: Starter, password: str, patience: Patience) -> Server:
    """The server, once it answers."""
    kept = record.password_file(starter.tag)
    kept.touch(0o600)
    kept.write_text(password)
    output = Path(starter.tag, "output")
    with output.open("wb") as file:
        served = starter.start(
            *kind.serve(),
            stdin=subprocess.PIPE,
            stdout=file,
            stderr=file,
            start_new_session=True,  # C-z stops the TUI, not the turn
        )

    def must_live() -> None:
        if served.poll() is not None:
            said = " ".join(clean(output.read_text(errors="replace")).split())
            raise OpenCodeStartFailed(f"OpenCode's server has ended: {said[-MOST_QUOTED:]}")

    # Only then is the port its own: another user may be faster, and would get the password.
    while not (address := _ADDRESS.search(output.read_text(errors="replace"))):
        must_live()
        if not patience.left:
            raise OpenCodeTimedOut("OpenCode's server is not up", "The machine may be busy")
        patience.pause("waits for OpenCode's server")
    wire = kind(address[0], password, patience, must_live, directory=starter.directory)
    wire.must_be_up()
    return Server(wire, served, starter)
