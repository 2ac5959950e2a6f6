"""Which OpenCode is started, and whether it is one that this package can drive."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from .reply import INSTALL, OpenCodeNotInstalled, OpenCodeStartFailed

FOLDER = Path(__file__).parent  # as a program it is what runs in the pane, see pane.py
OLDEST = (1, 2, 27)  # the first whose server takes a password and a prompt's id, as measured
FIRST_OTHER = (2,)  # its server has another API
_LIMIT = 60.0  # seconds for `opencode --version`; it takes 0.5 on an idle machine
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")  # 1.18.33


def find(program: str = "", path: str | None = None) -> str:
    """The absolute path of `program`, else of $OPENCODE_BIN, else of `opencode` in `path` (a list
    of folders; None: this process's). Raises OpenCodeNotInstalled."""
    name = program or os.environ.get("OPENCODE_BIN") or "opencode"
    if not (found := shutil.which(name, path=path)):
        raise OpenCodeNotInstalled(f"{name} is not installed")
    return os.path.abspath(found)


def must_fit(program: str) -> None:
    """Raises OpenCodeStartFailed where `program` is an OpenCode that cannot be used, or none."""
    words, quiet = [program, "--version"], subprocess.DEVNULL
    try:
        done = subprocess.run(words, stdin=quiet, capture_output=True, text=True, timeout=_LIMIT)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise OpenCodeStartFailed(f"{program} --version failed: {problem}") from None
    if reason := refusal((done.stdout or done.stderr).strip()):
        raise OpenCodeStartFailed(f"{program}: {reason}", f"{INSTALL} installs one that works")


def refusal(printed: str) -> str:
    """Why the OpenCode whose --version `printed` that cannot be used; "" where it can."""
    found = _VERSION.search(printed)
    if not found:
        return f"its --version prints {printed[-300:]!r}"
    version = tuple(map(int, found.groups()))
    if version >= FIRST_OTHER:
        return f"OpenCode {found[0]} (@opencode/cli) has another API than 1.x (opencode-ai)"
    if version < OLDEST:
        return f"OpenCode {found[0]} is older than {'.'.join(map(str, OLDEST))}"
    return ""
