"""Which file goes where in an Agent Zero host.

`BASE/rDIGEST/` contains this project's tree as it is in the repository. Files that the host expects
in places of its own are copies, or stubs of a line or two that name that folder. They are also kept
in `BASE/rDIGEST/placed/`: by comparison a file is known as ours, or as changed since.

Every release has a folder name of its own, because a running host keeps each module that it has
imported under its name. Everything is below the host's `usr/`, which its updates leave alone.
"""

import os
from dataclasses import dataclass
from pathlib import Path

TREE = Path(__file__).resolve().parents[3]  # the repository, or a release in a host
PROMPT = "prompts/agent.system.tool.tmux.md"
SKILL = "usr/skills/cli-orchestration"
PLACED = "placed"
_END = b"\nusage:\n"  # of the prompt's lines about the host
_TEMPLATE = "python/helpers/tmux_cli/plugin"  # the plugin's own files, as they are in the plugin
_OURS = (
    "python/helpers/tmux*/**/*",
    "python/helpers/opencode/**/*",
    "python/helpers/opencode_cli.py",
    "python/tools/tmux_tool.py",
    PROMPT,
    f"{SKILL}/**/*",
    "usr/bin/tmux-tool",
)

# Stubs that are placed instead of code: for a host's import, for the code runner, for a shell.
_MODULE = '''"""tmux-tool: the module is in the folder named here."""

from {module} import *  # noqa: F403
'''
_SCRIPT = '''"""tmux-tool: the module is in the folder named here."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent / "{base}"))
from {name}.python.helpers.opencode_cli import *  # noqa: F403
'''
_COMMAND = '''#!/usr/bin/env python3
"""tmux-tool: the command is in the folder named here."""

import runpy
from pathlib import Path

command = Path(__file__).resolve().parent / "{base}/{name}/usr/bin/tmux-tool"
runpy.run_path(str(command), run_name="__main__")
'''
_STUBS = {
    "python/tools": _MODULE,
    _TEMPLATE: _MODULE,
    SKILL: _SCRIPT,
    "usr/bin": _COMMAND,
}


class InstallError(RuntimeError):
    """The command cannot be carried out; the message says why, and what to do."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Paths are relative to the host's root. `base`: the folder that is ours alone; `places`: a
    folder of the tree -> where its files are placed too; `advice`: the end of its prompt's lines
    about the host."""

    base: str
    places: dict[str, str]
    advice: bytes = b""


PLUGIN = Layout(
    base="usr/plugins/tmux_tool",
    places={
        "python/tools": "usr/plugins/tmux_tool/tools",
        "prompts": "usr/plugins/tmux_tool/prompts",
        SKILL: "usr/plugins/tmux_tool/skills/cli-orchestration",
        "usr/bin": "usr/plugins/tmux_tool/bin",
        _TEMPLATE: "usr/plugins/tmux_tool",
    },
)
# The fork tracks usr/skills/cli-orchestration, hence the skill's other folder; of two skills with
# one name the first folder in sort order counts.
PLAIN = Layout(
    base="usr/tmux_tool",
    places={
        "python/tools": "usr/tools",
        "prompts": "usr/prompts",
        SKILL: "usr/skills/agent-terminal",
        "usr/bin": "usr/bin",
    },
    advice=b"""
if there: open_app `shared-terminal` shows it to the user; terminal_agent only if asked for by name
""",
)
LAYOUTS = (PLUGIN, PLAIN)


@dataclass(frozen=True, kw_only=True)
class Release:
    """`folder`: the release's own; `tree`: the files in it; `placed`: those elsewhere, `hooks.py`
    last. All paths are relative to the host's root."""

    folder: str
    tree: dict[str, bytes]
    placed: dict[str, bytes]


def layout_of(root: Path) -> Layout:
    """The layout for the host in `root`. Raises InstallError if there is no host.

    A host that reads `usr/` at all has plugins, or `subagents.py`, which knows its places.
    """
    if (root / "helpers/plugins.py").is_file():
        return PLUGIN
    if (root / "python/helpers/subagents.py").is_file():
        return PLAIN
    raise InstallError(
        f"no Agent Zero from v0.9.8 on in {root}; name its root folder, in the container /a0"
    )


def host_root() -> Path:
    """The host in which this file is installed, else the one of its container image."""
    return next((root for root in TREE.parents if (root / "agent.py").is_file()), Path("/a0"))


def version() -> str:
    """The version in the plugin's manifest, its only place."""
    manifest = (TREE / _TEMPLATE / "plugin.yaml").read_text()
    return manifest.partition("\nversion: ")[2].split()[0]


def release(layout: Layout) -> Release:
    """This tree as a release for a host."""
    from hashlib import sha256  # takes 5 ms, which no other call shall wait for

    tree = files_in(TREE, *_OURS)
    name = "r" + sha256(repr(tree).encode()).hexdigest()[:10]
    folder = f"{layout.base}/{name}"

    placed = {}

    for part, place in layout.places.items():
        for source in tree:
            if not source.startswith(f"{part}/"):
                continue

            target = place + source.removeprefix(part)
            placed[target] = tree[source].replace(_END, layout.advice + _END)
            if source.endswith((".py", "/tmux-tool")):
                module = f"{folder}/{source}".removesuffix(".py").replace("/", ".")
                base = os.path.relpath(layout.base, Path(target).parent)
                stub = _STUBS[part].format(module=module, base=base, name=name)
                placed[target] = stub.encode()

    tree |= {f"{PLACED}/{target}": text for target, text in placed.items()}
    last = f"{layout.base}/hooks.py"  # the only one that the host's watchdog sees
    return Release(
        folder=folder,
        tree={f"{folder}/{source}": text for source, text in tree.items()},
        placed=dict(sorted(placed.items(), key=lambda item: item[0] == last)),
    )


def files_in(folder: Path, *patterns: str) -> dict[str, bytes]:
    """Path relative to `folder` -> content, for all files but caches and hidden ones."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for pattern in patterns or ("**/*",)
        for path in sorted(folder.glob(pattern))
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }
