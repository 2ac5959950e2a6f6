"""The OpenCode that is installed, its server on loopback, and the end of all that is started.

The owner is the program in the pane (pane.py), or the caller of opencode_run(). When it ends, the
keeper, a process that outlives it, ends everything else.
"""

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from ..tmux.base import process
from ..tmux.base.answer import clean
from . import record
from .record import PASSWORD, Record
from .reply import (
    INSTALL,
    OpenCodeNotInstalled,
    OpenCodeStartFailed,
    OpenCodeTimedOut,
    Patience,
)
from .turn import MOST_QUOTED
from .wire_1 import Wire1
from .wire_2 import Wire2

NAME = "opencode"
PROGRAM = str(Path(__file__).parent)  # what runs in the pane: __main__.py
TAG = "OPENCODE_PANE_TAG"  # environment variable of everything started for one server: a folder
END_LIMIT = 2.0  # seconds from SIGTERM to SIGKILL, and from that to the end; 0.4 are usual
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+(?=\D)")  # which only a server that has it prints

Popen = subprocess.Popen[Any]
Start = Callable[..., Popen]  # starts OpenCode with a list of words, to end with the server
Wire = Wire1 | Wire2
WIRES: dict[int, type[Wire]] = {1: Wire1, 2: Wire2}
KNOWN = "1.2.27 and newer 1.x, or 2.0.4 and newer 2.x,"
VERSION_LIMIT = 60.0  # seconds for `opencode --version`; it takes 0.5 on an idle machine
# A row of its own: a wrapper may say more ("Now using node v20.1.0", "2.1.0 is available").
_VERSION = re.compile(r"^(?:opencode )?v?(\d+)\.(\d+)\.(\d+)\S*$", re.MULTILINE)


def find(program: str = "") -> str:
    """The absolute path of `program`, else of $OPENCODE_BIN, else of `opencode`. Raises
    OpenCodeNotInstalled."""
    name = program or os.environ.get("OPENCODE_BIN") or "opencode"
    if found := shutil.which(name):
        return os.path.abspath(found)
    raise OpenCodeNotInstalled(f"{name} is not installed")


def must_fit(program: str) -> type[Wire]:
    """The wire of the OpenCode `program`. Raises OpenCodeStartFailed if it cannot be used."""
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=VERSION_LIMIT,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise OpenCodeStartFailed(f"{program} --version failed: {problem}") from None

    said = (done.stdout or done.stderr).strip()
    reason = f"{program} --version prints {said[-MOST_QUOTED:]!r}"
    versions = _VERSION.findall(said)
    if not versions:
        raise OpenCodeStartFailed(reason, "It must print its version: run it in the pane")

    version = tuple(map(int, versions[-1]))
    wire = WIRES.get(version[0])

    if wire and version >= wire.OLDEST:
        return wire

    raise OpenCodeStartFailed(
        f"{reason}; only {KNOWN} can be used", f"{INSTALL} installs one that works"
    )


@contextmanager
def serving(
    directory: str, program: str, patience: Patience, pane: str = ""
) -> Iterator[tuple[Wire, Start]]:
    """The wire to a server, and what starts more; afterwards all that was started is ended. `pane`:
    where the owner runs, if in one. Raises OpenCodeStartFailed, OpenCodeTimedOut."""
    tag = tempfile.mkdtemp(prefix="opencode-")  # for this user alone

    # It is there before anything else is, and until all has ended.
    us = process.read(os.getpid())
    keeper = subprocess.Popen(
        [sys.executable, PROGRAM, "--keep", tag],
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
            if warning := kind.warning():
                raise OpenCodeStartFailed(warning)

            password = secrets.token_urlsafe(24)
            wire = kind("", password, patience, lambda: None, "", directory)
            start = _starter(program, directory, {**wire.variables(), TAG: tag})
            _serve(start, wire, tag)
        except OSError as problem:
            raise OpenCodeStartFailed(f"OpenCode did not start: {problem}") from None

        yield wire, start

    finally:
        keeper.communicate()  # closes its stdin; it ends when everything else has
        if keeper.returncode:  # it was killed
            sweep(tag)


def _starter(program: str, directory: str, variables: dict[str, str]) -> Start:
    """What starts OpenCode with a list of words."""
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
    )


def _serve(start: Start, wire: Wire, tag: str) -> None:
    """Returns once the wire's server answers."""
    # Only this user can read it.
    kept = Path(tag, PASSWORD)
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
    wire.must_be_locked()


def keep(tag: str) -> None:
    """The keeper: waits for the end of its stdin, which is the end of its owner."""
    os.read(0, 1)
    sweep(tag)


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
