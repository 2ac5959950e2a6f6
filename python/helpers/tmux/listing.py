"""What `list` says of one pane."""

from __future__ import annotations

from .settings import Settings
from .terminal.client import TmuxError
from .terminal.windows import find
from .turn.front import front
from .turn.watch import Watch


def described(target: str, id: str, settings: Settings) -> str:
    """`shared:0.0 (%0) 160x50 bash /root: ready (shell)`, or why the pane cannot be read."""
    try:
        return f"{target} ({id}) {_described(id, settings)}"
    except TmuxError as problem:
        return f"{target} ({id}): {problem}"


def _described(id: str, settings: Settings) -> str:
    located = find(id, settings)
    view = located.view
    here = front(Watch(located.pane, view, line_editor=settings.line_editor))
    verdict = here.verdict
    state = "gone" if view.dead else "running"
    if verdict is not None and not view.dead:
        state = f"{verdict.word} ({verdict.evidence or verdict.detail})"
    if here.typed and here.typed.text:
        whose = "your" if here.typed.own else "a"
        state += f", {whose} half-typed line {here.typed.text!r}"
    state += ", scrolled back" * view.in_mode
    state += ", opened by the agent" * bool(view.opened)
    return f"{view.width}x{view.height} {here.program} {view.path}: {state}"
