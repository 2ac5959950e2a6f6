"""The typing of one call: a text line by line, and the answers to what the program asks.

Each piece is typed only at the turn for which it is meant: the same program, waiting in the same
way, with nobody else's keys in between. What is not typed is told.
"""

import time

from .answer import ASKS_LINE, Word
from .client import TmuxError
from .may_type import NOTHING, may_go_on, may_type
from .reading import Reading
from .report import Report
from .state import load
from .turn import Turn
from .typing import edits_line, in_brackets, type_text

_TRIES = 8  # inputs on a pane that changes meanwhile
_LEAST = 1.0  # seconds in which the next of several lines may be asked for
_CANONICAL_LINE = 4095  # bytes of a line that the kernel keeps in canonical mode


class Dialogue:
    """The typing of one call. `limit`: seconds for all of it."""

    def __init__(self, report: Report, limit: float):
        self._report, self._watch = report, report.watch
        self._end = time.monotonic() + limit

    def left(self, least: float = 0.0) -> float:
        """Seconds until the limit."""
        return max(self._end - time.monotonic(), least)

    # a text

    def enter(self, text: str, enter: bool) -> Turn | None:
        """Types `text` and Enter, line by line where the program does not take several at once.
        Returns the turn at which the rest was not typed; None if all of it was."""
        for _ in range(_TRIES):
            first = may_type(self._watch, self._report.action)
            if load(first.reading.seen).number != self._watch.state.number:
                self._watch.reload()  # another caller has answered before this one had the lock
                continue
            piece, *rest = _pieces_of(first, text, enter)
            self._report.body = []  # of a try before this one
            self._report.keep_unseen(first)
            if type_text(self._report, first, piece, enter):
                return self._type_rest(first, rest)
        what = f"{self._watch.pane.name} keeps changing: someone types, or a program draws"
        raise TmuxError(what, f"wait with wait_ready, then try again; {NOTHING}")

    def _type_rest(self, first: Turn, rest: list[str]) -> Turn | None:
        """Types the other lines, as long as they are asked for as the first one was."""
        tries = _TRIES
        while rest:
            here = self.answer(self._watch.wait(self.left(_LEAST)))
            if not (tries and _asks_on(here, first) and may_go_on(self._watch, here)):
                self._note_untyped(rest)
                return here
            self._report.keep(here)
            if type_text(self._report, here, rest[0], enter=True):
                rest = rest[1:]
            else:
                tries -= 1
        return None

    def _note_untyped(self, rest: list[str]) -> None:
        if not any(rest):
            return
        lines = "line of text was" if len(rest) == 1 else f"{len(rest)} lines of text were"
        self._report.notes.append(f"the last {lines} not typed")

    # answers

    def answer(self, here: Turn) -> Turn:
        """Answers the question of `here`, and those after it, each once as long as it comes
        unchanged; returns the turn at the end."""
        answered = set[str]()
        while _asks_line(here) and here.verdict.detail not in answered:
            text = self._answer_to(here)
            if text is None:
                break
            answered.add(here.verdict.detail)
            self._report.keep(here)
            entered = type_text(self._report, here, text, enter=True)
            self._report.body.append(_row_of(here, text if entered else None))
            here = self._watch.wait(self.left())
        return here

    def _answer_to(self, here: Turn) -> str | None:
        """The text that answers what is asked now; None if there is none, or it may not be
        typed."""
        shown = here.reading.seen.left.strip() or here.reading.asked
        if not shown:  # the question is in our own words
            return None
        text = self._watch.search.answer(here.verdict.detail)
        follows = here.own and text  # a text that the program proposes
        if text is None or follows or here.persons:
            return None
        if not may_go_on(self._watch, here):
            return None
        return text


def _asks_line(here: Turn) -> bool:
    """Whether a line is asked for; over ssh only the question's form tells it."""
    if not here.verdict:
        return False
    looks_so = here.word is Word.QUIET and here.reading.question is not None
    return here.word in ASKS_LINE or looks_so


def _asks_on(here: Turn, first: Turn) -> bool:
    """Whether the program that took the first line asks for another one in the same way."""
    if here.reading.kernel.foreground != first.reading.kernel.foreground:
        return False
    if here.own and here.at_prompt:
        return False
    if here.word is first.word:
        return True
    return here.at_rest and first.at_rest


def _row_of(here: Turn, text: str | None) -> str:
    """The row of a question that was answered with `text`; None: it could not be typed."""
    asked = here.verdict.detail
    if text is None or here.word is Word.NEEDS_PASSWORD:
        return asked
    if not here.reading.seen.left.strip():  # it was asked above
        return text
    return f"{asked} {here.own}{text}".rstrip()


# pieces


def _pieces_of(here: Turn, text: str, enter: bool) -> list[str]:
    """`text` in the pieces to type one by one: single lines for a program that reads lines, unless
    it takes several as one paste. Raises TmuxError if a part of it would be lost, or be taken as a
    key."""
    reading, lines = here.reading, text.split("\n")
    edits = edits_line(here)
    if edits and "\t" in text:
        _check_tabs(reading)
    if reading.canonical:
        _check_length(here, lines)
    reads_lines = reading.canonical or edits
    if not enter or not reads_lines:
        return [text]
    pasted = in_brackets(reading) and _keeps_lines(reading)
    return [text] if pasted else lines


def _keeps_lines(reading: Reading) -> bool:
    """Whether several lines in one paste stay lines. readline makes one of them (gdb)."""
    traits = reading.traits
    if traits.shell or traits.paste:
        return True
    return not traits.leave and not reading.editor


def _check_tabs(reading: Reading) -> None:
    """Raises TmuxError if a line editor would take a tab as a key."""
    if in_brackets(reading) or reading.traits.quotes:
        return
    raise TmuxError(
        f"{reading.program} would take the tab in the text as a key that completes",
        f"write it as \\t (in a shell $'\\t'), or put the text into a file; {NOTHING}",
    )


def _check_length(here: Turn, lines: list[str]) -> None:
    """Raises TmuxError if a program in canonical mode would lose part of a line."""
    draft = here.reading.state.draft  # which the program has not read
    before = len(here.own.encode())
    if draft and not before:
        before = draft.length
    first, *others = [len(line.encode()) for line in lines]
    longest = max([before + first, *others])
    if longest > _CANONICAL_LINE:
        raise TmuxError(
            f"argument 'text' has a line of {longest} bytes; {here.reading.program} reads in"
            f" canonical mode, where the kernel keeps {_CANONICAL_LINE} bytes of a line",
            f"send shorter lines, or write the text to a file; {NOTHING}",
        )
