"""Where the figures were measured."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

from tests.support.run import run


def facts(seed: int, command: str) -> dict:
    return {
        "command": command,
        "seed": seed,
        "commit": _version("git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"),
        "date": time.strftime("%Y-%m-%d"),
        "cores": os.cpu_count(),
        "cpu": _version("sh", "-c", "sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo"),
        "python": platform.python_version(),
        "load_at_start": list(os.getloadavg()),
        "versions": {"tmux": _version("tmux", "-V")},
    }


def _version(*command: str) -> str:
    try:
        return run(*command).stdout.partition("\n")[0].strip() or "unknown"
    except OSError:
        return "unknown"
