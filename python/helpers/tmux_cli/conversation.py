"""`tmux-tool opencode`: one step of a conversation with the OpenCode of the shared pane. If there
is none, a prompt starts it."""

import os

from ..opencode_cli import (
    OpenCodeError,
    OpenCodeGone,
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeSession,
    OpenCodeTimedOut,
)
from .layout import InstallError

_LIMIT = 120.0  # seconds for a turn
_USAGE = """usage: tmux-tool opencode PROMPT
       tmux-tool opencode --answer once|always|reject   answers a permission request
       tmux-tool opencode --answer LABEL                answers a question; several: a LABEL each
       tmux-tool opencode --wait        prints the answer to the last prompt
       tmux-tool opencode --status      prints idle, busy, retrying, needs permission, needs answer
       tmux-tool opencode --interrupt   ends the turn that runs
       tmux-tool opencode --reset       the next prompt begins a new conversation
       tmux-tool opencode --exit        ends OpenCode; prints the conversation's id
--timeout SECONDS before or behind these: how long to wait for an answer, 120 by default"""
_EXIT = "tmux-tool opencode --exit ends it"
# The errors' own hints are for Python; these are for a shell.
_HINTS: dict[type[OpenCodeError], str] = {
    OpenCodePermissionNeeded: "tmux-tool opencode --answer once|always|reject",
    OpenCodeQuestionAsked: "tmux-tool opencode --answer LABEL, or --answer reject",
    OpenCodeTimedOut: "It goes on: tmux-tool opencode --wait, or --interrupt",
    OpenCodeGone: 'tmux-tool opencode "PROMPT" starts one',
}


def conversation(arguments: list[str]) -> str:
    """The text to print. Raises InstallError, TmuxError."""
    words, limit = _without_limit(arguments)
    try:
        return _step(words, limit)
    except OpenCodeError as problem:
        hint = _HINTS.get(type(problem), problem.hint)
        if "()" in hint:
            hint = _EXIT
        said = [problem.reason, hint] if hint else [problem.reason]
        raise InstallError(". ".join(said)) from None


def _without_limit(arguments: list[str]) -> tuple[list[str], float]:
    match arguments:
        case ["--timeout", limit, *words] | [*words, "--timeout", limit]:
            try:
                return words, float(limit)
            except ValueError:
                reason = f"--timeout {limit}: not a number of seconds"
                raise InstallError(f"{reason}\n{_USAGE}") from None

    return arguments, _LIMIT


def _step(words: list[str], limit: float) -> str:
    there = OpenCodeSession(timeout=limit)
    match words:
        case ["-h" | "--help"]:
            return _USAGE
        case []:
            raise InstallError(f"the prompt is missing\n{_USAGE}")
        case ["--exit"]:
            return there.adopt().exit() or ""
        case ["--wait"]:
            return str(there.adopt().wait())
        case ["--status"]:
            return there.adopt().status.description
        case ["--interrupt"]:
            there.adopt().interrupt()
            return there.status.description
        case ["--reset"]:
            there.adopt().reset()
            return there.session_id or ""
        case ["--answer", *labels] if labels:
            there.adopt().answer(*labels)
            return str(there.wait())
        case [word, *_] if word.startswith("-") and word.split() == [word]:
            raise InstallError(f"not understood: {' '.join(words)}\n{_USAGE}")

    session = OpenCodeSession(os.getcwd(), timeout=limit).start()
    return str(session.send(" ".join(words)))
