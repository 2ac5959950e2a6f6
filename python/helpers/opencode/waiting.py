"""The wait for the end of a turn."""

import math
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from threading import Event, Thread

from .reply import FileChange, OpenCodeGone, OpenCodeTimedOut, OpenCodeTurnFailed, Reply, Status
from .server import Wire
from .turn import MOST_QUOTED, Turn

SILENCE = 1.0  # seconds without news after which it looks, or sends, anyway; 0.01 are usual


class _Ear:
    """Hears a wire's news in a thread of its own, until `over`."""

    def __init__(self, wire: Wire):
        self.wire = wire

        self.over = Event()
        self.heard = Event()  # something that is a reason to look
        self.idle_since = math.inf
        self.texts = defaultdict[str, str](str)  # of unfinished parts, which only news contain
        self.failure = ""  # why a turn of the conversation has failed
        Thread(target=self._hear, daemon=True).start()

    def _hear(self) -> None:
        for what, id, text in self.wire.news():
            if self.over.is_set():
                return

            if what == "more":
                self.texts[id] += text
            elif what == "look" and id in ("", self.wire.session):
                # Of "Model not found: fake/nope" and "ProviderModelNotFoundError" the first.
                self.failure = self.failure or text.partition("\n")[0][:MOST_QUOTED]
                self.heard.set()

        self.heard.set()  # the server has ended

    def look(self) -> Status:
        """The state after the next news, or SILENCE."""
        self.heard.wait(min(self.wire.patience.left, SILENCE))
        self.heard.clear()
        status = self.wire.status()
        if status == "idle":
            self.idle_since = min(self.idle_since, time.monotonic())
        else:
            self.idle_since = math.inf

        return status


def wait(
    wire: Wire, prompt: str, stopped: bool = False, send: Callable[[], str] | None = None
) -> Reply:
    """The Reply to the prompt with this id, which `send` sends if it is not there yet; `stopped`:
    it was interrupted. Raises if the turn needs an answer, has failed, or is not over in time."""
    ear = _Ear(wire)
    turn = Turn()
    try:
        if send:
            ear.heard.wait(SILENCE)  # what comes before it hears would be missed
            prompt = send() or prompt

        while True:
            late = not wire.patience.left
            status = ear.look()

            # While OpenCode works its newest messages will do.
            whole = late or status == "idle"
            conversation = wire.conversation(prompt if whole else "")
            turn = conversation.of(prompt)

            failed = bool(turn.asked and ear.failure)
            over = time.monotonic() >= ear.idle_since + turn.patience(stopped or failed)
            if over or conversation.is_past(turn, status):
                return _reply(wire, prompt, stopped, ear)

            status = conversation.told(status)
            if status.request:
                raise status.error
            if status == "idle":
                status = Status("busy")  # about to begin, or to take its next step
            wire.patience.say(status.description)
            if late:
                raise _timed_out(wire, status, turn.text(ear.texts))

    except OpenCodeGone as gone:
        gone.text = turn.text(ear.texts)
        raise
    finally:
        ear.over.set()


def told(wire: Wire) -> Status:
    """The state, without what a person's turn asks."""
    status = wire.status()
    return wire.conversation().told(status)


def let_pass(wire: Wire) -> None:
    """Returns once no turn is at work, ours asks, or time is up: OpenCode passes over a prompt
    behind one that fails or is refused."""
    while wire.patience.left:
        status = told(wire)
        if status == "idle" or status.request:
            return
        wire.patience.pause(status.description)


def _reply(wire: Wire, prompt: str, stopped: bool, ear: _Ear) -> Reply:
    """That of a turn which is over."""
    turn = wire.conversation(prompt).of(prompt)
    # An OpenCode that ends kills its commands first, and goes on without them for a moment.
    wire.must_live()

    reply = replace(turn.reply(prompt, stopped, ear.failure, ear.texts), session_id=wire.session)

    with suppress(OpenCodeTurnFailed, OpenCodeTimedOut):  # this version does not tell
        for one in wire.changes(turn):
            reply.files.append(
                FileChange(one["file"], one["additions"], one["deletions"], one.get("patch") or "")
            )

    return reply


def _timed_out(wire: Wire, status: Status, text: str) -> OpenCodeTimedOut:
    """The error, with the text so far."""
    said = text[-MOST_QUOTED:] or "no text seen yet"
    return OpenCodeTimedOut(
        f"the turn is not over ({status.description}), {len(text):,} characters seen: {said}",
        text=text,
        status=status,
        session_id=wire.session,
    )
