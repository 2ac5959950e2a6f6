"""Stand-ins for both Agent Zero hosts: the parts that a tool, a prompt file and a skill meet, as facts say they behave.

`python`: the fork and upstream up to v0.9.8.x. `root`: v0.9.9 and later. Never kinder than the host: what it breaks on
breaks here. No code of theirs; a scripted model speaks the JSON messages.
"""

import asyncio
import importlib.util
import inspect
import json
import re
import shutil
import sys
import textwrap
import threading
import time
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
COPIED = ("python", "prompts", "usr")  # what the README says to copy
LAYOUTS = ("python", "root")


def _names(text: str) -> list[str]:
    return text.split()


# Names of the hosts' own files that a careless overlay would hit. Importing one of these helpers from skill code must fail:
# the code runner's interpreter has none of their requirements.
_HELPERS = _names("""
    api attachment_manager backup browser_use call_llm context crypto defer dirty_json docker
    document_query dotenv email_client errors extension extract_tools faiss_monkey_patch fasta2a_client
    file_browser file_tree files git history images job_loop kokoro_tts localization log mcp_handler
    memory messages notification persist_chat plugins print_style process projects providers
    rate_limiter runtime secrets settings shell_local shell_ssh skills strings subagents task_scheduler
    timed_input tokens tty_session whisper""")
_TOOLS = _names("""
    a2a_chat behaviour_adjustment browser_agent call_subordinate code_execution_tool document_query
    input memory_load notify_user open_app response scheduler search_engine skills_tool terminal_agent
    unknown vision_load wait""")
_PROMPTS = _names("""
    agent.system.main.md agent.system.skills.md agent.system.tool.browser.md
    agent.system.tool.code_exe.md agent.system.tool.input.md agent.system.tool.open_app.md
    agent.system.tool.response.md agent.system.tool.skills.md agent.system.tool.terminal.md
    agent.system.tools.md""")

# The fork ships first editions of these; they are what this project replaces. Its skill has no front matter.
REPLACED = {
    "python/tools/tmux_tool.py",
    "python/helpers/opencode_cli.py",
    "prompts/agent.system.tool.tmux.md",
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
_REPLY = """
from {package}tool import Response, Tool
class ResponseTool(Tool):
    async def execute(self, **kwargs):
        return Response(message=kwargs["text"], break_loop=True)
"""


def build(root: Path, layout: str) -> dict[str, str]:
    """The host's own tree; returns its files. Nothing of ours is in it yet."""
    code, package = (
        (root / "python", "python.helpers.") if layout == "python" else (root, "helpers.")
    )
    trap = "raise ImportError('a requirement of the host that this interpreter does not have')\n"
    files = {
        root / "agent.py": _AGENT,
        code / "helpers/tool.py": _TOOL.format(
            set_progress=_SYNC if layout == "python" else _ASYNC
        ),
    }
    files |= {code / f"helpers/{name}.py": trap for name in _HELPERS}
    files |= {code / f"tools/{name}.py": trap for name in _TOOLS}
    files |= {code / "tools/response.py": _REPLY.format(package=package)}
    files |= {root / f"prompts/{name}": f"### {name}\n" for name in _PROMPTS}
    files |= {
        root / "usr/settings.json": "{}",
        root / "usr/.env": "",
        root
        / "usr/skills/other/SKILL.md": "---\nname: other\ndescription: another skill\n---\n# Other\n",
        root / "usr/bin/webapp-helper": "#!/bin/sh\n",
    }
    if layout == "python":
        files[root / "python/__init__.py"] = ""
        files |= {root / name: "# the first edition\n" for name in REPLACED}
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return {str(path.relative_to(root)): textwrap.dedent(text) for path, text in files.items()}


def install(root: Path) -> None:
    """cp -r python prompts usr <host>/"""
    for name in COPIED:
        shutil.copytree(
            REPO / name,
            root / name,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )


class Log:
    """One item of the chat's log. Every update is kept with its time."""

    def __init__(self, mask, **first):
        self.mask, self.id = mask, "log-1"
        self.updates: list[tuple[float, dict]] = []
        self.update(**first)

    def update(self, type=None, heading=None, content=None, kvps=None, **more):
        assert content is None or isinstance(content, str)
        fields = {
            "heading": heading and self.mask(heading)[:120],
            "content": content and self.mask(content)[:15_000],
        }
        self.updates.append((time.monotonic(), {k: v for k, v in fields.items() if v is not None}))

    @property
    def headings(self):
        return [fields["heading"] for _, fields in self.updates if "heading" in fields]

    @property
    def live(self):
        """(time, heading, content) of the updates while the tool ran: all but the first and the last."""
        return [
            (when, f["heading"], f["content"])
            for when, f in self.updates
            if "waiting" in f.get("heading", "")
        ]


class Repairable(Exception):
    """The model is told at once, without end."""


class Chat:
    """One chat: its agent, history, log. `script`: what the model says, message by message; a callable gets the history."""

    def __init__(self, host, script, secrets=None):
        self.host, self.script, self.secrets = host, list(script), secrets or {}
        self.history: list[dict] = []
        self.logs: list[Log] = []
        self.data: dict = {}
        self.paused, self.intervention, self.current, self.last = False, None, None, None
        self.ended = ""
        self.task = None
        self.context = self  # tools ask agent.context for log and paused

    # what a tool may use

    async def handle_intervention(self, progress=""):
        while self.paused:
            await asyncio.sleep(0.1)
        if self.intervention:
            message, self.intervention = self.intervention, None
            if self.current and self.current.progress.strip():
                self.add("tool", self.current.progress.strip(), name=self.current.name)
            self.add("user", message)
            raise self.host.Intervention(message)

    def log_item(self, name, args):
        self.logs.append(
            Log(self.mask, heading=f"icon://construction A0: Using tool '{name}'", content="")
        )
        return self.logs[-1]

    # the host's side

    def add(self, role, text, **more):
        self.history.append(
            {"role": role, "text": self.mask(text), "time": time.monotonic(), **more}
        )

    def mask(self, text):
        for key, value in self.secrets.items():
            if len(value) >= 4:
                text = text.replace(value, f"§§secret({key})")
        return text

    def _unmask(self, args):
        def value(match):
            if match[1] not in self.secrets:
                raise Repairable(f"no secret {match[1]}")
            return self.secrets[match[1]]

        for name, text in args.items():  # in place, and only strings of the top level
            if isinstance(text, str):
                args[name] = re.sub(r"§§secret\((\w+)\)", value, text)

    async def run(self):
        broken = 0
        try:
            while self.script:
                try:
                    said = self.script.pop(0)
                    said = said(self.history) if callable(said) else said
                    said = (
                        said if isinstance(said, str) else json.dumps({"thoughts": ["…"], **said})
                    )
                    self.add("model", said)
                    if said == self.last:
                        self.add(
                            "warning",
                            "You have sent the same message again. You have to do something else!",
                        )
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
        if self.host.layout == "python" and any(
            isinstance(value, dict) for value in (args or {}).values()
        ):
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
            raise AssertionError(f"the chat goes on after {seconds}s: {self.history}") from None
        return self

    def stop(self):
        """The stop button."""
        self.task.cancel()

    def write(self, text):
        """The user writes while a tool runs: nothing is cancelled."""
        self.intervention = text

    def answers(self):
        return [entry["text"] for entry in self.history if entry["role"] == "tool"]

    def roles(self):
        return [entry["role"] for entry in self.history]


class Host:
    """One host with our tree copied over it. All chats share one loop on one thread."""

    def __init__(self, root: Path, layout: str):
        self.root, self.layout = root, layout
        self.own_files = build(root, layout)
        install(root)
        self._outside = {name: module for name, module in sys.modules.items() if _ours(name)}
        self._path = list(sys.path)
        for name in self._outside:
            del sys.modules[name]
        sys.path[:] = [str(root)] + [
            place for place in sys.path if Path(place or ".").resolve() != REPO
        ]
        self.Intervention = importlib.import_module("agent").InterventionException
        self.Tool = importlib.import_module(
            "python.helpers.tool" if layout == "python" else "helpers.tool"
        ).Tool
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(
            target=self.loop.run_forever, name="AgentContext", daemon=True
        )
        self.thread.start()
        self.gaps: list[float] = [0.0]
        self._beats = asyncio.run_coroutine_threadsafe(self._beat(), self.loop)
        self.executed: list[str] = []

    async def _beat(self):
        """Ticks for as long as nobody blocks the loop; the longest gap is how long somebody did."""
        last = time.monotonic()
        while True:
            await asyncio.sleep(0.01)
            now = time.monotonic()
            self.gaps.append(now - last)
            last = now

    def close(self):
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

    def find_tool(self, name):
        """usr/ before the host's own; the file executed anew; what goes wrong while loading is swallowed."""
        for place in ("usr", "python" if self.layout == "python" else "."):
            path = self.root / place / "tools" / f"{name}.py"
            if not path.is_file():
                continue
            try:
                spec = importlib.util.spec_from_file_location(name, path)
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                self.executed.append(str(path.relative_to(self.root)))
                found = [
                    one
                    for _, one in inspect.getmembers(module, inspect.isclass)
                    if issubclass(one, self.Tool) and one is not self.Tool
                ]
                return found[-1] if found else None
            except Exception:
                continue
        return None

    def chat(self, *script, secrets=None):
        return Chat(self, script, secrets)

    def prompts(self) -> dict[str, str]:
        """The tools' part of the system prompt, file by file, after templating."""
        found: dict[str, str] = {}
        for place in ("usr/prompts", "prompts"):
            for path in sorted((self.root / place).glob("agent.system.tool.*.md")):
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
        """name -> front matter and body, as `skills_tool:list` and `:load` see them; a faulty one is simply not there."""
        import yaml

        found: dict[str, dict] = {}
        for place in ("usr/skills", "skills"):
            for path in sorted((self.root / place).rglob("SKILL.md")):
                lines = path.read_text().splitlines()
                if (
                    not lines
                    or lines[0].strip() != "---"
                    or "---" not in [line.strip() for line in lines[1:]]
                ):
                    continue
                end = [line.strip() for line in lines[1:]].index("---") + 1
                try:
                    matter = yaml.safe_load("\n".join(lines[1:end]))
                except yaml.YAMLError:
                    continue
                if not isinstance(matter, dict):
                    continue
                name, description = (
                    str(matter.get("name") or ""),
                    str(matter.get("description") or ""),
                )
                if (
                    re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
                    and len(name) <= 64
                    and 0 < len(description) <= 1024
                ):
                    found.setdefault(
                        name,
                        {
                            **matter,
                            "body": self.template("\n".join(lines[end + 1 :])),
                            "path": path,
                        },
                    )
        return found


def _ours(name):
    return name.partition(".")[0] in ("python", "helpers", "agent", "usr", "tools")
