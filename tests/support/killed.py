"""Stops processes of a test, and ends those that it has lost."""

import os
import signal
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.terminal import poll

_LIMIT = 5.0  # seconds


@contextmanager
def stopped(pid: int | str) -> Iterator[None]:
    os.kill(int(pid), signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(int(pid), signal.SIGCONT)


def carrying(variable: str) -> list[int]:
    """The processes that have inherited `NAME=value`, except this one."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended, or is another user's
            if variable.encode() in (one / "environ").read_bytes().split(b"\0"):
                found.append(int(one.name))
    return [pid for pid in found if pid != os.getpid()]


def kill_all(found: Callable[[], Collection[int]]) -> None:
    """SIGKILL to what `found()` finds, until it finds nothing."""
    def nothing_runs() -> bool:
        for pid in (pids := found()):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return not pids

    with suppress(AssertionError):
        poll(nothing_runs, _LIMIT)
