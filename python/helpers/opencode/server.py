"""Starting `opencode serve` on loopback, with a random password; and the end of all it started."""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from typing import IO

from ..tmux.evidence.kernel import process
from . import program
from .api import Api
from .reply import OpenCodeStartFailed

TAG = "OPENCODE_PANE_TAG"  # environment variable of all that is started for one OpenCode
ANSWER_LIMIT = 100.0  # seconds until the server must answer; 2 are usual
LOOK_EVERY = 0.05  # seconds between two questions whether the server answers
MOST_QUOTED = 500  # characters of what OpenCode printed
_PARENT_DEATH_SIGNAL, _NAME = 1, 15  # PR_SET_PDEATHSIG and PR_SET_NAME of prctl(2)
_prctl = getattr(ctypes.CDLL(None), "prctl", None)  # Linux has it


class Server:
    """One that answers to its password alone. `meanwhile()` is called while it starts, and may
    raise. Raises OpenCodeStartFailed, OpenCodeNotInstalled."""

    def __init__(
        self, directory: str, name: str, tag: str, scratch: str, meanwhile: Callable[[], object]
    ):
        self.program = program.find(name)
        program.must_fit(self.program)
        self.port, self.password = _free_port(), secrets.token_urlsafe(24)
        self.directory = directory
        self._env = {
            "OPENCODE_SERVER_PASSWORD": self.password,
            "OPENCODE_SERVER_USERNAME": "opencode",
            "BUN_TMPDIR": scratch,  # else each start leaves 19 MB of libraries in the usual place
            "PWD": directory,
            TAG: tag,
        }
        with tempfile.TemporaryFile() as printed:
            words = ["serve", "--port", str(self.port), "--hostname", "127.0.0.1"]
            self.process = self.start(words, subprocess.DEVNULL, printed)
            self.api = Api(self.port, self.password)
            limit = time.monotonic() + ANSWER_LIMIT
            while self.api.answers() != 200:
                if self.process.poll() is not None or time.monotonic() > limit:
                    printed.seek(0)
                    said = " ".join(printed.read().decode("utf-8", "replace").split())
                    raise OpenCodeStartFailed(f"OpenCode did not start: {said[-MOST_QUOTED:]}")
                meanwhile()
                time.sleep(LOOK_EVERY)
        if Api(self.port, "").answers() != 401:
            raise OpenCodeStartFailed("OpenCode's API is open to every user of this machine")

    def start(
        self, words: list[str], stdin: int | None = None, out: IO[bytes] | None = None
    ) -> subprocess.Popen[bytes]:
        """OpenCode with those arguments, for this server's directory and password."""
        return subprocess.Popen(
            [self.program, *words],
            cwd=self.directory,
            env={**os.environ, **self._env},
            stdin=stdin,
            stdout=out,
            stderr=out,
            preexec_fn=_ends_with(os.getpid()),
            start_new_session=stdin is not None,  # what has no terminal hears no C-c and no C-z
        )


def be_called(name: str) -> None:
    """The name of this process, as whoever looks at the pane is told it."""
    if _prctl:
        _prctl(_NAME, name.encode())


def _ends_with(parent: int) -> Callable[[], None]:
    """For a new child of `parent`: the kernel ends it when that is killed."""

    def arrange() -> None:
        if _prctl:
            _prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)
        if os.getppid() != parent:  # it was killed before the kernel knew
            os._exit(1)

    return arrange


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


class Guard:
    """A process that outlives this one: then it ends all that carries `tag`, removes `scratch` and,
    where this one was killed, calls `last`."""

    def __init__(self, tag: str, scratch: str, last: Callable[[], object]):
        self._tag = tag
        ours, self._end = os.pipe()  # no child that is started later holds it open
        self._pid = os.fork()
        if self._pid:
            os.close(ours)
            return
        try:
            os.setsid()
            os.close(self._end)
            for one in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
                signal.signal(one, signal.SIG_IGN)
            null = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(null, stream)
            in_order = os.read(ours, 1)  # until the other has ended, or says so
            sweep(tag)
            shutil.rmtree(scratch, ignore_errors=True)
            if not in_order:
                last()
        finally:
            os._exit(0)

    def end(self) -> None:
        """Lets it do that now; returns when it is done."""
        with contextlib.suppress(OSError):  # it was killed
            os.write(self._end, b".")
        os.waitpid(self._pid, 0)
        sweep(self._tag)  # finds nothing, unless the guard was killed


def sweep(tag: str) -> None:
    """Ends all that carries the tag, and what that starts meanwhile."""

    def carrying() -> set[int]:
        return process.carrying(f"{TAG}={tag}".encode())

    if first := carrying():
        process.end_processes(first, carrying)
