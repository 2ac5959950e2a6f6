"""Stand-ins for both Agent Zero hosts: they treat a tool, a prompt file and a skill as the hosts do,
as far as that was measured.

They are never kinder than the host: what fails there fails here. They contain none of its code; a
scripted model writes the JSON messages.
"""

import asyncio
import functools
import importlib.machinery
import importlib.util
import inspect
import json
import re
import sys
import threading
import time
from pathlib import Path
from typing import Any

import yaml

from tests.host.host_tree import build, copy_by_hand
from tests.support.late import Late
from tests.support.run import ROOT


def _compiled_once(self, data, path, *, _optimize=-1):
    """A host's tree is new for each test, and what Python compiles of it is not stored."""
    return _code(bytes(data))


_code = functools.cache(lambda data: compile(data, "a host's", "exec", dont_inherit=True))
importlib.machinery.SourceFileLoader.source_to_code = _compiled_once


class Log:
    """One item of the chat's log. Every update is kept with its time."""
    def __init__(self, mask, **first):
        self.mask, self.id = mask, "log-1"
        self.updates: list[tuple[float, dict]] = []
        self.update(**first)

    def update(self, type=None, heading=None, content=None, kvps=None, **more):
        assert content is None or isinstance(content, str)
        self.type = type or getattr(self, "type", "tool")
        fields = {"heading": heading and self.mask(heading)[:120], "content": content and self.mask(content)[:15_000]}
        self.updates.append((time.monotonic(), {k: v for k, v in fields.items() if v is not None}))

    @property
    def headings(self):
        return [fields["heading"] for _, fields in self.updates if "heading" in fields]

    @property
    def live(self):
        """(time, heading, content) of the updates while the tool ran."""
        waits = [one for one in self.updates if "waiting" in one[1].get("heading", "")]
        return [(when, fields["heading"], fields["content"]) for when, fields in waits]


class Repairable(Exception):
    """The model sees it at once, again and again."""


class Chat:
    """One chat: its agent, history, log. `script`: what the model says, message by message; a
    callable gets the history."""
    def __init__(self, host, script, secrets=None):
        self.host, self.script, self.secrets = host, list(script), secrets or {}
        self.history: list[dict] = []
        self.logs: list[Log] = []
        self.data: dict = {}
        self.paused, self.intervention, self.current, self.last = False, None, None, None
        self.ended = ""
        self.task: Any = None
        self.context = self.log = self  # tools ask agent.context for log and paused
        self.progress: list[tuple[str, bool]] = []

    # what a tool may use

    async def handle_intervention(self, progress=""):
        while self.paused:
            await asyncio.sleep(0.1)
        if self.intervention:
            message, self.intervention = self.intervention, None
            if self.current and self.current.progress.strip():
                progress = self.current.progress.strip()
                self.add("tool", progress, name=self.current.name)
                self.history[-1]["text"] = progress  # stored raw
            self.add("user", message)
            raise self.host.Intervention(message)

    def set_progress(self, progress, no=0, active=True):
        """The line in the chat's input: plain text in the newer host."""
        self.progress.append((self.mask(progress), active))

    def get_data(self, key):
        return self.data.get(key)

    def log_item(self, name, args):
        self.logs.append(Log(self.mask, heading=f"icon://construction A0: Using tool '{name}'", content=""))
        return self.logs[-1]

    # the host's side

    def add(self, role, text, **more):
        self.history.append({"role": role, "text": self.mask(text), "time": time.monotonic(), **more})

    def mask(self, text):
        for key, value in self.secrets.items():
            if len(value) >= 4:
                text = text.replace(value, f"§§secret({key})")
        return text

    def unmasked(self, text):
        def value(match):
            if match[1] not in self.secrets:
                raise Repairable(f"no secret {match[1]}")
            return self.secrets[match[1]]

        return re.sub(r"§§secret\((\w+)\)", value, text)

    def _unmask(self, args):
        for name, text in args.items():  # in place, and only strings of the top level
            if isinstance(text, str):
                args[name] = self.unmasked(text)

    async def run(self):
        broken = 0
        try:
            while self.script:
                try:
                    said = self.script.pop(0)
                    said = said(self.history) if callable(said) else said
                    if not isinstance(said, str):
                        said = json.dumps({"thoughts": ["…"], **said})
                    self.add("model", said)
                    if said == self.last:
                        self.add("warning", "You have sent the same message again.")
                        continue
                    self.last = said
                    if await self._tools(said):
                        self.ended = "response"
                        return
                    broken = 0
                except self.host.Intervention:
                    broken = 0
                except Repairable as problem:
                    self.add("warning", str(problem))
                except Exception as problem:  # critical: the second in a row ends the chat
                    self.add("error", f"{type(problem).__name__}: {problem}")
                    broken += 1
                    if broken == 2:
                        self.ended = "critical"
                        return
            self.ended = "script"
        except asyncio.CancelledError:
            self.ended = "stopped"
            raise

    async def _tools(self, said):
        request = json.loads(said[said.index("{") : said.rindex("}") + 1])
        name, args = request["tool_name"], request["tool_args"]
        if self.host.layout == "root" and (not isinstance(args, dict) or not args):
            raise ValueError("Tool request must have a tool_args (type dictionary) field")
        if self.host.layout == "python" and any(isinstance(value, dict) for value in (args or {}).values()):
            name = ""  # its parser closes too much at `}}`
        name, _, method = name.partition(":")
        tool_class = self.host.find_tool(name)
        if tool_class is None:
            self.add("warning", f"Tool {name} not found. Available tools: …")
            return False
        tool = self.current = tool_class(
            agent=self, name=name, method=method or None, args=args, message=said, loop_data=None
        )
        try:
            await self.handle_intervention()
            await tool.before_execution(**args)
            self._unmask(args)
            response = await tool.execute(**args)
            await self.handle_intervention()  # a result that comes with a message is thrown away
            response.message = self.mask(response.message)
            await tool.after_execution(response)
            await self.handle_intervention()
            return response.break_loop
        finally:
            self.current = None

    # what a test asks for
    def start(self):
        self.task = asyncio.run_coroutine_threadsafe(self.run(), self.host.loop)
        return self

    def finish(self, seconds=30):
        try:
            self.task.result(seconds)
        except TimeoutError:
            raise Late(f"the chat goes on after {seconds}s: {self.history}") from None
        return self

    def stop(self):
        self.task.cancel()

    def write(self, text):
        """The user writes while a tool runs: nothing is cancelled."""
        self.intervention = text

    def answers(self):
        return [entry["text"] for entry in self.history if entry["role"] == "tool"]

    def roles(self):
        return [entry["role"] for entry in self.history]


class Host:
    """One host with our tool in it. All chats share one loop on one thread."""
    def __init__(self, root: Path, layout: str, put=copy_by_hand):
        self.root, self.layout = root, layout
        if put:  # None: the tree is there
            build(root, layout)
            put(root)
        self._plugins: list[Path] | None = None
        self._watched: dict[Path, int] = {}
        self._outside = {name: module for name, module in sys.modules.items() if _ours(name)}
        self._path = list(sys.path)
        for name in self._outside:
            del sys.modules[name]
        sys.path[:] = [str(root)] + [place for place in sys.path if Path(place or ".").resolve() != ROOT]
        self.Intervention = importlib.import_module("agent").InterventionException
        package = "python.helpers" if layout == "python" else "helpers"
        self.Tool = importlib.import_module(f"{package}.tool").Tool
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="AgentContext", daemon=True)
        self.thread.start()
        self.beats = 0
        asyncio.run_coroutine_threadsafe(self._beat(), self.loop)
        self.executed: list[str] = []

    async def _beat(self):
        """Ticks while nothing blocks the loop."""
        while True:
            await asyncio.sleep(0.01)
            self.beats += 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        async def end():
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        for name in [name for name in sys.modules if _ours(name)]:
            del sys.modules[name]
        sys.path[:] = self._path
        sys.modules.update(self._outside)

    def plugins(self) -> list[Path]:
        """The enabled ones, cached until the watchdog fires: it sees hooks.py and toggles only, and
        then also forgets the plugins' modules."""
        if self.layout == "python":
            return []
        folder = self.root / "usr/plugins"
        watched = [*folder.glob("*/hooks.py"), *folder.glob("*/.toggle-[01]")]
        seen = {path: path.stat().st_ino for path in watched}
        if seen != self._watched or self._plugins is None:
            self._watched = seen
            for module in [name for name in sys.modules if f"{name}.".startswith("usr.plugins.")]:
                del sys.modules[module]
            found = sorted(path.parent for path in folder.glob("[!.]*/plugin.yaml"))
            self._plugins = [path for path in found if not (path / ".toggle-0").exists()]
        return self._plugins

    def _places(self, kind: str) -> list[Path]:
        """Where tools, prompts, skills are looked for, the first hit wins."""
        own = self.root / "python" if (self.layout, kind) == ("python", "tools") else self.root
        return [place / kind for place in (self.root / "usr", *self.plugins(), own)]

    def find_tool(self, name):
        """The first place whose file can be loaded, again each time; faults are swallowed."""
        for place in self._places("tools"):
            path = place / f"{name}.py"
            if not path.is_file():
                continue
            try:
                spec = importlib.util.spec_from_file_location(name, path)
                assert spec and spec.loader
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                self.executed.append(str(path.relative_to(self.root)))
                classes = [one for _, one in inspect.getmembers(module, inspect.isclass)]
                found = [one for one in classes if issubclass(one, self.Tool)]
                return next((one for one in found[::-1] if one is not self.Tool), None)
            except Exception:
                continue
        return None

    def helper(self, name):
        """The module of that name in helpers/tmux, as the installed tool imports it."""
        [release] = self.root.glob("usr/**/r*/python/helpers/tmux")
        package = ".".join(release.relative_to(self.root).parts)
        return importlib.import_module(f"{package}.{name}")

    def chat(self, *script, secrets=None):
        return Chat(self, script, secrets)

    def play(self, *script, secrets=None):
        """A chat that has come to its end."""
        return self.chat(*script, secrets=secrets).start().finish()

    def prompts(self) -> dict[str, str]:
        """The tools' part of the system prompt, file by file, after templating."""
        found: dict[str, str] = {}
        for place in self._places("prompts"):
            for path in sorted(place.glob("agent.system.tool.*.md")):
                found.setdefault(path.name, self.template(path.read_text()))
        return dict(sorted(found.items()))

    def template(self, text):
        """Conditions go, includes and variables are replaced, a file that is all one JSON block loses its fence."""
        text = re.sub(r"\{\{\s*if .*?\}\}.*?\{\{\s*endif\s*\}\}", "", text, flags=re.S)
        text = re.sub(r"\{\{\s*include .*?\}\}", "", text)
        text = text.replace("{{_agent}}", "<agent.Agent object>")
        whole = re.fullmatch(r"\s*(?:```|~~~)json\n(.*?)(?:```|~~~)\s*", text, flags=re.S)
        return whole[1] if whole else text

    def skills(self) -> dict[str, dict]:
        """name -> front matter and body, as `skills_tool:list` and `:load` see them; a faulty one
        is simply not there."""
        found: dict[str, dict] = {}
        for place in self._places("skills"):
            for path in sorted(place.rglob("SKILL.md")):
                parts = re.fullmatch(r"---\n(.*?)\n---\n(.*)", path.read_text(), flags=re.S)
                try:
                    matter = yaml.safe_load(parts[1]) if parts else None
                except yaml.YAMLError:
                    continue
                if not isinstance(matter, dict):
                    continue
                name, description = (str(matter.get(key) or "") for key in ("name", "description"))
                valid = re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) and len(name) <= 64
                if valid and 0 < len(description) <= 1024:
                    found.setdefault(name, {**matter, "body": self.template(parts[2]), "path": path})
        return found


def _ours(name):
    return name.partition(".")[0] in ("python", "helpers", "agent", "usr", "tools")
