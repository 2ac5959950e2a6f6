"""The live view's door in the host, which checks login, CSRF token and origin at every event."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from helpers import plugins  # type: ignore[import-not-found]
from helpers.ws import WsHandler  # type: ignore[import-not-found]

from ....tmux.settings import BadSetting, Settings
from ....tmux_view.served.request import Answer, answer

NAME = "tmux_tool"


class WsView(WsHandler):
    """What a page asks by `tmux_look` and `tmux_type`. They share a loop: never block it."""

    async def process(self, event: str, data: dict, sid: str) -> Answer | None:
        """The answer, as JSON knows it; None for an event that is not ours."""
        # The host hides a plugin that is switched off, and goes on to run its handlers.
        if NAME not in plugins.get_enabled_plugins(None):
            return {"refused": "the plugin is switched off or removed"}
        try:
            settings = Settings.load(plugins.get_plugin_config(NAME))
        except BadSetting as problem:
            return {"refused": str(problem)}
        return await asyncio.wrap_future(_in_thread(answer, settings, event, data))


def _in_thread(function: Callable, *arguments: Any) -> Future:
    """In one of its own: the loop's default pool is small, and looks wait long."""
    future: Future = Future()
    future.set_running_or_notify_cancel()  # nobody cancels it

    def work() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as problem:
            future.set_exception(problem)

    threading.Thread(target=work, name="tmux view", daemon=True).start()
    return future
