"""The answer to `list`: how many panes and people there are, and one row for each pane."""

from __future__ import annotations

from .evidence.screen.view import View
from .settings import Settings
from .terminal.client import TmuxError
from .terminal.pane import panes
from .terminal.windows import attached_people, find
from .turn.watch import Watch
from .turn.whose_turn import whose_turn


def listing(settings: Settings) -> tuple[str, list[str]]:
    """The first line, `2 panes, nobody attached`, and a row for each pane."""
    rows = [_row(target, id, settings) for target, id in panes()]
    count = attached_people()
    people = f"{count} {'person' if count == 1 else 'people'}" if count else "nobody"
    first = f"{len(rows)} pane{'s' * (len(rows) != 1)}, {people} attached"
    if not rows:
        first += f": use action send, run or read to create the session {settings.session}"
    return first, rows


def _row(target: str, id: str, settings: Settings) -> str:
    """`shared:0.0 (%0) 160x50 bash /root: ready (shell)`, or why the pane cannot be read."""
    try:
        return f"{target} ({id}) {_described(id, settings)}"
    except TmuxError as problem:
        return f"{target} ({id}): {problem}"


def _described(id: str, settings: Settings) -> str:
    located = find(id, settings)
    view = located.view
    watch = Watch(located.pane, view, line_editor=settings.line_editor)
    watch.clocks.was_still(view.silent)
    here = whose_turn(watch)
    verdict = here.verdict
    state = "gone" if view.dead else "running"
    if verdict is not None and not view.dead:
        state = f"{verdict.word} ({verdict.evidence or verdict.detail})"
    states = [state]
    if typed := here.own or here.persons:
        states.append(f"{'your' if here.own else 'a'} half-typed line {typed!r}")
    if view.in_mode:
        states.append(scrolled(view))
    if view.opened:
        states.append("opened by the agent")
    return f"{view.width}x{view.height} {here.program} {view.path}: {', '.join(states)}"


def scrolled(view: View) -> str:
    """What a person does in a pane that is in a mode of tmux: `scrolled back 57 lines`."""
    if not view.scrolled:
        return "in a mode of tmux's"
    return f"scrolled back {view.scrolled} line{'s' * (view.scrolled != 1)}"
