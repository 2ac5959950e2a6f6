"""The agent's door: tool_args in, Response out. The work is done in helpers/tmux; here is what only
the host knows: its secrets, the active project, its settings, the user's messages, the chat.

The host executes this file anew on every call, so it keeps no state; and all chats share its event
loop, so the work is done in a thread of the call's own (the loop's default pool is small and would
fill up with waiting calls).
"""

import asyncio
import dataclasses
import importlib
import inspect
import os
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

try:
    from python.helpers.tool import Response, Tool  # Agent Zero up to v0.9.8.x

    HOST = "python.helpers"
    LOG_TYPE = "code_exe"  # the type whose text that chat draws with fixed width
except ImportError:  # v0.9.9 and later, where the plugin has a drawing of its own
    from helpers.tool import Response, Tool  # type: ignore[import-not-found,no-redef]

    HOST, LOG_TYPE = "helpers", ""

_POLL = 0.1  # seconds between two looks at what the user does: their message gets through in 0.2 s
_SHOW = 0.5  # seconds between two updates of the chat
_LONGEST_SUBJECT = 50  # characters of a command in a heading, of which the chat shows 100
_AFTER = re.compile(r" after \d+\.\d\ds")  # "ready (shell) after 0.42s, exit status 0"


class TmuxTool(Tool):
    """One call of the agent's to the terminal that a person shares."""

    async def execute(self, **kwargs) -> Response:
        if self.method and not kwargs.get("action"):  # the model wrote tmux_tool:read
            kwargs["action"] = self.method
        mask = _masking(self.agent.context)
        what = _described(kwargs, mask)
        work = _Work(self.agent, kwargs, mask)
        began = shown = time.monotonic()
        end = "stopped"
        try:
            while not work.answer.done():
                await asyncio.wait([work.answer], timeout=_POLL)
                now = time.monotonic()
                # When the user writes, what was last set here is all the model sees of this call.
                await self._progress(work.result or _left(what, now - began, work.screen))
                if work.screen and not work.result and now - shown > _SHOW:
                    shown = now
                    self._show(f"{what}{_goal(kwargs, mask)}, {now - began:.0f}s", work.screen)
                await self.agent.handle_intervention()
        except Exception:  # the host's own signal: it must pass
            end = "the user wrote"
            raise
        finally:
            work.stop.set()
            if work.result:
                first = work.result.partition("\n")[0]
                self._show(f"{what} -> {_AFTER.sub('', first, count=1)}", work.result)
            else:
                seconds = time.monotonic() - began
                self._show(f"{what} -> {end} after {seconds:.0f}s; it goes on", work.screen)
        return Response(message=work.result, break_loop=False)

    async def _progress(self, text: str) -> None:
        setting = self.set_progress(text)
        if inspect.isawaitable(setting):  # from v0.9.9 on
            await setting

    def _show(self, heading: str, content: str) -> None:
        """In the chat: the screen as it is while the wait goes on, and how it ended."""
        log = getattr(self, "log", None)
        if log:
            log.update(type=LOG_TYPE or None, heading=f"icon://terminal {heading}", content=content)


class _Work:
    """The call, in its thread. What it hands out is masked."""

    def __init__(self, agent: Any, arguments: dict, mask: Callable[..., str]):
        self.agent, self.arguments, self.mask = agent, arguments, mask
        self.stop = threading.Event()
        self.screen = ""
        self.loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[str] = self.loop.create_future()
        threading.Thread(target=self._run, name="tmux_tool", daemon=True).start()

    @property
    def result(self) -> str:
        """Empty until it is there; an answer never is."""
        return self.answer.result() if self.answer.done() else ""

    def _run(self) -> None:
        try:
            text = self.mask(self._call())
        except Exception as problem:  # the host takes two raised errors in a row for the end
            fault = type(problem).__name__  # its words may hold a secret
            text = f"error: {fault}; this is a fault of the tool, try another way"
        with suppress(RuntimeError):  # the loop has gone, and whoever asked with it
            self.loop.call_soon_threadsafe(self._answered, text)

    def _call(self) -> str:
        # Not at the top: the first import takes tenths of a second, and the loop is everybody's.
        from python.helpers.tmux.actions import Call, Stopped
        from python.helpers.tmux.settings import BadSetting

        try:
            settings = _settings(self.agent)
            call = Call(stop=self.stop, on_look=self._looked, settings=settings)
            return call.perform(self.arguments)
        except BadSetting as problem:
            return f"error: {problem}; nothing was typed"
        except Stopped:
            return "stopped"  # nobody is left to read it

    def _looked(self, screen: str, what: str, seconds: float) -> None:
        from python.helpers.tmux.output import fit

        self.screen = fit(self.mask(screen))

    def _answered(self, text: str) -> None:
        if not self.answer.done():
            self.answer.set_result(text)


# what the host knows


def _masking(context: Any) -> Callable[..., str]:
    """The host's own masking of secret values: (text, min_length=4) -> text."""
    try:
        secrets = importlib.import_module(f"{HOST}.secrets")
    except ImportError:
        return lambda text, min_length=4: text
    return secrets.get_secrets_manager(context).mask_values


def _settings(agent: Any) -> Any:
    """The plugin's configuration where there is one, else the environment. Raises BadSetting."""
    from python.helpers.tmux.settings import BadSetting, Settings

    try:
        plugins = importlib.import_module(f"{HOST}.plugins")
        configuration = plugins.get_plugin_config("tmux_tool", agent=agent)
    except ImportError:
        configuration = None
    except Exception as problem:
        raise BadSetting(f"the plugin's configuration cannot be read: {problem}") from None
    settings = Settings.load(configuration)
    directory = settings.directory or _work_directory(agent.context)
    return dataclasses.replace(settings, directory=directory)


def _work_directory(context: Any) -> str | None:
    """The active project's, else the host's work directory: where its code execution works too."""
    try:
        projects = importlib.import_module(f"{HOST}.projects")
        if project := projects.get_context_project_name(context):
            path = projects.get_project_folder(project)
        else:
            path = importlib.import_module(f"{HOST}.settings").get_settings().get("workdir_path")
    except Exception:  # a host that has neither: the session starts where the host is
        return None
    return path if path and os.path.isdir(path) else None


# what the chat and the model read


def _described(arguments: dict, mask: Callable[..., str]) -> str:
    """`run: make test`, `keys server: C-c`, `list`. Masked: here also secrets of few characters."""
    action, pane = arguments.get("action"), arguments.get("pane")
    subject = next(
        (arguments[name] for name in ("text", "keys", "name") if arguments.get(name)), ""
    )
    if isinstance(subject, list):
        subject = " ".join(map(str, subject))
    subject = " ".join(mask(str(subject), 1).split())
    if len(subject) > _LONGEST_SUBJECT:
        subject = subject[: _LONGEST_SUBJECT - 1] + "…"
    head = f"{action} {pane}" if pane else f"{action}"
    return f"{head}: {subject}" if subject else head


def _goal(arguments: dict, mask: Callable[..., str]) -> str:
    """What is waited for, where the agent named it."""
    pattern = arguments.get("until") or arguments.get("prompt_pattern")
    return f" - waiting for {mask(str(pattern), 1)}" if pattern else " - waiting"


def _left(what: str, seconds: float, screen: str) -> str:
    return (
        f"{what}: the user wrote after {seconds:.0f}s of it; the terminal goes on. "
        f"Look with read\n{screen}"
    )
