"""Readings of one pane, their clocks, and the wait for a verdict.

A reading asks the kernel first, which is cheap: who is in front, and does somebody there sleep in a
read of the terminal? Then tmux, for a look at the screen; then the memory of a line editor that
waits. While the kernel shows that a program runs (`make`), it is asked alone most of the time: a
look is a process of its own.

A wait makes readings until one says that it is somebody's turn, for as long as the verdict asks: a
shell at its known prompt is told at once, a question in raw mode after a second without a change.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..base.cells import in_one_line
from ..base.client import TmuxError
from ..base.process import all_pids, ends, is_hidden, read
from ..base.words import SURE, Word
from ..facts.editor import Editor, read_editor
from ..facts.kernel import Kernel, probe, reads_too
from ..facts.look import SLACK, Look
from ..facts.pane import Pane
from ..facts.pattern import Searcher
from ..facts.place import Place, since
from ..facts.reader import Differs, Reader, differs, reader_of
from ..facts.state import Sent, load, stamp_of
from .decide import decide
from .reading import Reading
from .turn import Turn
from .verdict import LISTENS, QUICK, RUNS, SETTLED, Verdict

_NO_PROC = "/proc does not show its processes; mount it, without hidepid"
_STORED_BY = 0.04  # seconds after which the first look stores in any case what was typed
_LOOK_EVERY = 0.25  # seconds between two looks while the kernel shows that a program runs,
_LOOK_AT_LAST = 2.0  # and later on
_LOOKS_OF_WAIT = 5  # a fifth of what was waited
_SHOW_EVERY = 0.3  # seconds between two pictures for the caller
_FRESH = 0.03  # seconds for which a look counts as one of now, as long as nothing is typed
_RESTLESS = 0.5  # seconds; a full screen that is never still for so long redraws for ever
_SEARCH_EVERY = 1.0  # seconds between two searches of all processes
_SHORTEST = 0.0015  # seconds between two readings
_LONGEST = 0.09
_PART_OF_WAIT = 200  # a nap is at most such a part of what was waited: so late is an answer;
_ASLEEP = 2  # a second in which its program has slept counts as so many more
_PART_OF_LIFE = 10  # or a tenth of the time for which this program has been in front
_PART_OF_REST = 8  # but not less than an eighth of the time for which the screen must still rest,
_PART_OF_NEW = 2  # or half of the time for which the program has been in front
_TAKES_OVER = 0.001  # seconds in which a shell goes on once its program has ended
_LONG = 60.0  # seconds: longer than any verdict asks for
_SETTLES = 0.05  # seconds that a wait takes longer if there is a verdict by then
_STILL_LINE = 2.5  # seconds after which a line known only by its form is still


@dataclass(slots=True)
class _Clocks:
    """When something was seen to happen, in monotonic seconds."""

    ran: float  # the subject used CPU, or another one came
    came: float = 0.0  # another program came in front
    moves: float | None = None  # since when a full screen has been moving; None: it rests
    searched: float = 0.0  # all processes were gone through
    began: float = 0.0  # a wait
    next_look: float = 0.0  # by then it looks, whatever the kernel says
    shown: float = 0.0  # the caller was shown a picture

    def begin(self, now: float) -> None:
        """A wait begins. What was typed before took its time on a busy machine."""
        self.moves = None
        self.began = now
        self.next_look = now + _STORED_BY
        self.shown = now


class _Judged(NamedTuple):
    """A reading, and what it says."""

    reading: Reading
    verdict: Verdict
    rest: float  # seconds for which the screen must still stand still
    ripe: bool  # it has been so for as long as the verdict asks for


class Watch:
    """`nap(seconds)` may raise to end the call; `on_look(seen, seconds)` sees what a wait sees.
    `line_editor`: whether a program's memory may be read."""

    def __init__(
        self,
        pane: Pane,
        search: Searcher,
        nap: Callable[[float], object],
        on_look: Callable[[Look, float], object],
        line_editor: bool,
    ):
        self.pane = pane
        self.search = search
        self.nap = nap
        self.on_look = on_look
        self.seen = pane.seen
        self.state = load(pane.seen)
        self.first_call = not pane.seen.state  # no call has been about this pane
        self.reader = Reader()
        self._line_editor = line_editor
        now = time.monotonic()
        self.changed = now  # when the screen was last seen to change, in monotonic seconds
        self._clocks = _Clocks(ran=now)

    @property
    def no_key(self) -> bool:
        """Whether it is proven that no key came from an attached terminal since the last answer."""
        stamp = self.state.stamp
        return stamp is not None and stamp.proves_no_key(self.seen)

    # readings

    def read(self, seen: Look | None = None, above: int = SLACK, look: bool = True) -> Reading:
        """A new reading.

        seen: a look that is taken for one of now; without it, a new one is made.
        above: the rows above the screen that a new look includes.
        look: False for a reading of the kernel alone, unless that may be a turn.
        """
        kernel = self._probe(searches=look)
        if seen is None and (look or kernel.may_be_a_turn):
            seen = self.pane.look(above)
        now = time.monotonic()
        self._note(kernel, seen, now)
        reading = Reading(
            seen=self.seen,
            kernel=kernel,
            editor=self._editor(kernel),
            state=self.state,
            now=now,
            no_key=self.no_key,
            still=self._still(now),
            asleep=now - self._clocks.ran,
            pattern=self._prompt_found(),
        )
        return replace(reading, full=self._moving(reading))

    def reload(self) -> None:
        """Reads what any call has stored on the pane: what was only noted is dropped."""
        self.state = load(self.read().seen)
        self.first_call = not self.seen.state

    def _probe(self, searches: bool) -> Kernel:
        """What the kernel says.

        A reader that a daemon has started (pinentry, for gpg) is searched for among all processes.
        That takes long, so it is done once a second, and in each reading once one was found.
        """
        clocks = self._clocks
        due = searches and time.monotonic() - clocks.searched > _SEARCH_EVERY
        drawn = self.seen.alternate_on or self.seen.keypad_flag
        kernel = probe(self.seen.pid, due, drawn)
        if not (kernel.subject or self.seen.pane_dead) and is_hidden(self.seen.pid):
            raise TmuxError(f"cannot tell what runs in {self.pane.name}: {_NO_PROC}")
        if due:
            clocks.searched = 0.0 if kernel.waiter else time.monotonic()
        return kernel

    def _note(self, kernel: Kernel, seen: Look | None, now: float) -> None:
        """Keeps what a reading is made of, and the moment of what is new in it."""
        clocks = self._clocks
        before = self.reader
        if seen is not None:
            if seen.shows != self.seen.shows:
                self.changed = now
            self.seen = seen
            waited = (now - clocks.began) / _LOOKS_OF_WAIT
            clocks.next_look = now + min(max(waited, _LOOK_EVERY), _LOOK_AT_LAST)
        self.reader = reader_of(self.seen, kernel, self._beside(kernel))
        new = differs(self.reader, before)
        if new & Differs.RUN:
            clocks.ran = now
        if before.pid and new & Differs.PROGRAM:
            clocks.came = now

    def _beside(self, kernel: Kernel) -> int:
        """Who reads this terminal too, though another one is in front, or beside it there: was told
        to wait, and has outlived that; or has come while a person typed."""
        told = self.state.told
        pids = {told.subject, told.beside, self.reader.beside} - {0, kernel.subject}
        return kernel.beside or reads_too(pids, kernel.terminal)

    def seek_beside(self, kernel: Kernel) -> None:
        """Goes through all processes for one more that reads this terminal, where a person may have
        started it: that takes some milliseconds."""
        if not self.no_key and not self.reader.beside:
            others = [pid for pid in all_pids() if pid != kernel.subject]
            self.reader = self.reader._replace(beside=reads_too(others, kernel.terminal))

    @property
    def beside(self) -> str:
        """Its name and pid: `pinentry (4711)`; "" if nobody reads beside who is in front."""
        process = read(self.reader.beside)
        return f"{process.name} ({process.pid})" if process else ""

    def _editor(self, kernel: Kernel) -> Editor | None:
        """The memory of the line editor that waits for a key; None where that is closed, or not
        what is drawn."""
        raw = kernel.terminal.canonical is False
        if not (self._line_editor and raw and kernel.waiter):
            return None
        editor = read_editor(kernel.subject)
        if editor is None or not editor.is_believed(self.seen.line_left):
            return None
        return editor

    def _still(self, now: float) -> float:
        """Seconds for which the screen has stood still, counted from the last input, and from when
        this program came in front: the screen may still be that of the one before. What has not
        run since an answer told that somebody waits is as still as it was then."""
        still = _LONG if self._rests else max(now - self.changed, self.seen.silent)
        return min(still, now - self._clocks.came, now - self.state.sent.at)

    @property
    def _rests(self) -> bool:
        """Whether an answer told that somebody waits, and what is in front has not run since."""
        ran = differs(self.reader, self.state.told) & Differs.RUN
        return not ran and self.state.open in SURE

    def _moving(self, reading: Reading) -> float:
        """Seconds for which a full screen has been moving: `top` does for ever."""
        clocks = self._clocks
        if not reading.full_screen or reading.still >= _RESTLESS:
            clocks.moves = None
            return 0.0
        if clocks.moves is None:
            clocks.moves = reading.now
        return reading.now - clocks.moves

    def _prompt_found(self) -> str | None:
        """The line in which the caller's prompt_pattern matches, at the cursor, or where nothing
        stands there in the last row; None without one."""
        shown = self.seen.line_left
        if self.seen.blank:
            shown = next(filter(None, reversed(self.seen.screen)), "")
        return self.search.prompt(shown)

    def above(self, place: Place | None) -> int:
        """The rows above the screen that a look must include to show what is behind `place`."""
        if place is None:
            return SLACK
        return max(self.seen.history_size - place.row, 0) + SLACK

    def _new(self, place: Place | None) -> list[str]:
        """The lines behind the place, as far as the last look shows them."""
        return [text.rstrip() for _, text in since(place, self.seen)[0]]

    # what is noted

    def note_keys(self) -> None:
        """Notes that a person's key may have come, before the stamp is a new one. In a first call
        nothing proves that none has, unless nobody was ever here.
        """
        if self.seen.visited and not self.no_key:
            self.state.touched = True

    def store_sent(self, sent: Sent) -> None:
        """Notes an input on the pane: from now on, output counts from its end, and what fails is
        no error any more."""
        self.search.forgive()
        self.note_keys()
        self.state.theirs = self.state.theirs and sent.beside
        self.state.sent = sent
        self.state.draft = None
        self.state.doubt = 0
        told = self.state.place
        is_told = told is not None and sent.place is not None and told.at > sent.place.at
        if sent.place and not self.state.screen and not is_told:  # by a later look
            self.state.place = sent.place
        self.state.stamp = stamp_of(self.seen)
        self.pane.store(self.state.dumps(), now=False)

    # waiting

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
        self._clocks.begin(time.monotonic())
        glance = not until
        until = until and "until" in self.search
        look = until
        while True:
            found = self._judged(look, until, fresh)
            turn = self._turn(found, ignore, until)
            if turn:
                return turn
            passed = found.reading.now - self._clocks.began
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
            look = until or bool(found.verdict) or time.monotonic() > self._clocks.next_look

    def _turn(self, found: _Judged, ignore: Callable[[Verdict], bool], until: bool) -> Turn | None:
        """The turn with which a wait ends; None if it goes on."""
        if until and (line := self.search.search("until", "\n".join(self._new(self._begun)))):
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
        verdict = decide(reading)
        rest = 0.0
        if verdict:
            rest = self._after(verdict) - reading.still
        return _Judged(reading, verdict, rest, ripe=self._is_ripe(reading, verdict, rest))

    def _show(self, now: float, passed: float) -> None:
        """Shows the caller a picture, now and then."""
        if now - self._clocks.shown > _SHOW_EVERY:
            self._clocks.shown = now
            self.on_look(self.seen, passed)

    def _next(self, look: bool, until: bool, fresh: float) -> Reading:
        """The next reading of a wait, with the last new line, which is the question where nothing
        stands at the cursor."""
        above = self.above(self._begun) if until else SLACK
        is_fresh = time.monotonic() - self.seen.at < fresh
        reading = self.read(self.seen if is_fresh else None, above, look)
        if not reading.reads:
            return reading
        lines = reversed(self._new(self.state.place))
        return replace(reading, asked=next(filter(str.strip, lines), ""))

    @property
    def _begun(self) -> Place | None:
        """Where the output of the last input begins; a time-out has shown some of it."""
        return self.state.sent.place or self.state.place

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
        now = self._probe(searches=True)
        if verdict.after > SETTLED and not self._rests:
            now = replace(now, cpu_ns=before.cpu_ns, bytes_read=before.bytes_read)
        return now == before

    def _pause(self, found: _Judged, passed: float) -> float:
        """Seconds until the next reading: longer the more have passed, above all while the program
        sleeps (its end is seen at once); few soon after another one came in front, which is likely
        to wait; no more than the stillness still lasts that a verdict asks for."""
        came = found.reading.now - self._clocks.came
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
    """Whether a program is only quiet, and shows no question: what `until` waits for may come."""
    verdict = found.verdict
    return verdict.word is Word.QUIET and verdict.detail == found.reading.program
