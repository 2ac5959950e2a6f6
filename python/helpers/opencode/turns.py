"""What a conversation's messages say about one turn.

A message is `{"info": {...}, "parts": [...]}` as OpenCode's API words it. An assistant's message
names the prompt that it answers (`parentID`); a turn with tools is several of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .reply import OpenCodeTurnFailed, Reply, add_up

Message = dict[str, Any]

PROMPT_KEPT = 300  # characters of a prompt by which it is found again
CLOCK_SLACK = 0.002  # seconds: OpenCode's times are in milliseconds, cut
BEGIN_LIMIT = 15.0  # seconds of idling after which a prompt that no answer follows has none
STEP_LIMIT = 0.5  # seconds of idling after which a turn is over although its last step goes on
MOST_QUOTED = 100  # characters of somebody else's prompt
TAKEN_OVER = "a prompt that was sent in mid-turn is answered here too: {!r}"
GOES_ON = ("tool-calls", "unknown")  # ends of a step that another follows; a stream that was cut
# "The user rejected permission to use …", "The user dismissed this question"; in 1.2
# "PermissionRejectedError({…})"
_REFUSED = re.compile(r"rejected permission|dismissed this question|RejectedError", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A prompt that is or was to be sent: enough to find it again from another process."""

    prompt: str  # prompt_key() of it
    at: float  # time.time() before it was sent
    id: str = ""  # of its message, once that is known
    changed: bool = False  # it was typed with a blank or a line break changed
    folded: int = 0  # folded_lines() of it: how OpenCode's input shows it

    def is_in(self, message: Message, whole: bool = True) -> bool:
        """Whether `message` is this prompt; without `whole`, also among other text."""
        info = message["info"]
        if self.id or info["role"] != "user":
            return info["id"] == self.id
        if info["time"]["created"] < (self.at - CLOCK_SLACK) * 1000:
            return False
        texts = [" ".join((part.get("text") or "").split()) for part in message["parts"]]
        if whole:
            return any(text[:PROMPT_KEPT] == self.prompt for text in texts)
        return any(self.prompt in text for text in texts)


def prompt_key(text: str) -> str:
    """The beginning of a prompt, the same however its blanks and line breaks were typed."""
    return " ".join(text.split())[:PROMPT_KEPT]


def since(turn: Turn, messages: list[Message]) -> list[Message]:
    """The messages from the prompt on; [] where it is not among them."""
    at = next((i for i, message in enumerate(messages) if turn.is_in(message)), None)
    return [] if at is None else messages[at:]


def reply_of(messages: list[Message], idle: float) -> Reply | None:
    """The Reply of the turn whose prompt is the first of `messages`, after the conversation has
    idled so many seconds; None while it is not over. Raises OpenCodeTurnFailed for a turn that
    ended in an error or never began."""
    prompt, answers = messages[0], _answers(messages)
    if not answers or not all(_completed(message) for message in answers):
        if idle < BEGIN_LIMIT:
            return None
        reason = "OpenCode took the prompt and began no turn: aborted, or its model is missing"
        raise OpenCodeTurnFailed(reason, "its screen may say why")
    text = next(filter(None, map(_text, reversed(answers))), "")
    finish = _finish(answers[-1], text)
    if finish in GOES_ON and idle < STEP_LIMIT:
        return None  # its next step may be about to begin
    ended, began = answers[-1]["info"]["time"]["completed"], prompt["info"]["time"]["created"]
    return Reply(
        text=text,
        finish=finish,
        tokens=add_up(message["info"].get("tokens") or {} for message in answers),
        cost=float(sum(message["info"].get("cost") or 0 for message in answers)),
        duration=(ended - began) / 1000,
        note=_taken_over(answers[-1], messages),
    )


def is_over(message: Message, began: float) -> bool:
    """Whether no step can follow this message of the assistant. One from before OpenCode `began`
    (time.time()) was left open for ever by another, which was killed over it."""
    info = message["info"]
    ended = _completed(message) and info.get("finish") not in GOES_ON
    return ended or info["time"]["created"] < began * 1000


def text_so_far(messages: list[Message]) -> str:
    """All text of the turn that is complete."""
    return "\n\n".join(filter(None, map(_text, _answers(messages) if messages else [])))


def _answers(messages: list[Message]) -> list[Message]:
    """The assistant's messages of the turn: its own, or shared with what was queued behind it."""
    prompt = messages[0]["info"]["id"]
    said = [message for message in messages if message["info"]["role"] == "assistant"]
    later = [message for message in said if not message["info"].get("summary")]  # of /compact
    own = [message for message in later if message["info"].get("parentID") == prompt]
    # A prompt queued in mid-turn takes the turn over: the answer to both hangs on the later one.
    goes_on = own and own[-1]["info"].get("finish") == "tool-calls"
    return later if goes_on and not refused_tool(own[-1:]) else own


def _taken_over(answer: Message, messages: list[Message]) -> str:
    """What is to be noted where `answer` is one to a later prompt too."""
    id = answer["info"].get("parentID")
    texts = [_text(one) for one in messages[1:] if one["info"]["id"] == id]
    return TAKEN_OVER.format(texts[0][:MOST_QUOTED]) if any(texts) else ""


def _completed(message: Message) -> bool:
    return bool(message["info"]["time"].get("completed"))


def refused_tool(messages: list[Message]) -> dict[str, Any] | None:
    """The part of a tool that somebody did not allow, or of a question that was dismissed."""
    errors = ((part, part["state"].get("error") or "") for part in _tools(messages))
    return next((part for part, error in errors if _REFUSED.search(error)), None)


def request_of(part: dict[str, Any]) -> dict[str, Any]:
    """What a tool that needs permission asks for, as the API words it."""
    asked = part.get("state", {}).get("input") or {}
    command = asked.get("command") or asked.get("filePath") or ""
    facts = {"patterns": [], "metadata": {"command": command}}
    return {"id": part.get("callID", ""), "permission": part["tool"], **facts}


def _tools(messages: list[Message]) -> list[dict[str, Any]]:
    return [part for message in messages for part in message["parts"] if part["type"] == "tool"]


def _finish(message: Message, text: str) -> str:
    """Reply.finish. Raises OpenCodeTurnFailed where the message holds an error."""
    error, finish = message["info"].get("error") or {}, message["info"].get("finish")
    name = error.get("name")
    if name == "MessageAbortedError" or not (error or finish):
        return "aborted"  # aborted while it retried: neither
    if name == "MessageOutputLengthError":
        return "length"
    if error:
        reason = (error.get("data") or {}).get("message") or name
        raise OpenCodeTurnFailed(f"the turn failed: {reason}", text=text, error=error)
    return "rejected" if finish == "tool-calls" and refused_tool([message]) else str(finish)


def _text(message: Message) -> str:
    parts = (part for part in message["parts"] if part["type"] == "text")
    return "\n\n".join(part["text"] for part in parts if part["text"] and not part.get("synthetic"))
