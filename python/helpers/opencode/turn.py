"""One turn: the wait for its end, and what the conversation's messages say of it.

A message is what OpenCode's API says of it, and its `parts`. A prompt has an id that was made here,
and an assistant's message names the prompt that it answers (`parentID`); a turn with tools is
several of them.
"""

import re
import secrets
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread

from .api import BROKEN, MOST_QUOTED, Api, Facts
from .reply import OpenCodeTimedOut, OpenCodeTurnFailed, Reply, Status

SILENCE = 1.0  # seconds without an event after which it looks all the same
# Events that are a reason to look; after the first one no other is missed.
NEWS = ("server.connected", "session.error", "permission.asked", "question.asked")
IDLE_LIMIT = 30.0  # seconds of idling after which a prompt that no answer follows has none
STEP_LIMIT = 0.5  # seconds of idling after which a turn is over although its last step goes on
GOES_ON = ("tool-calls", "unknown")  # ends of a step that another follows; a stream that was cut
_COUNTED, _CACHED = ("input", "output", "reasoning"), ("read", "write")  # tokens
# The user rejected permission to use …; … dismissed this question; PermissionRejectedError (1.2)
_REFUSED = re.compile(r"rejected permission|dismissed this question|RejectedError", re.IGNORECASE)


def new_id() -> str:
    """An id for a prompt, as OpenCode makes them: they sort by time."""
    return f"msg_{int(time.time() * 1000) * 4096 % 2**48:012x}{secrets.token_hex(7)}"


def wait(api: Api, prompt: str, stopped: bool = False) -> Reply:
    """The Reply to the prompt with this id; `stopped`: it was interrupted. Raises where the turn
    needs an answer, has failed, or is not over in time."""
    news, over, idle_since = SimpleQueue[bool](), Event(), 0.0
    texts = defaultdict[str, str](str)  # what came of a part, by its id
    Thread(target=_hear, args=[api, news, texts, over], daemon=True).start()
    try:
        while True:
            idle = False
            with suppress(Empty):
                idle = news.get(timeout=min(api.patience.left, SILENCE))
            try:
                status, now = Status("idle") if idle else api.status(), time.monotonic()
                if status.request:
                    raise status.error
                idle_since = (idle_since or now) if status == "idle" else 0.0
                if idle_since:
                    messages = api.since(prompt)
                    if reply := reply_of(messages, now - idle_since, stopped):
                        return reply
                    status = Status("busy")  # about to begin, or to take its next step
            except OpenCodeTimedOut as problem:
                status, idle_since = Status("busy", message=problem.reason), 0.0
            api.patience.say(status.description)
            if not api.patience.left:
                raise timed_out(api, prompt, status, texts)
    finally:
        over.set()


def _hear(api: Api, news: SimpleQueue[bool], texts: dict[str, str], over: Event) -> None:
    """Tells when it is time to look, and whether the conversation idles, until the wait is `over`.
    The text of an unfinished part is told nowhere else."""
    with suppress(*BROKEN):
        for event in api.events():
            match event.get("type"), event.get("properties"):
                case _ if over.is_set():
                    return
                case "message.part.delta", {"partID": id, "field": "text", "delta": more}:
                    texts[id] += more
                case "message.part.updated", {"part": {"id": id, "text": str(text)}}:
                    texts[id] = text
                case "session.idle", {"sessionID": api.session}:
                    news.put(True)
                case kind, _ if kind in NEWS:
                    news.put(False)
    news.put(False)  # the server has ended


def timed_out(api: Api, prompt: str, status: Status, live: Mapping[str, str]) -> OpenCodeTimedOut:
    """`live`: what came of parts that are not complete, by their ids."""
    messages: list[Facts] = []
    with suppress(OpenCodeTimedOut):
        messages = api.since(prompt)
    text = "\n\n".join(filter(None, (_text(one, live) for one in _answers(messages))))
    tool = _running_tool(messages)
    does = f"{status.description}, runs {tool}" if tool else status.description
    newest = f"newest of {len(text):,} characters seen: {text[-MOST_QUOTED:]}"
    reason = f"the turn is not over ({does}); {newest if text else 'no text seen yet'}"
    return OpenCodeTimedOut(reason, text=text, status=status, session_id=api.session)


def reply_of(messages: list[Facts], idle: float, stopped: bool = False) -> Reply | None:
    """The Reply of the turn whose prompt is the first of `messages`, after the conversation has
    idled so many seconds; None while it is not over. `stopped`: it was interrupted. Raises
    OpenCodeTurnFailed for a turn that ended in an error or never began."""
    answers = _answers(messages)
    if messages and not answers and stopped:
        return Reply(text="", finish="aborted", session_id=messages[0]["sessionID"])
    if not answers or not all(one["time"].get("completed") for one in answers):
        if idle < IDLE_LIMIT:
            return None
        missing = "the prompt is not in the conversation: it never came, or was undone or deleted"
        begun = "OpenCode took the prompt and began no turn: aborted, or its model is missing"
        raise OpenCodeTurnFailed(begun if messages else missing, "OpenCode's screen may say why")
    last, text = answers[-1], next(filter(None, map(_text, reversed(answers))), "")
    finish = _finish(last, text)
    if finish in GOES_ON and idle < STEP_LIMIT:
        return None  # its next step may be about to begin
    later = [_text(one) for one in messages[1:] if one["id"] == last["parentID"]]
    theirs = "".join(later)[:MOST_QUOTED]
    return Reply(
        text=text,
        finish=finish,
        session_id=last["sessionID"],
        tokens=_tokens(answers),
        cost=float(sum(one.get("cost") or 0 for one in answers)),
        duration=(last["time"]["completed"] - messages[0]["time"]["created"]) / 1000,
        note=f"a prompt sent in mid-turn is answered here too: {theirs!r}" if theirs else "",
    )


def _running_tool(messages: list[Facts]) -> str:
    """The command, or else the name, of a tool that runs now; "" where none does."""
    for part in _tools(messages):
        if part["state"].get("status") == "running":
            return (part["state"].get("input") or {}).get("command") or part["tool"]
    return ""


def _answers(messages: list[Facts]) -> list[Facts]:
    """The turn's own, or shared with what was queued behind it; without a /compact's summary."""
    later = [one for one in messages if one["role"] == "assistant" and not one.get("summary")]
    own = [one for one in later if one["parentID"] == messages[0]["id"]]
    # A prompt queued in mid-turn takes the turn over: the answer to both hangs on the later one.
    goes_on = own and own[-1].get("finish") == "tool-calls"
    return later if goes_on and not _was_refused(own[-1]) else own


def _was_refused(message: Facts) -> bool:
    return any(_REFUSED.search(one["state"].get("error") or "") for one in _tools([message]))


def _tools(messages: list[Facts]) -> list[Facts]:
    return [part for one in messages for part in one["parts"] if part["type"] == "tool"]


def _tokens(answers: list[Facts]) -> dict[str, int]:
    used = [one.get("tokens") or {} for one in answers]
    cached = [one.get("cache") or {} for one in used]
    total = {name: sum(one.get(name) or 0 for one in used) for name in _COUNTED}
    total |= {f"cache_{name}": sum(one.get(name) or 0 for one in cached) for name in _CACHED}
    return {**total, "total": sum(total.values())}


def _finish(message: Facts, text: str) -> str:
    """Reply.finish. Raises OpenCodeTurnFailed where the message holds an error."""
    error, finish = message.get("error") or {}, message.get("finish")
    name = error.get("name")
    if name == "MessageAbortedError" or not (error or finish):
        return "aborted"  # aborted while it retried: neither
    if error:
        reason = (error.get("data") or {}).get("message") or name
        raise OpenCodeTurnFailed(f"the turn failed: {reason}", text=text)
    return "rejected" if finish == "tool-calls" and _was_refused(message) else str(finish)


def _text(message: Facts, live: Mapping[str, str] = {}) -> str:
    said = [one for one in message["parts"] if one["type"] == "text" and not one.get("synthetic")]
    return "\n\n".join(filter(None, (one["text"] or live.get(one["id"]) for one in said)))
