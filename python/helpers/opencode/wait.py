"""The wait for one turn, on whichever channel."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from typing import Any

from . import turns
from .http_channel import HttpChannel, HttpError
from .instance import Instance
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
from .screen import Frame
from .screen_channel import ScreenChannel
from .terminal import TmuxError

PAUSE = 0.03  # seconds between two looks at a turn that has just begun,
PAUSE_GROWTH = 1.05
LONGEST_PAUSE = 0.15  # and at one that lasts
MOST_SHOWN = 300  # characters of an answer's end in the text of OpenCodeTimedOut
CHANGED = "a blank or a line break of the prompt was changed for typing it"

Channel = HttpChannel | ScreenChannel


class Wait:
    """For the turn that was sent last."""

    def __init__(self, channel: Channel):
        self._channel, self._instance = channel, channel.instance
        if self._instance.turn is None:
            raise OpenCodeError("there is no turn to wait for", "send() or submit() a prompt first")
        self._turn = self._instance.turn
        self._status = Status("busy")
        self._idle_since: float | None = None

    def reply(self, deadline: float, report: Progress) -> Reply:
        """The Reply. Raises where the turn needs somebody, has failed, or is not over in time."""
        pause = PAUSE
        while not (reply := self._look()):
            if not self._instance.alive:
                self._instance.refresh()
            report.say(self._status.description)
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._timed_out()
            time.sleep(min(left, pause))
            pause = min(pause * PAUSE_GROWTH, LONGEST_PAUSE)
        return reply

    def _look(self) -> Reply | None:
        try:
            self._status = status = self._channel.status()
            if status.request:
                raise asked(self._instance, status, status.request)
            if status == "idle":
                return self._reply()
        except HttpError as problem:
            if problem.status:
                raise
            self._status = Status("busy", message=str(problem))
        self._idle_since = None
        return None

    def _reply(self) -> Reply | None:
        now, messages = time.monotonic(), self._channel.messages(self._turn)
        self._idle_since = self._idle_since or now
        idle = now - self._idle_since
        if not messages and idle >= turns.BEGIN_LIMIT:
            reason = "the prompt is not in the conversation: it never came there, or was undone"
            raise OpenCodeTurnFailed(reason)
        if not messages or not (reply := turns.reply_of(messages, idle)):
            return None
        note = "; ".join(filter(None, (reply.note, CHANGED if self._turn.changed else "")))
        session, channel = self._instance.session, self._channel.name
        return replace(reply, session_id=session, channel=channel, note=note)

    def _timed_out(self) -> OpenCodeTimedOut:
        """The error, with the text that came so far."""
        text = ""
        with contextlib.suppress(OpenCodeError):
            text = turns.text_so_far(self._channel.messages(self._turn))
        if not text:
            with contextlib.suppress(TmuxError):
                view = self._instance.terminal.front().view
                text = Frame(view).text_below(self._turn.prompt)
        tail = text if len(text) <= MOST_SHOWN else "… " + text[-MOST_SHOWN:].partition(" ")[2]
        return OpenCodeTimedOut(
            f"the turn is not over ({self._status.description}); so far: {tail or 'nothing'}",
            "It goes on: wait() again, or interrupt()",
            text=text,
            status=self._status,
            session_id=self._instance.session,
        )


def asked(
    instance: Instance, status: Status, request: dict[str, Any]
) -> OpenCodePermissionNeeded | OpenCodeQuestionAsked:
    """The error that tells of `request`: from then on it may be answered."""
    instance.save(told=request["id"])
    kind = OpenCodePermissionNeeded if status == "needs permission" else OpenCodeQuestionAsked
    return kind(request)
