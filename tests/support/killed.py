"""Ends processes that a test has started and lost."""

import os
import signal
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from tests.support.terminal import poll

_LIMIT = 5.0  # seconds


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
