"""The agent's arguments: one table of actions, and the check of a call. Pure.

The table is for people and models: the command line's help, MCP's tools and the test of the
prompt are made from it. The method `_run` of `actions.Call` carries out `run`, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .argument_kinds import COUNT, FLAG, KEYS, NAME, SECONDS, STRING, TEXT, BadArgument, Kind
from .settings import Settings

__all__ = ["ACTIONS", "Action", "Argument", "BadArgument", "check"]

DEFAULTS = Settings()
_SHOWN = 80  # characters of a wrong value that its error repeats


@dataclass(frozen=True, kw_only=True)
class Argument:
    """`default` is the value of an absent one, or the setting named `setting` is."""

    kind: Kind
    description: str
    required: bool = False
    default: object = None
    setting: str = ""

    def default_in(self, settings: Settings) -> object:
        return getattr(settings, self.setting) if self.setting else self.default


@dataclass(frozen=True, kw_only=True)
class Action:
    """`read_only`: it changes nothing; `destructive`: it may end or overwrite something;
    `local`: its answer holds nothing that a program printed."""

    description: str
    arguments: dict[str, Argument]
    read_only: bool = False
    destructive: bool = False
    local: bool = False

    def schema(self, settings: Settings = DEFAULTS) -> dict[str, Any]:
        """JSON Schema of the arguments, for callers that are programs."""
        properties = {}
        for name, argument in self.arguments.items():
            default = argument.default_in(settings)
            properties[name] = {
                **argument.kind.schema,
                "description": argument.description,
                **({} if default is None else {"default": default}),
            }
        required = [name for name, argument in self.arguments.items() if argument.required]
        return {
            "type": "object",
            "properties": properties,
            **({"required": required} if required else {}),
            "additionalProperties": False,
        }


_PANE = Argument(
    kind=STRING,
    description="tmux target of the pane; absent: what the person looks at in the session `shared`",
)
_TIMEOUT = Argument(
    kind=SECONDS, setting="wait_timeout", description="most seconds to wait; 0: do not wait"
)
_PATTERNS = {
    "prompt_pattern": Argument(
        kind=STRING,
        description="regex of the prompt, for a program whose prompt is not recognised by itself",
    ),
    "until": Argument(
        kind=STRING,
        description="regex looked for in new output; ends the wait, e.g. [Ll]istening on",
    ),
}

ACTIONS: dict[str, Action] = {
    "run": Action(
        description="types a command at a prompt, waits, answers with its output; "
        "refused where no prompt is",
        arguments={
            "text": Argument(kind=TEXT, required=True, description="the command; may have lines"),
            "timeout": replace(_TIMEOUT, setting="run_timeout"),
            **_PATTERNS,
            "pane": _PANE,
        },
        destructive=True,
    ),
    "send": Action(
        description="types exactly this text, then Enter, and waits: for answers, passwords, "
        "REPL lines, typing ahead",
        arguments={
            "text": Argument(
                kind=TEXT, required=True, description="the text, as it is; empty: Enter alone"
            ),
            "enter": Argument(
                kind=FLAG,
                default=True,
                description="press Enter after the text; false: do not wait either",
            ),
            "timeout": _TIMEOUT,
            **_PATTERNS,
            "pane": _PANE,
        },
        destructive=True,
    ),
    "keys": Action(
        description="presses keys and waits for a turn, or in a full screen until it stands still",
        arguments={
            "keys": Argument(
                kind=KEYS,
                required=True,
                description="a list, or a string separated by blanks: C-c Enter Escape Tab Up F5 y",
            ),
            "timeout": _TIMEOUT,
            "pane": _PANE,
        },
        destructive=True,
    ),
    "wait_ready": Action(
        description="waits until it is your turn, or until `until` is seen",
        arguments={"timeout": _TIMEOUT, **_PATTERNS, "pane": _PANE},
        read_only=True,
    ),
    "read": Action(
        description="shows the last lines of the screen and its history",
        arguments={
            "lines": Argument(kind=COUNT, default=100, description="how many lines, at most"),
            "new": Argument(
                kind=FLAG, default=False, description="only what no answer has shown yet"
            ),
            "pane": _PANE,
        },
        read_only=True,
    ),
    "interrupt": Action(
        description="presses C-c: an empty prompt, or what would not stop",
        arguments={"pane": _PANE},
        destructive=True,
    ),
    "list": Action(
        description="lists all panes: target, size, command, directory, state",
        arguments={},
        read_only=True,
        local=True,
    ),
    "open": Action(
        description="opens a window of your own beside what the person looks at: for servers, "
        "ssh, REPLs; its target is shared:NAME",
        arguments={
            "name": Argument(
                kind=NAME, required=True, description="of the window: letters, digits, - and _"
            ),
            "directory": Argument(kind=STRING, description="where its shell starts"),
        },
        local=True,
    ),
    "close": Action(
        description="ends a window that open made, with nothing running in it",
        arguments={
            "pane": Argument(kind=STRING, required=True, description="its target, shared:NAME"),
        },
        destructive=True,
        local=True,
    ),
}


def check(came: object, settings: Settings = DEFAULTS) -> tuple[str, dict[str, Any]]:
    """The action and its arguments, complete and of the right types. Raises BadArgument.

    `None` means absent, and so does an empty string where the argument is optional.
    """
    if not isinstance(came, dict):
        raise BadArgument(f"a call is an object of arguments, got {_shown(came)}")
    values = {name: value for name, value in came.items() if value is not None}
    action = values.pop("action", None)
    if not isinstance(action, str) or action.strip() not in ACTIONS:
        raise _wrong("action", action, ", ".join(ACTIONS))
    action = action.strip()
    table = ACTIONS[action].arguments
    takes = f"{action} takes {', '.join(table) or 'no arguments'}"
    for name, value in values.items():
        if name not in table:
            raise _wrong(name, value, takes)
    checked = {}
    for name, argument in table.items():
        value = values.get(name)
        if value is None and argument.required:
            raise BadArgument(f"argument {name!r} is missing: {takes}")
        if value is None or value == "" and not argument.required:
            checked[name] = argument.default_in(settings)
            continue
        checked[name] = argument.kind.convert(value)
        if checked[name] is None:
            raise _wrong(name, value, argument.kind.allowed)
    return action, checked


def _wrong(name: object, came: object, allowed: str) -> BadArgument:
    return BadArgument(f"argument {_shown(name)}: got {_shown(came)}, allowed: {allowed}")


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer of more than 4,300 digits
        return "a very long number"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
