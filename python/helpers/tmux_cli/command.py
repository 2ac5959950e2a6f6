"""What `tmux-tool` on a command line does; usr/bin/tmux-tool is its door."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from ..tmux.actions import Call
from ..tmux.arguments import ACTIONS, Argument
from ..tmux.terminal.client import TmuxError
from .layout import InstallError, host_root

_SIGPIPE_STATUS = 141  # what a shell shows for a program that SIGPIPE ended


def main(arguments: list[str], usage: str) -> int:
    """Exit status 0, 1 for an error that was told, 2 for no arguments."""
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
        print(usage + "\n".join(_usage()))
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
    return say(call)


def say(call: dict) -> int:
    """One call, as the agent makes it, and its answer."""
    try:
        answer = Call().perform(call)
    except KeyboardInterrupt:
        answer = "error: stopped by C-c; the program in the pane goes on"
    print(answer, flush=True)
    return int(answer.startswith("error:"))


def _usage() -> list[str]:
    return [
        f"  {name:<11}{' '.join(_shown(*one) for one in action.arguments.items())}"
        for name, action in ACTIONS.items()
    ]


def _shown(name: str, argument: Argument) -> str:
    if argument.required:
        return name
    return f"[{name}]" if argument.default is None else f"[{name}={json.dumps(argument.default)}]"


def _demo(arguments: list[str]) -> int:
    _none(arguments, "demo")
    from .demo import demo

    return demo()


def _opencode(arguments: list[str]) -> int:
    from .conversation import conversation

    return conversation(arguments)


def _install(arguments: list[str]) -> int:
    from .install import install

    print("\n".join(install(_root(arguments, Path("/a0")))))
    return 0


def _uninstall(arguments: list[str]) -> int:
    from .install import uninstall

    print("\n".join(uninstall(_root(arguments, host_root()))))
    return 0


def _doctor(arguments: list[str]) -> int:
    from .doctor import doctor

    return doctor(_root(arguments, host_root()))


def _mcp(arguments: list[str]) -> int:
    _none(arguments, "mcp")
    from .mcp import serve

    return serve()


def _view(arguments: list[str]) -> int:
    from ..tmux_view.serve import main as view

    return view(arguments)


def _none(arguments: list[str], name: str) -> None:
    if arguments:
        raise InstallError(f"{name} takes no arguments, got {arguments[0]!r}")


def _root(arguments: list[str], default: Path) -> Path:
    if len(arguments) > 1 or arguments and arguments[0].startswith("-"):
        raise InstallError(f"one folder is expected, the host's root; got {' '.join(arguments)!r}")
    return Path(arguments[0]) if arguments else default


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "demo": _demo,
    "opencode": _opencode,
    "install": _install,
    "uninstall": _uninstall,
    "doctor": _doctor,
    "mcp": _mcp,
    "view": _view,
}
