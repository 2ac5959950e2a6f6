"""Ends processes that a test has started and lost."""

import os
import signal
from collections.abc import Callable, Collection
from contextlib import suppress

from python.helpers.tmux.process import until

LIMIT = 5.0  # seconds


def kill_all(found: Callable[[], Collection[int]]) -> None:
    """SIGKILL to what `found()` finds, until it finds nothing."""

    def nothing_runs() -> bool:
        for pid in (pids := found()):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return not pids

    until(nothing_runs, LIMIT)
