"""Type, see, Enter: the text is typed, seen drawn, and Enter pressed in the tmux call that saw it.

Enter is pressed only if the cursor is in the cell in which the text ends: if a person's key came in
between, it is elsewhere, and nothing is run. Output begins at that cell, whatever it looks like.
The text counts as drawn as soon as one of these is true:

1. The cursor is in the cell that the text's width predicts, and the terminal has no unread input,
   and the mode in which its reader waited.
2. The reader has used CPU since, sleeps again, and two looks are equal: the program draws the text
   in its own way (several lines, tabs, scrolled sideways). That counts only if no key can have come
   in between, or if the line editor's memory holds exactly this text.
3. The reader cannot be seen (ssh), and two looks STILL seconds apart are equal. The same condition.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from ..evidence.screen.line import wraps_into
from ..evidence.screen.view import View
from ..output import squeezed
from ..terminal.pane import at_cell, both, same_stamp
from ..transcript.mark import may_have_typed, stamp_of
from ..turn.rest import NETWORK_ECHO
from ..turn.watch import Watch

STILL = 0.06  # seconds; an echo over ssh comes in pieces 3 to 20 ms apart
_FINISHED = 1.0  # seconds without a change after which a local program has finished drawing
_FINISHED_REMOTE = 5.0  # seconds if ssh or the like carries the terminal
_DRAW_LIMIT = 15.0  # seconds at most: a machine is busy, or the line is never still
_UNREAD = 1.0  # seconds in which a program at its prompt reads some of what is left
_NO_ECHO = 0.25  # seconds after which text that was read but not drawn counts as hidden input
_LOOK = 0.002  # seconds between two looks
_NO_CELL = (-1, -1)


class Drawn(Enum):
    """What became of a typed text."""

    ENTERED = auto()  # it was seen, and Enter was pressed
    HIDDEN = auto()  # it was read and not shown, and Enter was pressed
    UNREAD = auto()  # no program reads it
    TAKEN = auto()  # a program took one of its keys as an answer
    MIXED = auto()  # someone typed at the same time
    LOST = auto()  # it does not appear


def see_and_enter(
    watch: Watch,
    before: View,
    text: str,
    draft: str,
    note: Callable[[tuple[int, int]], dict[str, str]],
    gap: float,
) -> Drawn:
    """Waits until `text`, typed at the cursor of `before`, is drawn, and presses Enter there.
    `draft`: the agent's own text already on the line; `note(cell)`: the options to store when
    Enter is pressed; `gap`: seconds to wait first. The watch holds the look that pressed Enter."""
    scene, cells, hidden = watch.scene(), _predicted(before, text), False
    remote, cpu_ns, mode = scene.remote, watch.kernel.cpu_ns, watch.kernel.canonical
    limit = _FINISHED_REMOTE if remote or watch.kernel.hidden else _FINISHED
    patience = NETWORK_ECHO if remote and not scene.asks_password else _NO_ECHO
    began = since = watch.clock()  # when the program last read some of it; since when it is still
    unread, seen = 0, (before.cell, -1)  # the cursor's cell, and its reader's CPU time
    watch.nap(gap)
    while True:
        kernel, at = watch.read_kernel(), watch.clock()
        if kernel.unread:
            began, unread = at if kernel.unread < unread else began, kernel.unread
            if at - began > _UNREAD:
                return Drawn.UNREAD
            watch.nap(_LOOK)
            continue
        expected = [before.cell] if hidden else cells
        if kernel.canonical != mode:  # irb draws in it: the kernel would echo the Enter
            expected = [_NO_CELL]
        only_if = both(same_stamp(before), at_cell(expected))
        view, entered = watch.pane.look_and_enter(only_if, note(expected[0]))
        watch.seen(at, view)
        if entered:
            return Drawn.HIDDEN if hidden else Drawn.ENTERED
        if (view.alternate, view.pid) != (before.alternate, before.pid):
            return Drawn.TAKEN
        if view.stamp.value != before.stamp.value and view.cell in cells:
            return Drawn.MIXED
        now, passed = watch.clock(), watch.clock() - began
        kernel = watch.read_kernel()
        if seen != (view.cell, kernel.cpu_ns):
            seen, since = (view.cell, kernel.cpu_ns), now
        read = bool(kernel.canonical) or kernel.cpu_ns != cpu_ns  # the kernel echoes by itself
        asleep = kernel.waiter is not None and not kernel.unread and read
        still = now - since
        others = may_have_typed(stamp_of(before), view)
        if (passed if others else still) > limit + _UNREAD or passed > _DRAW_LIMIT:
            return Drawn.MIXED if others else Drawn.LOST
        settled = still > 0 if asleep and not remote else still >= STILL
        # fish removes a row's indentation when `end` is typed there
        behind = view.cell > before.cell or view.history_size < before.history_size
        drawn = behind or bool(text) and view.left.endswith(text)
        if settled and drawn and view.cell != before.cell and view.cursor_visible:
            if not _is_ours(watch, before, draft + text):
                return Drawn.MIXED
            cells = [view.cell]
        hidden = view.cell == before.cell and asleep and still >= patience
        watch.nap(_LOOK)


def _predicted(view: View, text: str) -> list[tuple[int, int]]:
    """The cells at which the cursor may be once `text` is drawn."""
    if "\n" in text or "\t" in text:
        return [_NO_CELL]  # each program draws several lines in its own way
    ends = wraps_into(text, view.width, view.cursor_x)
    return [(view.row_below(down), column) for down, column in ends]


def _is_ours(watch: Watch, before: View, whole: str) -> bool:
    """Whether the text on the line is the agent's alone."""
    edited = watch.edited_text()
    if edited is not None and squeezed(edited) == squeezed(whole):
        return True
    return not may_have_typed(stamp_of(before), watch.view)


def take_back(watch: Watch, text: str) -> bool:
    """Removes `text`, which ends at the cursor, and nothing else; returns whether it did."""
    view = watch.look()
    left = view.wrapped_left
    if "\n" in text or not left.endswith(text) or view.alternate:
        return False
    return watch.pane.type("\x7f" * len(text), only_if=at_cell([view.cell]))
