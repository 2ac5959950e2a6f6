"""Sees a text drawn, and presses Enter in the tmux call that saw it; or takes the text back.

A text stands where it was asked for once one of these holds, the surest first:

1. The cursor is in the cell that the text's width predicts, and the program listens: one look.
2. The reader has run and sleeps again, or the kernel itself echoes: the screen is complete.
3. Two looks 60 ms apart are equal, where neither can be known (ssh).

Of 2 and 3 the text must stand there: in the line editor's memory, or on the screen if no key of a
person's can have come. Whatever else is seen is waited for; what somebody may have typed beside the
text makes it be taken back, and nothing is entered.

At a shell's prompt the first look is made in the call that types the text: of a plain command
nothing more is needed: bash, zsh and fish draw it within a millisecond, 29 times of 30.

A question may take a text as it is, and go on: the `y` of `read -n 1`. Enter would take the default
of the next question, so it is not pressed; what is asked by then is the answer's to tell.
"""

import re
import time
from dataclasses import replace
from enum import Enum
from itertools import zip_longest

from ..base.answer import quoted
from ..base.cells import breadth, squeezed, text_at
from ..base.client import TmuxError
from ..facts.editor import Editor
from ..facts.kernel import Kernel
from ..facts.look import Look
from ..facts.pane import at_cell
from ..facts.reader import Differs, differs, reader_of
from ..facts.state import Sent, draft_of, load
from ..turn.reading import Reading
from ..turn.turn import Turn
from ..turn.watch import Watch

_STILL = 0.06  # seconds; an echo over ssh comes in pieces 3 to 20 ms apart
_FINISHED = 1.5  # seconds after which a program has drawn what it draws
_FINISHED_REMOTE = 6.0
_DRAW_LIMIT = 15.0  # seconds at most: a machine is busy, or the line is never still
_NO_ECHO = 0.25  # seconds after which text that was read but not drawn counts as hidden input
_TAKEN_BACK = 1.0  # seconds in which a line editor draws a line from which text was removed
LOOK = 0.002  # seconds between two looks
_MARK = 2  # cells at the end of a row that an editor keeps for its mark
_NOWHERE = "0"  # a tmux condition
# Parts of a sign of several code points: terminals disagree about its width.
_DISPUTED = re.compile("[\ufe0f\u200d\u20e3\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff]")
_MASKS = re.compile(r"([^\w\s])\1*$")  # what is drawn for a secret: `***`, `•••`
_UNDRAWN = (
    "{} does not draw what is typed; where the terminal's echo is off, stty echo mends it; where a"
    " program was cut off in a control string, printf '\\033\\\\' does; where its errors go to a"
    " file (exec 2>log), exec 2>/dev/tty does"
)
_GONE = (
    "someone typed at the same moment, and has ended the line with your text: it was entered, or"
    " dropped; see it with read"
)
_UNSENT = "see the screen with read; then press keys Enter if that is right; interrupt clears it"


def see_and_enter(watch: Watch, here: Turn, text: str, notes: list[str]) -> Reading | None:
    """Waits until `text` is drawn behind the line of `here`, and presses Enter there. Returns the
    last reading, that of `here` where the text has answered without Enter; None if somebody may
    have typed beside the text, and it was taken back. Raises TmuxError if none of it comes
    about."""
    drawing = _Drawing(watch, here, text)
    cell = drawing.predicted()
    sight = Sight.INCOMPLETE
    while sight is not Sight.TOUCHED and not drawing.is_over():
        if entered := drawing.look_and_enter(cell):
            return entered
        if drawing.is_answered():
            return here.reading

        sight = drawing.sight()
        if sight in (Sight.STANDS, Sight.HIDDEN):
            cell = drawing.cell()

        if sight is Sight.HIDDEN and here.at_rest:
            notes.append(_UNDRAWN.format(here.program))

        watch.nap(LOOK)

    touched = sight is Sight.TOUCHED or drawing.is_touched()
    if touched and drawing.has_gone():
        notes.append(_GONE)
        return here.reading

    if touched and _taken_back(watch, text):
        return None

    why = "someone typed at the same moment" if touched else drawing.why_not()
    raise _unsent(watch, drawing.whole, why, touched)


def type_and_enter(
    watch: Watch, here: Turn, text: str, type_if: str, notes: list[str]
) -> Reading | None:
    """Types `text` at a shell's prompt if the condition is true, and presses Enter in the same tmux
    call where it is drawn by then; else as `see_and_enter`. None also where it was not typed.

    No reading of the kernel is made between text and Enter. What shows that the shell has read the
    Enter is that it has read more than the bytes of the text.
    """
    reading = watch.read(watch.seen)
    cell = _Drawing(watch, here, text).predicted()
    watch.seen, typed, entered = watch.pane.look_and_enter(cell, text, type_if)
    if not typed:
        return None
    if not entered:
        return see_and_enter(watch, here, text, notes)

    kernel = reading.kernel
    if not kernel.terminal.canonical:  # what is drawn was read; that Enter is shows a byte more
        kernel = replace(kernel, bytes_read=(kernel.bytes_read or 0) + len(text.encode()))
    return replace(reading, seen=watch.seen, kernel=kernel)


class Sight(Enum):
    """What the last look shows of a text."""

    INCOMPLETE = "it may still be drawn"
    STANDS = "it stands there, alone"
    HIDDEN = "the program has taken it, and draws nothing, or masks"
    TOUCHED = "somebody may have typed beside it"


class _Drawing:
    """A text that is being drawn: what is seen of it, and since when that is the same."""

    def __init__(self, watch: Watch, here: Turn, text: str):
        self._watch = watch
        self._here = here
        self._text = text
        self._before = here.seen
        self._start = here.kernel
        self._remote = self._start.out_of_sight
        self._unsure = self._remote and not here.no_key  # what is typed may not be drawn yet
        # An Escape of theirs may wait for its next key: M-. puts a word there of any width.
        memory = here.reading.editor or not here.seen.visited
        self._unproven = not (here.no_key or memory)
        self._limit = _FINISHED_REMOTE if self._remote else _FINISHED
        self._seen = watch.seen
        self._kernel = self._start
        self._began = self._since = self._now = time.monotonic()
        self._last: tuple[object, ...] = ()
        self._exact = self._blanks_count()
        self.whole = here.own + text

    def predicted(self) -> str:
        """A tmux condition: the cursor is where it stands once the text is drawn, on the same
        row."""
        if self._unsure or self._unproven or not self._fits():
            return _NOWHERE
        return at_cell(self._before, self._end())

    def _end(self) -> tuple[int, int]:
        """The cell in which the text ends, on the same row."""
        seen = self._before
        return seen.row, seen.cursor_x + breadth(self._text)

    def _fits(self) -> bool:
        """Whether the text ends on the same row."""
        several = "\n" in self._text or "\t" in self._text
        return not several and self._end()[1] < self._before.width

    def _blanks_count(self) -> bool:
        """Whether the text is right only with the same blanks: at the prompt of a REPL, which may
        have put some before it."""
        plain = self._fits() and not self._here.own
        return plain and self._here.at_rest and not self._here.reading.traits.shell

    def _is_shown(self) -> bool:
        """Whether the text is on the screen. fish and tmux disagree about the width of some signs
        (`⚠️`), and then the rest of the row is drawn astray: what is before the first one is
        enough, because no key has come."""
        room = self._before.width - self._before.cursor_x
        if _shows(self._seen, self._text, room):
            return True
        before, *rest = _DISPUTED.split(self._text, maxsplit=1)
        start = squeezed(before[:-1])
        return bool(rest) and start in squeezed(self._seen.line_left)

    def _stands_exactly(self) -> bool:
        """Whether the text stands behind the prompt with as many blanks as it was typed with.

        Without a prompt they are for the eye: fish draws `end` further to the left.
        """
        shown = self._seen.line_left
        drawn = re.search(f"{_as_drawn(self._text)}$", shown)
        if not drawn:
            return False
        before = shown[: drawn.start()]
        sign = before.rstrip()
        return not sign or before in (sign, f"{sign} ", self._before.line_left)

    def cell(self) -> str:
        """A tmux condition: the cursor is where the last look has seen it."""
        return at_cell(self._seen, self._seen.cell)

    def look_and_enter(self, cell: str) -> Reading | None:
        """Looks once; the reading in whose call Enter was pressed, None if it was not."""
        reading = self._watch.read(self._seen)
        self._kernel = reading.kernel
        self._now = time.monotonic()
        condition = cell if self._listens() else _NOWHERE
        self._seen, _, entered = self._watch.pane.look_and_enter(condition)
        self._watch.seen = self._seen
        if entered:
            return replace(reading, seen=self._seen)

        ran = self._kernel.cpu_ns  # of a reader that naps it changes for ever
        if self._now - self._began > _FINISHED:
            ran = 0

        now = (self._seen.cell, ran, self._kernel.terminal.unread)
        if now != self._last:
            self._last = now
            self._since = self._now

        return None

    def _listens(self) -> bool:
        """Whether the program reads as it did before, and will when the Enter comes.

        irb draws in canonical mode, in which the kernel would echo the Enter, and what then goes
        back to raw mode may discard it. So what is no shell must have taken the text, and read
        again; where that cannot be seen, some time must have passed. Shells take what is typed
        ahead.
        """
        if self._changed() & Differs.CANONICAL or self._kernel.terminal.unread:
            return False
        if self._remote or self._here.reading.traits.shell:
            return True
        return self._has_taken() or self._now - self._began > _NO_ECHO

    def sight(self) -> Sight:
        """What the last look shows of the text.

        `echo hi` stands behind the prompt: STANDS. Half of it is drawn: INCOMPLETE. A password's
        question shows nothing, and the program has taken it: HIDDEN. A key has come from a
        terminal meanwhile, and no memory shows whose the line is: TOUCHED.
        """
        if not self._is_complete():
            return Sight.INCOMPLETE

        drawn = self._is_drawn()
        editor = self._watch.read(self._seen).editor
        if drawn and self._stands_alone(editor):
            return Sight.STANDS

        if self._is_touched_unseen():
            if editor or drawn:
                return Sight.TOUCHED
            return Sight.INCOMPLETE

        hidden = not drawn or self._is_masked()
        if hidden and self._has_taken() and self._rests():
            return Sight.HIDDEN
        return Sight.INCOMPLETE

    def _stands_alone(self, editor: Editor | None) -> bool:
        """Whether the line is the text and nothing else: by the editor's memory; without it by the
        screen, where no key of a person's can have come."""
        if editor:
            return _unquoted(editor.text, self.whole) == squeezed(self.whole)
        if self._is_touched_unseen():
            return False
        if self._exact and not self._stands_exactly():
            return False
        return self._is_shown()

    def is_answered(self) -> bool:
        """Whether a question has taken the text as it is (`read -n 1`): something else is asked on
        another row, or another program is in front, and nothing of the text stands there. Enter
        would answer that."""
        asked = self._here.reading.question is not None and not self._here.at_rest
        if not asked or self._start.terminal.canonical or not self._fits():
            return False
        if self.is_touched() or self._kernel.terminal.unread or not self._rests():
            return False

        new = self._changed()
        stands = self._seen.left.rstrip().endswith(self._text[-1:])
        return bool(new & Differs.GROUP or new & Differs.ROW and not stands)

    def _changed(self) -> Differs:
        """In which respects another reader waits than before the text was typed."""
        return differs(reader_of(self._seen, self._kernel), reader_of(self._before, self._start))

    def _still(self) -> float:
        """Seconds for which nothing has changed."""
        return self._now - self._since

    def _rests(self) -> bool:
        """Whether nothing has changed for so long that nothing more is drawn of the text."""
        return self._still() > (_FINISHED if self._remote else _NO_ECHO)

    def _is_complete(self) -> bool:
        """Whether the program has drawn what it draws. irb and bpython hide the cursor meanwhile,
        and leave it in the first column."""
        if self._seen.cursor_flag != self._before.cursor_flag:
            return False
        return self._still() > (0 if self._has_taken() else _STILL)

    def _has_taken(self) -> bool:
        """Whether the reader has taken the text; in canonical mode the kernel itself echoes."""
        if self._start.terminal.canonical:
            return True
        return not self._remote and sleeps_again(self._kernel, self._start)

    def _is_drawn(self) -> bool:
        """Whether anything is drawn; readline's cursor stands at the matching bracket for half a
        second."""
        before = self._before
        seen = self._seen
        return (seen.cell, seen.right) != (before.cell, before.right)

    def _is_masked(self) -> bool:
        """Whether only one sign, over and over, stands behind what is asked: `PIN: ********`,
        where a hint was erased (`PIN: (no echo)`), or each key draws two."""
        run = _MASKS.search(self._seen.line_left)
        if self._here.at_rest or run is None:
            return False
        return self._before.line_left.startswith(self._seen.line_left[: run.start()].rstrip())

    def is_touched(self) -> bool:
        """Whether a key has come from a terminal, or another caller has typed."""
        before = self._before
        seen = self._seen
        return (seen.stamp, seen.state) != (before.stamp, before.state)

    def _is_touched_unseen(self) -> bool:
        """The same; over ssh also where a key may have come before, and the text is not alone."""
        alone = squeezed(self._before.line_left + self._text)
        added = self._unsure and squeezed(self._seen.line_left) != alone
        return added or self.is_touched()

    def has_gone(self) -> bool:
        """Whether somebody has ended the line in which the text stands alone: the cursor is below
        it, or another program in front, and no memory shows the text."""
        reading = self._watch.read()
        seen = reading.seen
        before = self._before
        line = text_at(seen.lines, before.line_row)
        if squeezed(line) != squeezed(before.line_left + self._text):
            return False

        row, x = self._end()
        gone = differs(reading.reader, reader_of(before, self._start)) & Differs.GROUP
        held = reading.editor and self._text in reading.editor.text
        return bool(gone or seen.row > row + x // seen.width) and not held

    def is_over(self) -> bool:
        """Whether nothing more is to be expected."""
        return self._still() > self._limit or self._now - self._began > _DRAW_LIMIT

    def why_not(self) -> str:
        """Why the text is not seen, if nobody has typed."""
        does = "does not show, or hides,"
        if self._kernel.terminal.unread:
            does = "does not read"
        elif self._is_drawn():  # an abbreviation, a key that completes
            does = "has drawn something else than"
        return f"{self._here.program} {does} what was typed"


def sleeps_again(now: Kernel, before: Kernel) -> bool:
    """Whether the reader has run since `before`, and sleeps again with nothing to read."""
    return bool(now.waiter) and now.cpu_ns != before.cpu_ns and not now.terminal.unread


def _shows(seen: Look, text: str, room: int) -> bool:
    """Whether the text stands left of the cursor, however its rows are broken and begun (Python
    3.13 ends a full row by `\\`).

    Of one that has no room on its row only the end may be there: it is taller than the screen, or
    scrolled sideways (mksh), a short one too where the prompt leaves little room.
    """
    rows = [text for row, text in sorted(seen.rows.items()) if row < seen.row]
    marked = [text.removesuffix("\\") for text in rows]
    end = squeezed(text.split("\n")[-1])
    if breadth(text) >= room - _MARK:
        end = end[-min(seen.width, len(end)) // 2 :]

    drawn = re.compile(f"{_as_drawn(end)}$")
    shown = ("".join([*above, seen.left]).replace("^I", "") for above in (rows, marked))
    return any(drawn.search(_unquoted(each, text)) for each in shown)


def _unquoted(shown: str, text: str) -> str:
    """`shown` without white space, nor what zsh puts before `?` and `&` of an address that is typed
    (url-quote-magic): the shell's own quoting is what was asked for."""
    if "://" in text and "\\" not in text:
        shown = shown.replace("\\", "")
    return squeezed(shown)


def _as_drawn(text: str) -> str:
    """A pattern for `text` as it is drawn: signs outside ASCII as they are, or in another form by
    an editor that does not know them (`?` in busybox, `\\xF0\\x9F` in mksh)."""
    parts = re.split(r"([^\x00-\x7f]+)", text)
    signs = [rf"(?:{re.escape(part)}|\?+|(?:\\x[0-9A-F]{{2}})+)" for part in parts[1::2]]
    plain = [re.escape(part) for part in parts[::2]]
    return "".join(map("".join, zip_longest(plain, signs, fillvalue="")))


def _taken_back(watch: Watch, text: str) -> bool:
    """Removes `text` if it ends at the cursor, and nothing else; returns whether it is gone."""
    seen = watch.pane.look()
    if "\n" in text or seen.alternate_on or seen.blank or not _shows(seen, text, seen.width):
        return False
    if not watch.pane.type("\x7f" * len(text), at_cell(seen, seen.cell)):
        return False

    end = time.monotonic() + _TAKEN_BACK
    while _shows(watch.pane.look(), text, seen.width):
        if time.monotonic() > end:
            return False
        watch.nap(LOOK)

    return True


def _unsent(watch: Watch, whole: str, why: str, touched: bool) -> TmuxError:
    """The error for a text that stands without Enter. Its end is the agent's own, if nobody has
    typed meanwhile: `ouch`, where a person's Escape has waited for its first key. What else came of
    it may be theirs: in vi's command mode `u` brings their line back."""
    reading = watch.read()
    typed = ""
    if reading.line:
        typed = reading.line.typed

    is_end = not touched and whole.endswith(typed)
    if not (reading.no_key or is_end):
        typed = ""

    watch.state = load(reading.seen)  # nothing of it is shown
    watch.state.draft = draft_of(typed or whole)
    watch.state.sent = Sent()
    watch.pane.store(watch.state.dumps())
    left = reading.seen.left.strip()
    return TmuxError(f"{why}: the line is now {quoted(left)}, and Enter was not pressed", _UNSENT)
