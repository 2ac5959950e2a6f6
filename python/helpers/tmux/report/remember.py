"""What an answer stores on the pane: how far the agent has been shown it, and what is open."""

from __future__ import annotations

from ..evidence.screen.line import Kind
from ..evidence.screen.view import View
from ..output import breadth
from ..terminal.look import INPUT, MARK, PROMPTS
from ..transcript.mark import Mark, cursor_cell, draft_of, dumps, left_of, place_at, stamp_of
from ..turn.may_type import waits_ahead
from ..turn.rest import is_at_rest
from ..turn.watch import Watch
from ..turn.whose_turn import Turn, whose_turn
from ..words import ASKED, OPEN, Word


def remember(
    watch: Watch, word: Word | None, here: Turn | None = None, settled: bool = True
) -> None:
    """Marks everything on the screen as shown. `word`: the answer's verdict, None if the answer
    only shows the screen; `settled`: a full screen has been drawn completely."""
    view, before = watch.view, watch.mark
    here = here or whose_turn(watch)
    left_open = before.open if word is None else str(word) if word in OPEN else ""
    mark = Mark(
        number=before.number + 1,
        covers=watch.input.number if watch.input else before.covers,
        reader=[view.pid, watch.kernel.foreground] if here.verdict else [],
        open=left_open,
        ahead=waits_ahead(watch, here),
        stamp=stamp_of(view),
        rested=is_at_rest(watch, word),
    )
    if here.verdict and left_open in ASKED:
        mark.question = draft_of(here.verdict.detail)
    if view.alternate:
        mark.place, mark.asked = before.place, []
        mark.screen = view.digest
        mark.screen_cell = cursor_cell(view) if settled else []
    else:
        mark.place = place_at(view)
        mark.prompt = here.line.kind is Kind.COMMAND and here.line.typed == ""
        asks = left_open in (Word.NEEDS_INPUT, Word.NEEDS_PASSWORD)
        if asks and here.line.kind is not Kind.SEARCH:  # a history search asks nothing
            mark.asked = _asked(view, here)
            mark.proposed = draft_of(here.proposed)
    if word is Word.MATCHED:
        mark.matched = mark.place
    elif mark.covers == before.covers:
        mark.matched = before.matched
    _store(watch, mark)


def _asked(view: View, here: Turn) -> list[int]:
    """Where the question at the cursor ends, without text typed after it."""
    typed = here.line.typed or ""
    left = view.left
    if typed and left.rstrip().endswith(typed):
        left = left.rstrip()[: -len(typed)]
    x = breadth(left.rstrip()) if typed else view.cursor_x
    return [view.row, x, left_of(left, x), view.width]


def _store(watch: Watch, mark: Mark) -> None:
    """Stores the mark, the last input and the prompts on the pane, in one tmux call."""
    values = {MARK: dumps(mark)}
    book = watch.book.dumps()
    if book != watch.view.memory[PROMPTS]:
        values[PROMPTS] = book
    if watch.input is not None:
        values[INPUT] = dumps(watch.input)
    watch.memory.mark = mark
    values = {name: value for name, value in values.items() if value != watch.view.memory[name]}
    is_open = bool(mark.open)
    if values or (watch.pane.is_default and watch.view.default.endswith(" open") != is_open):
        watch.pane.remember(values, is_open)
        watch.view.memory.update(values)  # typing is conditional on these
