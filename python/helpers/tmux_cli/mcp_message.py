"""JSON-RPC 2.0 as MCP uses it: a request, its response, errors, batches. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

Json = dict[str, Any]
Id = str | int | None  # of a request; None: a notification has none, or it cannot be read
Reply = Callable[[Json | None], None]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002  # until 2025-11-25; from then on INVALID_PARAMS
UNSUPPORTED_VERSION = -32022  # from 2026-07-28 on


class Refused(Exception):
    """What is answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: object = None, id: Id = None):
        super().__init__(message)
        self.code = code
        self.data = data
        self.id = id


@dataclass(kw_only=True)
class Request:
    """A request, or, with no id, a notification. `stamp`: what a result of its version has."""

    id: Id
    method: str
    params: Json
    reply: Reply
    stamp: Json = field(default_factory=dict)

    @classmethod
    def of(cls, message: object, reply: Reply) -> Request | None:
        """None for a response: this server asks nothing. Raises Refused."""
        if not isinstance(message, dict):
            raise Refused(INVALID_REQUEST, "a message is an object")
        id = message.get("id")
        known = id if isinstance(id, str | int) and not isinstance(id, bool) else None
        method = message.get("method")
        if method is None and ("result" in message or "error" in message):
            return None
        if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
            raise Refused(INVALID_REQUEST, 'needs "jsonrpc": "2.0" and a method', id=known)
        if "id" in message and known is None:
            raise Refused(INVALID_REQUEST, "an id is a string or an integer")
        params = message.get("params")
        if not isinstance(params, dict | None):
            if known is None:
                return None
            raise Refused(INVALID_PARAMS, "params is an object", id=known)
        return cls(id=known, method=method, params=params or {}, reply=reply)

    def response(self, result: Json) -> Json:
        return {"jsonrpc": "2.0", "id": self.id, "result": {**result, **self.stamp}}


class Batch:
    """Responses to the messages of one array: one array, when the last has its response."""

    def __init__(self, write: Callable[[list[Json]], None], size: int):
        self._write = write
        self._left = size
        self._responses: list[Json] = []
        self._lock = Lock()

    def reply(self, response: Json | None) -> None:
        with self._lock:
            self._left -= 1
            if response:
                self._responses.append(response)
            complete = self._left == 0
        if complete and self._responses:
            self._write(self._responses)


def failure(id: Id, code: int, message: str, data: object = None) -> Json:
    error: Json = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": id, "error": error}
