"""The live view's door in the host, which checks login, CSRF token and origin of every event."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from agent import AgentContext  # type: ignore[import-not-found]
from helpers import plugins  # type: ignore[import-not-found]
from helpers.ws import WsHandler  # type: ignore[import-not-found]

from .....tools.tmux_tool import work_directory
from ....tmux_view.served.feed import answer

NAME = "tmux_tool"
_THREADS = ThreadPoolExecutor(100, "tmux view")  # the loop has few of its own; looks wait long


class WsView(WsHandler):
    """Answers a page's `tmux_look` and `tmux_type`. All share one loop: nothing may block it."""

    async def process(self, event: str, data: dict, sid: str) -> dict | None:
        """The answer, for JSON; None for an event that is not ours."""
        # The host hides a plugin that is switched off, but still runs its handlers.
        if NAME not in plugins.get_enabled_plugins(None):
            return {"refused": "the plugin is switched off or removed"}
        config = plugins.get_plugin_config(NAME) or {}
        if data.get("start") and not config.get("directory"):
            # Where the agent of the open chat works, whoever starts the session.
            config = {**config, "directory": work_directory(AgentContext.get(data.get("chat")))}
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(_THREADS, answer, config, event, data)
