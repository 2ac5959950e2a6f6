"""A row of the decision table, and how its verdict is worded. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..evidence.screen.question_line import Kind, is_key, is_pager
from ..words import Evidence, Word
from .scene import STILL_BLIND, Scene

# How long, in seconds, the screen must have been still: fixed, or depending on the scene.
After = float | Callable[[Scene], float]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`detail`: the question, the program or the line; `evidence`: what shows a prompt."""

    word: Word
    detail: str = ""
    evidence: Evidence | None = None

    @property
    def ready(self) -> bool:
        return self.word is Word.READY

    @property
    def asks(self) -> bool:
        """Whether a program asks for a line as an answer."""
        return self.word in (Word.NEEDS_INPUT, Word.NEEDS_PASSWORD)

    @property
    def at_prompt(self) -> bool:
        """Whether evidence other than the caller's pattern shows a prompt at the cursor."""
        return self.ready and self.evidence is not Evidence.PATTERN


@dataclass(frozen=True, slots=True)
class Row:
    """`word` None: the program is running. It also counts as running until the screen has been
    still for `after` seconds; later rows are not tried meanwhile."""

    word: Word | None
    when: Callable[[Scene], object]
    detail: Callable[[Scene], str] = lambda s: ""
    evidence: Evidence | None = None
    after: After = 0.0

    def says(self, scene: Scene) -> Verdict | None:
        """The verdict, if the row matches `scene`."""
        after = self.after(scene) if callable(self.after) else self.after
        if self.word is None or scene.still < after:
            return None
        return Verdict(self.word, self.detail(scene), self.evidence)


def where(guard: Callable[[Scene], object], *rows: Row) -> tuple[Row, ...]:
    """`rows`, each matching only if `guard` is true too."""

    def guarded(row: Row) -> Row:
        return replace(row, when=lambda s: guard(s) and row.when(s))

    return tuple(map(guarded, rows))


def unless_read(seconds: float) -> Callable[[Scene], float]:
    """At once if a read proves the wait, else after `seconds`."""
    return lambda s: 0.0 if s.reads else seconds


def also_before(seconds: float) -> Callable[[Scene], float]:
    """After `seconds` of stillness, counting the time before this wait too."""
    return lambda s: 0.0 if s.silent >= seconds else seconds


SURE = unless_read(STILL_BLIND)


def quote(s: Scene) -> str:
    return s.left.strip() or s.asked.strip() or unasked(s)


def unasked(s: Scene) -> str:
    return f"{s.program} reads a line; nothing is asked on the screen"


def at_cursor(s: Scene) -> str:
    return s.left.strip()


def program(s: Scene) -> str:
    return s.program


def picture(s: Scene) -> str:
    return (s.picture and s.picture.text) or s.program


def key_question(s: Scene) -> str:
    """The question that a key answers; if there is none, the program that waits for the key."""
    above = next(filter(str.strip, reversed(s.rows[s.begun : s.y])), "")
    asked = (
        s.left if s.plain and (s.reads_key or s.question) else "",
        s.picture.text if s.picture and s.picture.kind is Kind.KEY else "",
        above if is_key(above) and not s.alternate else "",
    )
    words = (text.strip() for text in asked if any(map(str.isalpha, text)))
    return next((text for text in words if not is_pager(text)), s.program)


def remote_program(s: Scene) -> str:
    return s.kernel.remote or s.program


def full_screen(s: Scene) -> str:
    return f"{remote_program(s)} (full screen)"
