"""JSON-RPC 2.0 as MCP uses it on two pipes: one message per line, no batches."""

import json
import os
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

Json = dict[str, Any]
Id = str | int | None  # None: of a notification, or of a message that cannot be read

PARSE_ERROR, INTERNAL_ERROR = -32700, -32603
INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32600, -32601, -32602

_LONGEST_LINE = 4 * 1024 * 1024  # bytes: more than any argument that tmux takes
_MARGIN = 500  # bytes at its beginning and end in which the id of a longer one is looked for
# There it is the message's own, whatever stands in between.
_ID = re.compile(
    rb'\A\{(?:"jsonrpc": ?"2.0", ?)?"id": ?(?P<id>\d{1,18}|"[^"\\]{1,99}"),'
    rb'|"id": ?(?P<last>\d{1,18}|"[^"\\]{1,99}")\}\s*\Z'
)


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
        are skipped: this server waits for none."""
        with suppress(OSError), open(self._source, "rb") as source:
            while line := source.readline(_LONGEST_LINE):
                try:
                    if line.endswith(b"\n"):
                        yield from _requests(line)
                    elif len(line) == _LONGEST_LINE:  # else its end is missing
                        self._refuse_rest(source, line)
                except Refused as problem:
                    self.write(failure(problem, None))

        self.over.set()

    def _refuse_rest(self, source: BinaryIO, line: bytes) -> None:
        """Answers a line that is too long, with its id where that stands first or last."""
        margins, end = line[:_MARGIN], line
        while line and not line.endswith(b"\n"):
            line = source.readline(_LONGEST_LINE)
            end = end[-_MARGIN:] + line

        id = None
        if found := _ID.search(margins + end[-_MARGIN:]):
            id = json.loads(found["id"] or found["last"])

        fault = f"a line of more than {_LONGEST_LINE} bytes: put long texts into a file"
        self.write(failure(Refused(PARSE_ERROR, fault), id))

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
