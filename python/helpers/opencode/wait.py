"""The wait for one turn: OpenCode's events say when to look at it."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from . import turn
from .api import Api, Facts, HttpError
from .reply import (
    OpenCodeError,
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Progress,
    Reply,
    Status,
)

PAUSE = 0.03  # seconds after an event: they come in swarms
QUIET_PAUSE = 0.3  # seconds between two looks where no event comes
STREAMED = ("message.part.delta", "message.part.updated", "server.heartbeat")  # no change of turn
MOST_SHOWN = 300  # characters of an answer's end in the text of OpenCodeTimedOut


class _Events:
    """Hears, in a thread, what happens on the server. `news`: something has. `texts`: what came of
    a part, by its id; OpenCode tells of an unfinished one nowhere else."""

    def __init__(self, api: Api):
        self.news, self.texts = threading.Event(), dict[str, str]()
        self._api, self._closed = api, False
        self._socket: socket.socket | None = None
        threading.Thread(target=self._hear, daemon=True).start()

    def _hear(self) -> None:
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
            for event in self._api.events(self._opened):
                self._take(event)

    def _opened(self, connection: http.client.HTTPConnection) -> None:
        self._socket = connection.sock
        if self._closed:
            self.close()

    def _take(self, event: Facts) -> None:
        kind, facts = event.get("type"), event.get("properties") or {}
        if kind == "message.part.delta" and facts.get("field") == "text":
            self.texts[facts["partID"]] = self.texts.get(facts["partID"], "") + facts["delta"]
        elif kind == "message.part.updated" and facts["part"].get("text"):
            self.texts[facts["part"]["id"]] = facts["part"]["text"]
        elif kind not in STREAMED:
            self.news.set()

    def close(self) -> None:
        self._closed = True
        if self._socket:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


class Wait:
    """For the turn of `prompt` (its id) in `session`. `must_live()` raises where OpenCode has
    ended. `stopped`: the turn was interrupted."""

    def __init__(
        self, api: Api, session: str, prompt: str, must_live: Callable[[], object], stopped: bool
    ):
        self._api, self._session, self._prompt = api, session, prompt
        self._must_live, self._stopped = must_live, stopped
        self._status = Status("busy")
        self._idle_since: float | None = None

    def reply(self, deadline: float, report: Progress) -> Reply:
        """The Reply. Raises where the turn needs an answer, has failed, or is not over in time."""
        with contextlib.closing(_Events(self._api)) as events:
            while not (reply := self._look()):
                report.say(self._status.description)
                left = deadline - time.monotonic()
                if left <= 0:
                    raise self._timed_out(events)
                if self._idle_since or events.news.wait(min(left, QUIET_PAUSE)):
                    time.sleep(min(left, PAUSE))
                events.news.clear()
            return replace(reply, session_id=self._session)

    def _look(self) -> Reply | None:
        try:
            self._status = status = self._api.status(self._session)
            if status.request:
                permission = status == "needs permission"
                raise (OpenCodePermissionNeeded if permission else OpenCodeQuestionAsked)(
                    status.request
                )
            if status == "idle":
                messages, now = self._api.since(self._session, self._prompt), time.monotonic()
                self._idle_since = self._idle_since or now
                return turn.reply_of(messages, now - self._idle_since, self._stopped)
        except HttpError as problem:
            if problem.status:
                raise OpenCodeTurnFailed(problem.reason, "its screen may say why") from None
            self._must_live()
            self._status = Status("busy", message=problem.reason)
        self._idle_since = None
        return None

    def _timed_out(self, events: _Events) -> OpenCodeTimedOut:
        """The error, with the text that came so far, the newest of it in words."""
        text = tool = ""
        with contextlib.suppress(OpenCodeError):
            messages = self._api.since(self._session, self._prompt)
            text = turn.text_so_far(messages, events.texts)
            tool = turn.running_tool(messages)
        does = f"{self._status.description}, runs {tool}" if tool else self._status.description
        newest = f"… {text[-MOST_SHOWN:].partition(' ')[2]}" if len(text) > MOST_SHOWN else text
        shown = f"newest of {len(text):,} characters so far: {newest}" if text else "no text yet"
        return OpenCodeTimedOut(
            f"the turn is not over ({does}); {shown}",
            "It goes on: wait() again, or interrupt()",
            text=text,
            status=self._status,
            session_id=self._session,
        )
