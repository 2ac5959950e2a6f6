"""`tmux-tool opencode`: one step of a conversation with the OpenCode of the shared pane, which is
started where there is none."""

from __future__ import annotations

from ..opencode_cli import OpenCodeError, OpenCodeGone, OpenCodeSession
from ..tmux.client import TmuxError


def conversation(arguments: list[str]) -> int:
    if not arguments:
        print('error: what is OpenCode to be asked? tmux-tool opencode "what does this repo do?"')
        return 1
    try:
        if arguments[0] == "--exit":
            print(_running().exit() or "")
        elif arguments[0] == "--answer":
            session = _running()
            session.answer(*arguments[1:])
            print(session.wait(progress=True))
        else:
            print(OpenCodeSession().start().send(" ".join(arguments), progress=True))
    except (OpenCodeError, TmuxError) as problem:
        print(f"error: {problem}")
        return 1
    except KeyboardInterrupt:
        print("error: stopped by C-c; the turn goes on: tmux-tool opencode --exit ends it")
        return 1
    return 0


def _running() -> OpenCodeSession:
    try:
        return OpenCodeSession().adopt()
    except OpenCodeGone:
        hint = 'tmux-tool opencode "PROMPT" starts one'
        raise OpenCodeError("no OpenCode runs in the shared pane", hint) from None
