"""What a conversation's messages say of one turn. Pure.

A message is what OpenCode's API says of it, and its `parts`. A prompt has an id that was made here,
and an assistant's message names the prompt that it answers (`parentID`); a turn with tools is
several of them.
"""

import re
import secrets
from collections.abc import Mapping
from typing import Any

from .reply import OpenCodeTurnFailed, Reply

Message = dict[str, Any]

IDLE_LIMIT = 30.0  # seconds of idling after which a prompt that no answer follows has none
STEP_LIMIT = 0.5  # seconds of idling after which a turn is over although its last step goes on
MOST_OF_THEIRS = 100  # characters of another prompt
GOES_ON = ("tool-calls", "unknown")  # ends of a step that another follows; a stream that was cut
_COUNTED, _CACHED = ("input", "output", "reasoning"), ("read", "write")  # tokens
# "The user rejected permission to use …", "The user dismissed this question"; in 1.2
# "PermissionRejectedError({…})"
_REFUSED = re.compile(r"rejected permission|dismissed this question|RejectedError", re.IGNORECASE)


def new_id(now: float) -> str:
    """An id for a prompt, as OpenCode makes them: they sort by time (`now`, of the epoch)."""
    return f"msg_{int(now * 1000) * 4096 % 2**48:012x}{secrets.token_hex(7)}"


def reply_of(messages: list[Message], idle: float, stopped: bool = False) -> Reply | None:
    """The Reply of the turn whose prompt is the first of `messages`, after the conversation has
    idled so many seconds; None while it is not over. `stopped`: it was interrupted. Raises
    OpenCodeTurnFailed for a turn that ended in an error or never began."""
    answers = _answers(messages)
    if messages and not answers and stopped:
        return Reply(text="", finish="aborted", session_id=messages[0]["sessionID"])
    if not answers or not all(one["time"].get("completed") for one in answers):
        if idle < IDLE_LIMIT:
            return None
        missing = "the prompt is not in the conversation: it never came there, or was undone"
        begun = "OpenCode took the prompt and began no turn: aborted, or its model is missing"
        raise OpenCodeTurnFailed(begun if messages else missing, "its screen may say why")
    last, text = answers[-1], next(filter(None, map(_text, reversed(answers))), "")
    finish = _finish(last, text)
    if finish in GOES_ON and idle < STEP_LIMIT:
        return None  # its next step may be about to begin
    later = [_text(one) for one in messages[1:] if one["id"] == last["parentID"]]
    theirs = "".join(later)[:MOST_OF_THEIRS]
    return Reply(
        text=text,
        finish=finish,
        session_id=last["sessionID"],
        tokens=_tokens(answers),
        cost=float(sum(one.get("cost") or 0 for one in answers)),
        duration=(last["time"]["completed"] - messages[0]["time"]["created"]) / 1000,
        note=f"a prompt sent in mid-turn is answered here too: {theirs!r}" if theirs else "",
    )


def text_so_far(messages: list[Message], live: Mapping[str, str]) -> str:
    """All text of the turn. `live`: what came of parts that are not complete, by their ids."""
    return "\n\n".join(filter(None, (_text(one, live) for one in _answers(messages))))


def running_tool(messages: list[Message]) -> str:
    """The command, or else the name, of a tool that runs now; "" where none does."""
    for part in _tools(messages):
        if part["state"].get("status") == "running":
            return (part["state"].get("input") or {}).get("command") or part["tool"]
    return ""


def _answers(messages: list[Message]) -> list[Message]:
    """The assistant's messages of the turn: its own, or shared with what was queued behind it."""
    said = [one for one in messages if one["role"] == "assistant"]
    later = [one for one in said if not one.get("summary")]  # of /compact
    own = [one for one in later if one["parentID"] == messages[0]["id"]]
    # A prompt queued in mid-turn takes the turn over: the answer to both hangs on the later one.
    goes_on = own and own[-1].get("finish") == "tool-calls"
    return later if goes_on and not _was_refused(own[-1]) else own


def _was_refused(message: Message) -> bool:
    return any(_REFUSED.search(one["state"].get("error") or "") for one in _tools([message]))


def _tools(messages: list[Message]) -> list[dict[str, Any]]:
    return [part for one in messages for part in one["parts"] if part["type"] == "tool"]


def _tokens(answers: list[Message]) -> dict[str, int]:
    used = [one.get("tokens") or {} for one in answers]
    cached = [one.get("cache") or {} for one in used]
    total = {name: sum(one.get(name) or 0 for one in used) for name in _COUNTED}
    total |= {f"cache_{name}": sum(one.get(name) or 0 for one in cached) for name in _CACHED}
    return {**total, "total": sum(total.values())}


def _finish(message: Message, text: str) -> str:
    """Reply.finish. Raises OpenCodeTurnFailed where the message holds an error."""
    error, finish = message.get("error") or {}, message.get("finish")
    name = error.get("name")
    if name == "MessageAbortedError" or not (error or finish):
        return "aborted"  # aborted while it retried: neither
    if name == "MessageOutputLengthError":
        return "length"
    if error:
        reason = (error.get("data") or {}).get("message") or name
        raise OpenCodeTurnFailed(f"the turn failed: {reason}", text=text)
    return "rejected" if finish == "tool-calls" and _was_refused(message) else str(finish)


def _text(message: Message, live: Mapping[str, str] = {}) -> str:
    said = [one for one in message["parts"] if one["type"] == "text" and not one.get("synthetic")]
    return "\n\n".join(filter(None, (one["text"] or live.get(one["id"]) for one in said)))
