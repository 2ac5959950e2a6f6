"""The live view's door in the host, which checks login, CSRF token and origin at every event."""

import asyncio
from concurrent.futures import Future

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
            return {"refused": "the plugin is switched off"}
        try:
            settings = Settings.load(plugins.get_plugin_config(NAME))
        except BadSetting as problem:
            return {"refused": str(problem)}
        reply = answer(settings, event, data)
        return await asyncio.wrap_future(reply) if isinstance(reply, Future) else reply
