"""Where our files lie in an Agent Zero host, and how their text changes for it.

Everything goes below the host's `usr/`, which its updates leave alone. A host with plugins (v0.9.9
and later) looks into `usr/plugins/`, an older one into `usr/tools`, `usr/prompts`, `usr/skills`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).resolve()
PROMPT = "prompts/agent.system.tool.tmux.md"
SKILL = "usr/skills/cli-orchestration"
MANIFEST = "installed.json"
HOOKS = "hooks.py"
HELPER_DOOR = "opencode_cli"  # the module that skill code imports
# Tools that only some hosts have: without one, lines of prompt and skill that name it are left out.
OPTIONAL_TOOLS = ("open_app", "terminal_agent")
_OUR_HELPERS = ("tmux/**/*", "tmux_cli/**/*", "tmux_view/**/*", "opencode/**/*", "opencode_*.py")
_PLUGIN = "python/helpers/tmux_cli/plugin"
_STABLE_DOOR = '''"""The path of OpenCodeSession that does not change with the version."""

from .{release}.opencode_cli import *  # noqa: F403
'''


class InstallError(RuntimeError):
    """It cannot be done; the message says why, and what to do."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Paths relative to the host's root. `base` is the folder that is ours alone."""

    title: str
    base: str
    tools: str
    prompts: str
    skill: str
    command: str

    @property
    def package(self) -> str:
        """What the helpers are imported from."""
        return f"{self.base.replace('/', '.')}.helpers"

    @property
    def places(self) -> list[str]:
        """The files and folders that hold all of an installation."""
        tool, prompt = f"{self.tools}/tmux_tool.py", f"{self.prompts}/{Path(PROMPT).name}"
        others = (tool, prompt, self.skill, self.command)
        return [self.base, *(one for one in others if not one.startswith(f"{self.base}/"))]


PLUGIN = Layout(
    title="as a plugin",
    base="usr/plugins/tmux_tool",
    tools="usr/plugins/tmux_tool/tools",
    prompts="usr/plugins/tmux_tool/prompts",
    skill="usr/plugins/tmux_tool/skills/cli-orchestration",
    command="usr/plugins/tmux_tool/bin/tmux-tool",
)
# The fork tracks usr/skills/cli-orchestration, hence the skill's other folder; of two skills of one
# name the first folder in sort order counts.
PLAIN = Layout(
    title="below usr/",
    base="usr/tmux_tool",
    tools="usr/tools",
    prompts="usr/prompts",
    skill="usr/skills/agent-terminal",
    command="usr/bin/tmux-tool",
)
LAYOUTS = (PLUGIN, PLAIN)


def version() -> str:
    """As the plugin's manifest says it: one place for it."""
    lines = (HERE.parent / "plugin/plugin.yaml").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("version:"))


def layout_of(root: Path) -> Layout:
    """How the host in `root` wants it. Raises InstallError where there is no host.

    A host that looks into `usr/` at all has a `subagents.py`, which knows the order of places.
    """
    if (root / "helpers/subagents.py").is_file() and (root / "helpers/plugins.py").is_file():
        return PLUGIN
    if (root / "python/helpers/subagents.py").is_file():
        return PLAIN
    if (root / "python/helpers/tool.py").is_file():
        raise InstallError(
            f"Agent Zero in {root} is older than v0.9.8 and looks for no tool in usr/"
        )
    raise InstallError(f"no Agent Zero in {root}; name its root folder, in the container /a0")


def host_root() -> Path:
    """The host that this file is installed in, else the place of its container image."""
    for parent in HERE.parents:
        for layout in LAYOUTS:
            if HERE.is_relative_to(parent / layout.base):
                return parent
    return Path("/a0")


@dataclass(frozen=True, kw_only=True)
class File:
    content: bytes
    mode: int = 0o644

    @property
    def digest(self) -> str:
        return sha256(self.content).hexdigest()


def files_for(root: Path, layout: Layout) -> dict[str, File]:
    """Path relative to `root` -> file, the plugin's hooks last.

    Raises InstallError where the project's sources are not here.
    """
    source = HERE.parents[3]
    if not (source / PROMPT).is_file() or HERE.parents[1] != source / "python/helpers":
        raise InstallError(
            "an installed copy cannot install; run usr/bin/tmux-tool in the project's folder"
        )
    helpers = _helpers(source / "python/helpers")
    total = sha256()
    for name, content in helpers.items():
        total.update(f"{name}\0{len(content)}\0".encode() + content)
    release = "r" + total.hexdigest()[:10]
    package = f"{layout.package}.{release}"
    place = f"{layout.base}/helpers"

    files = {f"{place}/{release}/{name}": File(content=text) for name, text in helpers.items()}
    door = _STABLE_DOOR.format(release=release)
    files[f"{place}/{HELPER_DOOR}.py"] = File(content=door.encode())
    tool = (source / "python/tools/tmux_tool.py").read_text()
    tool = tool.replace("python.helpers.tmux", f"{package}.tmux")
    files[f"{layout.tools}/tmux_tool.py"] = File(content=tool.encode())
    prompt = _for_host((source / PROMPT).read_text(), root, layout)
    files[f"{layout.prompts}/{Path(PROMPT).name}"] = File(content=prompt.encode())
    for path in sorted((source / SKILL).rglob("*.md")):
        page = _for_host(path.read_text(), root, layout)
        files[f"{layout.skill}/{path.relative_to(source / SKILL)}"] = File(content=page.encode())
    command = (source / "usr/bin/tmux-tool").read_text().replace("python.helpers.", f"{package}.")
    command = command.replace("parents[2]", f"parents[{layout.command.count('/')}]")
    files[layout.command] = File(content=command.encode(), mode=0o755)
    if layout is PLUGIN:
        template = _helpers(source / _PLUGIN, ("**/*",))
        for name in sorted(template, key=lambda name: name == HOOKS):
            content = template[name].replace(b"from ....", f"from {package}.".encode())
            files[f"{layout.base}/{name}"] = File(content=content)
    return files


def _helpers(folder: Path, patterns: tuple[str, ...] = _OUR_HELPERS) -> dict[str, bytes]:
    """Our own ones of the files in `folder`, in which a host's may lie too."""
    found = {path for pattern in patterns for path in folder.glob(pattern) if path.is_file()}
    names = {str(path.relative_to(folder)): path for path in sorted(found)}
    return {name: path.read_bytes() for name, path in names.items() if not _by_the_way(name)}


def _by_the_way(name: str) -> bool:
    """Python's and other programs' caches."""
    return any(part.startswith(".") or part == "__pycache__" for part in Path(name).parts)


def _for_host(page: str, root: Path, layout: Layout) -> str:
    """Text for the agent, true for this host: its import path, its root, only tools that it has."""
    missing = [name for name in OPTIONAL_TOOLS if not _has_tool(root, name)]
    lines = page.splitlines(keepends=True)
    page = "".join(line for line in lines if not any(name in line for name in missing))
    page = page.replace(f"python.helpers.{HELPER_DOOR}", f"{layout.package}.{HELPER_DOOR}")
    return page.replace('"/a0"', json.dumps(str(root), ensure_ascii=False))


def _has_tool(root: Path, name: str) -> bool:
    places = ("tools", "python/tools", "usr/tools", "plugins/*/tools", "usr/plugins/*/tools")
    return any(path.is_file() for place in places for path in root.glob(f"{place}/{name}.py"))
