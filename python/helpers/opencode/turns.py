"""What the messages of a conversation say about one turn. Pure; both channels hand them in alike.

A message is `{"info": {...}, "parts": [...]}` as OpenCode's API words it. An assistant's message
names the prompt that it answers (`parentID`); a turn with tools is several of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .reply import OpenCodeTurnFailed, Reply, add_up

Message = dict[str, Any]

PROMPT_KEPT = 300  # characters of a prompt by which it is found again
CLOCK_SLACK = 1.0  # seconds: the message's time is in milliseconds, cut
BEGIN_LIMIT = 5.0  # seconds of idling after which a prompt that no answer follows has none
STEP_LIMIT = 0.5  # seconds of idling after which a turn that ended in a tool call is over
TOOL_TITLE = 80  # characters
# "The user rejected permission to use this specific tool call.", "The user dismissed this question"
_REFUSED = re.compile(r"rejected permission|dismissed this question", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A prompt that is or was to be sent: enough to find it again from another process."""

    prompt: str  # prompt_key() of it
    at: float  # time.time() before it was sent
    id: str = ""  # of its message, once that is known
    changed: bool = False  # it was typed with a blank or a line break changed

    def is_in(self, message: Message) -> bool:
        """Whether `message` is this prompt."""
        info = message["info"]
        if self.id or info["role"] != "user":
            return info["id"] == self.id
        if info["time"]["created"] < (self.at - CLOCK_SLACK) * 1000:
            return False
        return any(prompt_key(part.get("text") or "") == self.prompt for part in message["parts"])


def prompt_key(text: str) -> str:
    """The beginning of a prompt, the same however its blanks and line breaks were typed."""
    return " ".join(text.split())[:PROMPT_KEPT]


def since(turn: Turn, messages: list[Message]) -> list[Message]:
    """The messages from the prompt on; [] where it is not among them."""
    at = next((i for i, message in enumerate(messages) if turn.is_in(message)), None)
    return [] if at is None else messages[at:]


def reply_of(
    messages: list[Message], idle: float, channel: str, session: str | None
) -> Reply | None:
    """The Reply of the turn whose prompt is the first of `messages`; None while it is not over.

    `idle`: seconds that the conversation has idled. Raises OpenCodeTurnFailed for a turn that ended
    in an error or never began."""
    prompt, answers = messages[0], _answers(messages)
    if not answers or not all(_completed(message) for message in answers):
        if idle < BEGIN_LIMIT:
            return None
        raise OpenCodeTurnFailed(
            "OpenCode took the prompt and began no turn: aborted, or its model is missing",
            "its screen may say why",
        )
    last = answers[-1]["info"]
    text = next(filter(None, map(text_of, reversed(answers))), "")
    finish = _finish(answers[-1], text)
    if finish == "tool-calls" and idle < STEP_LIMIT:
        return None  # its next step may be about to begin
    return Reply(
        text=text,
        finish=finish,
        session_id=session,
        tokens=add_up(message["info"].get("tokens") or {} for message in answers),
        cost=float(sum(message["info"].get("cost") or 0 for message in answers)),
        duration=(last["time"]["completed"] - prompt["info"]["time"]["created"]) / 1000,
        channel=channel,
    )


def is_over(message: Message) -> bool:
    """Whether no step can follow this message of the assistant."""
    return _completed(message) and message["info"].get("finish") != "tool-calls"


def text_so_far(messages: list[Message]) -> str:
    """All text of the turn that is complete."""
    return "\n\n".join(filter(None, map(text_of, _answers(messages))))


def tool_title(messages: Iterable[Message]) -> str:
    """The tool that runs now, with its title, or ""."""
    parts = [part for message in messages for part in message["parts"] if part["type"] == "tool"]
    running = [part for part in parts if part["state"]["status"] == "running"]
    if not running:
        return ""
    state = running[-1]["state"]
    title = state.get("title") or (state.get("input") or {}).get("command") or ""
    return f"{running[-1]['tool']} {title}".strip()[:TOOL_TITLE]


def _answers(messages: list[Message]) -> list[Message]:
    """The assistant's messages of the turn: its own, or shared with what was queued behind it."""
    prompt = messages[0]["info"]["id"]
    later = [
        message
        for message in messages[1:]
        if message["info"]["role"] == "assistant" and not message["info"].get("summary")
    ]
    own = [message for message in later if message["info"].get("parentID") == prompt]
    # A prompt queued in mid-turn takes the turn over: the answer to both hangs on the later one.
    taken_over = own and own[-1]["info"].get("finish") == "tool-calls" and not _refused(own[-1])
    return later if taken_over else own


def _completed(message: Message) -> bool:
    return bool(message["info"]["time"].get("completed"))


def _refused(message: Message) -> bool:
    return any(
        _REFUSED.search(part["state"].get("error") or "")
        for part in message["parts"]
        if part["type"] == "tool"
    )


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
    return "rejected" if finish == "tool-calls" and _refused(message) else str(finish)


def text_of(message: Message) -> str:
    parts = (
        part["text"]
        for part in message["parts"]
        if part["type"] == "text" and not part.get("synthetic")
    )
    return "\n\n".join(filter(None, parts))
