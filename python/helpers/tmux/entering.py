"""Sees a text drawn, and presses Enter in the tmux call that saw it; or takes the text back."""

import time

from .client import TmuxError
from .look import Look
from .output import breadth, clean, squeezed
from .pane import at_cell
from .state import Sent, draft_of, load
from .turn import Reading
from .watch import Turn, Watch

_STILL = 0.06  # seconds; an echo over ssh comes in pieces 3 to 20 ms apart
_FINISHED, _FINISHED_REMOTE = 1.5, 6.0  # seconds after which a program has drawn what it draws
_DRAW_LIMIT = 15.0  # seconds at most: a machine is busy, or the line is never still
_NO_ECHO = 0.25  # seconds after which text that was read but not drawn counts as hidden input
_TAKEN_BACK = 1.0  # seconds in which a line editor draws a line from which text was removed
LOOK = 0.002  # seconds between two looks
_NOWHERE = [(-1, -1)]
_UNDRAWN = (
    "{} does not draw what is typed; where the terminal's echo is off, stty echo mends it; where a"
    " program was cut off in a control string, printf '\\033\\\\' does"
)


class Mixed(Exception):
    """Somebody may have typed beside the text."""


def see_and_enter(watch: Watch, here: Turn, text: str, notes: list[str]) -> Reading:
    """Waits until `text` is drawn, and presses Enter there: as soon as the cursor is in the cell
    that the text's width predicts on its row; else once the reader has run and sleeps again, or two
    looks 60 ms apart are equal where that cannot be seen (ssh), and the text stands there: in the
    editor's memory, or on the screen if no key can have come. Returns the last reading. Raises
    Mixed, or TmuxError if that does not come about."""
    before, kernel, whole = here.reading.seen, here.reading.kernel, here.own + text
    remote, cpu_ns, mode = kernel.out_of_sight, kernel.cpu_ns, kernel.terminal.canonical
    limit = _FINISHED_REMOTE if remote else _FINISHED
    unsure = remote and not here.reading.untouched  # what a person has typed may not be drawn yet
    cells, base = _NOWHERE if unsure else _predicted(before, text), before
    began = since = time.monotonic()
    last: tuple = ()
    while True:
        reading = watch.read(watch.seen)
        kernel, now = reading.kernel, time.monotonic()
        # irb draws in canonical mode: the kernel would echo the Enter
        listens = kernel.terminal.canonical == mode and not kernel.terminal.unread
        place = at_cell(base, cells if listens else _NOWHERE)
        reading.seen, entered = watch.pane.look_and_enter(place)
        seen = watch.seen = reading.seen
        if entered:
            return reading
        if (seen.alternate_on, seen.pid) != (before.alternate_on, before.pid):
            what = "a program took the first key as an answer; Enter was not pressed"
            raise TmuxError(what, "see what came of it with wait_ready")
        if last != (seen.cell, kernel.cpu_ns, kernel.terminal.unread):
            last, since = (seen.cell, kernel.cpu_ns, kernel.terminal.unread), now
        moved = (seen.stamp, seen.state) != (before.stamp, before.state)
        still, passed = now - since, now - began
        # readline's cursor stands at the matching bracket for half a second
        drawn = (seen.cell, seen.right) != (before.cell, before.right)
        ran = bool(mode) or kernel.cpu_ns != cpu_ns  # the kernel echoes by itself
        asleep = kernel.waiter and ran and not remote and not kernel.terminal.unread
        if still > (0 if asleep else _STILL) and seen.cursor_flag == before.cursor_flag:
            editor = watch.read(seen).editor
            ours = editor and squeezed(editor.text) == squeezed(whole)
            alone = squeezed(seen.line_left) == squeezed(before.line_left + text)
            moved = moved or unsure and not alone
            if drawn and (ours or editor is None and not moved and _shows(seen, text)):
                cells, base = [seen.cell], seen
            elif moved and (editor or drawn):
                raise Mixed
        if not drawn and asleep and still > _NO_ECHO and not moved:
            cells = [before.cell]  # hidden input
            if here.at_rest:
                notes.append(_UNDRAWN.format(reading.program))
        if still > limit < passed or passed > _DRAW_LIMIT:
            if moved:
                raise Mixed
            unread = kernel.terminal.unread
            what = "shows something else than was typed"
            if unread or not drawn:
                what = f"does not {'read' if unread else 'show, or hides,'} what was typed"
            raise unsent(watch, whole, f"{reading.program} {what}")
        watch.nap(LOOK)


def _shows(seen: Look, text: str) -> bool:
    """Whether the text stands left of the cursor, however its rows are broken and begun. Of one
    that is taller than the screen, or scrolled sideways, only the end is there."""
    rows = [text for row, text in sorted(seen.rows.items()) if row < seen.row]
    shown = squeezed("".join([*rows, seen.left])).replace("^I", "")
    lines = [squeezed(line) for line in text.split("\n")]
    end = lines[-1][-seen.width // 2 :]
    if not shown.endswith(end):
        return False
    if breadth(text) > seen.width or len(lines) >= seen.height:
        return True
    place = 0
    for line in lines:
        place = shown.find(line, place)
        if place < 0:
            return False
    return True


def taken_back(watch: Watch, before: Look, text: str) -> bool:
    """Removes `text` if it ends at the cursor, and nothing else; returns whether the line is then
    as it was in `before`, or holds only what others have typed."""
    seen = watch.pane.look()
    if not text or "\n" in text or not _shows(seen, text) or seen.alternate_on:
        return False
    if not watch.pane.type("\x7f" * len(text), at_cell(seen, [seen.cell])):
        return False
    end = time.monotonic() + _TAKEN_BACK
    while time.monotonic() < end:
        watch.nap(LOOK)
        now = watch.pane.look()
        if now.line_left.rstrip() == before.line_left.rstrip():
            watch.seen = now
            return True
    return not _shows(now, text)


def unsent(watch: Watch, whole: str, why: str) -> TmuxError:
    """The error for a text that stands without Enter."""
    reading = watch.read()
    typed = reading.line.typed if reading.line and reading.untouched else ""
    watch.state = load(reading.seen)  # nothing of it is shown
    watch.state.draft, watch.state.sent = draft_of(typed or whole), Sent()
    watch.pane.store(watch.state.dumps())
    left = clean(reading.seen.left.strip())
    hint = "see the screen with read; then press keys Enter if that is right; interrupt clears it"
    return TmuxError(f"{why}: the line is now {left!r}, and Enter was not pressed", hint)


def _predicted(seen: Look, text: str) -> list[tuple[int, int]]:
    """The cell at which the cursor is once `text` is drawn, if that is on the same row."""
    x = seen.cursor_x + breadth(text)
    return [(seen.row, x)] if x < seen.width and not {"\n", "\t"}.intersection(text) else _NOWHERE
