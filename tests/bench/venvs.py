"""One virtual environment per package, in the cache folder of the user; never in the repository."""

import os
import sys
import venv
from pathlib import Path

from tests.support.run import run

INSTALL_LIMIT = 600  # seconds


def cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tmux-tool-bench"


def python_for(requirement: str) -> str:
    """The interpreter that has `requirement`, installed now if it was not; RuntimeError with pip's
    last words where that fails."""
    if not requirement:
        return sys.executable
    folder = cache() / requirement.replace("==", "-")
    python, stamp = folder / "bin" / "python", folder / "installed"
    version = f"{requirement} {sys.version}"
    if stamp.exists() and stamp.read_text() == version:
        return str(python)
    print(f"installing {requirement} …", flush=True)
    venv.create(folder, clear=True, with_pip=True)
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", requirement]
    done = run(*pip, timeout=INSTALL_LIMIT)
    if done.returncode:
        why = " ".join(done.stderr.split())[-300:]
        raise RuntimeError(f"{requirement} does not install: {why}")
    stamp.write_text(version)
    return str(python)
