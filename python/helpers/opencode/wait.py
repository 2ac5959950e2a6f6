"""The wait for one turn: OpenCode's events say when to look at it."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections import defaultdict
from contextlib import closing, suppress
from dataclasses import replace

from .api import Api, Facts, HttpError
from .record import Record
from .reply import OpenCodeError, OpenCodeTimedOut, Patience, Reply, Status
from .turn import reply_of, running_tool, text_so_far

LOOK_EVERY = 1.0  # seconds between two looks if no event asks for one
NEWS = ("server.connected", "session.error", "permission.asked", "question.asked")
MOST_SHOWN = 300  # characters of an answer's end in the text of OpenCodeTimedOut


class _Events:
    """Hears, in a thread, what happens on the server. `news`: it is time to look; `idle`: because
    the conversation idles. `texts`: what came of a part, by its id; OpenCode tells of an unfinished
    one nowhere else."""

    def __init__(self, api: Api):
        self.news, self.idle, self.texts = threading.Event(), False, defaultdict[str, str](str)
        connection = api.connection(None)
        with suppress(OSError):  # the server has ended
            connection.connect()
        self._socket = connection.sock  # the connection itself forgets it
        threading.Thread(target=self._hear, args=[api, connection], daemon=True).start()

    def _hear(self, api: Api, connection: http.client.HTTPConnection) -> None:
        with suppress(OSError, ValueError, http.client.HTTPException):
            for event in api.events(connection):
                match event.get("type"), event.get("properties"):
                    case "message.part.delta", {"partID": id, "field": "text", "delta": more}:
                        self.texts[id] += more
                    case "message.part.updated", {"part": {"id": id, "text": str(text)}}:
                        self.texts[id] = text
                    case "session.idle", {"sessionID": api.session}:
                        self.idle = True
                        self.news.set()
                    case kind, _ if kind in NEWS:
                        self.news.set()
        self.news.set()  # the server has ended

    def close(self) -> None:
        with suppress(OSError, AttributeError):  # it has ended; it was never open
            self._socket.shutdown(socket.SHUT_RDWR)


def wait(api: Api, there: Record, patience: Patience) -> Reply:
    """The Reply to the turn's prompt. Raises where it needs an answer, has failed, or is not over
    in time."""
    idle_since = 0.0
    with closing(_Events(api)) as events:
        while True:
            events.news.wait(min(patience.left, LOOK_EVERY))
            events.news.clear()
            try:
                status = Status("idle") if events.idle else api.status()
                events.idle = False
                if status.request:
                    raise status.error
                if status == "idle":
                    now = time.monotonic()
                    idle_since = idle_since or now
                    messages = api.since(there.prompt)
                    if reply := reply_of(messages, now - idle_since, there.stopped):
                        return replace(reply, session_id=api.session)
                    status = Status("busy")  # about to begin, or to take its next step
                else:
                    idle_since = 0.0
            except HttpError as problem:
                if problem.status:
                    raise
                status, idle_since = Status("busy", message=problem.reason), 0.0
            patience.say(status.description)
            if not patience.left:
                raise _timed_out(api, there, status, events.texts)


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
