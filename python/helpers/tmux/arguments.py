"""The agent's arguments: one table of actions, and the check of a call. Pure.

The command line's help, the MCP tools and the test of the prompt are generated from the table. The
methods of `actions.Call` carry the actions out.
"""

from dataclasses import dataclass
from typing import Any

from .base.settings import (
    ANSWERS,
    COUNT,
    DIRECTORY,
    FLAG,
    KEYS,
    PATTERN,
    SECONDS,
    STRING,
    TEXT,
    WINDOW,
    BadValue,
    Kind,
    Settings,
    refused,
    shown,
)

DEFAULTS = Settings()


@dataclass(frozen=True)
class Argument:
    """`default`: the value if it is absent, or the name of the setting that supplies it."""

    kind: Kind
    description: str
    required: bool = False
    default: object = None

    def default_in(self, settings: Settings) -> object:
        """The value where the caller gives none."""
        return getattr(settings, str(self.default), self.default)


@dataclass(frozen=True)
class Action:
    """`read_only`: changes nothing; any other may end or overwrite something; `local`: its answer
    contains no program output."""

    description: str
    arguments: dict[str, Argument]
    read_only: bool = False
    local: bool = False

    def schema(self, settings: Settings = DEFAULTS) -> dict[str, Any]:
        """JSON Schema of the arguments, for callers that are programs."""
        properties = {}
        for name, argument in self.arguments.items():
            default = argument.default_in(settings)
            properties[name] = argument.kind.schema | {"description": argument.description}
            properties[name] |= {} if default is None else {"default": default}

        required = [name for name, argument in self.arguments.items() if argument.required]
        schema = {"type": "object", "properties": properties, "required": required}
        return schema | {"additionalProperties": False}


_ARGUMENTS = {
    "text": Argument(
        TEXT,
        "the command or the text, as it is, a number as JSON writes it; may have several lines;"
        " of send: empty is Enter alone",
        required=True,
    ),
    "enter": Argument(FLAG, "press Enter after the text; false: do not wait either", default=True),
    "keys": Argument(
        KEYS,
        'a list of names, characters and texts, ["F7", {"text": "docs"}, "Enter"], or a string:'
        " C-c Enter Escape Tab Up F5 y",
        required=True,
    ),
    "timeout": Argument(SECONDS, "seconds to wait at most; 0: do not wait", default="wait_timeout"),
    "prompt_pattern": Argument(
        PATTERN, "regex of the prompt, for a program whose prompt is not recognised by itself"
    ),
    "until": Argument(
        PATTERN, "regex in output since the last input; it ends the wait, e.g. [Ll]istening on"
    ),
    "answers": Argument(
        ANSWERS, "object: regex of a question, case ignored -> text; then the wait goes on"
    ),
    "person": Argument(
        FLAG,
        "the person answers what is asked there now: wait until they have, further passwords too;"
        " then `answers` counts",
        default=False,
    ),
    "lines": Argument(COUNT, "show at most so many of the last rows; the others are counted"),
    "new": Argument(FLAG, "only what no answer has shown yet", default=False),
    "pane": Argument(
        STRING, "tmux target of the pane; absent: what the person looks at in the session `shared`"
    ),
    "name": Argument(WINDOW, "of the window: letters, digits, - and _", required=True),
    "directory": Argument(DIRECTORY, "where its shell starts: an absolute path"),
}
_RUN_TIMEOUT = Argument(SECONDS, _ARGUMENTS["timeout"].description, default="run_timeout")
_READ_LINES = Argument(COUNT, "how many lines, at most", default=100)
_STOP_TIMEOUT = Argument(SECONDS, _ARGUMENTS["timeout"].description, default=3.0)
_FIRST = Argument(TEXT, "a command to run there at once; the other arguments are those of run")


def _named(names: str) -> dict[str, Argument]:
    """These arguments, in this order."""
    return {name: _ARGUMENTS[name] for name in names.split()}


ACTIONS: dict[str, Action] = {
    "run": Action(
        "types a command at a prompt, waits, answers with its output; refused without a prompt",
        _named("text timeout prompt_pattern until answers lines pane") | {"timeout": _RUN_TIMEOUT},
    ),
    "send": Action(
        "types exactly this text, then Enter, and waits: for answers, passwords, REPL lines,"
        " typing ahead",
        _named("text enter timeout prompt_pattern until answers lines pane"),
    ),
    "keys": Action(
        "presses keys and types texts, waits for a turn, or in a full screen until it is still;"
        " stops where something else is asked",
        _named("keys timeout until answers lines pane"),
    ),
    "wait_ready": Action(
        "waits until it is your turn, or until `until` is seen; types nothing but `answers`",
        _named("timeout prompt_pattern until answers person lines pane"),
    ),
    "read": Action(
        "shows the last lines of the screen and its history",
        _named("lines new pane") | {"lines": _READ_LINES},
        read_only=True,
    ),
    "interrupt": Action(
        "presses C-c; answers with an empty prompt, or with what did not stop",
        _named("timeout answers lines pane") | {"timeout": _STOP_TIMEOUT},
    ),
    "list": Action(
        "lists all panes: target, size, command, directory, state",
        {},
        read_only=True,
        local=True,
    ),
    "open": Action(
        "opens a window of your own, shared:NAME, beside what the person looks at; with `text` a"
        " command runs there at once",
        _named("name directory text timeout prompt_pattern until answers lines")
        | {"text": _FIRST, "timeout": _RUN_TIMEOUT},
    ),
    "close": Action(
        "ends a window that open made, with nothing running in it",
        {"pane": Argument(STRING, "its target, shared:NAME", required=True)},
        local=True,
    ),
}


def check(came: object, settings: Settings = DEFAULTS) -> tuple[str, dict[str, Any]]:
    """The action and all its arguments, converted to their types. Raises BadValue.

    `None` means absent, and so does an empty value of an optional argument.
    """
    if not isinstance(came, dict):
        raise refused("a call", came, "an object of arguments")

    values = {name: value for name, value in came.items() if value is not None}
    action = _action_of(values.pop("action", None))
    table = ACTIONS[action].arguments
    takes = f"{action} takes {', '.join(table) or 'no arguments'}"
    for name, value in values.items():
        if name not in table:
            raise refused(f"argument {shown(name)}", value, takes)

    checked = {}
    for name, argument in table.items():
        value = values.get(name, "")
        if argument.required and name not in values:
            raise BadValue(f"argument {name!r} is missing: {takes}")
        if value == "" and not argument.required:
            checked[name] = argument.default_in(settings)
        else:
            checked[name] = argument.kind.of(f"argument {name!r}", value)

    return action, checked


def _action_of(came: object) -> str:
    """The action's name, whatever its case and spaces: `Wait ready` is wait_ready."""
    name = ""
    if isinstance(came, str):
        name = "_".join(came.lower().split())
    if name not in ACTIONS:
        raise refused("argument 'action'", came, ", ".join(ACTIONS))
    return name
