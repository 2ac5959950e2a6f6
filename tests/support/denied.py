"""The world under Yama's ptrace_scope 1, for a whole interpreter: files that show the inside of a process are denied.

Ubuntu and every container on it deny `/proc/PID/syscall`, `mem` and `stack` of a process that is no child of one's own,
while wchan, stat, io, fd, fdinfo and maps are readable. Here open and os.open do so; everything that reads /proc must
use one of them.

The whole suite runs in that world with `TMUX_TOOL_TEST_WORLD=yama tests/run`: tests/conftest.py calls `enter()`, and
interpreters that tests start enter it too, by world/sitecustomize.py.
"""

import builtins
import errno
import os
import re
from collections.abc import Callable
from pathlib import Path

VARIABLE = "TMUX_TOOL_TEST_WORLD"
YAMA = "yama"
# /proc/812/syscall, /proc/812/task/813/mem, /proc/self/stack
_INSIDE = re.compile(r"/proc/(?:\d+|self|thread-self)(?:/task/\d+)?/(?:syscall|mem|stack)")
WORLD = Path(__file__).parent / "world"  # on PYTHONPATH an interpreter enters it at its start


def _denying(real: Callable) -> Callable:
    """`real` where it is allowed. This file may be loaded under two names: once is enough."""
    allowing = getattr(real, "allowing", real)

    def denying(path, *arguments, **named):
        if isinstance(path, str | os.PathLike) and _INSIDE.fullmatch(os.fspath(path)):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
        return allowing(path, *arguments, **named)

    denying.allowing = allowing
    return denying


def enter() -> None:
    """Yama's world from now on, here and in interpreters that are started from here, where the variable asks for it."""
    if os.environ.get(VARIABLE) == YAMA:
        builtins.open, os.open = _denying(open), _denying(os.open)
        folders = [str(WORLD), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, dict.fromkeys(folders)))
