"""`tmux-tool doctor`: which OpenCode is here, and whether it can be driven."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile

from ..opencode.program import refusal
from ..opencode.reply import INSTALL
from .finding import Finding, do, ok

_LIMIT = 20.0  # seconds for `opencode --version`; it takes 0.5 on an idle machine
_INSTALL = f"{INSTALL}@latest"


def opencode_state() -> Finding:
    binary = os.environ.get("OPENCODE_BIN") or shutil.which("opencode")
    if not binary:
        return ok("OpenCode", f"not installed; only conversations with it need it: {_INSTALL}")
    answer = _version_of(binary)
    if reason := refusal(answer):
        return do("OpenCode", f"{binary}: {reason}: {_INSTALL}")
    return ok("OpenCode", f"{answer} ({binary})")


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
