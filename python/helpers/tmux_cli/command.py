"""The command `tmux-tool`; usr/bin/tmux-tool is its door."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from ..tmux.actions import Call
from ..tmux.answer import Word
from ..tmux.arguments import ACTIONS
from ..tmux.client import TmuxError
from ..tmux.settings import BadSetting
from .layout import TREE, InstallError, host_root

_SIGPIPE_STATUS = 141  # the status that a shell shows for a program that SIGPIPE ended
_DEMO = TREE / "tests/demo.py"  # needs the scripted model of the tests; not installed
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


def main(arguments: list[str], usage: str) -> int:
    """The exit status: 0; 1 after an error that was printed, or if the doctor found something to
    do; 2 without arguments."""
    try:
        status = _dispatch(arguments, usage)
        sys.stdout.flush()
        return status
    except (TmuxError, InstallError, BadSetting) as problem:
        hint = getattr(problem, "hint", "")
        print(f"error: {problem}{'; ' + hint if hint else ''}")
        return 1
    except KeyboardInterrupt:
        print("error: stopped by C-c; what runs in the pane goes on")
        return 1
    except BrokenPipeError:  # the reader (`| head -1`) has enough; nothing is left to flush
        os._exit(_SIGPIPE_STATUS)


def _dispatch(arguments: list[str], usage: str) -> int:
    match arguments:
        case [] | ["-h" | "--help" | "help"]:
            print(usage + "\n".join(_actions()))
            return 0 if arguments else 2
        case ["demo"]:
            return _demo()
        case ["opencode", *words]:
            from .conversation import conversation

            print(conversation(words))
            return 0
        case ["view", *words]:
            from ..tmux_view.serve import main  # type: ignore[import-not-found]

            return main(words)
        case ["doctor", *place]:
            from .doctor import doctor

            return doctor(_root(place))
        case ["install" | "uninstall", *_]:
            return _install(*arguments)
        case ["mcp"]:
            from .mcp import serve

            return serve()
        case [call]:
            return _call(call)
    raise InstallError(f"not understood: {' '.join(arguments)}; {_ADVICE}")


def _call(text: str) -> int:
    try:
        call = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise InstallError(f"not a call: {problem}; {_ADVICE}") from None
    answer = Call().answer(call)
    print(answer.text)
    return answer.word is Word.ERROR


def _install(action: str, *words: str) -> int:
    from .install import install, plugin_folder, uninstall

    try:
        match action, *words:
            case "install", "--plugin-folder", folder:
                lines = plugin_folder(Path(folder))
            case "install", *place:
                lines = install(_root(place))
            case _, *place:
                lines = uninstall(_root(place))
    except OSError as problem:
        advice = "make room or give write access, then run it again"
        raise InstallError(f"{problem.filename}: {problem.strerror}; {advice}") from None
    print("\n".join(lines))
    return 0


def _root(words: list[str]) -> Path:
    match words:
        case []:
            return host_root()
        case [place] if not place.startswith("-"):
            return Path(place).resolve()
    raise InstallError(f"one folder is expected, the host's root; got {' '.join(words)!r}")


def _demo() -> int:
    if not _DEMO.is_file():
        raise InstallError("the demo is part of the project's repository: run it there")
    return subprocess.run([sys.executable, _DEMO]).returncode


def _actions() -> Iterator[str]:
    """The help about each action: its arguments and an example."""
    for (action, about), example in zip(ACTIONS.items(), EXAMPLES.splitlines(), strict=True):
        arguments = about.arguments.items()
        shown = (name if what.required else f"[{name}]" for name, what in arguments)
        yield f"  {action:<11}{' '.join(shown)}"
        yield f"             tmux-tool '{example}'"
