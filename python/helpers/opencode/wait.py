"""The wait for one turn: OpenCode's events say when to look, and what it says meanwhile."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from . import turn
from .api import Api, HttpError
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

PAUSE = 0.03  # seconds between two looks at a turn that has just begun or idles,
PAUSE_GROWTH = 1.3
LONGEST_PAUSE = 0.5  # and at one that lasts, where no event comes
STREAMED = ("message.part.delta", "message.part.updated", "server.heartbeat")  # too many to look
MOST_SHOWN = 300  # characters of an answer's end in the text of OpenCodeTimedOut


class _Events:
    """Hears what happens on the server, in a thread. `news` is set when something has; `texts`: what
    came of a part, by its id, as OpenCode shows an unfinished text nowhere else."""

    def __init__(self, api: Api):
        self.news, self.texts = threading.Event(), dict[str, str]()
        self._api, self._closed = api, False
        self._socket: socket.socket | None = None
        threading.Thread(target=self._hear, daemon=True).start()

    def _hear(self) -> None:
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException, AttributeError):
            for event in self._api.events(self._opened):
                self._take(event.get("type"), event.get("properties") or {})

    def _opened(self, connection: http.client.HTTPConnection) -> None:
        self._socket = connection.sock
        if self._closed:
            self.close()

    def _take(self, kind: str, facts: dict) -> None:
        if kind == "message.part.delta" and facts.get("field") == "text":
            id = facts["partID"]
            self.texts[id] = self.texts.get(id, "") + facts["delta"]
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
    """For the turn of `prompt` (its id) in `session`. `must_live()` raises where OpenCode has ended.
    `stopped`: the turn was interrupted."""

    def __init__(
        self,
        api: Api,
        session: str,
        prompt: str,
        must_live: Callable[[], object],
        stopped: bool = False,
    ):
        self._api, self._session, self._prompt = api, session, prompt
        self._stopped, self._must_live = stopped, must_live
        self._status = Status("busy")
        self._idle_since: float | None = None

    def reply(self, deadline: float, report: Progress) -> Reply:
        """The Reply. Raises where the turn needs an answer, has failed, or is not over in time."""
        with contextlib.closing(_Events(self._api)) as events:
            pause = PAUSE
            while not (reply := self._look()):
                report.say(self._status.description)
                left = deadline - time.monotonic()
                if left <= 0:
                    raise self._timed_out(events.texts)
                if self._idle_since or events.news.wait(min(left, pause)):
                    pause = PAUSE
                    time.sleep(min(left, pause))  # events come in swarms
                pause = min(pause * PAUSE_GROWTH, LONGEST_PAUSE)
                events.news.clear()
            return replace(reply, session_id=self._session)

    def _look(self) -> Reply | None:
        try:
            self._status = status = self._api.status(self._session)
            if status == "needs permission":
                raise OpenCodePermissionNeeded(status.request or {})
            if status == "needs answer":
                raise OpenCodeQuestionAsked(status.request or {})
            if status == "idle":
                return self._reply()
        except HttpError as problem:
            if problem.status:
                raise OpenCodeTurnFailed(problem.reason, "its screen may say why") from None
            self._must_live()
            self._status = Status("busy", message=problem.reason)
        self._idle_since = None
        return None

    def _reply(self) -> Reply | None:
        now, messages = time.monotonic(), self._api.since(self._session, self._prompt)
        self._idle_since = self._idle_since or now
        return turn.reply_of(messages, now - self._idle_since, self._stopped)

    def _timed_out(self, live: dict[str, str]) -> OpenCodeTimedOut:
        """The error, with the text that came so far."""
        text = does = ""
        with contextlib.suppress(OpenCodeError):
            messages = self._api.since(self._session, self._prompt)
            text, does = turn.text_so_far(messages, live), turn.running_tool(messages)
        does = f"{self._status.description}{': it runs ' if does else ''}{does}"
        shown = text or "nothing was said so far"
        if len(text) > MOST_SHOWN:
            shown = f"… {text[-MOST_SHOWN:].partition(' ')[2]}"
        so_far = f"the newest of {len(text):,} characters so far: {shown}" if text else shown
        return OpenCodeTimedOut(
            f"the turn is not over ({does}); {so_far}",
            "It goes on: wait() again, or interrupt()",
            text=text,
            status=self._status,
            session_id=self._session,
        )
