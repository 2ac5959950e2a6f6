"""The worlds in which the tool runs. Python imports a file of this name by itself where its folder is
on PYTHONPATH, so that every process of a test is in the same world."""

from __future__ import annotations

import os
import re

# Denied to all but the process's own parent by /proc/sys/kernel/yama/ptrace_scope 1.
_YAMA = re.compile(r"/proc/(?:\d+|self)/(?:task/\d+/)?(?:syscall|mem|stack|personality)$")
WORLDS = {"yama": _YAMA}


def enter(world: str) -> None:
    """From now on the files that `world` denies cannot be opened. Raises KeyError."""
    denied, real = WORLDS[world], os.open

    def guarded(path, *more, **options):
        if isinstance(path, (str, bytes)) and denied.search(os.fsdecode(path)):
            raise PermissionError(13, "Permission denied", path)
        return real(path, *more, **options)

    os.open = guarded


if os.environ.get("WORLD"):
    enter(os.environ["WORLD"])
