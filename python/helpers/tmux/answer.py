"""One answer to the agent: first line, notes, body, and the same facts as fields for programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from .output import clean, fit


class Word(StrEnum):
    """How an answer begins: the verdicts, then the receipts and reports."""

    READY = "ready"
    NEEDS_INPUT = "needs input"
    NEEDS_PASSWORD = "needs password"
    NEEDS_KEY = "needs key"
    UNFINISHED = "unfinished"
    MATCHED = "matched"
    QUIET = "quiet"
    TIMED_OUT = "timed out"
    GONE = "gone"
    SENT = "sent"
    PRESSED = "pressed"
    READ = "read"
    LIST = "list"
    OPENED = "opened"
    CLOSED = "closed"
    ERROR = "error"


@dataclass(kw_only=True)
class Answer:
    """`first`: the first line; `detail`: what it quotes; `seconds`: since the wait began;
    `evidence`: what shows the prompt: shell, line editor, prompt matched, pattern."""

    word: Word
    first: str
    notes: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    evidence: str = ""
    detail: str = ""
    seconds: float | None = None
    exit_status: int | None = None
    pane: str = ""

    @property
    def whole(self) -> str:
        """The whole answer, however long it is."""
        return clean("\n".join([self.first, *(f"note: {note}" for note in self.notes), *self.body]))

    @property
    def text(self) -> str:
        """What the agent reads: at most 16,000 characters, with a count of what was cut."""
        return fit(self.whole, "write it to a file to see all of it")

    @property
    def cut(self) -> int:
        """Number of characters by which `text` is shorter than `whole`."""
        return max(len(self.whole) - len(self.text), 0)
