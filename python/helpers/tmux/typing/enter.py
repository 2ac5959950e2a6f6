"""Type, see, Enter: the text is typed, seen drawn, and Enter pressed in the tmux call that saw it.

Enter is pressed only if the cursor is in the cell in which the text ends: if a person's key came in
between it is elsewhere, and nothing is run. Output begins at that cell, whatever it looks like.
A text counts as drawn by the first of these that holds:

1. The cursor is in the cell that its width predicts, and the terminal has no unread input, and the
   mode in which its reader waited.
2. Its reader has used CPU since, sleeps again, and two looks are equal: the program draws it in its
   own way (several lines, tabs, sideways). That counts only if no key can have come between, or
   the line editor's memory holds just this text.
3. Two looks STILL seconds apart are equal, if the reader cannot be seen (ssh). The same condition.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from ..evidence.screen.line import wraps_into
from ..evidence.screen.view import View
from ..output import squeezed
from ..terminal.pane import at_cell, both, same_stamp
from ..transcript.mark import may_have_typed, stamp_of
from ..turn.watch import Watch

STILL = 0.06  # seconds; an echo over ssh comes in pieces 3 to 20 ms apart
_SEEN = 1.0  # seconds without a change after which a local program has finished drawing
_SEEN_REMOTE = 5.0  # seconds if the terminal is carried by ssh or the like
_DRAWS = 15.0  # seconds at most: thousands of characters on a busy machine, a line never still
_UNREAD = 1.0  # seconds for a program at its prompt to begin to read
_HIDDEN = 0.25  # seconds after which text that was read and is not drawn counts as hidden input
_HIDDEN_REMOTE = 2.0  # seconds, if an echo may be on its way; no usable line takes that long
_LOOK = 0.002  # seconds between two looks
_NO_CELL = (-1, -1)


class Drawn(Enum):
    """What became of a text."""

    ENTERED = auto()  # seen, and Enter was pressed
    HIDDEN = auto()  # read and not shown: Enter was pressed
    UNREAD = auto()  # no program reads it
    TAKEN = auto()  # one of its keys was already taken as an answer
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
    """Waits until `text`, typed behind what `before` shows, is drawn, and presses Enter there.
    `draft`: the agent's own text already on the line; `note(cell)`: the options to store when
    Enter is pressed; `gap`: seconds before it. The watch holds the look that pressed it."""
    scene, cells, hidden = watch.scene(), _predicted(before, text), False
    remote, awake, mode = scene.remote, watch.kernel.awake, watch.kernel.canonical
    limit = _SEEN_REMOTE if remote or watch.kernel.hidden else _SEEN
    patience = _HIDDEN_REMOTE if remote and not scene.asks_password else _HIDDEN
    began = since = watch.clock()
    seen = (before.cell, -1)  # the cursor's cell, and its reader's CPU time
    watch.nap(gap)
    while True:
        kernel, at = watch.read_kernel(), watch.clock()
        if kernel.unread:
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
        if seen != (view.cell, kernel.awake):
            seen, since = (view.cell, kernel.awake), now
        read = bool(kernel.canonical) or kernel.awake != awake  # the kernel echoes by itself
        asleep = kernel.waiter is not None and not kernel.unread and read
        still = now - since
        others = may_have_typed(stamp_of(before), view)
        if (passed if others else still) > limit + _UNREAD or passed > _DRAWS:
            return Drawn.MIXED if others else Drawn.LOST
        settled = still > 0 if asleep and not remote else still >= STILL
        # fish takes an indent back when it has seen `end`
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
    """Is the text on the line the agent's alone?"""
    edited = watch.edited_text()
    if edited is not None and squeezed(edited) == squeezed(whole):
        return True
    return not may_have_typed(stamp_of(before), watch.view)


def take_back(watch: Watch, text: str) -> bool:
    """Removes `text`, which ends at the cursor, and nothing else; whether it did."""
    view = watch.look()
    left = view.wrapped_left
    if "\n" in text or not left.endswith(text) or view.alternate:
        return False
    return watch.pane.type("\x7f" * len(text), only_if=at_cell([view.cell]))
