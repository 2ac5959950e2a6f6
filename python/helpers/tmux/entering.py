"""Sees a text drawn, and presses Enter in the tmux call that saw it; or takes the text back."""

import time

from .cells import breadth, squeezed
from .client import TmuxError
from .kernel import Kernel
from .look import Look
from .pane import at_cell
from .reading import Reading
from .state import Sent, draft_of, load
from .turn import Turn
from .watch import Watch

_STILL = 0.06  # seconds; an echo over ssh comes in pieces 3 to 20 ms apart
_FINISHED, _FINISHED_REMOTE = 1.5, 6.0  # seconds after which a program has drawn what it draws
_DRAW_LIMIT = 15.0  # seconds at most: a machine is busy, or the line is never still
_NO_ECHO = 0.25  # seconds after which text that was read but not drawn counts as hidden input
_TAKEN_BACK = 1.0  # seconds in which a line editor draws a line from which text was removed
LOOK = 0.002  # seconds between two looks
_NOWHERE = "0"  # a tmux condition
_UNDRAWN = (
    "{} does not draw what is typed; where the terminal's echo is off, stty echo mends it; where a"
    " program was cut off in a control string, printf '\\033\\\\' does"
)


def see_and_enter(watch: Watch, here: Turn, text: str, notes: list[str]) -> Reading | None:
    """Waits until `text` is drawn, and presses Enter there: as soon as the cursor is in the cell
    that the text's width predicts on its row; else once the reader has taken it, or two looks 60 ms
    apart are equal where that cannot be seen (ssh), and the text stands there: in the editor's
    memory, or on the screen if no key can have come. Returns the last reading; None if somebody may
    have typed beside the text, and it was taken back. Raises TmuxError if neither comes about."""
    before, start, whole = here.reading.seen, here.reading.kernel, here.own + text
    remote, mode = start.out_of_sight, start.terminal.canonical
    limit = _FINISHED_REMOTE if remote else _FINISHED
    unsure = remote and not here.reading.untouched  # what a person has typed may not be drawn yet
    place = _NOWHERE if unsure else _predicted(before, text)
    began = since = time.monotonic()
    last: tuple = ()
    while True:
        reading = watch.read(watch.seen)
        kernel, now = reading.kernel, time.monotonic()
        unread = kernel.terminal.unread
        # irb draws in canonical mode: the kernel would echo the Enter
        listens = kernel.terminal.canonical == mode and not unread
        reading.seen, entered = watch.pane.look_and_enter(place if listens else _NOWHERE)
        seen = watch.seen = reading.seen
        if entered:
            return reading
        if last != (seen.cell, kernel.cpu_ns, unread):
            last, since = (seen.cell, kernel.cpu_ns, unread), now
        still, passed = now - since, now - began
        moved = (seen.stamp, seen.state) != (before.stamp, before.state)
        # readline's cursor stands at the matching bracket for half a second
        drawn = (seen.cell, seen.right) != (before.cell, before.right)
        asleep = bool(mode) or not remote and is_taken(kernel, start)  # the kernel itself echoes
        if still > (0 if asleep else _STILL) and seen.cursor_flag == before.cursor_flag:
            editor = watch.read(seen).editor
            alone = squeezed(seen.line_left) == squeezed(before.line_left + text)
            moved = moved or unsure and not alone
            hidden = not drawn and asleep and still > _NO_ECHO
            if editor:
                stands = squeezed(editor.text) == squeezed(whole)
            else:
                stands = not moved and _shows(seen, text)
            if drawn and stands or hidden and not moved:
                place = at_cell(seen, seen.cell)
            elif moved and (editor or drawn):
                break
            if hidden and here.at_rest:
                notes.append(_UNDRAWN.format(reading.program))
        if still > limit < passed or passed > _DRAW_LIMIT:
            break
        watch.nap(LOOK)
    if moved and _taken_back(watch, text):
        return None
    why = "someone typed at the same moment"
    if not moved:
        does = "does not read" if unread else "does not show, or hides,"
        why = f"{reading.program} {does} what was typed"
    raise _unsent(watch, whole, why)


def is_taken(now: Kernel, before: Kernel) -> bool:
    """Whether the reader has run since `before`, and sleeps again with nothing to read."""
    return bool(now.waiter) and now.cpu_ns != before.cpu_ns and not now.terminal.unread


def _shows(seen: Look, text: str) -> bool:
    """Whether the text stands left of the cursor, however its rows are broken and begun. Of one
    that is taller than the screen, or scrolled sideways, only the end is there."""
    rows = [text for row, text in sorted(seen.rows.items()) if row < seen.row]
    shown = squeezed("".join([*rows, seen.left])).replace("^I", "")
    end = squeezed(text.split("\n")[-1])
    return shown.endswith(end[-seen.width // 2 :] if breadth(text) > seen.width else end)


def _taken_back(watch: Watch, text: str) -> bool:
    """Removes `text` if it ends at the cursor, and nothing else; returns whether it is gone."""
    seen = watch.pane.look()
    if "\n" in text or not _shows(seen, text) or seen.alternate_on:
        return False
    if not watch.pane.type("\x7f" * len(text), at_cell(seen, seen.cell)):
        return False
    end = time.monotonic() + _TAKEN_BACK
    while _shows(watch.pane.look(), text):
        if time.monotonic() > end:
            return False
        watch.nap(LOOK)
    return True


def _unsent(watch: Watch, whole: str, why: str) -> TmuxError:
    """The error for a text that stands without Enter."""
    reading = watch.read()
    typed = reading.line.typed if reading.line and reading.untouched else ""
    watch.state = load(reading.seen)  # nothing of it is shown
    watch.state.draft, watch.state.sent = draft_of(typed or whole), Sent()
    watch.pane.store(watch.state.dumps())
    left = reading.seen.left.strip()
    hint = "see the screen with read; then press keys Enter if that is right; interrupt clears it"
    return TmuxError(f"{why}: the line is now {left!r}, and Enter was not pressed", hint)


def _predicted(seen: Look, text: str) -> str:
    """A tmux condition: the cursor is where it stands once `text` is drawn, on the same row."""
    x = seen.cursor_x + breadth(text)
    if x >= seen.width or {"\n", "\t"}.intersection(text):
        return _NOWHERE
    return at_cell(seen, (seen.row, x))
