"""A copy of this project made by hand (`cp -r python prompts usr /a0/`), known by its content.

In `usr/` it would hide the installed tool or double its skill; elsewhere the host's next update
breaks it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from .layout import PROMPT, SKILL

# A file is ours if it holds the text; the fork's first editions of four of these hold none of them.
_SIGNS = {
    "usr/tools/tmux_tool.py": "from python.tools.tmux_tool import TmuxTool",
    "python/tools/tmux_tool.py": "tmux.actions import Call",
    "python/helpers/tmux/actions.py": "class Call",
    PROMPT: "needs password",
    "python/helpers/opencode_cli.py": "opencode_run",
    f"{SKILL}/SKILL.md": "\nname: cli-orchestration\n",
    "usr/bin/tmux-tool": "The agent's tmux_tool from a command line",
}
# What is ours too where the first path is: no host has any of these names.
_BESIDE = {
    f"{SKILL}/SKILL.md": (f"{SKILL}/references/*.md",),
    "python/helpers/tmux/actions.py": (
        "python/helpers/tmux/**/*",
        "python/helpers/tmux_cli/**/*",
        "python/helpers/tmux_view/**/*",
        "python/helpers/opencode/**/*",
        "python/helpers/opencode_[!c]*.py",
    ),
}
_GIT_LIMIT = 20.0  # seconds; it only reads one blob


def find(root: Path) -> list[str]:
    """The files of a hand copy in `root`, relative to it, in an order in which they can be removed:
    what leads to the others comes first, what they are known by comes last."""
    signs = [name for name, sign in _SIGNS.items() if _holds(root / name, sign)]
    last = [name for name in signs if name in _BESIDE]
    patterns = [pattern for name in last for pattern in _BESIDE[name]]
    paths = (path for pattern in patterns for path in root.glob(pattern) if path.is_file())
    beside = {str(path.relative_to(root)) for path in paths} - set(signs)
    first = [name for name in signs if name not in _BESIDE]
    return first + sorted(name for name in beside if "__pycache__" not in name) + last


def _holds(path: Path, sign: str) -> bool:
    try:
        return path.is_file() and not path.is_symlink() and sign in path.read_text()
    except (OSError, UnicodeDecodeError):
        return False


def tracked_content(root: Path, name: str) -> bytes | None:
    """What the host's own git has under this name; None where it has nothing or is not there."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), "show", f":./{name}"],
            capture_output=True,
            timeout=_GIT_LIMIT,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
