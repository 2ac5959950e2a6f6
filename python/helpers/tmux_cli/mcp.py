"""An MCP server on stdin and stdout: each action is a tool. Standard library only.

The protocol is JSON-RPC 2.0, one message per line (modelcontextprotocol.io/specification). Two
kinds of clients are served, on one connection too: those that begin with `initialize`, and those
of 2026-07-28 and later, whose every request names its version in `_meta`. The thread that reads
answers everything itself but the tool calls, which have a thread each.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

from ..tmux.arguments import ACTIONS
from ..tmux.settings import BadSetting, Settings
from . import mcp_content
from . import mcp_message as rpc
from .mcp_call import ToolCall
from .mcp_message import Batch, Id, Json, Refused, Reply, Request, failure

WITH_HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
WITHOUT_HANDSHAKE = ("2026-07-28",)
_HANDSHAKE = ("initialize", "ping")  # methods of these versions alone, good before their end too
_STATELESS = ("server/discover",)  # methods of the other versions alone
_WITH_BATCHES = "2025-03-26"  # came with this version and went with the next

_LONGEST = 4 * 1024 * 1024  # bytes of a line: more than any argument that tmux takes
_CHUNK = 65_536  # bytes: what a pipe holds
_MOST_CALLS = 64  # at once
_IN_TURN = ("run", "send", "keys")  # on one pane they are carried out in the order they came
_END = 5.0  # seconds for calls to stop: one call of tmux takes 3 at most, a pattern's search 2

_RESERVED = "io.modelcontextprotocol/"  # the prefix of the protocol's own keys in `_meta`
_VERSION_KEY = _RESERVED + "protocolVersion"
_CAPABILITIES_KEY = _RESERVED + "clientCapabilities"
_SERVER_KEY = _RESERVED + "serverInfo"


def serve() -> int:
    """Serve until stdin or stdout ends; the exit status.

    The protocol keeps copies of both; descriptors 0 and 1 then lead nowhere, so that nothing
    else, no child either, reads or writes there.
    """
    try:
        source, sink = os.dup(0), os.dup(1)
    except OSError:
        return 1  # closed: there is no client
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    server = Server(sink, _settings())
    with suppress(KeyboardInterrupt):
        server.serve(source)
    server.stop()
    return 0


class Server:
    """One connection. `calls` are the tool calls in progress, by the id of their request."""

    def __init__(self, sink: int, settings: Settings | None = None):
        self.settings = settings
        self.version: str | None = None  # what `initialize` agreed on
        self.calls: dict[Id, ToolCall] = {}
        self._last: dict[str, ToolCall] = {}  # by pane: the last one that types
        self._sink = sink
        self._writing, self._forgetting = threading.Lock(), threading.Lock()
        self._over = threading.Event()
        self._methods: dict[str, Callable[[Request], Json | None]] = {
            "initialize": self._initialize,
            "ping": lambda request: {},
            "server/discover": self._discover,
            "tools/call": self._call,
            "tools/list": lambda request: {"tools": mcp_content.tools(settings)},
            "resources/list": lambda request: {"resources": mcp_content.resources()},
            "resources/templates/list": lambda request: {"resourceTemplates": []},
            "resources/read": self._resource,
        }

    def serve(self, source: int) -> None:
        """Until `source` or the sink ends."""
        # Not in this thread: a write may find the sink closed while the read still waits.
        threading.Thread(target=self._read, args=[source], daemon=True).start()
        self._over.wait()

    def stop(self) -> None:
        """End all calls; what runs in the panes goes on."""
        calls = list(self.calls.values())
        self.calls.clear()
        for call in calls:
            call.stop.set()
        for call in calls:
            call.join(_END / len(calls))

    def forget(self, id: object, call: ToolCall | None = None) -> ToolCall | None:
        """Takes the call with that id off the list, but no other than `call` where that is given:
        a client may use the id of a cancelled call again."""
        with self._forgetting:
            found = self.calls.get(id) if isinstance(id, str | int) else None
            return self.calls.pop(found.request.id) if found and call in (None, found) else None

    def write(self, message: Json | list[Json], call: ToolCall | None = None) -> None:
        """One line; nothing more about a `call` that is no longer in progress."""
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with self._writing:
            if call and self.calls.get(call.request.id) is not call:
                return
            try:
                while line:
                    line = line[os.write(self._sink, line) :]
            except OSError:
                self._over.set()

    # what comes in

    def _read(self, source: int) -> None:
        try:
            for line in lines(source):
                self._take_line(line)
        except OSError:
            pass  # the client's end is gone
        finally:
            self._over.set()

    def _take_line(self, line: bytes | None) -> None:
        if line is None:
            self.write(failure(None, rpc.INVALID_REQUEST, f"a line has at most {_LONGEST} bytes"))
            return
        try:
            message = json.loads(line.decode())
        except (ValueError, RecursionError) as problem:
            self.write(failure(None, rpc.PARSE_ERROR, f"not JSON in UTF-8: {problem}"))
            return
        if isinstance(message, list) and message and self.version == _WITH_BATCHES:
            batch = Batch(self.write, len(message))
            for part in message:
                self._take(part, batch.reply)
        else:
            self._take(message, self._reply)

    def _reply(self, response: Json | None) -> None:
        if response:
            self.write(response)

    def _take(self, message: object, reply: Reply) -> None:
        """`reply` gets the response, at once or later, or None where there is none."""
        request = None
        try:
            request = Request.of(message, reply)
            if request is None:
                reply(None)
            elif request.id is None:
                self._notified(request)
                reply(None)
            else:
                self._answer(request)
        except Refused as problem:
            id = request.id if request else problem.id
            reply(failure(id, problem.code, str(problem), problem.data))
        except Exception as problem:
            id = request.id if request else None
            reply(failure(id, rpc.INTERNAL_ERROR, f"{type(problem).__name__}: {problem}"))

    def _notified(self, request: Request) -> None:
        if request.method == "notifications/cancelled":
            call = self.forget(request.params.get("requestId"))
            if call:
                call.stop.set()
                call.request.reply(None)

    def _answer(self, request: Request) -> None:
        stateless = request.method != "initialize" and _is_stateless(request)
        method = self._methods.get(request.method)
        if method is None or request.method in (_HANDSHAKE if stateless else _STATELESS):
            raise Refused(rpc.METHOD_NOT_FOUND, f"there is no method {request.method[:80]!r}")
        if not stateless and not self.version and request.method not in _HANDSHAKE:
            raise Refused(rpc.INVALID_PARAMS, f"neither initialized nor {_VERSION_KEY} in _meta")
        if stateless:
            caching = (
                {} if request.method == "tools/call" else {"ttlMs": 0, "cacheScope": "private"}
            )
            info = {_SERVER_KEY: mcp_content.SERVER}
            request.stamp = {"resultType": "complete", "_meta": info, **caching}
        result = method(request)
        if result is not None:
            request.reply(request.response(result))

    # the methods

    def _initialize(self, request: Request) -> Json:
        version = request.params.get("protocolVersion")
        if not isinstance(version, str):
            raise Refused(rpc.INVALID_PARAMS, "protocolVersion is missing")
        self.version = version if version in WITH_HANDSHAKE else WITH_HANDSHAKE[-1]
        return {
            "protocolVersion": self.version,
            "serverInfo": mcp_content.SERVER,
            **mcp_content.about(),
        }

    def _discover(self, request: Request) -> Json:
        return {"supportedVersions": list(WITHOUT_HANDSHAKE), **mcp_content.about()}

    def _resource(self, request: Request) -> Json:
        uri = request.params.get("uri")
        if not isinstance(uri, str):
            raise Refused(rpc.INVALID_PARAMS, "uri is missing")
        text = mcp_content.resource(uri)
        if text is None:
            code = rpc.INVALID_PARAMS if request.stamp else rpc.RESOURCE_NOT_FOUND
            raise Refused(code, "there is no such resource", {"uri": uri})
        return {"contents": [{"uri": uri, "mimeType": mcp_content.MARKDOWN, "text": text}]}

    def _call(self, request: Request) -> None:
        """The response comes later."""
        name = request.params.get("name")
        arguments = request.params.get("arguments")
        if not isinstance(name, str) or name not in ACTIONS:
            raise Refused(rpc.INVALID_PARAMS, f"there is no tool {str(name)[:80]!r}")
        if not isinstance(arguments, dict | None):
            raise Refused(rpc.INVALID_PARAMS, "arguments is an object")
        if arguments and "action" in arguments:
            raise Refused(rpc.INVALID_PARAMS, "there is no argument action: it is the tool's name")
        if request.id in self.calls:
            raise Refused(rpc.INVALID_REQUEST, "a request with this id is in progress")
        if len(self.calls) >= _MOST_CALLS:
            raise Refused(rpc.INTERNAL_ERROR, f"{_MOST_CALLS} calls are in progress")
        call = ToolCall(self, request, name, arguments or {})
        if name in _IN_TURN:
            self._queue(call, str((arguments or {}).get("pane")))
        self.calls[request.id] = call
        call.start()

    def _queue(self, call: ToolCall, pane: str) -> None:
        call.previous = self._last.get(pane)
        self._last = {key: last for key, last in self._last.items() if last.is_alive()}
        self._last[pane] = call


def _settings() -> Settings | None:
    """None for settings that cannot be used: each call then says what is wrong with them."""
    try:
        return Settings.load()
    except BadSetting:
        return None


def _is_stateless(request: Request) -> bool:
    """Whether the request is of a version without a handshake. Raises Refused."""
    meta = request.params.get("_meta")
    if not isinstance(meta, dict) or _VERSION_KEY not in meta:
        return False
    version = meta[_VERSION_KEY]
    if not isinstance(version, str) or _CAPABILITIES_KEY not in meta:
        raise Refused(rpc.INVALID_PARAMS, f"_meta needs {_VERSION_KEY} and {_CAPABILITIES_KEY}")
    if version not in WITHOUT_HANDSHAKE:
        data = {"supported": list(WITHOUT_HANDSHAKE), "requested": version}
        raise Refused(rpc.UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    return True


def lines(source: int) -> Iterator[bytes | None]:
    """The lines of a descriptor but blank ones; None for one that is too long to be kept."""
    parts: list[bytes] = []
    size = 0
    while chunk := os.read(source, _CHUNK):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            line = b"".join([*parts, end])
            if size + len(end) > _LONGEST:
                yield None
            elif line.strip():
                yield line
            parts, size = [], 0
        size += len(rest)
        parts = [*parts, rest] if size <= _LONGEST else []
