"""`tmux-tool opencode`: one step of a conversation with the OpenCode of the shared pane, which is
started where there is none."""

from __future__ import annotations

from ..opencode_cli import OpenCodeError, OpenCodeSession
from ..tmux.client import TmuxError


def conversation(arguments: list[str]) -> int:
    if not arguments:
        print('error: what is OpenCode to be asked? tmux-tool opencode "what does this repo do?"')
        return 1
    try:
        session = OpenCodeSession().start(progress=True)
        if arguments[0] == "--exit":
            print(session.exit() or "")
        elif arguments[0] == "--answer":
            session.answer(*arguments[1:])
            print(session.wait(progress=True))
        else:
            print(session.send(" ".join(arguments), progress=True))
    except (OpenCodeError, TmuxError) as problem:
        print(f"error: {problem}")
        return 1
    except KeyboardInterrupt:
        print("error: stopped by C-c; the turn goes on: tmux-tool opencode --exit ends it")
        return 1
    return 0
