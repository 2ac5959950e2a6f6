"""`tmux-tool opencode`: one step of a conversation with the OpenCode of the shared pane. If there
is none, it is started."""

from __future__ import annotations

import os

from ..opencode_cli import (
    OpenCodeError,
    OpenCodeGone,
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeSession,
)
from .layout import InstallError

_USAGE = """usage: tmux-tool opencode PROMPT
       tmux-tool opencode --answer once|always|reject   answers a permission request
       tmux-tool opencode --answer LABEL                answers a question; several: a LABEL each
       tmux-tool opencode --exit"""
_EXIT = "tmux-tool opencode --exit ends it"
# The errors' own hints are for Python; these are for a shell.
_HINTS: dict[type[OpenCodeError], str] = {
    OpenCodePermissionNeeded: "tmux-tool opencode --answer once|always|reject",
    OpenCodeQuestionAsked: "tmux-tool opencode --answer LABEL, or --answer reject",
    OpenCodeGone: 'tmux-tool opencode "PROMPT" starts one',
}


def conversation(arguments: list[str]) -> str:
    """The text to print. Raises InstallError, TmuxError."""
    try:
        match arguments:
            case []:
                raise InstallError(f"the prompt is missing\n{_USAGE}")
            case ["--exit"]:
                return OpenCodeSession().adopt().exit() or ""
            case ["--answer", *labels] if labels:
                session = OpenCodeSession().adopt()
                session.answer(*labels)
                return str(session.wait(progress=True))
            case [word, *_] if word.startswith("-") and word.split() == [word]:
                raise InstallError(f"not understood: {' '.join(arguments)}\n{_USAGE}")
        session = OpenCodeSession(os.getcwd()).start()
        return str(session.send(" ".join(arguments), progress=True))
    except OpenCodeError as problem:
        hint = _HINTS.get(type(problem)) or (_EXIT if "()" in problem.hint else problem.hint)
        raise InstallError(f"{problem.reason}{'. ' if hint else ''}{hint}") from None
