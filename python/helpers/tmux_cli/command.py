"""What `tmux-tool` on a command line does; usr/bin/tmux-tool is its door."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from ..tmux.actions import Call
from ..tmux.arguments import ACTIONS, DEFAULTS, Argument
from ..tmux.terminal.client import TmuxError
from ..tmux.words import Word
from .layout import TREE, InstallError, host_root

_SIGPIPE_STATUS = 141  # what a shell shows for a program that SIGPIPE ended
_DEMO = TREE / "tests/demo.py"  # with the scripted model of the tests; not installed
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
    """Exit status 0; 1 for an error that was told, or if the doctor found something to do; 2 for no
    arguments."""
    try:
        status = _dispatch(arguments, usage)
        sys.stdout.flush()
        return status
    except (TmuxError, InstallError) as problem:
        hint = getattr(problem, "hint", "")
        print(f"error: {problem}{'; ' + hint if hint else ''}")
        return 1
    except BrokenPipeError:  # the reader (`| head -1`) has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _SIGPIPE_STATUS


def _dispatch(arguments: list[str], usage: str) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(usage + "\n".join(_actions()))
        return 0 if arguments else 2
    name, *rest = arguments
    if name in _COMMANDS:
        return _COMMANDS[name](rest)
    try:
        call = json.loads(name)
        if not isinstance(call, dict) or rest:
            raise ValueError("one JSON object is expected")
    except ValueError as problem:
        print(
            f'error: not a call: {problem}; write it as \'{{"action": "read"}}\' or use one of '
            f"{', '.join(_COMMANDS)}, see --help"
        )
        return 1
    try:
        answer = Call().answer(call)
    except KeyboardInterrupt:
        print("error: stopped by C-c; the program in the pane goes on")
        return 1
    print(answer.text)
    return int(answer.word is Word.ERROR)


def _actions() -> Iterator[str]:
    """Each with its arguments and an example."""
    for example in EXAMPLES.splitlines():
        name = json.loads(example)["action"]
        arguments = ACTIONS[name].arguments
        yield f"  {name:<11}{' '.join(_shown(*one) for one in arguments.items())}"
        yield f"             tmux-tool '{example}'"


def _shown(name: str, argument: Argument) -> str:
    if argument.required:
        return name
    default = argument.default_in(DEFAULTS)
    return f"[{name}]" if default is None else f"[{name}={json.dumps(default)}]"


def _demo(arguments: list[str]) -> int:
    _at_most(0, arguments)
    if not _DEMO.is_file():
        raise InstallError("the demo comes with the project's repository, run it there")
    return subprocess.run([sys.executable, _DEMO]).returncode


def _opencode(arguments: list[str]) -> int:
    from .conversation import conversation

    return conversation(arguments)


def _view(arguments: list[str]) -> int:
    from ..tmux_view.serve import main  # type: ignore[import-not-found]

    return main(arguments)


def _install(arguments: list[str]) -> int:
    from .install import install, plugin_folder

    match arguments:
        case ["--plugin-folder", folder]:
            lines = plugin_folder(Path(folder))
        case _:
            lines = install(_root(arguments, Path("/a0")))
    print("\n".join(lines))
    return 0


def _uninstall(arguments: list[str]) -> int:
    from .install import uninstall

    print("\n".join(uninstall(_root(arguments, host_root()))))
    return 0


def _doctor(arguments: list[str]) -> int:
    from .doctor import doctor

    return doctor(_root(arguments, host_root()))


def _mcp(arguments: list[str]) -> int:
    from .mcp import serve

    _at_most(0, arguments)
    return serve()


def _root(arguments: list[str], default: Path) -> Path:
    _at_most(1, arguments)
    return Path(arguments[0]) if arguments else default


def _at_most(count: int, arguments: list[str]) -> None:
    if len(arguments) > count or arguments and arguments[0].startswith("-"):
        allowed = "one folder, the host's root" if count else "no arguments"
        raise InstallError(f"{allowed} expected, got {' '.join(arguments)!r}")


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "demo": _demo,
    "opencode": _opencode,
    "view": _view,
    "install": _install,
    "uninstall": _uninstall,
    "doctor": _doctor,
    "mcp": _mcp,
}
