"""The wait for one turn, on whichever channel."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from typing import Any

from . import turns
from .http_channel import HttpError
from .reply import (
    OpenCodeError,
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Reply,
    Status,
)
from .screen import Frame
from .terminal import Terminal, TmuxError, until
from .turns import Channel, Turn

PAUSE = 0.03  # seconds between two looks at a turn that has just begun,
PAUSE_GROWTH = 1.05
LONGEST_PAUSE = 0.15  # and at one that lasts
BEGUN_LIMIT = 3.0  # seconds from a prompt in the conversation to its turn; 0.2 are usual
MOST_SHOWN = 300  # characters of an answer's end in the text of OpenCodeTimedOut
CHANGED = "a blank or a line break of the prompt was changed for typing it"


class Wait:
    """Looks at one turn again and again. `status`: what the last look found."""

    def __init__(self, channel: Channel, turn: Turn):
        self.channel, self.turn = channel, turn
        self.status = Status("busy")
        self._idle_since: float | None = None
        self._pause = PAUSE

    def look(self) -> Reply | None:
        """The Reply, if the turn is over. Raises where it needs somebody, or has failed."""
        try:
            self.status = self.channel.status()
            if self.status == "needs permission":
                raise OpenCodePermissionNeeded(self.status.request or {})
            if self.status == "needs answer":
                raise OpenCodeQuestionAsked(self.status.request or {})
            if self.status == "idle":
                return self._reply()
        except HttpError as problem:
            if problem.status:
                raise
            self.status = Status("busy", message="it does not answer")  # it may be stopped
        self._idle_since = None
        return None

    def _reply(self) -> Reply | None:
        now, channel = time.monotonic(), self.channel
        self._idle_since = self._idle_since or now
        idle, messages = now - self._idle_since, channel.messages(self.turn)
        if not messages:
            if idle < turns.BEGIN_LIMIT:
                return None
            reason = "the prompt is not in the conversation: it never came there, or was undone"
            raise OpenCodeTurnFailed(reason)
        if reply := turns.reply_of(messages, idle):
            note = CHANGED if self.turn.changed else ""
            session = channel.session
            return replace(reply, session_id=session, channel=channel.name, note=note)
        return None

    def pause(self, longest: float) -> None:
        time.sleep(max(0.0, min(longest, self._pause)))
        self._pause = min(self._pause * PAUSE_GROWTH, LONGEST_PAUSE)

    def description(self) -> str:
        """What it does now, for a line of progress."""
        tool = ""
        if self.status == "busy":
            with contextlib.suppress(OpenCodeError):
                tool = turns.tool_title(self.channel.messages(self.turn))
        return f"{self.status.description} {tool}".strip()

    def timed_out(self, terminal: Terminal) -> OpenCodeTimedOut:
        """The error to raise now, with the text that came so far."""
        text = ""
        with contextlib.suppress(OpenCodeError):
            text = turns.text_so_far(self.channel.messages(self.turn))
        if not text:
            with contextlib.suppress(TmuxError):
                text = Frame(terminal.front().view).text_below(self.turn.prompt)
        tail = text if len(text) <= MOST_SHOWN else "… " + text[-MOST_SHOWN:].partition(" ")[2]
        return OpenCodeTimedOut(
            f"the turn is not over ({self.status.description}); so far: {tail or 'nothing'}",
            "It goes on: wait() again, or interrupt()",
            text=text,
            status=self.status,
            session_id=self.channel.session,
        )


def until_begun(channel: Channel, turn: Turn) -> None:
    """Returns once the turn that may have been submitted a moment ago has begun, or never will."""
    until(lambda: channel.status() != "idle" or len(channel.messages(turn)) != 1, BEGUN_LIMIT)


def labels_of(choices: tuple[Any, ...], count: int) -> list[list[str]]:
    """A list of labels for each of `count` questions."""
    given = choices
    if len(choices) == 1 and _is_list(choices[0]) and (count > 1 or any(map(_is_list, choices[0]))):
        choices = tuple(choices[0])
    labels = [list(choice) if _is_list(choice) else [choice] for choice in choices]
    if count == 1 and len(labels) > 1:
        labels = [[label for several in labels for label in several]]
    if not all(several and all(isinstance(one, str) for one in several) for several in labels):
        raise OpenCodeError(f"{given!r} is no answer", "an answer is a label or a list of labels")
    if len(labels) != count and labels[:1] != [["reject"]]:
        raise OpenCodeError(f"there are {count} questions and {len(labels)} answers")
    return labels


def _is_list(choice: object) -> bool:
    return isinstance(choice, list | tuple)
