"""What a session needs of a channel: the API (exact) and the screen are the two there are."""

from __future__ import annotations

from typing import Protocol

from .reply import Status
from .turns import Message, Turn


class Channel(Protocol):
    """One conversation in one running OpenCode. All may raise OpenCodeError."""

    name: str  # as in Reply.channel
    session: str | None  # the conversation; None before its first prompt
    deadline: float  # time.monotonic() after which the caller would rather have an error

    def begin(self, session: str | None) -> None:
        """Returns once `session` is shown (None: what is shown) and prompts can be taken."""

    def leave(self) -> None:
        """The next prompt begins a new conversation."""

    def turn(self, prompt: str) -> Turn:
        """What `prompt` is found by once it is sent."""

    def prepare(self, unsent: Turn | None) -> None:
        """Raises where no prompt can be sent now. `unsent`: one that an earlier caller may have
        been killed over."""

    def submit(self, prompt: str, turn: Turn) -> Turn:
        """Sends the prompt; returns `turn` with its id once OpenCode has it."""

    def status(self) -> Status:
        """What the conversation does now."""

    def messages(self, turn: Turn) -> list[Message]:
        """The conversation from that prompt on; [] where it is not in it."""

    def answer(self, status: Status, choices: list[list[str]], message: str | None) -> None:
        """Answers what `status` asks for: a list of labels for each question."""

    def interrupt(self) -> None:
        """Ends the turn, and returns when it has ended."""

    def quit(self) -> None:
        """Asks OpenCode to end itself."""
