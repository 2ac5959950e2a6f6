"""An MCP server on stdin and stdout: each action is a tool. Standard library only.

Two kinds of clients are served, even on one connection: those that begin with `initialize`, and
those of 2026-07-28 and later, which name their version in `_meta` of every request. The thread that
reads answers everything except tool calls, each of which has a thread of its own.
(modelcontextprotocol.io/specification)
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress

from . import mcp_content as content
from . import mcp_page as page
from .mcp_wire import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Id,
    Json,
    Refused,
    Request,
    Wire,
    failure,
)

WITH_HANDSHAKE = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
WITHOUT_HANDSHAKE = ["2026-07-28"]
_UNSUPPORTED_VERSION = -32022
_RESERVED = "io.modelcontextprotocol/"  # the prefix of the protocol's own keys in `_meta`
_STAMP = {
    "resultType": "complete",
    "_meta": {_RESERVED + "serverInfo": content.SERVER},
    "ttlMs": 0,
    "cacheScope": "private",
}
_MOST_THREADS = 66  # at once: of calls, cancelled ones too until they have ended, and two more
_IN_TURN = ("run", "send", "keys")  # on one pane they are carried out in the order they came
_END = 5.0  # seconds for calls to stop: one call of tmux takes 3 at most, a pattern's search 2
_NOTIFY_EVERY = 0.5  # seconds between two notifications of a call
_OFFER = "elicitation/create"
_LINE = 200  # characters of the screen in a notification


def serve(look: bool = False) -> int:
    """Serves until stdin or stdout ends; returns the exit status. `look`: what types is left out.

    The protocol uses copies of both; descriptors 0 and 1 are redirected to /dev/null, so that
    nothing else, no child either, reads or writes there.
    """
    try:
        wire = Wire(os.dup(0), os.dup(1))
    except OSError:
        return 1  # closed: there is no client

    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)

    if os.environ.get("SSH_AUTH_SOCK") == "$SSH_AUTH_SOCK":  # of a client that has none
        del os.environ["SSH_AUTH_SOCK"]

    server = Server(wire, look)
    with suppress(KeyboardInterrupt):
        # In a thread: a write may find the sink closed while the read still waits.
        threading.Thread(target=server.serve, daemon=True).start()
        from ..tmux import actions  # noqa: F401  # an update may remove our folder before a call

        wire.over.wait()

    server.stop()
    return 0


class Server:
    """One connection. `calls` are the tool calls in progress, by the id of their request; `look`:
    nothing is typed."""

    def __init__(self, wire: Wire, look: bool):
        self.wire, self.look = wire, look
        self.opens_addresses = False  # the client, by its `initialize`
        self.calls: dict[Id, ToolCall] = {}
        self._last: dict[str, ToolCall] = {}  # by pane: the last call that types
        self._telling = threading.Lock()

    def serve(self) -> None:
        for request in self.wire.requests():
            if request.id is not None:
                try:
                    self._answer(request)
                except Exception as problem:
                    self.wire.write(failure(problem, request.id))
            elif request.method == "notifications/cancelled":
                self._cancel(request.params.get("requestId"))

    def stop(self) -> None:
        """Ends all calls; the programs in the panes go on."""
        calls = dict(self.calls)
        for id in calls:
            self._cancel(id)
        for call in calls.values():
            call.join(_END / len(calls))

    def tell(self, call: ToolCall, message: Json, last: bool = False) -> None:
        """Sends `message`, but nothing about a cancelled call: another may have its id by now."""
        with self._telling:
            if self.calls.get(call.request.id) is call:
                if last:
                    del self.calls[call.request.id]
                self.wire.write(message)

    def _asks_first(self, request: Request, stamp: Json) -> bool:
        """Whether the client is to offer the page before it makes the same call again, which it
        then does with `inputResponses`: so in versions without a handshake."""
        capabilities = request.meta.get(_RESERVED + "clientCapabilities")
        calls_again = page.calls_again(request.meta.get(_RESERVED + "clientInfo"))
        if not page.opens_addresses(capabilities) or not calls_again:
            return False
        if "inputResponses" in request.params:
            return False

        offer = page.offer(request.params["name"], request.params.get("arguments") or {})
        if offer:
            asked = {"page": {"method": _OFFER, "params": offer}}
            result = {**stamp, "resultType": "input_required", "inputRequests": asked}
            self.wire.write({"id": request.id, "result": result})

        return bool(offer)

    def _cancel(self, id: object) -> None:
        with self._telling:
            call = self.calls.pop(id, None) if isinstance(id, str | int) else None
        if call:
            call.stop.set()

    def _answer(self, request: Request) -> None:
        stamp = _stamp(request)
        if request.method == "tools/call":
            self._call(request, stamp)
        else:
            result = {**self._result(request.method, request.params), **stamp}
            self.wire.write({"id": request.id, "result": result})

    def _result(self, method: str, params: Json) -> Json:
        match method:
            case "ping":
                return {}
            case "initialize":
                self.opens_addresses = page.opens_addresses(params.get("capabilities"))
                asked = params.get("protocolVersion")
                agreed = asked if asked in WITH_HANDSHAKE else WITH_HANDSHAKE[-1]
                return {"protocolVersion": agreed, "serverInfo": content.SERVER, **content.about()}
            case "server/discover":
                return {"supportedVersions": WITHOUT_HANDSHAKE, **content.about()}
            case "tools/list":
                return {"tools": content.tools(self.look)}
            case "resources/templates/list":
                return {"resourceTemplates": []}
            case "resources/list":
                return {"resources": content.resources()}
            case "resources/read":
                return {"contents": [content.page(str(params.get("uri")))]}

        raise Refused(METHOD_NOT_FOUND, f"there is no method {method[:80]!r}")

    def _call(self, request: Request, stamp: Json) -> None:
        """Starts a call, which sends its response later."""
        name, arguments = request.params.get("name"), request.params.get("arguments") or {}
        if name not in content.names(self.look) or not isinstance(arguments, dict):
            problem = f"there is no tool {str(name)[:80]!r}, or its arguments are not an object"
            raise Refused(INVALID_PARAMS, problem)

        if self.look and "answers" in arguments:
            raise Refused(INVALID_PARAMS, "this server types nothing (--look), no answers either")

        if stamp and self._asks_first(request, stamp):
            return

        if threading.active_count() >= _MOST_THREADS:
            raise Refused(INVALID_PARAMS, "too many calls are in progress")

        call = ToolCall(self, request, {**arguments, "action": name}, stamp)

        if name in _IN_TURN:
            pane = str(arguments.get("pane"))
            call.previous = self._last.get(pane)
            self._last[pane] = call

        self.calls[request.id] = call
        call.start()


class ToolCall(threading.Thread):
    """`stop` ends it; `stamp`: fields of its result besides the answer."""

    previous: ToolCall | None = None  # it must end before this one begins
    shown = 0.0  # seconds of the wait at the last notification

    def __init__(self, server: Server, request: Request, arguments: Json, stamp: Json):
        super().__init__(daemon=True)
        self.server, self.request, self.arguments, self.stamp = server, request, arguments, stamp
        self.stop = threading.Event()

    def run(self) -> None:
        if self.previous:
            self.previous.join()
            self.previous = None

        from ..tmux.actions import Call, Stopped  # at the top it would double the start's time

        try:
            if self.stop.is_set():
                raise Stopped

            offered = self._offer()
            answer = Call(stop=self.stop, on_look=self._looked).answer(self.arguments)
            if offered:
                done = {"method": "notifications/elicitation/complete", "params": offered}
                self.server.tell(self, done)

            result = content.result(answer)
            meta = result["_meta"] | self.stamp.get("_meta", {})
            result |= self.stamp | {"_meta": meta}
            message: Json = {"id": self.request.id, "result": result}
        except Exception as problem:  # Stopped: nobody is waiting
            message = failure(problem, self.request.id)

        self.server.tell(self, message, last=True)

    def _offer(self) -> Json | None:
        """Offers the person the page, and waits for no response; returns what names the offer."""
        if self.stamp or not self.server.opens_addresses:
            return None

        offer = page.offer(self.arguments["action"], self.arguments)
        if not offer:
            return None

        named = {"elicitationId": f"page {self.request.id}"}
        asked = {"id": named["elicitationId"], "method": _OFFER, "params": offer | named}
        self.server.tell(self, asked)
        return named

    def _looked(self, screen: str, what: str, seconds: float) -> None:
        token = self.request.meta.get("progressToken")
        if isinstance(token, str | int) and seconds - self.shown > _NOTIFY_EVERY:
            self.shown = seconds
            line = screen.rstrip().rpartition("\n")[2][:_LINE]
            message = f"{what.strip()}: still running after {seconds:.0f}s: {line}"
            params = {"progressToken": token, "progress": seconds, "message": message}
            self.server.tell(self, {"method": "notifications/progress", "params": params})


def _stamp(request: Request) -> Json:
    """Fields of a result besides the answer, in a version without a handshake. Raises Refused."""
    version = request.meta.get(_RESERVED + "protocolVersion")
    if version is None:
        return {}

    if version not in WITHOUT_HANDSHAKE:
        data = {"supported": WITHOUT_HANDSHAKE, "requested": version}
        raise Refused(_UNSUPPORTED_VERSION, "Unsupported protocol version", data)

    return _STAMP
