"""What a call types, step by step: the pieces of a text, and answers to questions."""

import time

from .answer import ASKS_LINE, Word
from .client import TmuxError
from .may_type import NOTHING, may_go_on, may_type
from .report import Report
from .typing import pieces_of, type_text
from .watch import Turn

_TRIES = 8  # inputs on a pane that changes meanwhile
_LEAST = 1.0  # seconds in which the next of several lines may be asked for


class Dialogue:
    """The typing of one call. `limit`: seconds for all of it."""

    def __init__(self, report: Report, limit: float):
        self._report, self._watch = report, report.watch
        self._end = time.monotonic() + limit

    def left(self, least: float = 0.0) -> float:
        """Seconds until the limit."""
        return max(self._end - time.monotonic(), least)

    def enter(self, text: str, run: bool, enter: bool) -> Turn | None:
        """Types `text` and Enter, line by line where the program does not take several at once, and
        only as long as the same program waits in the same way. `run`: only at a prompt. Returns the
        turn at which the rest was not typed; None if all of it was."""
        for _ in range(_TRIES):
            first = may_type(self._watch, run)
            piece, *rest = pieces_of(first, text) if enter else [text]
            self._report.keep_unseen(first)
            if type_text(self._report, first, piece, enter):
                break
        else:
            what = f"{self._watch.pane.name} keeps changing: someone types, or a program draws"
            raise TmuxError(what, f"wait with wait_ready, then try again; {NOTHING}")
        tries = _TRIES
        while rest:
            here = self.answer(self._watch.wait(self.left(_LEAST)))
            other = here.reading.kernel.foreground != first.reading.kernel.foreground
            same = here.word is first.word or here.at_rest and first.at_rest
            changed = other or not same or here.own and here.at_prompt
            if changed or not tries or not may_go_on(self._watch, here):
                if any(rest):
                    lines = f"{len(rest)} lines of text were" if rest[1:] else "line of text was"
                    self._report.notes.append(f"the last {lines} not typed")
                return here
            self._report.keep(here)
            if type_text(self._report, here, rest[0], True):
                rest.pop(0)
            else:
                tries -= 1
        return None

    def answer(self, here: Turn) -> Turn:
        """Answers the question of `here`, and those after it, each once as long as it comes
        unchanged; returns the turn at the end."""
        answered = set[str]()
        while here.verdict and (
            here.word in ASKS_LINE or here.word is Word.QUIET and here.reading.question
        ):
            asked, at_cursor = here.verdict.detail, here.reading.seen.left.strip()
            if asked in answered or not (at_cursor or here.reading.asked):  # our own words
                break
            text = self._watch.search.answer(asked)
            proposed = here.own and text  # it would follow that
            if text is None or proposed or here.persons or not may_go_on(self._watch, here):
                break
            answered.add(asked)
            self._report.keep(here, asked)
            if type_text(self._report, here, text, True) and here.word is not Word.NEEDS_PASSWORD:
                whole = f"{asked} {here.own}{text}".rstrip()
                self._report.answered(whole if at_cursor else text)
            here = self._watch.wait(self.left())
        return here
