"""The agent's door: tool_args in, Response out. All the doing is in python/helpers/tmux; here is only what the host needs.

The host executes this file anew on every call, so it keeps no state; and all chats share its event loop, so the work is
done in a thread of the call's own (the loop's default pool is small and would fill up with waiting calls).
"""

import asyncio
import inspect
import threading
import time

try:
    from python.helpers.tool import Response, Tool  # Agent Zero up to v0.9.8.x
except ImportError:
    from helpers.tool import Response, Tool  # type: ignore[import-not-found,no-redef]  # v0.9.9 and later

from python.helpers.tmux.actions import Call, Stopped
from python.helpers.tmux.output import fit

_POLL = 0.1  # seconds between two looks at what the user wants: their message gets through in 0.2 s
_PROGRESS = 0.5  # seconds between two updates of the chat


class TmuxTool(Tool):
    """send, keys, read, wait_ready, run, interrupt and list, in a terminal that a person shares."""

    async def execute(self, **kwargs) -> Response:
        if self.method and not kwargs.get("action"):  # the model wrote tmux_tool:read
            kwargs["action"] = self.method
        loop, stop = asyncio.get_running_loop(), threading.Event()
        seen: dict[str, tuple[str, str, float]] = {}
        done: asyncio.Future[str] = loop.create_future()

        def answer(text: str) -> None:
            if not done.done():
                done.set_result(text)

        def look(screen: str, what: str, seconds: float) -> None:
            seen["look"] = fit(screen), what, seconds

        def work() -> None:
            try:
                text = Call(stop, look).perform(kwargs)
            except Stopped:
                return
            except (
                Exception
            ) as problem:  # a fault of ours: the host counts two raised errors in a row as the end
                text = f"error: {type(problem).__name__}: {problem}; this is a fault of the tool, try another way"
            try:
                loop.call_soon_threadsafe(answer, text)
            except RuntimeError:
                pass  # the loop has gone, and whoever asked with it

        threading.Thread(target=work, name="tmux_tool", daemon=True).start()
        began = shown = time.monotonic()
        try:
            while not done.done():
                await asyncio.wait([done], timeout=_POLL)
                # When the user writes, what was last set here is all the model gets to see of this call.
                screen, what, _ = seen.get("look", ("", f"{kwargs.get('action')}", 0.0))
                seconds = time.monotonic() - began
                await self._progress(
                    done.result()
                    if done.done()
                    else f"{what.strip()}: the user wrote after {seconds:.0f}s of it; the terminal goes on. "
                    f"Look with read\n{screen}"
                )
                if screen and not done.done() and time.monotonic() - shown > _PROGRESS:
                    shown = time.monotonic()
                    self._show(f"{what}: waiting for {_goal(kwargs)}, {seconds:.0f}s", screen)
                await self.agent.handle_intervention()  # raises the host's own signal: it must pass
        finally:
            stop.set()
        self._show(f"{kwargs.get('action')}: {done.result().partition(chr(10))[0]}", done.result())
        return Response(message=done.result(), break_loop=False)

    async def _progress(self, text: str) -> None:
        setting = self.set_progress(text)
        if inspect.isawaitable(setting):  # from v0.9.9 on
            await setting

    def _show(self, heading: str, content: str) -> None:
        """In the chat: the screen as it is while the wait goes on, and how it ended."""
        log = getattr(self, "log", None)
        if log:
            log.update(
                heading=f"icon://terminal {heading}", content=content
            )  # uncut: the host masks whole secrets, then cuts


def _goal(arguments: dict) -> str:
    """What is waited for."""
    for name in ("until", "prompt_pattern", "text"):
        if arguments.get(name) and (name != "text" or arguments.get("action") == "run"):
            return str(arguments[name])
    return "its turn"
