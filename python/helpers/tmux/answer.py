"""One answer to the agent: first line, notes and body, and the same facts for callers that are
programs."""

from __future__ import annotations

from dataclasses import dataclass, field

from .output import clean, fit
from .words import Evidence, Word

_MORE = "use read to see more, in parts"


@dataclass(kw_only=True)
class Answer:
    """`first`: the first line; `seconds`: since the wait began; `cut`: characters of the text that
    were left out."""

    word: Word
    first: str
    notes: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    evidence: Evidence | None = None
    detail: str = ""
    seconds: float | None = None
    exit_status: int | None = None
    pane: str = ""
    cut: int = 0

    @property
    def text(self) -> str:
        """The whole answer as the agent reads it; sets `cut`."""
        lines = [self.first, *(f"note: {note}" for note in self.notes), *self.body]
        whole = clean("\n".join(lines))
        shown = fit(whole, _MORE)
        self.cut = max(len(whole) - len(shown), 0)
        return shown
