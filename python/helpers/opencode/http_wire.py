"""A wire over HTTP on loopback, with events as a stream."""

import base64
import json
import socket
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, ClassVar

from .reply import OpenCodeStartFailed, OpenCodeTimedOut, OpenCodeTurnFailed
from .wire import MOST_QUOTED, Facts, News, Wire

REQUEST_LIMIT = 6.0  # seconds for a request, which takes milliseconds: progress is due every 8
BEGIN_LIMIT = 60.0  # seconds for a conversation to begin: OpenCode may load everything then
NEWEST = 30  # messages: enough, except for very long turns
HOST = "127.0.0.1"
BROKEN = (OSError, ValueError, HTTPException)  # how a request can fail


class HttpWire(Wire):
    HEALTH: ClassVar[str]  # paths
    EVENTS: ClassVar[str]

    @classmethod
    def serve(cls) -> list[str]:
        with socket.create_server((HOST, 0)) as trial:
            return ["serve", "--port", str(trial.getsockname()[1]), "--hostname", HOST]

    @abstractmethod
    def news_of(self, event: Facts) -> News | None: ...

    def must_be_up(self) -> None:
        self.call(self.HEALTH)
        with suppress(OpenCodeTurnFailed):
            replace(self, password="").call(self.HEALTH)
            raise OpenCodeStartFailed("OpenCode's API is open to every user of this machine")

    def call(
        self, path: str, body: Facts | None = None, limit: float = REQUEST_LIMIT, method: str = ""
    ) -> Any:
        """The decoded answer to a GET, or to a POST of `body`; None if it is empty."""
        while True:
            try:
                with self.request(path, body, limit, method) as answer:
                    said = answer.read()
                if answer.status >= 400:
                    reason = f"OpenCode answers {answer.status}: {said.decode()[:MOST_QUOTED]}"
                    raise OpenCodeTurnFailed(reason, "see status; reset() begins a new one")
                return json.loads(said or "null")
            except BROKEN as problem:
                self.must_live()
                if body is not None or method or not self.patience.left:
                    reason = f"OpenCode's server did not answer: {problem}"
                    raise OpenCodeTimedOut(reason, "The machine may be busy: try again") from None
            self.patience.pause("waits for OpenCode's server")

    def request(
        self, path: str, body: Facts | None = None, limit: float | None = None, method: str = ""
    ) -> HTTPResponse:
        """Raises one of BROKEN."""
        token = base64.b64encode(f"opencode:{self.password}".encode()).decode()
        headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}
        if path == self.EVENTS:
            headers["Accept"] = "text/event-stream"
        data = None if body is None else json.dumps(body)
        connection = HTTPConnection(self.address.removeprefix("http://"), timeout=limit)
        method = method or ("GET" if data is None else "POST")
        connection.request(method, path, data, {**headers, "Connection": "close"})
        return connection.getresponse()

    def news(self) -> Iterator[News]:
        with suppress(*BROKEN), self.request(self.EVENTS) as answer:
            for line in answer:
                if line.startswith(b"data:") and (news := self.news_of(json.loads(line[5:]))):
                    yield news
