"""The live view's door in the host, which checks login, CSRF token and origin of every event."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from urllib.parse import urlsplit

from agent import AgentContext  # type: ignore[import-not-found]
from helpers import login, plugins  # type: ignore[import-not-found]
from helpers.ws import WsHandler  # type: ignore[import-not-found]

from .....tools.tmux_tool import work_directory
from ....tmux_view.served.feed import answer

NAME = "tmux_tool"
_THREADS = ThreadPoolExecutor(100, "tmux view")  # the loop has few of its own; looks wait long


def _is_known(host: str, names: list[str]) -> bool:
    """Whether no other site can be meant: it may let its own name lead to this machine, and its
    page would then be one of ours."""
    name = urlsplit(f"//{host}").hostname or ""
    try:
        return bool(ip_address(name))
    except ValueError:
        return name in ("localhost", *names)


class WsView(WsHandler):
    """Answers a page's `tmux_look` and `tmux_type`. All share one loop: nothing may block it."""

    async def process(self, event: str, data: dict, sid: str) -> dict | None:
        """The answer, for JSON; None for an event that is not ours."""
        # The host hides a plugin that is switched off, but still runs its handlers.
        if NAME not in plugins.get_enabled_plugins(None):
            return {"refused": "the plugin is switched off or removed"}

        config = plugins.get_plugin_config(NAME) or {}
        host = self.socketio.get_environ(sid, self.namespace).get("HTTP_HOST", "")
        names = str(config.get("names") or "").replace(",", " ").split()
        if not (login.is_login_required() or _is_known(host, names)):
            why = "may lead here from another site: set a login, or add the name to the settings"
            return {"refused": f"{host} {why}"}

        if data.get("start") and not config.get("directory"):
            # Where the agent of the open chat works, whoever starts the session.
            config = {**config, "directory": work_directory(AgentContext.get(data.get("chat")))}

        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(_THREADS, answer, config, event, data)
