"""What a call types, step by step: the pieces of a text, and answers to questions."""

import time

from .answer import ASKS_LINE, Word
from .client import TmuxError
from .may_type import NOTHING, may_go_on, may_type
from .output import squeezed
from .report import Report
from .typing import pieces_of, type_text
from .watch import Turn

_TRIES = 8  # inputs on a pane that changes meanwhile
_LEAST = 1.0  # seconds in which the next of several lines may be asked for


class Dialogue:
    """The typing of one call. `run`: only at a prompt; `limit`: seconds for all of it."""

    def __init__(self, report: Report, run: bool, limit: float):
        self._report, self._watch, self._run = report, report.watch, run
        self._end = time.monotonic() + limit

    def left(self, least: float = 0.0) -> float:
        """Seconds until the limit."""
        return max(self._end - time.monotonic(), least)

    def enter(self, text: str) -> Turn | None:
        """Types `text` and Enter, line by line where the program does not take several at once, and
        only as long as the same program waits in the same way. Returns the turn at which the rest
        was not typed; None if all of it was."""
        here = may_type(self._watch, self._run)
        piece, *rest = pieces_of(here, text)
        first = self._type(here, piece, first=True)
        if not first:
            what = f"{self._watch.pane.name} keeps changing: someone types, or a program draws"
            raise TmuxError(what, f"wait with wait_ready, then try again; {NOTHING}")
        self._note(first)
        while rest:
            here = self.answer(self._watch.wait(self.left(_LEAST)))
            other = here.reading.kernel.foreground != first.reading.kernel.foreground
            same = here.word is first.word or here.at_rest and first.at_rest
            changed = other or not same or here.own and here.at_prompt
            if not changed and may_go_on(self._watch, here):
                self._report.keep(here)
                if self._type(here, rest[0]):
                    rest.pop(0)
                    continue
                here = self._watch.turn(_LEAST)
            if any(rest):
                lines = f"{len(rest)} lines of text were" if rest[1:] else "line of text was"
                self._report.notes.append(f"the last {lines} not typed")
            return here
        return None

    def _note(self, here: Turn) -> None:
        """Notes what stood at the turn at which the text was typed."""
        self._report.note_line(here)
        if not here.verdict:
            self._report.notes.append(f"typed ahead: {here.reading.program} was running")

    def answer(self, here: Turn) -> Turn:
        """Answers the question of `here`, and those after it, each once as long as it comes
        unchanged; returns the turn at the end."""
        answered = set[str]()
        while here.verdict and (
            here.word in ASKS_LINE or here.word is Word.QUIET and here.reading.question
        ):
            asked = here.verdict.detail
            drawn = squeezed(asked) in squeezed("".join(here.reading.seen.screen))
            if here.persons or not drawn or asked in answered:  # drawn by us: our own words
                break
            if not may_go_on(self._watch, here):
                break
            text = self._watch.search.answer(asked)
            if text is None or here.own and text:
                break  # a text would follow what is proposed
            answered.add(asked)
            whole = f"{asked} {here.own}{text}".rstrip()
            shown = asked if here.word is Word.NEEDS_PASSWORD else whole
            at_cursor = here.reading.seen.left.strip() or here.word is Word.NEEDS_PASSWORD
            self._report.keep(here)
            told = shown if at_cursor else text
            self._report.body.append(told if self._type(here, text) else asked)
            here = self._watch.wait(self.left())
        return here

    def _type(self, here: Turn, text: str, first: bool = False) -> Turn | None:
        """Types, and again where the pane has changed before anything was entered; returns the turn
        at which it was typed. What is not the `first` input of the call is typed only as long as
        that may go on: None where somebody has typed, or something else is asked."""
        for _ in range(_TRIES):
            if first:
                self._report.keep_unseen(here)
            if type_text(self._watch, here, text, True, self._report.notes):
                return here
            self._watch.reload()
            if first:
                here = may_type(self._watch, self._run)
                continue
            before, here = here, self._watch.turn(_LEAST)
            if here.verdict != before.verdict or not may_go_on(self._watch, here):
                break
        return None
