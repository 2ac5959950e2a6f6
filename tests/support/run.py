"""Programs that are run to their end, this project's command line first."""

import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TMUX_TOOL = ROOT / "usr/bin/tmux-tool"


def run(*words: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """Its output and its errors as text, after at most a minute."""
    options = {"capture_output": True, "text": True, "timeout": 60, **more}
    return subprocess.run(list(map(str, words)), **options)
