"""The exact channel: a running OpenCode's HTTP API on loopback. Standard library only, no proxy, no redirect.

A GET tells what is; the event stream is only a doorbell that says when to look, so that a missed or unknown event costs
a second and never an answer.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import math
import os
import select
import socket
import time
from typing import Any

from .opencode_reply import OpenCodeError

CALL_LIMIT = (
    10.0  # seconds for one request: they take milliseconds, and a stopped process must not hold us
)
RINGS = (
    "session.status",
    "session.idle",
    "session.error",
    "permission.",
    "question.",
)  # events worth a look


class HttpError(OpenCodeError):
    """A request was answered with an error (`status` is its number), or not at all (`status` 0)."""

    status = 0


class Api:
    """Requests to 127.0.0.1:`port` with `password`; a connection for each, which costs a millisecond and holds nothing."""

    def __init__(self, port: int, password: str):
        self.port = port
        token = base64.b64encode(f"opencode:{password}".encode()).decode()
        self.headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}
        self.deadline = (
            math.inf
        )  # time.monotonic() after which the caller would rather have an error
        self._bell: socket.socket | None = None
        self._rest = b""
        self.error = (
            ""  # the newest session.error heard: a turn that never began leaves no other trace
        )
        self.growing: dict[
            str, str
        ] = {}  # text parts heard from the first word on; a GET has them only when whole

    def call(self, method: str, path: str, body: Any = None, limit: float = CALL_LIMIT) -> Any:
        """The decoded answer, or None where it is empty. Raises HttpError after at most `limit` seconds."""
        limit = max(0.2, min(limit, self.deadline - time.monotonic()))
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=limit)
        try:
            connection.request(
                method, path, None if body is None else json.dumps(body).encode(), self.headers
            )
            answer = connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException) as problem:
            raise HttpError(
                f"OpenCode's API did not answer: {problem or type(problem).__name__}"
            ) from None
        finally:
            connection.close()
        if answer.status >= 400:
            raise HttpError(
                f"OpenCode's API said {answer.status}: {_message(data)}", status=answer.status
            )
        try:
            return json.loads(data) if data else None
        except ValueError:  # a path it does not know is answered with its web page
            raise HttpError(f"OpenCode's API does not know {method} {path}", status=404) from None

    def secured(self) -> bool | None:
        """Whether it wants our password and takes it; None while it does not answer."""
        try:
            return all(
                _health(api) == word for api, word in ((Api(self.port, ""), 401), (self, 200))
            )
        except ConnectionError:
            return None

    def get(self, path: str, limit: float = CALL_LIMIT) -> Any:
        return self.call("GET", path, limit=limit)

    def post(self, path: str, **body: Any) -> Any:
        return self.call("POST", path, body)

    def ring(self, seconds: float) -> None:
        """Returns when something worth a look happened, or after `seconds`."""
        deadline = time.monotonic() + seconds
        try:
            if self._bell is None:
                self._bell = self._listen()
                return  # what happened before we listened is found by looking
            while (left := deadline - time.monotonic()) > 0 and select.select(
                [self._bell], [], [], left
            )[0]:
                data = self._bell.recv(65536)
                if not data:
                    break
                *lines, self._rest = (self._rest + data).split(b"\n")
                if any(
                    [
                        self._heard(json.loads(line[6:]))
                        for line in lines
                        if line.startswith(b"data: ")
                    ]
                ):
                    return
        except (OSError, ValueError):
            self.hush()
        time.sleep(min(0.2, max(0.0, deadline - time.monotonic())))

    def _heard(self, event: dict[str, Any]) -> bool:
        kind, facts = event.get("type", ""), event.get("properties") or {}
        part = facts.get("part") or {}
        error = facts.get("error") or {}
        if (
            kind == "session.error" and error.get("name") != "MessageAbortedError"
        ):  # that one is in its message, and comes late
            self.error = str((error.get("data") or {}).get("message") or "")[:500] or self.error
        elif kind == "message.part.updated" and part.get("type") == "text" and not part.get("text"):
            self.growing[part["id"]] = ""
        elif (
            kind == "message.part.delta"
            and facts.get("field") == "text"
            and facts.get("partID") in self.growing
        ):
            self.growing[facts["partID"]] += facts["delta"]
        return kind.startswith(RINGS)

    def _listen(self) -> socket.socket:
        bell = socket.create_connection(("127.0.0.1", self.port), timeout=CALL_LIMIT)
        head = "".join(f"{key}: {value}\r\n" for key, value in self.headers.items())
        bell.sendall(f"GET /event HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}\r\n".encode())
        return bell

    def hush(self) -> None:
        """Stops listening."""
        if self._bell is not None:
            self._bell.close()
        self._bell, self._rest = None, b""
        self.growing.clear()


def _health(api: Api) -> int:
    try:
        return 200 if api.get("/global/health", 2.0)["healthy"] else 503
    except HttpError as problem:
        if problem.status:
            return problem.status
        raise ConnectionError from None


def _message(data: bytes) -> str:
    try:
        found = json.loads(data)
        return str((found.get("data") or found).get("message") or found)[:500]
    except (ValueError, AttributeError):
        return data.decode("utf-8", "replace")[:200]


def listener(port: int, group: int) -> bool | None:
    """Whether what listens on loopback `port` belongs to process group `group`, so that no stranger gets the password.
    None: nothing listens. Without /proc it cannot be told and counts as ours; `secured` is then the only test."""
    try:
        with open("/proc/net/tcp") as table:
            rows = [line.split() for line in table.read().splitlines()[1:]]
        inodes = {
            f"socket:[{row[9]}]"
            for row in rows
            if row[3] == "0A" and row[1].endswith(f":{port:04X}")
        }
        if not inodes:
            return None
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.getpgid(int(pid)) == group:
                    for fd in os.scandir(f"/proc/{pid}/fd"):
                        with contextlib.suppress(OSError):
                            if os.readlink(fd.path) in inodes:
                                return True
        return False
    except OSError:
        return True
