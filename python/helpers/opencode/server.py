"""An OpenCode server on loopback, for as long as its owner wants it.

The owner, which uses serving(), is the program in the pane or the caller of opencode_run(). Besides
the server serving() starts the keeper, main(): a process that outlives the owner and then ends
everything that was started for it.
"""

from __future__ import annotations

import ctypes
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..tmux.evidence.kernel import process
from ..tmux.terminal.client import TmuxError, tmux
from . import record
from .api import Api, HttpError
from .record import Record
from .reply import (
    INSTALL,
    OpenCodeNotInstalled,
    OpenCodeStartFailed,
    OpenCodeTimedOut,
    Patience,
)

FOLDER = Path(__file__).parent  # as a program: pane.py, with --keep main() here
OLDEST = (1, 2, 27)  # the first whose server takes a password and a prompt's id, as measured
FIRST_OTHER = (2,)  # its server has another API
TAG = "OPENCODE_PANE_TAG"  # environment variable of all that is started for one server
VERSION_LIMIT = 60.0  # seconds for `opencode --version`; it takes 0.5 on an idle machine
LOOK_EVERY = 0.1  # seconds between two checks whether the server answers
MOST_QUOTED = 500  # characters of what OpenCode printed
REDRAW = 0.05  # seconds for a shell to draw its prompt for one size before it gets the next
FULL_SCREEN_OFF = "\033[?1049l"
# Mouse, bracketed paste, hidden cursor, the keys and the colour that a killed TUI leaves.
MODES_OFF = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?25h\033[<u\033[0m"
_PARENTS_DEATH = 1  # PR_SET_PDEATHSIG of prctl(2)


def find(program: str = "") -> str:
    """The absolute path of `program`, else of $OPENCODE_BIN, else of `opencode` in the PATH. Raises
    OpenCodeNotInstalled."""
    name = program or os.environ.get("OPENCODE_BIN") or "opencode"
    if not (found := shutil.which(name)):
        raise OpenCodeNotInstalled(f"{name} is not installed")
    return os.path.abspath(found)


def end_with_parent() -> None:
    """For a process that is about to become OpenCode: its parent's death ends it, even if owner and
    keeper are killed at once."""
    ctypes.CDLL(None).prctl(_PARENTS_DEATH, signal.SIGTERM)


def must_fit(program: str) -> None:
    """Raises OpenCodeStartFailed if `program` is not an OpenCode that can be used."""
    words, quiet, limit = [program, "--version"], subprocess.DEVNULL, VERSION_LIMIT
    try:
        done = subprocess.run(words, stdin=quiet, capture_output=True, text=True, timeout=limit)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise OpenCodeStartFailed(f"{program} --version failed: {problem}") from None
    said = (done.stdout or done.stderr).strip()
    version = tuple(map(int, re.findall(r"\d+", said)[:3]))  # 1.18.33
    if len(version) < 3:
        reason = f"its --version prints {said[-MOST_QUOTED:]!r}"
    elif version >= FIRST_OTHER:
        reason = f"OpenCode {said} (@opencode/cli) has another API than 1.x (opencode-ai)"
    elif version < OLDEST:
        reason = f"OpenCode {said} is older than {'.'.join(map(str, OLDEST))}"
    else:
        return
    raise OpenCodeStartFailed(f"{program}: {reason}", f"{INSTALL} installs one that works")


# for the owner


class Server(NamedTuple):
    api: Api
    environment: dict[str, str]  # of all that is started for it
    pid: int


@contextmanager
def serving(directory: str, program: str, patience: Patience, pane: str = "") -> Iterator[Server]:
    """A server that answers to its password alone, and then the end of all that was started for it.
    `pane`: where the owner runs, if in one. Raises OpenCodeStartFailed, OpenCodeTimedOut."""
    tag, password = secrets.token_hex(8), secrets.token_urlsafe(24)
    scratch = os.path.join(tempfile.gettempdir(), f"opencode-{tag}")
    environment = {
        **os.environ,
        "OPENCODE_SERVER_PASSWORD": password,
        "OPENCODE_SERVER_USERNAME": "opencode",
        "BUN_TMPDIR": scratch,  # each start leaves 19 MB of libraries there
        "PWD": directory,
        TAG: tag,
    }
    us, quiet = process.read(os.getpid()), subprocess.DEVNULL
    words = [sys.executable, str(FOLDER), "--keep", tag, scratch, pane, str(os.getpid())]
    keeper = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True
    )
    try:
        if pane and us:
            record.write(pane, Record(pid=us.pid, since=us.since, directory=directory))
        must_fit(program)
        try:
            os.mkdir(scratch, 0o700)
            server = _start(program, directory, environment, patience, bool(pane))
        except OSError as problem:
            raise OpenCodeStartFailed(f"OpenCode did not start: {problem}") from None
        yield server
    finally:
        keeper.communicate()  # it hears of the end, and ends when all else has
        if keeper.returncode:  # it was killed
            sweep(tag, scratch)


def _start(
    program: str, directory: str, environment: dict[str, str], patience: Patience, alone: bool
) -> Server:
    """The server, once it answers. `alone`: this process has one thread."""
    with socket.create_server(("127.0.0.1", 0)) as trial:
        port = trial.getsockname()[1]
    output = Path(environment["BUN_TMPDIR"], "output")
    with output.open("wb") as file:
        server = subprocess.Popen(
            [program, "serve", "--port", str(port), "--hostname", "127.0.0.1"],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,  # C-z stops the TUI, not the turn
            close_fds=False,  # it holds what the keeper hears of until that can find it by its tag
            preexec_fn=end_with_parent if alone else None,
        )

    def must_live() -> None:
        if server.poll() is not None:
            said = " ".join(output.read_text(errors="replace").split())
            raise OpenCodeStartFailed(f"OpenCode's server has ended: {said[-MOST_QUOTED:]}")

    api = Api(port, environment["OPENCODE_SERVER_PASSWORD"], must_live=must_live)
    while patience.left:
        with suppress(HttpError):
            api.call("/global/health")
            _must_be_closed(port)
            return Server(api, environment, server.pid)
        must_live()
        patience.say("starting")
        time.sleep(LOOK_EVERY)
    raise OpenCodeTimedOut("OpenCode was not up in time")


def _must_be_closed(port: int) -> None:
    with suppress(HttpError):
        Api(port, "").call("/global/health")
        raise OpenCodeStartFailed("OpenCode's API is open to every user of this machine")


# the keeper


def main(arguments: list[str]) -> int:
    """Waits for the end of its stdin, and so of its owner."""
    tag, scratch, pane, owner = arguments
    os.read(0, 1)
    sweep(tag, scratch)
    with suppress(TmuxError, OSError):  # the pane has gone
        if pane and record.load(pane).pid == int(owner):  # it or its TUI was killed
            record.write(pane, Record())
            _mend(pane)
    return 0


def sweep(tag: str, scratch: str) -> None:
    """Ends all that carries the tag, and what that starts meanwhile; then removes its files."""
    carrying = partial(process.carrying, f"{TAG}={tag}".encode())
    process.end_processes(carrying(), carrying)
    shutil.rmtree(scratch, ignore_errors=True)


def _mend(pane: str) -> None:
    """Takes back what a killed TUI has left on in its terminal."""
    form = "#{pane_tty} #{pane_width} #{pane_height} #{alternate_on}"
    tty, width, height, full = tmux("display-message", "-p", "-t", pane, form).split()
    terminal = os.open(tty, os.O_WRONLY | os.O_NOCTTY)
    os.write(terminal, (FULL_SCREEN_OFF * int(full) + MODES_OFF).encode())
    for columns in (int(width) - 1, int(width)):  # another size: the shell draws its prompt again
        termios.tcsetwinsize(terminal, (int(height), columns))
        time.sleep(REDRAW)
