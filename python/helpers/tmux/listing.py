"""What `list` says of one pane."""

from __future__ import annotations

from .settings import Settings
from .terminal.client import TmuxError
from .terminal.windows import find
from .turn.watch import Watch
from .turn.whose_turn import whose_turn


def described(target: str, id: str, settings: Settings) -> str:
    """`shared:0.0 (%0) 160x50 bash /root: ready (shell)`, or why the pane cannot be read."""
    try:
        return f"{target} ({id}) {_described(id, settings)}"
    except TmuxError as problem:
        return f"{target} ({id}): {problem}"


def _described(id: str, settings: Settings) -> str:
    located = find(id, settings)
    view = located.view
    here = whose_turn(Watch(located.pane, view, line_editor=settings.line_editor))
    verdict = here.verdict
    state = "gone" if view.dead else "running"
    if verdict is not None and not view.dead:
        state = f"{verdict.word} ({verdict.evidence or verdict.detail})"
    if typed := here.own or here.persons:
        state += f", {'your' if here.own else 'a'} half-typed line {typed!r}"
    state += f", scrolled back {view.scrolled} lines" * view.in_mode
    state += ", opened by the agent" * bool(view.opened)
    return f"{view.width}x{view.height} {here.program} {view.path}: {state}"
