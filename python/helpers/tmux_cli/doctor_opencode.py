"""`tmux-tool doctor`: which OpenCode is here, and over which channel it will be talked to."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile

from ..opencode.reply import INSTALL
from .finding import Finding, do, ok

_OLDEST_WITH_HTTP = (1, 18)  # earlier TUIs do not tell their own server the password
_LIMIT = 20.0  # seconds for `opencode --version`; it takes 0.5 on an idle machine
_VERSION = re.compile(r"(\d+)\.(\d+)\.\d+")  # 1.18.33
_INSTALL = f"{INSTALL}@latest"


def opencode_state() -> Finding:
    binary = os.environ.get("OPENCODE_BIN") or shutil.which("opencode")
    if not binary:
        return ok("OpenCode", f"not installed; only conversations with it need it: {_INSTALL}")
    answer = _version_of(binary)
    found = _VERSION.search(answer)
    if not found:
        return do("OpenCode", f"{binary} --version gives {answer[:60]!r}: {_INSTALL}")
    if (int(found[1]), int(found[2])) < _OLDEST_WITH_HTTP:
        return do(
            "OpenCode", f"{found[0]} ({binary}): its screen is read; for exact answers {_INSTALL}"
        )
    return ok("OpenCode", f"{found[0]} ({binary}): exact answers, over its API on 127.0.0.1")


def _version_of(binary: str) -> str:
    """In a home of its own: already for this it makes folders in it."""
    with tempfile.TemporaryDirectory(prefix="tmux-tool-") as home:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
        try:
            done = subprocess.run(
                [binary, "--version"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_LIMIT,
                env=environment | {"HOME": home},
            )
        except (OSError, subprocess.TimeoutExpired) as problem:
            return str(problem)
    return (done.stdout or done.stderr).strip()
