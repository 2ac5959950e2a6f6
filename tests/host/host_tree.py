"""The hosts' own trees as files: what an overlay would hit, and what an update makes of it.

`python`: the fork and upstream up to v0.9.8.x. `root`: v0.9.9 and later. No code of theirs.
"""

import io
import os
import shutil
import subprocess
import sys
import textwrap
import time
import tomllib
from contextlib import redirect_stdout
from pathlib import Path

from python.helpers.tmux_cli import command as door
from tests.support.run import ROOT, TMUX_TOOL, run

COPIED = ("python", "prompts", "usr")  # what a manual copy consists of
LAYOUTS = ("python", "root")
COMMAND = {"python": "usr/bin/tmux-tool", "root": "usr/plugins/tmux_tool/bin/tmux-tool"}
TOOL = {"python": "usr/tools/tmux_tool.py", "root": "usr/plugins/tmux_tool/tools/tmux_tool.py"}
# What the hosts' .gitignore says of usr/: all of it, but in the fork two folders.
_IGNORED = {
    "python": "**/__pycache__/\nusr/**\n!usr/**/\n!usr/skills/**\n!usr/bin/**\n!**/.gitkeep\n",
    "root": "**/__pycache__/\nusr/**\n!usr/**/\nusr/**/*\n!usr/**/.gitkeep\n"}


# Importing one of these helpers from skill code must fail: the code runner's interpreter has none
# of their requirements.
_NAMES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())

# The fork ships first editions of these; they are what this project replaces. Its skill has no front matter.
_OTHER_SKILL = "---\nname: other\ndescription: another skill\n---\n# Other\n"
REPLACED = {
    "python/tools/tmux_tool.py", "python/helpers/opencode_cli.py", "prompts/agent.system.tool.tmux.md",
    "usr/skills/cli-orchestration/SKILL.md",
}

_AGENT = """
class LoopData: pass
class InterventionException(Exception): pass
"""
_TOOL = """
from dataclasses import dataclass
from agent import LoopData  # what makes this module unimportable outside the host

@dataclass
class Response:
    message: str
    break_loop: bool
    additional: dict | None = None

class Tool:
    def __init__(self, agent, name, method, args, message, loop_data, **kwargs):
        self.agent, self.name, self.method, self.args = agent, name, method, args
        self.message, self.loop_data, self.progress = message, loop_data, ""
    async def execute(self, **kwargs): raise NotImplementedError
    {set_progress}
    def add_progress(self, content):
        self.progress += content or ""
    async def before_execution(self, **kwargs):
        self.log = self.agent.log_item(self.name, self.args)
    async def after_execution(self, response, **kwargs):
        text = response.message.strip().encode("utf-8", "replace").decode()
        self.agent.add("tool", text, name=self.name, **(response.additional or {{}}))
        self.log.update(content=text)
"""
_SYNC = "def set_progress(self, content):\n        self.progress = content or ''"
_ASYNC = "async def set_progress(self, content):\n        self.progress = content or ''"
# The helpers that the tool asks. Like the real ones they cannot be imported outside the host.
_SECRETS = """
import agent

class Manager:
    def __init__(self, context): self.context, self.secrets = context, context.secrets
    def mask_values(self, text, min_length=4, placeholder="§§secret({key})"):
        for key, value in self.secrets.items():
            if len(value) >= min_length:
                text = text.replace(value, placeholder.format(key=key))
        return text
    def replace_placeholders(self, text): return self.context.unmasked(text)

def get_secrets_manager(context=None):
    return Manager(context)
"""
_PROJECTS = """
import agent

def get_context_project_name(context): return context.get_data("project")
def get_project_folder(name): return {root!r} + "/usr/projects/" + name
"""
_SETTINGS = """
import agent

def get_settings(): return {{"workdir_path": {root!r} + "/usr/workdir"}}
"""
# config.json of the project, of the plugin, else default_config.yaml with A0_SET_tmux_tool__KEY.
_PLUGINS = """
import json, os, pathlib
import agent as _
import yaml

def get_plugin_config(name, agent=None):
    usr = pathlib.Path({root!r}) / "usr"
    project = agent.context.get_data("project")
    places = [usr / "projects" / project / ".a0proj/plugins" / name] if project else []
    for place in [*places, usr / "plugins" / name]:
        if (place / "config.json").exists():
            return json.loads((place / "config.json").read_text())
    default = usr / "plugins" / name / "default_config.yaml"
    if not default.exists():
        return None
    values = yaml.safe_load(default.read_text())
    for key, value in values.items():
        text = os.environ.get(f"A0_SET_{{name}}__{{key}}")
        values[key] = value if text is None else type(value)(text)
    return values
"""
_REPLY = """
from {package}tool import Response, Tool
class ResponseTool(Tool):
    async def execute(self, **kwargs):
        return Response(message=kwargs["text"], break_loop=True)
"""


def build(root: Path, layout: str) -> dict[str, str]:
    """The host's own tree; returns its files. Nothing of ours is in it yet."""
    fork = layout == "python"
    code, package = (root / "python", "python.helpers.") if fork else (root, "helpers.")
    trap = "raise ImportError('a requirement of the host that this interpreter does not have')\n"
    files = {root / "agent.py": _AGENT, code / "helpers/tool.py": _TOOL.format(set_progress=_SYNC if fork else _ASYNC)}
    files |= {code / f"helpers/{name}.py": trap for name in _NAMES["HELPERS"]}
    files |= {code / f"tools/{name}.py": trap for name in _NAMES["TOOLS"]}
    files |= {
        code / "tools/response.py": _REPLY.format(package=package), code / "helpers/secrets.py": _SECRETS,
        code / "helpers/projects.py": _PROJECTS.format(root=str(root)),
        code / "helpers/settings.py": _SETTINGS.format(root=str(root))}
    files |= {root / f"prompts/{name}": f"### {name}\n" for name in _NAMES["PROMPTS"]}
    files |= {
        root / "usr/settings.json": "{}", root / "usr/.env": "", root / "usr/skills/other/SKILL.md": _OTHER_SKILL,
        root / "usr/workdir/.gitkeep": "", root / ".gitignore": _IGNORED[layout]}
    if fork:
        files[root / "python/__init__.py"] = ""
        files[root / "usr/bin/webapp-helper"] = "#!/bin/sh\n"
        files |= {root / name: "# the first edition\n" for name in REPLACED}
    else:
        files[code / "helpers/plugins.py"] = _PLUGINS.format(root=str(root))
        files[root / "usr/plugins/.gitkeep"] = ""
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return {str(path.relative_to(root)): textwrap.dedent(text) for path, text in files.items()}


def tmux_tool(*arguments: str | Path, command: Path = TMUX_TOOL, **more):
    """The command line, as a person runs it. These two are run in this process, unless a host's
    modules are in it just now: most of the time of each was its start."""
    known = arguments and arguments[0] in ("install", "uninstall")
    if known and command == TMUX_TOOL and not more and sys.modules.get(door.__name__) is door:
        with redirect_stdout(io.StringIO()) as output:
            status = door.main(list(map(str, arguments)), "")
        return subprocess.CompletedProcess(arguments, status, output.getvalue(), "")
    return run(sys.executable, command, *arguments, **more)


def install(root: Path, command: Path = TMUX_TOOL) -> str:
    done = tmux_tool("install", root, command=command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copy_by_hand(root: Path) -> None:
    """cp -r python prompts usr <host>/"""
    run("cp", "-r", *(ROOT / name for name in COPIED), root, check=True)
    for compiled in root.rglob("__pycache__"):
        shutil.rmtree(compiled)


def git(root: Path, *arguments: str) -> str:
    names = ("-c", "user.name=host", "-c", "user.email=host@localhost")
    return run("git", "-C", root, *names, *arguments, check=True).stdout


def under_git(root: Path) -> None:
    """The host as a work tree of its own repository, with a later release to update to."""
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "a release")
    (root / "CHANGES.md").write_text("what is new\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "the next release")
    git(root, "tag", "next")
    git(root, "reset", "-q", "--hard", "HEAD~1")


def status(root: Path) -> str:
    return git(root, "status", "--porcelain", "--untracked-files=all")


def update(root: Path, layout: str, image: Path) -> None:
    """The newer host's Settings > Update; the fork's start from a newer image, which `image` is."""
    if layout == "python":
        later = time.time() + 100
        for path in image.rglob("*"):
            os.utime(path, (later, later))
        run("cp", "-ru", "--no-preserve=ownership,mode", f"{image}/.", root, check=True)
        return
    stashed = bool(status(root).strip())
    if stashed:
        git(root, "stash", "push", "--include-untracked", "--message", "rollback")
    git(root, "checkout", "-q", "-B", "main", "next")
    git(root, "clean", "-q", "-ffd")
    if stashed:
        git(root, "stash", "drop", "-q")


def tree(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file and folder below `root` but git's: content and mode."""
    def fact(path: Path) -> tuple[bytes, int]:
        return path.read_bytes() if path.is_file() else b"", path.stat().st_mode & 0o777

    names = [path.relative_to(root) for path in sorted(root.rglob("*"))]
    return {str(name): fact(root / name) for name in names if ".git" not in name.parts}
