"""The command `tmux-tool`; usr/bin/tmux-tool is its door."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ..tmux.actions import Call
from ..tmux.arguments import ACTIONS
from ..tmux.base.client import TmuxError
from ..tmux.base.settings import BadValue
from ..tmux.base.words import Word
from .layout import InstallError, host_root

_SIGPIPE_STATUS = 141  # the status that a shell shows for a program that SIGPIPE ended
_DENIED = "(Operation not permitted)"  # to connect to tmux's socket: inside a client's sandbox
_OUTSIDE = (
    "this shell is in a sandbox that keeps it from tmux: use the tools of the MCP server `shared`,"
    " which is outside (tmux-tool mcp install), or run the command outside of the sandbox"
)
_ADVICE = 'write a call as \'{"action": "read"}\', or see tmux-tool --help'
EXAMPLES = """\
{"action": "run", "text": "make test", "timeout": 120}
{"action": "send", "text": "yes"}
{"action": "keys", "keys": "Down Down Enter"}
{"action": "wait_ready", "until": "listening on", "timeout": 60}
{"action": "read", "lines": 20}
{"action": "interrupt"}
{"action": "list"}
{"action": "open", "name": "server"}
{"action": "close", "pane": "shared:server"}
"""

_DONE = "what was asked for may have been done: see it with read"


def main(arguments: list[str], usage: str) -> int:
    """The exit status: 0; 1 after an error that was printed, or if the doctor found something to
    do; 2 without arguments."""
    try:
        status = _dispatch(arguments, usage)
        sys.stdout.flush()
        return status
    except (TmuxError, InstallError, BadValue) as problem:
        hint = getattr(problem, "hint", "")
        fault = f"{problem}{'; ' + hint if hint else ''}"
    except KeyboardInterrupt:
        fault = "stopped by C-c; what runs in the pane goes on"
    except BrokenPipeError:  # the reader (`| head -1`) has enough; nothing is left to flush
        os._exit(_SIGPIPE_STATUS)
    except OSError as problem:
        fault = f"{problem.filename}: {problem.strerror}; give room or access, then run it again"

    try:
        print(f"error: {fault}", flush=True)
    except OSError as problem:  # it is standard output that takes nothing
        print(f"error: standard output: {problem.strerror}; {_DONE}", file=sys.stderr)
        os._exit(1)

    return 1


def _dispatch(arguments: list[str], usage: str) -> int:
    match arguments:
        case [] | ["-h" | "--help" | "help"]:
            print(usage + "\n".join(_actions()))
            return 0 if arguments else 2
        case ["view", *words]:
            from ..tmux_view.serve import main  # type: ignore[import-not-found]

            return main(words)
        case ["doctor", *place]:
            from .doctor import doctor

            return doctor(_root(place))
        case ["why", *place] if len(place) <= 1:
            from .why import why

            lines = why(place[0] if place else None)
        case ["mcp", *words] if words in ([], ["--look"]):
            from .mcp import serve

            return serve(look=bool(words))
        case ["mcp", "install" | "uninstall" as what, client]:
            from . import clients

            lines = getattr(clients, what)(client)
        case ["opencode", *words]:
            from .conversation import conversation

            lines = [conversation(words)]
        case ["install" | "uninstall", *_]:
            lines = _installed(arguments)
        case ["-"]:  # arguments stand in `ps`, a password too
            return _call(sys.stdin.read())
        case [call]:
            return _call(call)
        case _:
            raise InstallError(f"not understood: {' '.join(arguments)}; {_ADVICE}")

    print("\n".join(lines))
    return 0


def _installed(arguments: list[str]) -> list[str]:
    from . import install

    match arguments:
        case ["install", "--plugin-folder", folder]:
            return install.plugin_folder(Path(folder))
        case ["install", *place]:
            return install.install(_root(place))

    return install.uninstall(_root(arguments[1:]))


def _call(text: str) -> int:
    try:
        call = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InstallError(f"not a call: {problem}; {_ADVICE}") from None

    answer = Call().answer(call)
    print(answer.text)
    if answer.word is Word.ERROR and _DENIED in answer.first:
        print(_OUTSIDE)
    return answer.word is Word.ERROR


def _root(words: list[str]) -> Path:
    match words:
        case []:
            return host_root()
        case [place] if not place.startswith("-"):
            return Path(place).resolve()
    raise InstallError(f"one folder is expected, the host's root; got {' '.join(words)!r}")


def _actions() -> Iterator[str]:
    """The help about each action: its arguments and an example."""
    for (action, about), example in zip(ACTIONS.items(), EXAMPLES.splitlines(), strict=True):
        arguments = about.arguments.items()
        shown = (name if what.required else f"[{name}]" for name, what in arguments)
        yield f"  {action:<11}{' '.join(shown)}"
        yield f"             tmux-tool '{example}'"
