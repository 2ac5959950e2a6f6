"""The wait for the end of a turn."""

import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from queue import Empty, Queue
from threading import Event, Thread

from .installed import Wire
from .reply import FileChange, OpenCodeGone, OpenCodeTimedOut, OpenCodeTurnFailed, Reply, Status
from .turn import MOST_QUOTED, Conversation, Turn

SILENCE = 1.0  # seconds without news after which it looks anyway
HEAR_LIMIT = 2.0  # seconds until it hears, before which nothing is sent; 0.01 are usual


class _Ear:
    """Hears a wire's news in a thread of its own, until `over`."""

    def __init__(self, wire: Wire):
        self.wire = wire
        self.over = Event()
        # When to look: True if the conversation idles. A SimpleQueue's get() never ends if its
        # timeout is over before it begins to wait (CPython 3.11 to 3.13).
        self.looks = Queue[bool]()
        self.texts = defaultdict[str, str](str)  # of unfinished parts, which only news contain
        self.failure = ""  # why a turn of the conversation has failed
        Thread(target=self._hear, daemon=True).start()

    def _hear(self) -> None:
        for what, id, text in self.wire.news():
            if self.over.is_set():
                return
            if what == "more":
                self.texts[id] += text
            elif what == "look" or id == self.wire.session:
                self.failure = text.partition("\n")[0][:MOST_QUOTED] or self.failure
                self.looks.put(what == "idle")
        self.looks.put(False)  # the server has ended

    def is_idle(self, limit: float) -> bool:
        """Waits for news; returns whether they say that the conversation idles."""
        with suppress(Empty):
            return self.looks.get(timeout=limit)
        return False


class _Watch:
    """What is known of one turn while it is waited for."""

    def __init__(self, wire: Wire, prompt: str, stopped: bool):
        self.wire = wire
        self.prompt = prompt
        self.stopped = stopped
        self.ear = _Ear(wire)
        self.conversation = Conversation()
        self.turn = Turn()
        self.idle_since = 0.0

    @property
    def text(self) -> str:
        return self.turn.text(self.ear.texts)

    def look(self) -> Status:
        """Waits for news, and looks."""
        patience = self.wire.patience
        idle = self.ear.is_idle(min(patience.left, SILENCE))
        status = Status("idle") if idle else self.wire.status()
        # While OpenCode works its newest messages will do.
        whole = status == "idle" or not patience.left
        self.conversation = self.wire.conversation(self.prompt if whole else "")
        self.turn = self.conversation.of(self.prompt)
        if status != "idle":
            self.idle_since = 0.0
        elif not self.idle_since:
            self.idle_since = time.monotonic()
        return status

    def is_over(self, status: Status) -> bool:
        if self.conversation.is_past(self.turn):
            return True
        # What a subagent in the background asks does not hold back the answer.
        if status.request and self.turn.answers and not self.turn.goes_on:
            return True
        # A turn that has failed or was stopped shows nothing of that at first.
        known = self.stopped or bool(self.turn.asked and self.ear.failure)
        limit = self.turn.patience(known)
        return bool(self.idle_since) and time.monotonic() - self.idle_since >= limit

    def reply(self) -> Reply:
        # An OpenCode that ends kills its commands first, and goes on without them for a moment.
        self.wire.must_live()
        self.conversation = self.wire.conversation(self.prompt)
        self.turn = self.conversation.of(self.prompt)
        reply = self.turn.reply(self.prompt, self.stopped, self.ear.failure)
        files = list[FileChange]()
        for prompt in self.turn.prompts:
            with suppress(OpenCodeTurnFailed, OpenCodeTimedOut):  # its line does not tell
                files += self.wire.changes_of(prompt["id"])
        return replace(reply, session_id=self.wire.session, files=files)

    def timed_out(self, status: Status) -> OpenCodeTimedOut:
        text, said = self.text, "no text seen yet"
        if text:
            said = f"newest of {len(text):,} characters seen: {text[-MOST_QUOTED:]}"
        reason = f"the turn is not over ({status.description}); {said}"
        return OpenCodeTimedOut(reason, text=text, status=status, session_id=self.wire.session)


def wait(
    wire: Wire, prompt: str, stopped: bool = False, send: Callable[[], object] | None = None
) -> Reply:
    """The Reply to the prompt with this id, which `send` sends if it is not there yet; `stopped`:
    it was interrupted. Raises if the turn needs an answer, has failed, or is not over in time."""
    watch = _Watch(wire, prompt, stopped)
    try:
        if send:
            watch.ear.is_idle(HEAR_LIMIT)  # what comes before it hears would be missed
            send()
        while True:
            late = not wire.patience.left
            status = watch.look()
            if watch.is_over(status):
                return watch.reply()
            status = watch.conversation.told(status)
            if status.request:
                raise status.error
            if status == "idle":
                status = Status("busy")  # about to begin, or to take its next step
            wire.patience.say(status.description)
            if late:
                raise watch.timed_out(status)
    except OpenCodeGone as gone:
        gone.text = watch.text
        raise
    finally:
        watch.ear.over.set()
