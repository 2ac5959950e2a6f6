"""Readings of one pane, and since when what they show is so.

A reading asks the kernel first, which is cheap: who is in front, and does somebody there sleep in a
read of the terminal? Then tmux, for a look at the screen; then the memory of a line editor that
waits. The pane's record is read with the look, and stored with the next one.
"""

import time
from collections.abc import Callable

from ..base import programs
from ..base.client import TmuxError
from ..base.process import all_pids, is_hidden, read
from ..base.words import SURE
from ..facts.editor import Editor, read_editor
from ..facts.kernel import Kernel, probe, reads_too
from ..facts.look import SLACK, Look
from ..facts.pane import Pane
from ..facts.reader import NOBODY, Differs, differs, reader_of
from ..facts.state import Sent, load, stamp_of
from .reading import Reading

_NO_PROC = "/proc does not show its processes; mount it, without hidepid"
_SEARCH_EVERY = 1.0  # seconds between two searches of all processes
_LONG = 60.0  # seconds: longer than any verdict asks for


class Readings:
    """prompt: the line in which the caller's prompt_pattern matches, of what it is given.
    line_editor: whether a program's memory may be read."""

    def __init__(self, pane: Pane, prompt: Callable[[str], str | None], line_editor: bool):
        self.pane = pane
        self.seen = pane.seen
        self.state = load(pane.seen)
        self.first_call = not pane.seen.state  # no call has been about this pane
        self.reader = NOBODY
        self.changed = time.monotonic()  # when the screen was last seen to change
        self._ran = self.changed  # when the subject used CPU, or another one came
        self._came = 0.0  # when another program came in front
        self._searched = 0.0  # when all processes were gone through
        self._prompt = prompt
        self._line_editor = line_editor
        self._untouched = self.no_key  # up to the last look

    @property
    def no_key(self) -> bool:
        """Whether it is proven that no key came from an attached terminal since the last answer."""
        stamp = self.state.stamp
        return stamp is not None and stamp.proves_no_key(self.seen)

    def read(self, seen: Look | None = None, above: int = SLACK, look: bool = True) -> Reading:
        """A new reading.

        seen: a look that is taken for one of now; without it, a new one is made.
        above: the rows above the screen that a new look includes.
        look: False for a reading of the kernel alone, unless that may be a turn.
        """
        kernel = self.probe(searches=look)
        if seen is None and (look or kernel.may_be_a_turn):
            seen = self.pane.look(above)

        now = time.monotonic()
        self._note(kernel, seen, now)
        return Reading(
            seen=self.seen,
            kernel=kernel,
            editor=self._editor(kernel),
            state=self.state,
            now=now,
            no_key=self.no_key,
            still=self._still(now),
            asleep=now - self._ran,
            pattern=self._prompt_found(),
        )

    def reload(self) -> None:
        """Reads what any call has stored on the pane: what was only noted is dropped."""
        self.state = load(self.read().seen)
        self.first_call = not self.seen.state
        self._untouched = self.no_key

    def probe(self, searches: bool) -> Kernel:
        """What the kernel says.

        A reader that a daemon has started (pinentry, for gpg) is searched for among all processes.
        That takes long, so it is done once a second, and in each reading once one was found.
        """
        due = searches and time.monotonic() - self._searched > _SEARCH_EVERY
        drawn = self.seen.alternate_on or self.seen.keypad_flag
        kernel = probe(self.seen.pid, due, drawn, self.seen.launched)
        if not (kernel.subject or self.seen.pane_dead) and is_hidden(self.seen.pid):
            raise TmuxError(f"cannot tell what runs in {self.pane.name}: {_NO_PROC}")

        if due:
            self._searched = 0.0 if kernel.waiter else time.monotonic()
        return kernel

    def _note(self, kernel: Kernel, seen: Look | None, now: float) -> None:
        """Keeps what a reading is made of, and the moment of what is new in it."""
        before = self.reader
        if seen is not None:
            if seen.shows != self.seen.shows:
                self.changed = now
            past, self.seen = self.seen, seen
            self._keep_stamp(kernel, past)

        self.reader = reader_of(self.seen, kernel, self._beside(kernel))
        new = differs(self.reader, before)
        if new & Differs.RUN:
            self._ran = now

        if before.pid and new & Differs.PROGRAM:
            self._came = now

    def _keep_stamp(self, kernel: Kernel, before: Look) -> None:
        """Takes the stamp of a look up to which nobody has typed. A key that leaves no echo where
        there is one was not for this pane: who attaches, or comes into focus, only looks."""
        echoes = kernel.terminal.echoes and self.reader.echo
        unseen = echoes and self.seen.is_drawn_as(before)
        self._untouched = self.no_key or bool(self._untouched and unseen)
        if self._untouched and self.seen.settled:
            self.state.stamp = stamp_of(self.seen)

    def _beside(self, kernel: Kernel) -> int:
        """Who reads this terminal too, though another one is in front, or beside it there: was told
        to wait, and has outlived that; or has come while a person typed."""
        if programs.of(kernel.name).multiplexer:  # whose server reads for it
            return 0
        told = self.state.told
        pids = {told.subject, told.beside, self.reader.beside} - {0, kernel.subject}
        return kernel.beside or reads_too(pids, kernel.terminal)

    def seek_beside(self, kernel: Kernel) -> None:
        """Goes through all processes that are younger than the pane's for one more that reads this
        terminal, where a person may have started it: that takes some milliseconds."""
        if not self.no_key and not self.reader.beside:
            younger = {pid for pid in all_pids() if pid > self.seen.pid} - {kernel.subject}
            self.reader = self.reader._replace(beside=reads_too(younger, kernel.terminal))

    @property
    def beside(self) -> str:
        """Its name and pid: `pinentry (4711)`; "" if nobody reads beside who is in front."""
        process = read(self.reader.beside)
        return f"{process.name} ({process.pid})" if process else ""

    def _editor(self, kernel: Kernel) -> Editor | None:
        """The memory of the line editor that waits for a key; None where that is closed, or not
        what is drawn."""
        raw = kernel.terminal.canonical is False
        if not (self._line_editor and kernel.open and raw and kernel.waiter):
            return None
        editor = read_editor(kernel.subject)
        shell = programs.of(kernel.name).shell
        above = self.seen.screen[: self.seen.cursor_y]
        if editor and shell and not editor.is_believed(self.seen.line_left, above):
            return None
        return editor

    def _still(self, now: float) -> float:
        """Seconds for which the screen has stood still, counted from the last input, and from when
        this program came in front: the screen may still be that of the one before. What has not
        run since an answer told that somebody waits is as still as it was then."""
        still = _LONG if self.rests else max(now - self.changed, self.seen.silent)
        return min(still, now - self._came, now - self.state.sent.at)

    @property
    def rests(self) -> bool:
        """Whether an answer told that somebody waits, and what is in front has not run since."""
        ran = differs(self.reader, self.state.told) & Differs.RUN
        return not ran and self.state.open in SURE

    def _prompt_found(self) -> str | None:
        """The line in which the caller's prompt_pattern matches, at the cursor, or where nothing
        stands there in the last row; None without one."""
        shown = self.seen.line_left
        if self.seen.blank:
            shown = next(filter(None, reversed(self.seen.screen)), "")
        return self._prompt(shown)

    # what is noted

    def note_keys(self) -> None:
        """Notes that a person's key may have come, before the stamp is a new one. In a first call
        nothing proves that none has, unless nobody was ever here.
        """
        if self.seen.visited and not self.no_key:
            self.state.touched = True

    def note_input(self, sent: Sent) -> None:
        """Notes an input on the pane: from now on, output counts from its end."""
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
