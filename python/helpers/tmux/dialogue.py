"""What a call types, step by step: the pieces of a text, answers to questions, keys."""

from __future__ import annotations

import time

from .answer import Word
from .client import TmuxError
from .report import Report
from .state import load, place_at
from .typing import NOTHING, may_type, pieces_of, sent_now, type_text
from .watch import Turn

_TRIES = 8  # inputs on a pane that changes meanwhile
_LEAST = 1.0  # seconds in which the next of several lines may be asked for


class Dialogue:
    """The typing of one call. `run`: only at a prompt; `limit`: seconds for all of it."""

    def __init__(self, report: Report, run: bool, limit: float):
        self._report, self._watch, self._run = report, report.watch, run
        self._end = time.monotonic() + limit

    def enter(self, text: str) -> Turn | None:
        """Types `text` and Enter, line by line where the program does not take several at once.
        Returns the turn at which the rest was not typed; None if all of it was."""
        here, notes = may_type(self._watch, self._run), self._report.notes
        self._report.note_line(here)
        if self._run:
            self._report.note_unseen(here)
        if here.verdict is None:
            notes.append(f"typed ahead: {here.reading.program} was running")
        *pieces, last = pieces_of(here, text)
        for number, piece in enumerate(pieces):
            self._type(here, piece, self._run)
            here = self._watch.wait(max(self._end - time.monotonic(), _LEAST))
            if not here.at_rest:
                left = f"{len(pieces) - number} lines were not typed"
                notes.append(f"{left}: {here.reading.program} does not wait for them")
                return here
            self._report.keep(here)
        self._type(here, last, self._run)
        return None

    def answer(self, here: Turn, answers: dict[str, str] | None) -> Turn:
        """Answers the question of `here`, and those after it, as long as they are new; returns the
        turn at the end."""
        before, named = None, {}
        for at, text in enumerate((answers or {}).values(), start=1):
            named[f"answers {at}"] = text
        asks = (Word.NEEDS_INPUT, Word.NEEDS_PASSWORD)
        while here.verdict and (here.word in asks or here.word is Word.QUIET and here.reading.question):
            asked, search = here.verdict.detail, self._watch.search.search
            text = next((named[name] for name in named if search(name, asked)), None)
            if text is None or asked == before:
                break
            before = asked
            secret = here.word is Word.NEEDS_PASSWORD
            self._report.keep(here, asked if secret else f"{asked} {text}")
            self._type(here, text, False)
            here = self._watch.wait(max(self._end - time.monotonic(), 0.0))
        return here

    def _type(self, here: Turn, text: str, run: bool) -> None:
        """Types, and again where the pane has changed before a key was typed."""
        for _ in range(_TRIES):
            if type_text(self._watch, here, text, enter=True):
                return
            self._watch.state = load(self._watch.pane.look())
            here = may_type(self._watch, run)
        name = self._watch.pane.name
        raise TmuxError(f"{name} keeps changing", f"wait with wait_ready; {NOTHING}")


def press(report: Report, here: Turn, keys: list[str]) -> None:
    """Presses keys at the turn `here`. Raises TmuxError."""
    watch, seen = report.watch, report.watch.seen
    before = watch.state.sent
    if seen.pane_dead:
        hint = f"start it anew: tmux respawn-pane -t {seen.id}"
        raise TmuxError(f"the program in {watch.pane.name} has ended", f"{hint}; {NOTHING}")
    sent = sent_now(watch, here.reading, here, keys[-1] == "Enter")
    sent.escape = keys[-1] == "Escape"
    if before and before.end:
        sent.end = before.end
    elif not here.reading.full_screen:
        sent.end = place_at(seen, seen.line_row)
    if watch.pane.press(keys, seen):
        report.notes.append("the person had scrolled back; copy mode was left for these keys")
    watch.store_sent(sent)
