"""Files of earlier editions, and of copies made by hand, in a host."""

import json
import os
import subprocess
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from .layout import LAYOUTS, PROMPT, SKILL

# A copy made by hand (`cp -r python prompts usr /a0/`): in usr/ it would hide the installed tool or
# duplicate its skill, elsewhere the host's next update breaks it. The fork contains a first edition
# of four of these files, and a person may have the others: a file is ours if it contains the text.
_FILES = {
    "usr/tools/tmux_tool.py": "from python.tools.tmux_tool import TmuxTool",
    "python/tools/tmux_tool.py": "helpers.tmux",
    PROMPT: "needs password",
    "python/helpers/opencode_cli.py": "opencode_run",
    "usr/bin/tmux-tool": "The agent's tmux_tool from a command line",
    f"{SKILL}/SKILL.md": "\nname: cli-orchestration\n",
    f"{SKILL}/references/clis.md": "tmux",
    f"{SKILL}/references/opencode.md": "tmux",
    f"{SKILL}/references/security.md": "tmux",
    f"{SKILL}/references/troubleshooting.md": "half-typed",
    f"{SKILL}/scripts/opencode_cli.py": "opencode_cli",
    # no host has any of these
    "python/helpers/tmux/**/*": "",
    "python/helpers/tmux_cli/**/*": "",
    "python/helpers/tmux_view/**/*": "",
    "python/helpers/opencode/**/*": "",
    "python/helpers/opencode_[!c]*.py": "",
}
_GIT_LIMIT = 20.0  # seconds for git to restore one file
_NO_PROGRAMS = "-c core.hooksPath=/dev/null -c core.fsmonitor=false"


def earlier_files(root: Path) -> list[str]:
    """Their paths relative to `root`, in the order of removal: stubs before what they import."""
    root = root.resolve()
    # The edition before this one left a list: path -> sha256 of what it had written.
    lists = [name for one in LAYOUTS if content(root / (name := f"{one.base}/installed.json"))]
    listed = dict[str, list[str]]()
    for name in lists:
        with suppress(ValueError, LookupError, TypeError):
            listed |= json.loads(content(root / name))["files"]

    ours = [
        name
        for name in listed
        if (root / name).resolve().is_relative_to(root)
        if sha256(content(root / name)).hexdigest() in listed[name]
    ]

    copied = [
        name
        for pattern, sign in _FILES.items()
        for path in sorted(root.glob(pattern))
        if (name := str(path.relative_to(root))) not in listed
        if path.is_file() and sign.encode() in content(path)
        if path.resolve() == path  # not a developer's, linked to
    ]
    return [*copied, *ours, *lists]


def content(path: Path) -> bytes:
    """The file's content; b"" if there is no file, or what may never end: a pipe."""
    with suppress(OSError):
        if path.is_file() and not path.is_symlink():
            return path.read_bytes()
    return b""


def restored_by_git(root: Path, name: str) -> bool:
    """Restores the file from the host's own git; returns whether that contains it.

    Git runs programs that its configuration names, so only what is ours is asked.
    """
    git = f"git {_NO_PROGRAMS} --git-dir=.git --work-tree=. checkout -q --".split()
    git.append(name)

    with suppress(OSError, subprocess.SubprocessError):
        if (root / ".git").stat().st_uid == os.geteuid():
            subprocess.run(git, cwd=root, capture_output=True, timeout=_GIT_LIMIT, check=True)
            return True

    return False
