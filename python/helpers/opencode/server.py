"""An OpenCode server on loopback, for as long as its owner wants it.

The owner is the program in the pane, or whoever calls opencode_run(). A process of its own, the
keeper, runs the server and outlives the owner: then it ends all that was started (keeper.py).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..tmux.evidence.kernel import process
from .reply import OpenCodeNotInstalled, OpenCodeStartFailed, OpenCodeTurnFailed

FOLDER = Path(__file__).parent  # as a program: pane.py; with --keep keeper.py
TAG = "OPENCODE_PANE_TAG"  # environment variable of all that is started for one server
LOOK_EVERY = 0.1  # seconds between two calls of `meanwhile`
_PARENT_DEATH_SIGNAL, _NAME = 1, 15  # PR_SET_PDEATHSIG and PR_SET_NAME of prctl(2)
_c = ctypes.CDLL(None)


@dataclass(frozen=True, kw_only=True)
class Server:
    """`environment`: of all that is started for it. `life`: a descriptor that becomes readable
    when the server has ended."""

    port: int
    password: str
    environment: dict[str, str]
    life: int

    def must_live(self) -> None:
        if select.select([self.life], [], [], 0)[0]:
            raise OpenCodeTurnFailed("OpenCode's server ended in mid-turn")


def find(program: str = "", path: str | None = None) -> str:
    """The absolute path of `program`, else of $OPENCODE_BIN, else of `opencode` in `path` (a list
    of folders; None: this process's). Raises OpenCodeNotInstalled."""
    name = program or os.environ.get("OPENCODE_BIN") or "opencode"
    if not (found := shutil.which(name, path=path)):
        raise OpenCodeNotInstalled(f"{name} is not installed")
    return os.path.abspath(found)


@contextlib.contextmanager
def serving(
    directory: str, program: str, meanwhile: Callable[[], object], pane: str = ""
) -> Iterator[Server]:
    """A server that answers to its password alone, and then the end of all that was started for
    it. `meanwhile()` is called while it starts, and may raise. `pane`: where the owner runs, if in
    one. Raises OpenCodeStartFailed."""
    tag, password = secrets.token_hex(8), secrets.token_urlsafe(24)
    environment = {
        **os.environ,
        "OPENCODE_SERVER_PASSWORD": password,
        "OPENCODE_SERVER_USERNAME": "opencode",
        # Each start leaves 19 MB of libraries there; the keeper makes and removes it.
        "BUN_TMPDIR": os.path.join(tempfile.gettempdir(), f"opencode-{tag}"),
        "PWD": directory,
        TAG: tag,
    }
    words = [sys.executable, str(FOLDER), "--keep", directory, program, pane, str(os.getpid())]
    pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(
        words, stdin=pipe, stdout=pipe, stderr=quiet, env=environment, start_new_session=True
    ) as keeper:
        assert keeper.stdin and keeper.stdout
        try:
            while not select.select([keeper.stdout], [], [], LOOK_EVERY)[0]:
                meanwhile()
            said = json.loads(keeper.stdout.readline() or "{}")
            if "port" not in said:
                raise OpenCodeStartFailed(said.get("error") or "OpenCode did not start")
            life = keeper.stdout.fileno()
            yield Server(port=said["port"], password=password, environment=environment, life=life)
        finally:
            with contextlib.suppress(OSError):  # the keeper was killed
                os.write(keeper.stdin.fileno(), b".")  # in order: the owner was not killed
    sweep(tag)  # finds nothing, unless the keeper was killed


def sweep(tag: str) -> None:
    """Ends all that carries the tag, and what that starts meanwhile."""

    def carrying() -> set[int]:
        return process.carrying(f"{TAG}={tag}".encode())

    if first := carrying():
        process.end_processes(first, carrying)


def be_called(name: str) -> None:
    """The name of this process, as whoever looks at the pane is told it."""
    _c.prctl(_NAME, name.encode())


def end_with(parent: int) -> None:
    """In a new child of `parent`: the kernel ends it when that is killed."""
    _c.prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)
    if os.getppid() != parent:  # it was killed before the kernel knew
        os._exit(1)
