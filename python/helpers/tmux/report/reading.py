"""Reading a pane for the agent: its last lines, or only what no answer has shown yet."""

from __future__ import annotations

from ..evidence.screen.line import Kind
from ..output import trimmed
from ..turn.watch import Watch
from ..turn.whose_turn import whose_turn
from .ending import without_prompt
from .full_screen import screen_rows
from .remember import remember
from .report import new_since_answer


def read_lines(watch: Watch, lines: int) -> list[str]:
    """At least the last `lines` lines, wrapped ones joined, as far as tmux holds them."""
    above = lines
    while not watch.view.alternate:
        texts = trimmed(list(watch.view.joined.texts))
        if len(texts) > lines or not watch.view.joined.first:  # the first may lack its beginning
            break
        above *= 4
        watch.look(above)
    remember(watch, None)
    if watch.view.alternate:
        return screen_rows(watch.view)
    return list(watch.view.joined.texts)


def read_new(watch: Watch, notes: list[str]) -> list[str]:
    """The lines that no answer has shown; all of them before the first one."""
    view = watch.view
    if view.alternate:
        remember(watch, None)
        return screen_rows(view)
    if watch.first or watch.mark.place is None:
        rows = list(watch.lines_from(0).texts)
        remember(watch, None)
        return rows
    news = new_since_answer(watch, watch.input)
    rows, here = news.lines, whose_turn(watch)
    if here.line.kind is Kind.COMMAND:
        rows = without_prompt(watch, rows, here.line)
    if news.lost:
        limit = view.history_limit
        notes.append(f"lines scrolled out of tmux's history (limit {limit}) and are lost")
    remember(watch, None)
    return rows
