"""Reading a pane for the agent: its last lines, or only what no answer has shown yet."""

from __future__ import annotations

from ..output import trimmed
from ..turn.watch import Watch
from ..turn.whose_turn import whose_turn
from .ending import without_prompt
from .full_screen import screen_rows
from .notes import losses
from .remember import remember


def read_rows(watch: Watch, lines: int, new: bool, notes: list[str]) -> list[str]:
    """At least the last `lines` lines, wrapped ones joined, as far as tmux holds them. `new`: the
    lines that no answer has shown; all, if there was no answer yet. Of a full screen, its rows."""
    if watch.view.alternate or not new:
        rows = _last(watch, lines)
    elif watch.first or watch.mark.place is None:
        rows = list(watch.lines_from(0).texts)
    else:
        news = watch.came(watch.mark.place, watch.pending)
        rows = without_prompt(watch, news.lines, whose_turn(watch).line)
        notes += losses(watch, news)
    remember(watch, None)
    return rows


def _last(watch: Watch, lines: int) -> list[str]:
    above = lines
    while not watch.view.alternate:
        joined = watch.view.joined
        if len(trimmed(joined.texts)) > lines or not joined.first:
            return list(joined.texts)  # with one to spare: the first may lack its beginning
        above *= 4
        watch.look(above)
    return screen_rows(watch.view)
