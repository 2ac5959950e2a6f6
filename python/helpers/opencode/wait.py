"""The wait for one turn: OpenCode's events say when to look at it."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace

from .api import Api, Facts, HttpError
from .record import Record
from .reply import OpenCodeError, OpenCodeTimedOut, OpenCodeTurnFailed, Patience, Reply, Status
from .turn import reply_of, running_tool, text_so_far

PAUSE = 0.015  # seconds after an event: they come in swarms
QUIET_PAUSE = 0.3  # seconds between two looks where no event comes
STREAMED = ("message.part.delta", "message.part.updated", "server.heartbeat")  # no change of turn
MOST_SHOWN = 300  # characters of an answer's end in the text of OpenCodeTimedOut


class _Events:
    """Hears, in a thread, what happens on the server. `news`: something has. `texts`: what came of
    a part, by its id; OpenCode tells of an unfinished one nowhere else."""

    def __init__(self, api: Api):
        self.news, self.texts = threading.Event(), dict[str, str]()
        connection = api.connection(None)
        with suppress(OSError):  # it ends
            connection.connect()
        self._socket = connection.sock  # the connection itself forgets it
        threading.Thread(target=self._hear, args=[api.events(connection)], daemon=True).start()

    def _hear(self, events: Iterator[Facts]) -> None:
        with suppress(OSError, ValueError, http.client.HTTPException):
            for event in events:
                kind, facts = event.get("type"), event.get("properties") or {}
                if kind == "message.part.delta" and facts.get("field") == "text":
                    id = facts["partID"]
                    self.texts[id] = self.texts.get(id, "") + facts["delta"]
                elif kind == "message.part.updated" and facts["part"].get("text"):
                    self.texts[facts["part"]["id"]] = facts["part"]["text"]
                elif kind not in STREAMED:
                    self.news.set()

    def close(self) -> None:
        with suppress(OSError, AttributeError):  # it has ended; it was never open
            self._socket.shutdown(socket.SHUT_RDWR)


def prepared(api: Api, model: str | None, agent: str | None, patience: Patience) -> Facts:
    """Shows the conversation, and gives the settings of a prompt, once the server answers."""
    while True:
        try:
            api.show()
            return api.settings(model, agent)
        except HttpError as problem:
            if problem.status or not patience.left:
                raise
            patience.say("waits for OpenCode's server")


def wait(api: Api, there: Record, patience: Patience) -> Reply:
    """The Reply to the turn's prompt. Raises where it needs an answer, has failed, or is not over
    in time."""
    idle_since = 0.0
    with closing(_Events(api)) as events:
        while True:
            try:
                status = api.status()
                if status.request:
                    raise status.error
                if status != "idle":
                    idle_since = 0.0
                else:
                    now = time.monotonic()
                    idle_since = idle_since or now
                    messages = api.since(there.prompt)
                    if reply := reply_of(messages, now - idle_since, there.stopped):
                        return replace(reply, session_id=api.session)
                    status = Status("busy")  # about to begin, or to take its next step
            except HttpError as problem:
                if problem.status:
                    raise OpenCodeTurnFailed(problem.reason, "its screen may say why") from None
                status, idle_since = Status("busy", message=problem.reason), 0.0
            patience.say(status.description)
            if not patience.left:
                raise _timed_out(api, there, status, events.texts)
            if events.news.wait(min(patience.left, QUIET_PAUSE)):
                time.sleep(PAUSE)
            events.news.clear()


def _timed_out(api: Api, there: Record, status: Status, live: dict[str, str]) -> OpenCodeTimedOut:
    """The error, with the text that came so far, the newest of it in words."""
    messages: list[Facts] = []
    with suppress(OpenCodeError):
        messages = api.since(there.prompt)
    text, tool = text_so_far(messages, live), running_tool(messages)
    does = f"{status.description}, runs {tool}" if tool else status.description
    newest = f"… {text[-MOST_SHOWN:].partition(' ')[2]}" if len(text) > MOST_SHOWN else text
    shown = f"newest of {len(text):,} characters so far: {newest}" if text else "no text yet"
    reason = f"the turn is not over ({does}); {shown}"
    hint = "It goes on: wait() again, or interrupt()"
    return OpenCodeTimedOut(reason, hint, text=text, status=status, session_id=api.session)
