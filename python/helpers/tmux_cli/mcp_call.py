"""One tool call of an MCP client, in a thread of its own."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from .mcp_content import result
from .mcp_message import INTERNAL_ERROR, Json, Request, failure

if TYPE_CHECKING:
    from .mcp import Server

_PROGRESS = 0.5  # seconds between two notifications
_LINE = 200  # characters of the screen in one


class ToolCall(threading.Thread):
    """`previous`: the call that must have ended before this one begins. `stop` ends this one;
    nothing is written about a call that the server no longer lists."""

    def __init__(self, server: Server, request: Request, name: str, arguments: Json):
        super().__init__(name=f"mcp {name}", daemon=True)
        self.stop = threading.Event()
        self.request = request
        self.previous: ToolCall | None = None
        self._server = server
        self._arguments = {**arguments, "action": name}
        meta = request.params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        self._token = token if isinstance(token, str | int) else None
        self._began = self._shown = time.monotonic()

    def run(self) -> None:
        if self.previous:
            self.previous.join()
            self.previous = None
        if self.stop.is_set():
            return
        from ..tmux.actions import Call, Stopped  # half of the start's time, were it above

        try:
            call = Call(stop=self.stop, on_look=self._looked, settings=self._server.settings)
            response = self.request.response(result(call.answer(self._arguments)))
        except Stopped:
            return
        except Exception as problem:
            message = f"{type(problem).__name__}: {problem}"
            response = failure(self.request.id, INTERNAL_ERROR, message)
        if self._server.forget(self.request.id, self):
            self.request.reply(response)

    def _looked(self, screen: str, what: str, seconds: float) -> None:
        now = time.monotonic()
        if self._token is None or now - self._shown < _PROGRESS:
            return
        self._shown = now
        line = screen.rstrip().rpartition("\n")[2][:_LINE]
        params = {
            "progressToken": self._token,
            "progress": round(now - self._began, 2),
            "message": f"{what.strip()}: still running after {seconds:.0f}s: {line}",
        }
        notification = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
        self._server.write(notification, self)
