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
        "cpu": _cpu(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load_at_start": list(os.getloadavg()),
        "versions": {name: _version(*how) for name, how in _PROGRAMS.items()},
    }


_PROGRAMS = {
    "tmux": ("tmux", "-V"),
    "bash": ("bash", "--version"),
    "zsh": ("zsh", "--version"),
    "fish": ("fish", "--version"),
    "dash": ("dpkg-query", "-W", "-f", "${Version}", "dash"),
}


def _version(*command: str) -> str:
    try:
        return run(*command).stdout.partition("\n")[0].strip() or "unknown"
    except OSError:
        return "unknown"


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            return next(
                line.partition(":")[2].strip() for line in file if line.startswith("model name")
            )
    except (OSError, StopIteration):
        return platform.machine()
