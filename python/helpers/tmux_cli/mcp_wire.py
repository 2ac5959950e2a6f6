"""JSON-RPC 2.0 as MCP uses it on two pipes: one message per line, no batches."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Id = str | int | None  # None: of a notification, or of a message that cannot be read

PARSE_ERROR, INTERNAL_ERROR = -32700, -32603
INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32600, -32601, -32602

# Bytes of a line: more than any argument that tmux takes. A longer one is read in parts, which are
# not JSON.
_LONGEST_LINE = 4 * 1024 * 1024


class Refused(Exception):
    """A request is answered with a JSON-RPC error: its code, its message, perhaps its data."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request or, without an id, a notification. `meta`: the protocol's own part of `params`."""

    id: Id
    method: str
    params: Json
    meta: Json


class Wire:
    """One connection. `over` is set when either of its descriptors has ended."""

    def __init__(self, source: int, sink: int):
        self.over = threading.Event()
        self._source, self._sink = source, sink
        self._writing = threading.Lock()

    def requests(self) -> Iterator[Request]:
        """The requests. A message that cannot be parsed is answered here; empty lines and responses
        are skipped: this server sends no requests."""
        with suppress(OSError), open(self._source, "rb") as source:
            while line := source.readline(_LONGEST_LINE + 1):
                try:
                    if line.endswith(b"\n") or len(line) > _LONGEST_LINE:  # else its end is missing
                        yield from _requests(line)
                except Refused as problem:
                    self.write(failure(problem, None))
        self.over.set()

    def write(self, message: Json) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        with self._writing:
            try:
                while line:
                    line = line[os.write(self._sink, line) :]
            except OSError:
                self.over.set()


def failure(problem: Exception, id: Id) -> Json:
    """The message that answers the request `id` with an error."""
    facts = problem.args if isinstance(problem, Refused) else (INTERNAL_ERROR, repr(problem))
    return {"id": id, "error": dict(zip(("code", "message", "data"), facts, strict=False))}


def _requests(line: bytes) -> Iterator[Request]:
    """The request in `line`, or none. Raises Refused."""
    if not line.strip():
        return

    try:
        message = json.loads(line.decode())
    except (ValueError, RecursionError) as problem:
        raise Refused(PARSE_ERROR, f"not JSON in UTF-8: {problem}") from None

    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Refused(INVALID_REQUEST, 'a message is an object with "jsonrpc": "2.0"')

    if "result" in message or "error" in message:
        return

    id, method, params = message.get("id"), message.get("method"), message.get("params")
    if not isinstance(method, str) or "id" in message and type(id) not in (str, int):
        raise Refused(INVALID_REQUEST, "a request has a method, and a string or integer as its id")
    params = _object(params)
    yield Request(id=id, method=method, params=params, meta=_object(params.get("_meta")))


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
