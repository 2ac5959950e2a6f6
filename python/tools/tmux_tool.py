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

_POLL = 0.1      # seconds between two looks at what the user wants: their message gets through in 0.2 s
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

        def work() -> None:
            try:
                text = Call(stop, lambda *look: seen.__setitem__("look", look)).perform(kwargs)
            except Stopped:
                return
            except Exception as problem:  # a fault of ours: the host counts two raised errors in a row as the end
                text = f"error: {type(problem).__name__}: {problem}; this is a fault of the tool, try another way"
            try:
                loop.call_soon_threadsafe(answer, text)
            except RuntimeError:
                pass  # the loop has gone, and whoever asked with it

        threading.Thread(target=work, name="tmux_tool", daemon=True).start()
        shown = time.monotonic()
        try:
            while not done.done():
                await asyncio.wait([done], timeout=_POLL)
                if "look" in seen and not done.done() and time.monotonic() - shown > _PROGRESS:
                    shown = time.monotonic()
                    await self._show(*seen.pop("look"))
                await self.agent.handle_intervention()  # raises the host's own signal: it must pass
        finally:
            stop.set()
        return Response(message=done.result(), break_loop=False)

    async def _show(self, screen: str, what: str, seconds: float) -> None:
        """The screen as it is, in the chat, while the wait goes on."""
        progress = self.set_progress(screen)
        if inspect.isawaitable(progress):  # from v0.9.9 on
            await progress
        log = getattr(self, "log", None)
        if log:
            log.update(heading=f"icon://terminal {what}: waiting for {seconds:.0f}s", content=screen)
