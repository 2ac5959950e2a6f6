"""The wait for a turn, on readings of one pane.

A wait makes readings until one says that it is somebody's turn, for as long as the verdict asks: a
shell at its known prompt is told at once, a question in raw mode after a second without a change.
While the kernel shows that a program runs (`make`), it is asked alone most of the time: a look is a
process of its own.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ..base.cells import in_one_line
from ..base.process import ends
from ..base.words import Word
from ..facts.look import SLACK, Look
from ..facts.pane import Pane
from ..facts.pattern import Searcher
from ..facts.place import Place, since
from ..facts.state import Sent
from .decide import decide
from .reading import Reading
from .readings import Readings
from .turn import Turn
from .verdict import LISTENS, QUICK, RUNS, SETTLED, Verdict

_STORED_BY = 0.04  # seconds after which the first look stores in any case what was typed
_LOOK_EVERY = 0.25  # seconds between two looks while the kernel shows that a program runs,
_LOOK_AT_LAST = 2.0  # and later on
_LOOKS_OF_WAIT = 5  # a fifth of what was waited
_SHOW_EVERY = 0.3  # seconds between two pictures for the caller
_FRESH = 0.03  # seconds for which a look counts as one of now, as long as nothing is typed
_RESTLESS = 0.5  # seconds; a full screen that is never still for so long redraws for ever
_SHORTEST = 0.0015  # seconds between two readings
_LONGEST = 0.09
_PART_OF_WAIT = 200  # a nap is at most such a part of what was waited: so late is an answer;
_ASLEEP = 2  # a second in which its program has slept counts as so many more
_PART_OF_LIFE = 10  # or a tenth of the time for which this program has been in front
_PART_OF_REST = 8  # but not less than an eighth of the time for which the screen must still rest,
_PART_OF_NEW = 2  # or half of the time for which the program has been in front
_TAKES_OVER = 0.001  # seconds in which a shell goes on once its program has ended
_SETTLES = 0.05  # seconds that a wait takes longer if there is a verdict by then
_STILL_LINE = 2.5  # seconds after which a line known only by its form is still


class _Judged(NamedTuple):
    """A reading, and what it says."""

    reading: Reading
    verdict: Verdict
    rest: float  # seconds for which the screen must still stand still
    ripe: bool  # it has been so for as long as the verdict asks for


class Watch(Readings):
    """`search`: the caller's patterns; `nap(seconds)` may raise to end the call; `on_look(seen,
    seconds)` sees what a wait sees."""

    def __init__(
        self,
        pane: Pane,
        search: Searcher,
        nap: Callable[[float], object],
        on_look: Callable[[Look, float], object],
        line_editor: bool,
    ):
        super().__init__(pane, search.prompt, line_editor)
        self.search = search
        self.nap = nap
        self.on_look = on_look
        # in monotonic seconds
        self._began = 0.0  # a wait
        self._shown = 0.0  # the caller was shown a picture
        self._moves: float | None = None  # since when a full screen moves; None: it rests

    def note_input(self, sent: Sent) -> None:
        """Notes an input on the pane; from now on a pattern that fails is no error any more."""
        self.search.forgive()
        super().note_input(sent)

    def turn(self, patience: float, fresh: float = _FRESH) -> Turn:
        """Whose turn it is now: a glance. Waits for a verdict for `patience` seconds, and longer
        where there is one that is not sure yet. A look counts as one of now for `fresh` seconds."""
        return self.wait(patience, unsure=_STILL_LINE, until=False, fresh=fresh)

    def wait(
        self,
        limit: float,
        ignore: Callable[[Verdict], bool] = lambda verdict: False,
        *,
        unsure: float = _SETTLES,
        until: bool = True,
        fresh: float = 0.0,
    ) -> Turn:
        """Waits until it is somebody's turn; at the limit the verdict says that a program runs.

        limit: seconds.
        ignore: whether the wait goes on in spite of a verdict.
        unsure: seconds more where a verdict that is not sure yet can be so by then.
        until: whether the caller's pattern of that name ends the wait too.
        fresh: seconds for which the last look is one of now: nothing has been typed since.
        """
        self._begin(time.monotonic())
        glance = not until
        until = until and "until" in self.search
        look = until
        while True:
            found = self._judged(look, until, fresh)
            turn = self._turn(found, ignore, until)
            if turn:
                return turn
            passed = found.reading.now - self._began
            left = limit - passed
            if found.verdict and found.rest <= left + unsure:
                left += unsure
            if left <= 0:
                # Without a last look a time-out might name a program that has ended.
                last = self._judged(True, until, fresh)
                verdict = last.verdict if until and last.verdict.asks else RUNS  # told before
                return self._turn(last, ignore, until) or Turn(last.reading, verdict)
            self._show(found.reading.now, passed)
            if not glance:
                self.pane.prepare()
            self._nap(min(self._pause(found, passed), left))
            look = until or bool(found.verdict) or time.monotonic() > self._next_look

    def _begin(self, now: float) -> None:
        """A wait begins. What was typed before took its time on a busy machine."""
        self._moves = None
        self._began = self._shown = now

    @property
    def _next_look(self) -> float:
        """When it looks, whatever the kernel says: the first look stores what was typed."""
        waited = self.seen.at - self._began
        if waited < 0:
            return self._began + _STORED_BY
        return self.seen.at + min(max(waited / _LOOKS_OF_WAIT, _LOOK_EVERY), _LOOK_AT_LAST)

    def _turn(self, found: _Judged, ignore: Callable[[Verdict], bool], until: bool) -> Turn | None:
        """The turn with which a wait ends; None if it goes on."""
        if until and (line := self.search.search("until", "\n".join(self._new(self._begins)))):
            matched = Verdict(word=Word.MATCHED, detail=in_one_line(line))
            return Turn(self.read(), matched)  # its program may have ended meanwhile

        verdict = found.verdict
        if not verdict or ignore(verdict) or not found.ripe:
            return None
        if until and _proves_nothing(found):
            return None
        return Turn(found.reading, verdict)

    def _judged(self, look: bool, until: bool, fresh: float) -> _Judged:
        """The next reading of a wait, and what it says."""
        reading = self._next(look, until, fresh)
        reading = replace(reading, full=self._moving(reading))
        verdict = decide(reading)
        rest = 0.0
        if verdict:
            rest = self._after(verdict) - reading.still
        return _Judged(reading, verdict, rest, ripe=self._is_ripe(reading, verdict, rest))

    def _moving(self, reading: Reading) -> float:
        """Seconds for which a full screen has been moving: `top` does for ever."""
        if not reading.full_screen or reading.still >= _RESTLESS:
            self._moves = None
            return 0.0
        if self._moves is None:
            self._moves = reading.now
        return reading.now - self._moves

    def _show(self, now: float, passed: float) -> None:
        """Shows the caller a picture, now and then."""
        if now - self._shown > _SHOW_EVERY:
            self._shown = now
            self.on_look(self.seen, passed)

    def _next(self, look: bool, until: bool, fresh: float) -> Reading:
        """The next reading of a wait, with the last new line, which is the question where nothing
        stands at the cursor."""
        above = self.above(self._begins) if until else SLACK
        is_fresh = time.monotonic() - self.seen.at < fresh
        reading = self.read(self.seen if is_fresh else None, above, look)
        if not reading.kernel.waiter:
            return reading

        lines = self._new(self.state.place)
        if not (any(lines) or reading.reads or self.state.sent):  # what was told may stand there
            lines = [self.seen.rows.get(self.seen.row - 1, "")]
        return replace(reading, last_new=next(filter(str.strip, reversed(lines)), ""))

    @property
    def _begins(self) -> Place | None:
        """Where the output of the last input begins; a time-out has shown some of it."""
        return self.state.sent.place or self.state.place

    def above(self, place: Place | None) -> int:
        """The rows above the screen that a look must include to show what is behind `place`."""
        if place is None:
            return SLACK
        return max(self.seen.history_size - place.row, 0) + SLACK

    def _new(self, place: Place | None) -> list[str]:
        """The lines behind the place, as far as the last look shows them."""
        return [text.rstrip() for _, text in since(place, self.seen)[0]]

    def _is_ripe(self, reading: Reading, verdict: Verdict, rest: float) -> bool:
        """Whether the verdict has been so for as long as it asks for, and the reading is of one
        moment: after the look the kernel says what it said before.

        A person may have typed a password in between: echo was off, and the look already shows the
        next question. Where hardly any stillness is asked for, who waits must not have run either:
        bash is seen asleep between two commands of a list.
        """
        if not verdict or rest > 0:
            return False
        before = reading.kernel
        now = self.probe(searches=True)
        if verdict.after > SETTLED and not self.rests:
            now = replace(now, cpu_ns=before.cpu_ns, bytes_read=before.bytes_read)
        return now == before

    def _pause(self, found: _Judged, passed: float) -> float:
        """Seconds until the next reading: longer the more have passed, above all while the program
        sleeps (its end is seen at once); few soon after another one came in front, which is likely
        to wait; no more than the stillness still lasts that a verdict asks for."""
        came = found.reading.now - self._came
        waited = passed + _ASLEEP * min(found.reading.asleep, passed)
        wait = min(waited / _PART_OF_WAIT, came / _PART_OF_LIFE)
        if found.verdict:
            wait = min(wait, found.rest)
        least = min(found.rest / _PART_OF_REST, came / _PART_OF_NEW)
        return min(max(wait, least, _SHORTEST), _LONGEST)

    def _nap(self, seconds: float) -> None:
        """Naps, but no longer than the program in front lives: `make` has ended."""
        end = time.monotonic() + seconds
        if ends(self.reader.subject, seconds):
            end = time.monotonic() + _TAKES_OVER
        self.nap(max(end - time.monotonic(), 0.0))

    def _after(self, verdict: Verdict) -> float:
        """Seconds for which the screen must be still; less for a question that the caller has given
        an answer to: `Go on? [y/N]` in raw mode. A search starts a process, so it is made only
        where it can save time."""
        may_be = verdict.asks and QUICK < verdict.after <= LISTENS
        if may_be and self.search.answer(verdict.detail) is not None:
            return QUICK
        return verdict.after


def _proves_nothing(found: _Judged) -> bool:
    """Whether a program is only quiet, and shows no question at the cursor: what `until` waits for
    may come."""
    return found.verdict.word is Word.QUIET and not found.reading.text
