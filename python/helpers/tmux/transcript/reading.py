"""Reading a pane for the agent: its last lines, or only what no answer has shown yet."""

from __future__ import annotations

from dataclasses import replace

from ..evidence.kernel.probe import printed_bytes
from ..output import trimmed
from ..turn.front import front
from ..turn.watch import Watch
from .echoes import without_covered, without_echo
from .endings import lost_lines
from .places import since_place
from .report import full_screen, is_covered, remember, without_prompt


def read_lines(watch: Watch, lines: int) -> list[str]:
    """At least the last `lines` lines, wrapped ones joined, as far as tmux holds them."""
    above = lines
    while not watch.view.alternate:
        texts = trimmed(list(watch.view.joined.texts))
        if len(texts) > lines or not watch.view.joined.first:  # the first may lack its beginning
            break
        above *= 4
        watch.look(above)
    if watch.view.alternate:
        return full_screen(watch)
    remember(watch)
    return list(watch.view.joined.texts)


def read_new(watch: Watch, notes: list[str]) -> list[str]:
    """The lines that no answer has shown; all of them before the first one."""
    view, shown = watch.view, watch.shown
    if view.alternate:
        return full_screen(watch)
    if watch.first or shown is None or not shown.known:
        rows = list(watch.all_lines().texts)
        remember(watch)
        return rows
    since = since_place(view, watch.shown_lines(shown), shown)
    rows = since.lines
    if watch.sent is not None and not watch.memory.is_answered:
        rows = without_echo(rows, watch.sent, None, watch.prompts(), shown.line, watch.view.width)
    if is_covered(watch):
        rows = without_covered(rows, shown.line, watch.prompts())
    here = front(watch)
    if here.at_prompt and here.typed is not None:
        rows = without_prompt(watch, replace(since, lines=rows), here.typed)
    if since.dropped:
        notes.append(lost_lines(view, shown.printed, printed_bytes(view.server), rows))
    remember(watch)
    return rows
