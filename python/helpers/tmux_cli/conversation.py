"""`tmux-tool opencode`: one step of a conversation with the OpenCode of the shared pane, which is
started where there is none."""

from __future__ import annotations

import os

from ..opencode_cli import (
    OpenCodeError,
    OpenCodeGone,
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeSession,
    OpenCodeTimedOut,
)

_USAGE = """usage: tmux-tool opencode PROMPT
       tmux-tool opencode --answer once|always|reject   what needs permission
       tmux-tool opencode --answer LABEL                a question; of several, one LABEL each
       tmux-tool opencode --exit"""
_EXIT = "tmux-tool opencode --exit ends it"
_START = 'tmux-tool opencode "PROMPT" starts one'
# What the errors' own hints say in Python.
_HINTS: dict[type[OpenCodeError], str] = {
    OpenCodePermissionNeeded: "tmux-tool opencode --answer once|always|reject",
    OpenCodeQuestionAsked: "tmux-tool opencode --answer LABEL, or --answer reject",
    OpenCodeTimedOut: f"It goes on; {_EXIT}",
    OpenCodeGone: _START,
}


def conversation(arguments: list[str]) -> int:
    """Exit status 0, 1 for an error that was printed. Raises TmuxError."""
    try:
        match arguments:
            case []:
                print(f"error: what is OpenCode to be asked?\n{_USAGE}")
                return 1
            case ["-h" | "--help"]:
                print(_USAGE)
            case ["--exit"]:
                print(OpenCodeSession().adopt().exit() or "")
            case ["--answer", _, *_]:
                session = OpenCodeSession().adopt()
                session.answer(*arguments[1:])
                print(session.wait(progress=True))
            case [word, *_] if word.startswith("-") and word.split() == [word]:
                print(f"error: not understood: {' '.join(arguments)}\n{_USAGE}")
                return 1
            case _:
                session = OpenCodeSession(os.getcwd()).start()
                print(session.send(" ".join(arguments), progress=True))
    except OpenCodeError as problem:
        hint = _HINTS.get(type(problem)) or (_EXIT if "()" in problem.hint else problem.hint)
        print(f"error: {problem.reason}{'. ' if hint else ''}{hint}")
        return 1
    except KeyboardInterrupt:
        print(f"error: stopped by C-c; the turn goes on: {_EXIT}")
        return 1
    return 0
