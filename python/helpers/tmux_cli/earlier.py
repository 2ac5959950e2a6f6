"""What the editions before this one, and copies made by hand, have left in a host."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from .layout import LAYOUTS, PROMPT, SKILL

# A copy made by hand (`cp -r python prompts usr /a0/`): in usr/ it would hide the installed tool or
# double its skill, elsewhere the host's next update breaks it. The fork ships a first edition of
# four of these files, and a person may have the others: a file is ours if it holds the text.
_FILES = {
    "usr/tools/tmux_tool.py": "from python.tools.tmux_tool import TmuxTool",
    "python/tools/tmux_tool.py": "helpers.tmux",
    PROMPT: "needs password",
    "python/helpers/opencode_cli.py": "opencode_run",
    "usr/bin/tmux-tool": "The agent's tmux_tool from a command line",
    f"{SKILL}/SKILL.md": "\nname: cli-orchestration\n",
    f"{SKILL}/references/clis.md": "tmux",
    f"{SKILL}/references/opencode.md": "tmux",
    f"{SKILL}/references/troubleshooting.md": "half-typed",
    f"{SKILL}/scripts/opencode_cli.py": "opencode_cli",
    # no host has any of these
    "python/helpers/tmux/**/*": "",
    "python/helpers/tmux_cli/**/*": "",
    "python/helpers/tmux_view/**/*": "",
    "python/helpers/opencode/**/*": "",
    "python/helpers/opencode_[!c]*.py": "",
}
_LIMIT = 20.0  # seconds for git, which reads and writes one file


def earlier_files(root: Path) -> list[str]:
    """Relative to `root`, in an order in which they can be removed: what leads to others first."""
    # The edition before this one left a list: the sha256 of what it wrote, by path.
    lists = [one for layout in LAYOUTS if content(root / (one := f"{layout.base}/installed.json"))]
    listed: dict[str, list[str]] = {}
    for name in lists:
        with suppress(ValueError, LookupError, TypeError):
            listed |= json.loads(content(root / name))["files"]
    ours = [name for name in listed if sha256(content(root / name)).hexdigest() in listed[name]]
    copied = [
        name
        for pattern, sign in _FILES.items()
        for path in sorted(root.glob(pattern))
        if (name := str(path.relative_to(root))) not in listed
        if path.is_file() and sign.encode() in content(path)
    ]
    return [*copied, *ours, *lists]


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
