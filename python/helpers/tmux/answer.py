"""One answer to the agent: first line, notes, body, and the same facts as fields for programs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from .output import clean, fit

_LONGEST = 2_000  # characters of a first line, a note or another field


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


RAN = (Word.TIMED_OUT, Word.MATCHED, Word.QUIET)  # the program may go on
ASKS_LINE = (Word.NEEDS_INPUT, Word.NEEDS_PASSWORD)
ASKS = (*ASKS_LINE, Word.NEEDS_KEY)
SURE = ("", *ASKS, Word.UNFINISHED)  # of what an answer leaves open: somebody waits there


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

    def told(self, notes: list[str], pane: str) -> Answer:
        """The answer as it is given, about this pane: each field cleaned and cut, and no row of
        output begins like a note."""
        body = clean("\n".join(self.body)).split("\n") if self.body else []
        return replace(
            self,
            first=_line(self.first),
            detail=_line(self.detail),
            pane=_line(pane),
            notes=list(dict.fromkeys(map(_line, notes))),
            body=[" " * row.startswith("note: ") + row for row in body],
        )

    @property
    def text(self) -> str:
        """What the agent reads: at most 16,000 characters, with a count of what was cut."""
        whole = "\n".join([self.first, *(f"note: {note}" for note in self.notes), *self.body])
        return fit(whole)


def _line(text: str) -> str:
    """`text` as one line."""
    line = " ".join(clean(text).split("\n"))
    more = len(line) - _LONGEST
    return f"{line[:_LONGEST]}[… {more} more characters]" if more > 0 else line
