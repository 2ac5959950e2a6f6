"""The worlds in which a tool must be right: what of `/proc` the process that makes the calls may read.

A call is made in a process of its own (`python worlds.py ROOT WORLD`), which reads a line of JSON (tool_args) and writes
one: the answer, and the moments (time.monotonic) at which the call began and ended.
"""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import time
from enum import StrEnum

# /proc/12/mem, /proc/12/task/13/syscall: what Yama's ptrace_scope 1 denies of processes that are no descendants
_DENIED = re.compile(r"/proc/(?!self/)\d+/(?:task/\d+/)?(?:syscall|mem|stack)$")


class World(StrEnum):
    """Who calls, and what the kernel denies to them."""

    READABLE = "readable"  # root, nothing denied
    YAMA = "yama"  # root, what ptrace_scope 1 denies is denied
    USER = "user"  # tmux and the tool as an ordinary user: root's programs are closed, Yama besides


def deny() -> None:
    """From now on `os.open` in this process fails as it does under Yama."""
    opened = os.open

    def checked(path, *arguments, **named):
        if isinstance(path, str | bytes | os.PathLike) and _DENIED.match(os.fsdecode(path)):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return opened(path, *arguments, **named)

    os.open = checked


def serve(root: str, world: World) -> None:
    """Answers calls until the input ends."""
    if world is not World.READABLE:
        deny()
    sys.path.insert(0, root)
    from python.helpers.tmux.actions import Call

    for line in sys.stdin:
        began = time.monotonic()
        text = Call().perform(json.loads(line))
        print(json.dumps([str(text), began, time.monotonic()]), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], World(sys.argv[2]))
