"""An OpenCode server on loopback, for as long as its owner wants it.

The owner is the program in the pane, or whoever calls opencode_run(): serving() is for it. That
starts a process of its own, the keeper: main(). It runs the server, outlives the owner, and then
ends all that was started for it.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ..tmux.evidence.kernel import process
from ..tmux.terminal.client import TmuxError, tmux
from . import record
from .api import Api
from .record import Record
from .reply import (
    INSTALL,
    OpenCodeNotInstalled,
    OpenCodeStartFailed,
    OpenCodeTurnFailed,
)

FOLDER = Path(__file__).parent  # as a program: pane.py, with --keep main() here
OLDEST = (1, 2, 27)  # the first whose server takes a password and a prompt's id, as measured
FIRST_OTHER = (2,)  # its server has another API
TAG = "OPENCODE_PANE_TAG"  # environment variable of all that is started for one server
VERSION_LIMIT = 60.0  # seconds for `opencode --version`; it takes 0.5 on an idle machine
ANSWER_LIMIT = 100.0  # seconds until the server must answer; 2 are usual
LOOK_EVERY = 0.1  # seconds between two looks whether it does
MOST_QUOTED = 500  # characters of what OpenCode printed
REDRAW = 0.05  # seconds for a shell to draw its prompt for one size before it gets the next
FULL_SCREEN_OFF = "\033[?1049l"
# Mouse, bracketed paste, hidden cursor, the keys and the colour that a killed TUI leaves.
MODES_OFF = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?25h\033[<u\033[0m"


def find(program: str = "") -> str:
    """The absolute path of `program`, else of $OPENCODE_BIN, else of `opencode` in the PATH. Raises
    OpenCodeNotInstalled."""
    name = program or os.environ.get("OPENCODE_BIN") or "opencode"
    if not (found := shutil.which(name)):
        raise OpenCodeNotInstalled(f"{name} is not installed")
    return os.path.abspath(found)


# for the owner


class Server(NamedTuple):
    api: Api
    environment: dict[str, str]  # of all that is started for it
    life: int  # a descriptor that can be read once it has ended


@contextmanager
def serving(
    directory: str, program: str, pane: str = "", meanwhile: Callable[[], object] = bool
) -> Iterator[Server]:
    """A server that answers to its password alone, and then the end of all that was started for it.
    `pane`: where the owner runs, if in one. `meanwhile()` is called while it starts, and may raise.
    Raises OpenCodeStartFailed."""
    tag, password = secrets.token_hex(8), secrets.token_urlsafe(24)
    environment = {
        **os.environ,
        "OPENCODE_SERVER_PASSWORD": password,
        "OPENCODE_SERVER_USERNAME": "opencode",
        "PWD": directory,
        TAG: tag,
    }
    words = [sys.executable, str(FOLDER), "--keep", directory, program, pane, str(os.getpid())]
    pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
    keeper = subprocess.Popen(
        words, stdin=pipe, stdout=pipe, stderr=quiet, env=environment, start_new_session=True
    )
    assert keeper.stdout
    life = keeper.stdout.fileno()

    def must_live() -> None:
        if select.select([life], [], [], 0)[0]:
            raise OpenCodeTurnFailed("OpenCode's server ended in mid-turn")

    try:
        while not select.select([life], [], [], LOOK_EVERY)[0]:
            meanwhile()
        said = json.loads(keeper.stdout.readline() or "{}")
        if "port" not in said:
            raise OpenCodeStartFailed(said.get("error") or "OpenCode did not start")
        environment["BUN_TMPDIR"] = said["scratch"]
        yield Server(Api(said["port"], password, must_live=must_live), environment, life)
    finally:
        if not pane:  # else it waits for this one's end
            keeper.communicate()
        if keeper.poll():  # it was killed
            sweep(tag)


# the keeper


def main(arguments: list[str]) -> int:
    """Prints where the server is as JSON, closes its stdout when that has ended, and ends all when
    its own stdin ends, and so with its owner."""
    directory, program, pane, owner = arguments
    signal.signal(signal.SIGTERM, lambda *_: None)
    # Each start leaves 19 MB of libraries there.
    scratch = os.environ["BUN_TMPDIR"] = tempfile.mkdtemp(prefix="opencode-")
    try:
        if pane and (begun := process.read(int(owner))):
            there = Record(pid=begun.pid, since=begun.since, keeper=os.getpid())
            record.write(pane, replace(there, directory=directory))
        must_fit(program)
        server, port = _start(program, directory)
        _tell(port=port, scratch=scratch)
        select.select([0, os.pidfd_open(server.pid)], [], [])
    except Exception as problem:  # its owner can tell of it, and nobody else
        _tell(error=str(problem) or repr(problem))
    finally:
        os.close(1)
        os.read(0, 1)
        sweep(os.environ[TAG])
        shutil.rmtree(scratch, ignore_errors=True)
        with suppress(TmuxError, OSError):  # the pane has gone
            if pane and record.load(pane).pid == int(owner):  # it was killed
                record.write(pane, Record())
                mend(pane)
    return 0


def _tell(**facts: object) -> None:
    """Tells the owner, if it lives. Unbuffered: what a buffer holds would be written at the end,
    to whatever has descriptor 1 by then: the person's terminal."""
    with suppress(BrokenPipeError):
        os.write(1, json.dumps(facts).encode() + b"\n")


def must_fit(program: str) -> None:
    """Raises OpenCodeStartFailed where `program` is an OpenCode that cannot be used, or none."""
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


def _start(program: str, directory: str) -> tuple[subprocess.Popen[bytes], int]:
    """The server and its port, once it answers."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    words = [program, "serve", "--port", str(port), "--hostname", "127.0.0.1"]
    with tempfile.TemporaryFile() as out, open(os.devnull) as nothing:
        server = subprocess.Popen(words, cwd=directory, stdin=nothing, stdout=out, stderr=out)
        api = Api(port, os.environ["OPENCODE_SERVER_PASSWORD"])
        limit = time.monotonic() + ANSWER_LIMIT
        while api.answers() != 200:
            if server.poll() is not None or time.monotonic() > limit:
                out.seek(0)
                said = " ".join(out.read().decode("utf-8", "replace").split())
                raise OpenCodeStartFailed(f"OpenCode did not start: {said[-MOST_QUOTED:]}")
            if select.select([0], [], [], LOOK_EVERY)[0]:
                raise OpenCodeStartFailed("its owner has ended")
    if Api(port, "").answers() == 200:
        raise OpenCodeStartFailed("OpenCode's API is open to every user of this machine")
    return server, port


# the ends


def sweep(tag: str) -> None:
    """Ends all that carries the tag, and what that starts meanwhile."""

    def carrying() -> set[int]:
        return process.carrying(f"{TAG}={tag}".encode())

    if first := carrying():
        process.end_processes(first, carrying)


def mend(pane: str) -> None:
    """Takes back what a killed TUI has left on in its terminal."""
    form = "#{pane_tty} #{pane_width} #{pane_height} #{alternate_on}"
    tty, width, height, full = tmux("display-message", "-p", "-t", pane, form).split()
    terminal = os.open(tty, os.O_WRONLY | os.O_NOCTTY)
    os.write(terminal, (FULL_SCREEN_OFF * int(full) + MODES_OFF).encode())
    for columns in (int(width) - 1, int(width)):  # another size: the shell draws its prompt again
        termios.tcsetwinsize(terminal, (int(height), columns))
        time.sleep(REDRAW)
