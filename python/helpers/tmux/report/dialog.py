"""The dialogue of one call: a text typed in pieces, and answers to expected questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..answer import Answer
from ..evidence.screen.prompts import has_form
from ..turn.dialogue import Act
from ..turn.may_type import asks_otherwise
from ..turn.row import Verdict, unasked
from ..turn.wait import Outcome, wait
from ..turn.watch import Watch
from ..turn.whose_turn import Turn, whose_turn
from ..typing.typing import must_fit, pieces_of, type_text
from ..words import ASKED, Word
from .report import Report

_PIECES = 10.0  # seconds to type several lines one by one if the limit is shorter
_TAKES_NEXT = (Word.READY, Word.UNFINISHED)  # or the word that was there before the first piece
_WAITS = (*_TAKES_NEXT, *ASKED, Word.QUIET)


class Dialog(Report):
    """The answer to several inputs. `answers`: regex of a question -> text to send; `ignore`:
    which verdicts do not end the wait."""

    def __init__(
        self,
        watch: Watch,
        action: str,
        notes: list[str],
        timeout: float,
        answers: dict[str, str] | None,
    ):
        super().__init__(watch, action, notes)
        self.timeout, self.answers = timeout, list((answers or {}).values())
        began = watch.clock()
        self.end, self.typing_ends = began + timeout, began + max(timeout, _PIECES)
        self.ignore: Callable[[Verdict], bool] = lambda verdict: False
        self._stopped: Outcome | None = None

    def type(self, text: str, act: Act, before: Callable[[Turn], object]) -> Turn:
        """Types `text` and Enter, line by line if its reader takes no paste; returns whose turn it
        was. `before` is called with that before the first piece. Raises TmuxError as type_text."""
        watch, notes = self.watch, list(self.notes)

        def look(here: Turn) -> None:
            self.notes[:] = notes
            before(here)

        must_fit(watch, text)
        pieces = pieces_of(watch, text) if self.timeout else [text]
        first = type_text(watch, pieces.pop(0), True, act, look)
        self.origin = watch.input
        while pieces:
            outcome = self._answered(self._wait(self.typing_ends - watch.clock()))
            self._stopped = outcome
            same = outcome.word is first.word and not outcome.ready
            if not (pieces[0] or same or outcome.word is Word.UNFINISHED):
                pieces.pop(0)  # an empty line ends a block, and answers no question
                continue
            here = whose_turn(watch)
            given_back = outcome.ready and here.line.typed
            asks = outcome.word is Word.QUIET and not here.at_prompt
            if outcome.word not in (*_TAKES_NEXT, first.word) or given_back or asks:
                lines = f"{len(pieces)} lines of text were" if pieces[1:] else "line of text was"
                self.notes.append(f"the last {lines} not typed")
                break
            self.collect(outcome)
            type_text(watch, pieces.pop(0), True, Act.SEND)
            self.origin, self._stopped = watch.input, None
        return first

    def finish(self) -> Answer:
        """Waits for a turn, answers expected questions, and reports."""
        outcome = self._stopped or self._answered(self._wait(self.timeout))
        self._note_waiting(outcome)
        return self.answer(outcome, self.timeout)

    def _wait(self, seconds: float) -> Outcome:
        return wait(self.watch, max(seconds, 0.0), self.ignore)

    def _answered(self, outcome: Outcome) -> Outcome:
        """The outcome after `outcome`, once expected questions are answered."""
        answered: set[tuple[Word, str]] = set()
        while (text := self._expected(outcome)) is not None:
            asked = (outcome.word, outcome.detail)
            if asked in answered:  # the same question again: the answer was not accepted
                break
            answered.add(asked)
            if not self.whole:  # the body begins with the input that led to the first question
                self.origin = self.origin or self.watch.pending
            self.whole = True
            type_text(self.watch, text, True, Act.SEND)
            waited = self._wait(self.end - self.watch.clock())
            outcome = replace(waited, seconds=outcome.seconds + waited.seconds)
        return outcome

    def _note_waiting(self, outcome: Outcome) -> None:
        """Notes that a line editor that took several lines at once runs the rest later."""
        typed, kernel = self.origin, self.watch.kernel
        if typed is None or len(typed.sent) < 2 or outcome.word not in _WAITS:
            return
        if kernel.foreground != typed.foreground:
            program = self.watch.scene().program
            self.notes.append(
                f"the lines of text behind the one that started {program} run when it ends"
            )

    def _expected(self, outcome: Outcome) -> str | None:
        """The expected answer to the question; None if there is none, or if it would be appended to
        an answer that the program itself proposes."""
        shown = outcome.detail != unasked(self.watch.scene())  # that text is our own
        asked = outcome.asks and shown
        if not (asked or self._quotes_question(outcome)):
            return None
        for at, text in enumerate(self.answers):
            if self.watch.search.search(f"answers {at + 1}", outcome.detail) is not None:
                return None if text and whose_turn(self.watch).proposed else text
        return None

    def _quotes_question(self, outcome: Outcome) -> bool:
        """Whether the quoted line is an unproven question (ssh), and not a prompt. A caller who has
        given a pattern for it knows that it is one."""
        left = self.watch.view.left.strip()
        quoted = outcome.word is Word.QUIET and outcome.detail == left != ""
        return quoted and not has_form(left)


def still_asked(watch: Watch) -> Callable[[Verdict], bool]:
    """A test whether a verdict is about the question that the person is to answer: the one at the
    cursor, unless they have already answered the one that was reported."""
    if asks_otherwise(watch, whose_turn(watch)):
        return lambda verdict: False
    cell, left, word = watch.view.row, watch.view.left.rstrip(), watch.mark.open

    def same(verdict: Verdict) -> bool:
        view = watch.view
        here = view.row == cell and view.left.startswith(left)
        return verdict.word in ASKED and (here or view.alternate) and word in ("", verdict.word)

    return same
