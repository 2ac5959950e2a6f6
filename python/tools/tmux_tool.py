"""The agent's door: tool_args in, Response out. The work is done in helpers/tmux; this file handles
what only the host knows: secrets, the active project, settings, the user's messages, the chat.

The host executes this file, or a stub that imports it, anew on every call, so it keeps no state:
what one call leaves for the next is on the pane, in tmux.

All chats share the host's event loop, so each call works in a thread of its own (the loop's default
pool is small and would fill up with waiting calls). The engine is loaded there too, at its first
call.
"""

import asyncio
import dataclasses
import importlib
import inspect
import os
import re
import textwrap
import threading
import time
from concurrent.futures import Future
from typing import Any

try:  # Agent Zero up to v0.9.8.x
    from python.helpers.tool import Response, Tool

    from python.helpers import projects, secrets, settings  # type: ignore[attr-defined]

    plugins = None
except ImportError:  # v0.9.9 and later
    from helpers import (  # type: ignore[import-not-found,no-redef]
        plugins,
        projects,
        secrets,
        settings,
    )
    from helpers.tool import Response, Tool  # type: ignore[import-not-found,no-redef]

_PACKAGE = __package__ or "python.tools"  # the host may execute this file itself, without one

# Seconds, then characters and rows.
_POLL = 0.1  # seconds between two checks whether the user has written
_SHOW = 0.5  # seconds between two updates of the chat
_MOST_SHOWN = 16_000  # characters of the screen in the chat while a call waits
_ASKED = 3  # rows of the screen while the person is waited for
_LONGEST_SUBJECT = 50  # characters of a command in a heading, of which the chat shows 100
_SUBJECTS = ("text", "keys", "name")  # arguments of which the first is shown
_PAGE = "the person sees it and can type there in the page: button Terminal"


def work_directory(context: Any) -> str | None:
    """The active project's of a chat, else the host's, in which its code execution works too."""
    path = settings.get_settings().get("workdir_path")
    if context and (project := projects.get_context_project_name(context)):
        path = projects.get_project_folder(project)
    if path and os.path.isdir(path):
        return path
    return None


class TmuxTool(Tool):
    """One call by the agent to the terminal that it shares with a person.

    While the call waits in its thread, the host's loop shows the screen in the chat and asks
    whether the user has written. If so, the host ends this coroutine by a signal of its own, and
    the call ends at its next poll, with whatever it has typed; the program in the terminal goes on.
    Secrets are revealed on the way in, and masked in all that leaves: text, headings, progress.
    """

    async def execute(self, **kwargs) -> Response:
        """The answer to a call with these `tool_args`. Raises what the host raises to end it."""
        kwargs["action"] = kwargs.get("action") or self.method  # the model may write tmux_tool:read
        if kwargs.get("method") == kwargs["action"]:  # hosts from v2 on add the one to the other
            kwargs.pop("method", None)
        self.secrets = secrets.get_secrets_manager(self.agent.context)
        self.stop = threading.Event()
        self.screen = ""  # as the call last saw it; masked, like everything that is shown
        what = self._described(kwargs)
        goal = self._goal(kwargs)
        self.agent.context.log.set_progress(f"{what} - {goal}")
        call = self._begun(self._revealed(kwargs))
        text = ""
        end = "stopped by the user"
        began = time.monotonic()
        seconds = shown = 0.0
        try:
            while not text:
                await asyncio.wait([call], timeout=_POLL)
                seconds = time.monotonic() - began
                if call.done():
                    text = call.result()
                # If the user writes, the model sees only what was last set here of this call.
                left = f"{what}: the user wrote after {seconds:.0f}s; the program in it goes on. "
                await self._progress(text or f"{left}Look with read\n{self.screen}")
                if self.screen and not text and seconds - shown > _SHOW:
                    shown = seconds
                    self._show(f"{what} - {goal}, {seconds:.0f}s", self.screen)
                await self.agent.handle_intervention()
        except Exception:  # the host's own signal, which must pass
            end = "the user wrote"
            raise
        finally:
            self.stop.set()
            verdict = re.sub(r" after [\d.]+s", "", text.partition("\n")[0], count=1)
            ended = verdict or f"{end} after {seconds:.0f}s; it goes on"
            # An answer's text, or the screen as it was seen last.
            self._show(f"{what} -> {ended}", text or self.screen, active=bool(text))
        return Response(message=text, break_loop=False)

    def _begun(self, arguments: dict) -> asyncio.Future:
        """Begins the call in its thread; a future of its answer."""
        call = Future[str]()

        def work() -> None:
            """The call, in its thread; what it raises becomes an answer."""
            try:
                result = self._answer(arguments)
            except Exception as problem:  # the host ends the chat after two raised errors in a row
                fault = f"error: {type(problem).__name__}"  # its message may contain a secret
                result = f"{fault}; this is a fault of the tool, try another way"
            call.set_result(result)

        threading.Thread(target=work, name="tmux_tool", daemon=True).start()
        return asyncio.wrap_future(call)

    def _answer(self, arguments: dict) -> str:
        """The text of the answer, with the host's secrets masked.

        Runs in the call's thread.
        """
        # Not at the top: the first import takes tenths of a second.
        actions = importlib.import_module("..helpers.tmux.actions", _PACKAGE)
        mask = self.secrets.mask_values
        command = str(arguments.get("text") or "\n").splitlines()[0]

        def looked(screen: str, what: str, seconds: float) -> None:
            """Keeps what the chat is to show while the call waits."""
            begin = max(screen.rfind(command or screen), 0)  # what stands above is older
            if arguments.get("person"):  # the question, not the old screen above it
                screen = "\n".join(screen.rstrip().splitlines()[-_ASKED:])
                begin = 0
            self.screen = mask(screen[begin:])[-_MOST_SHOWN:]

        try:
            values = self._settings(actions.Settings)
        except Exception as problem:
            fault = f"error: the configuration cannot be used: {problem}"
            return f"{fault}; `tmux-tool doctor` says what to do; nothing was typed"
        answer = actions.Call(self.stop, looked, values).answer(arguments)
        is_new = " attach -t " in str(answer.notes)  # the session
        if values.view == "type" and (is_new or answer.word == "needs password"):
            answer.notes.append(_PAGE)
        return mask(answer.text)

    # what the host knows

    def _revealed(self, arguments: dict) -> dict:
        """The host replaces placeholders of secrets, but not those in `answers`."""
        reveal = self.secrets.replace_placeholders
        if isinstance(answers := arguments.get("answers"), dict):
            texts = {key: text for key, text in answers.items() if isinstance(text, str)}
            revealed = {key: reveal(text) for key, text in texts.items()}
            arguments["answers"] = answers | revealed
        return arguments

    def _settings(self, kind: Any) -> Any:
        """From the plugin's configuration if there is one, else from the environment, and then
        there is no page.

        Raises BadValue.
        """
        own = plugins and plugins.get_plugin_config("tmux_tool", agent=self.agent)
        values = kind.load(own)
        directory = values.directory or work_directory(self.agent.context)
        return dataclasses.replace(values, directory=directory, view=own and values.view)

    # what the chat and the model read

    async def _progress(self, text: str) -> None:
        """Sets what the model sees if the call is cut off now.

        The host keeps no other trace of a tool that did not return.
        """
        setting = self.set_progress(text)
        if inspect.isawaitable(setting):  # from v0.9.9 on
            await setting

    def _show(self, heading: str, content: str, active: bool = True) -> None:
        """Shows in the chat the screen while the call waits, and how it ended."""
        # The type is one that is drawn in a fixed-width font; from v0.9.9 on the plugin does that.
        self.log.update(
            type=None if plugins else "code_exe",
            heading=f"icon://terminal {heading}",
            content=content,
        )
        # The chat's input shows this text as it is, without icons.
        self.agent.context.log.set_progress(heading, active=active)

    def _goal(self, arguments: dict) -> str:
        """`waiting for you`, `waiting for [Ll]istening`, `waiting`."""
        awaited = arguments.get("until")
        if arguments.get("person") and not awaited:
            awaited = "you"
        goal = f"waiting for {awaited or ''}".removesuffix(" for ")
        return self.secrets.mask_values(goal, 1)

    def _described(self, arguments: dict) -> str:
        """`run: make test`, `keys server: C-c`, `list`. Short secrets are masked here too."""
        head = f"{arguments['action']} {arguments.get('pane') or ''}".rstrip()
        subjects = [arguments[name] for name in _SUBJECTS if arguments.get(name)]
        # A list without any has an empty subject.
        words = [*subjects, ""][0]
        if not isinstance(words, list):
            words = [words]
        masked = self.secrets.mask_values(" ".join(map(str, words)), 1)
        subject = textwrap.shorten(masked, _LONGEST_SUBJECT, placeholder="…")
        return f"{head}: {subject}".removesuffix(": ")
