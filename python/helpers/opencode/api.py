"""A running OpenCode's HTTP API on loopback. Standard library only, no proxy, no redirect."""

from __future__ import annotations

import base64
import http.client
import json
import math
import socket
import time
from typing import Any

from ..tmux import process
from .database import descriptors, members
from .reply import OpenCodeError

CALL_LIMIT = (
    10.0  # seconds for a request; they take milliseconds, but a stopped process no time ends
)
LEAST_LIMIT = 0.2  # seconds that a request gets although the caller's time is up
HEALTH_LIMIT = 2.0  # seconds
MOST_ERROR = 500  # characters of an error's text
LISTENS = "0A"  # state of a socket in /proc/net/tcp


class HttpError(OpenCodeError):
    """A request was answered with an error (`status` is its number), or not at all (`status` 0)."""

    status = 0


class Api:
    """Requests to 127.0.0.1:`port` with `password`; a connection for each, which costs a
    millisecond and holds nothing."""

    def __init__(self, port: int, password: str):
        self.port, self.password = port, password
        token = base64.b64encode(f"opencode:{password}".encode()).decode()
        self.headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}
        self.deadline = math.inf  # time.monotonic() after which the caller rather has an error

    def call(self, method: str, path: str, body: Any = None, limit: float = CALL_LIMIT) -> Any:
        """The decoded answer, or None where it is empty. Raises HttpError after `limit` seconds."""
        limit = max(LEAST_LIMIT, min(limit, self.deadline - time.monotonic()))
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=limit)
        data = None if body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, data, self.headers)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as problem:
            reason = problem or type(problem).__name__
            raise HttpError(f"OpenCode's API did not answer: {reason}") from None
        finally:
            connection.close()
        if answer.status >= 400:
            reason = f"OpenCode's API said {answer.status}: {_message(content)}"
            raise HttpError(reason, status=answer.status)
        try:
            return json.loads(content) if content else None
        except ValueError:  # a path it does not know is answered with its web page
            raise HttpError(f"OpenCode's API does not know {method} {path}", status=404) from None

    def get(self, path: str, limit: float = CALL_LIMIT) -> Any:
        return self.call("GET", path, limit=limit)

    def post(self, path: str, **body: Any) -> Any:
        return self.call("POST", path, body)

    def _health(self) -> int:
        """The status of a request that every version answers; 0: none came."""
        try:
            return 200 if self.get("/global/health", HEALTH_LIMIT)["healthy"] else 503
        except HttpError as problem:
            return problem.status

    def is_secured(self) -> bool | None:
        """Whether it takes our password and asks for it; None while it does not answer."""
        words = (Api(self.port, "")._health(), self._health())
        return None if 0 in words else words == (401, 200)


def _message(data: bytes) -> str:
    try:
        answer = json.loads(data)
        return str((answer.get("data") or answer).get("message") or answer)[:MOST_ERROR]
    except (ValueError, AttributeError):
        return data.decode("utf-8", "replace")[:MOST_ERROR]


def is_own_port(port: int, group: int) -> bool | None:
    """Whether what listens on loopback `port` is process group `group`, so that no stranger gets
    the password. None: nothing listens."""
    table = b""
    while part := process.content("/proc/net/tcp", offset=len(table)):
        table += part
    rows = [line.split() for line in table.decode().splitlines()[1:]]
    sockets = {
        f"socket:[{row[9]}]"
        for row in rows
        if row[3] == LISTENS and row[1].endswith(f":{port:04X}")
    }
    if not sockets:
        return None
    return any(not sockets.isdisjoint(descriptors(pid)) for pid in members(group))
