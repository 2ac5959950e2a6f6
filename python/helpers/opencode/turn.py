"""One turn: the wait for its end, and its Reply, made from the conversation's messages.

A message is the API's `info` about it, and its `parts`. A prompt has an id that was made here, and
an assistant's message names the prompt that it answers (`parentID`); a turn with tools has several
of them.
"""

import re
import secrets
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from queue import Empty, Queue
from threading import Event, Thread

from .http_wire import MOST_QUOTED, Facts
from .installed import Wire
from .reply import OpenCodeTimedOut, OpenCodeTurnFailed, Reply, Status

SILENCE = 1.0  # seconds without news after which it looks anyway
HEAR_LIMIT = 2.0  # seconds until it hears, before which nothing is sent; 0.01 are usual
IDLE_LIMIT = 30.0  # seconds of idling after which an unanswered prompt gets no answer any more
STEP_LIMIT = 0.5  # seconds of idling after which a turn is over although its last step goes on
_COUNTED = ("input", "output", "reasoning", "cache_read", "cache_write")  # tokens
# The user rejected permission to use …; … dismissed this question; PermissionRejectedError (1.2);
# … declined this tool call (2)
_REFUSED = re.compile(
    r"rejected permission|dismissed this question|RejectedError|declined this tool", re.IGNORECASE
)


def new_id() -> str:
    """An id for a prompt, of OpenCode's own form: they sort by time."""
    return f"msg_{int(time.time() * 1000) * 4096 % 2**48:012x}{secrets.token_hex(7)}"


class _Ear:
    """Hears a wire's news in a thread of its own, until `over`."""

    def __init__(self, wire: Wire):
        self.wire, self.over = wire, Event()
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


def wait(
    wire: Wire, prompt: str, stopped: bool = False, send: Callable[[], object] | None = None
) -> Reply:
    """The Reply to the prompt with this id, which `send` sends if it is not there yet; `stopped`:
    it was interrupted. Raises if the turn needs an answer, has failed, or is not over in time."""
    ear, idle_since = _Ear(wire), 0.0
    try:
        if send:
            with suppress(Empty):
                ear.looks.get(timeout=HEAR_LIMIT)  # what comes before it hears would be missed
            send()
        while True:
            idle = False
            with suppress(Empty):
                idle = ear.looks.get(timeout=min(wire.patience.left, SILENCE))
            status, now = Status("idle") if idle else wire.status(), time.monotonic()
            if status.request:
                raise status.error
            idle_since = (idle_since or now) if status == "idle" else 0.0
            if idle_since:
                messages = wire.since(prompt)
                if reply := reply_of(messages, now - idle_since, stopped, ear.failure):
                    return replace(reply, session_id=wire.session)
                status = Status("busy")  # about to begin, or to take its next step
            wire.patience.say(status.description)
            if not wire.patience.left:
                raise timed_out(wire, prompt, status, ear.texts)
    finally:
        ear.over.set()


def timed_out(wire: Wire, prompt: str, status: Status, live: Mapping[str, str]) -> OpenCodeTimedOut:
    """The error, with the text so far. `live`: the texts of unfinished parts, by their ids."""
    answers = _answers(wire.since(prompt))
    text = "\n\n".join(filter(None, (_text(each, live) for each in answers)))
    said = "no text seen yet"
    if text:
        said = f"newest of {len(text):,} characters seen: {text[-MOST_QUOTED:]}"
    reason = f"the turn is not over ({status.description}); {said}"
    return OpenCodeTimedOut(reason, text=text, status=status, session_id=wire.session)


def reply_of(
    messages: list[Facts], idle: float, stopped: bool = False, failure: str = ""
) -> Reply | None:
    """The Reply of the turn whose prompt is the first of `messages`, after `idle` seconds without
    work; None while the turn is not over. `stopped`: it was interrupted. `failure`: why a turn has
    failed meanwhile. Raises OpenCodeTurnFailed for one that ended in an error or never began."""
    answers = _answers(messages)
    if not answers and stopped:
        return Reply(text="", finish="aborted")
    if not answers or not all(one["time"].get("completed") for one in answers):
        failed = failure and messages and not answers
        if idle < (STEP_LIMIT if failed else IDLE_LIMIT):
            return None
        reason = "the prompt is not in the conversation: it never arrived, waits behind a turn"
        reason += " that was interrupted, was undone or deleted"
        if messages:
            reason = f"the turn did not begin: {failure or 'aborted, or its model is missing'}"
        raise OpenCodeTurnFailed(reason, "OpenCode's screen may say why")
    last, text = answers[-1], next(filter(None, map(_text, reversed(answers))), "")
    finish = _finish(last, text)
    if finish in ("tool-calls", "unknown") and idle < STEP_LIMIT:
        return None  # its next step may be about to begin, or it was cut off
    later = [_text(one) for one in messages[1:] if one["id"] == last["parentID"]]
    theirs = "".join(later)[:MOST_QUOTED]
    return Reply(
        text=text,
        finish=finish,
        tokens=_tokens(answers),
        cost=sum(one.get("cost") or 0.0 for one in answers),
        duration=(last["time"]["completed"] - messages[0]["time"]["created"]) / 1000,
        note=f"a prompt sent in mid-turn is answered here too: {theirs!r}" if theirs else "",
    )


def _answers(messages: list[Facts]) -> list[Facts]:
    """The turn's own answers, or those shared with a queued prompt; without /compact's summary."""
    later = [each for each in messages if each["role"] == "assistant" and not each.get("summary")]
    own = [each for each in later if each["parentID"] == messages[0]["id"]]
    # A prompt queued in mid-turn takes the turn over: the answer to both belongs to the later one.
    goes_on = own and own[-1].get("finish") == "tool-calls"
    return later if goes_on and not _was_refused(own[-1]) else own


def _was_refused(message: Facts) -> bool:
    tools = [part for part in message["parts"] if part["type"] == "tool"]
    return any(_REFUSED.search(one["state"].get("error") or "") for one in tools)


def _tokens(answers: list[Facts]) -> dict[str, int]:
    total = Counter[str]()
    for one in answers:
        used = one.get("tokens") or {}
        cached = {f"cache_{name}": count for name, count in (used.get("cache") or {}).items()}
        total.update({name: (used | cached).get(name) or 0 for name in _COUNTED})
    return {**total, "total": total.total()}


def _finish(message: Facts, text: str) -> str:
    """The `finish` of a Reply. Raises OpenCodeTurnFailed if the message holds an error."""
    error, finish = message.get("error") or {}, message.get("finish")
    name = error.get("name")
    if _was_refused(message):
        return "rejected"
    if name == "MessageAbortedError" or not (error or finish):
        return "aborted"  # a turn aborted while it retried has neither
    if error:
        reason = (error.get("data") or {}).get("message") or name
        raise OpenCodeTurnFailed(f"the turn failed: {reason}", text=text)
    return str(finish)


def _text(message: Facts, live: Mapping[str, str] = {}) -> str:
    said = [one for one in message["parts"] if one["type"] == "text" and not one.get("synthetic")]
    return "\n\n".join(filter(None, (one["text"] or live.get(one["id"]) for one in said)))
