"""What the editions before this one, and copies made by hand, have left in a host."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from .layout import LAYOUTS, PROMPT, SKILL

_SKILL = f"{SKILL}/SKILL.md"
# A copy made by hand (`cp -r python prompts usr /a0/`): in usr/ it would hide the installed tool or
# double its skill, elsewhere the host's next update breaks it. The fork ships a first edition of
# four of these files, and a person may have the others: a file is ours if it holds the text.
_FILES = {
    "usr/tools/tmux_tool.py": "from python.tools.tmux_tool import TmuxTool",
    "python/tools/tmux_tool.py": "helpers.tmux",
    PROMPT: "needs password",
    "python/helpers/opencode_cli.py": "opencode_run",
    "usr/bin/tmux-tool": "The agent's tmux_tool from a command line",
    _SKILL: "\nname: cli-orchestration\n",
}
_FOLDERS = [  # no host has any of them
    *(f"python/helpers/{name}/**/*" for name in ("tmux", "tmux_cli", "tmux_view", "opencode")),
    "python/helpers/opencode_[!c]*.py",
]
_SKILLS = [f"{SKILL}/references/*.md", f"{SKILL}/scripts/*.py"]  # before its page
_LIMIT = 20.0  # seconds for git, which reads and writes one file


def earlier_files(root: Path) -> list[str]:
    """Relative to `root`, in an order in which they can be removed: what leads to the others is
    first, what the others are known by is last."""
    lists = [root / layout.base / "installed.json" for layout in LAYOUTS]
    listed = {name: known for path in lists for name, known in _listed(path).items()}
    copied = [name for name, sign in _FILES.items() if sign.encode() in content(root / name)]
    patterns = _FOLDERS + (_SKILLS if _SKILL in copied else [])
    found = [path for pattern in patterns for path in sorted(root.glob(pattern))] + lists
    others = [str(path.relative_to(root)) for path in found if path.is_file()]
    ours = [name for name in listed if sha256(content(root / name)).hexdigest() in listed[name]]
    copied = [name for name in copied if name not in listed]
    return sorted([*copied, *ours, *others], key=lambda name: name == _SKILL)


def _listed(path: Path) -> dict[str, list[str]]:
    """Path -> the sha256 of what the second edition wrote there."""
    try:
        return dict(json.loads(content(path))["files"])
    except (ValueError, KeyError, TypeError):
        return {}


def content(path: Path) -> bytes:
    """Empty if there is no file."""
    with suppress(OSError):
        return b"" if path.is_symlink() else path.read_bytes()
    return b""


def restored_by_git(root: Path, name: str) -> bool:
    """Whether the host's own git has that file, which then is as git has it."""
    git = ["git", "-c", "safe.directory=*", "-C", str(root), "checkout", "-q", "--", name]
    with suppress(OSError, subprocess.TimeoutExpired):
        return subprocess.run(git, capture_output=True, timeout=_LIMIT).returncode == 0
    return False
