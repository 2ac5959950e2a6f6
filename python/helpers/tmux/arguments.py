"""The agent's arguments: one table of actions, and the check of a call. Pure.

The command line's help, the MCP tools and the test of the prompt are generated from the table. The
methods of `actions.Call` carry the actions out.
"""

from dataclasses import dataclass
from typing import Any

from .argument_kinds import (
    ANSWERS,
    COUNT,
    FLAG,
    KEYS,
    NAME,
    PATTERN,
    SECONDS,
    STRING,
    TEXT,
    ArgumentType,
    BadArgument,
    shown,
)
from .settings import Settings

DEFAULTS = Settings()


@dataclass(frozen=True)
class Argument:
    """`default`: the value if it is absent, unless the setting named `setting` supplies it."""

    type: ArgumentType
    description: str
    required: bool = False
    default: object = None
    setting: str = ""

    def default_in(self, settings: Settings) -> object:
        return getattr(settings, self.setting) if self.setting else self.default


@dataclass(frozen=True)
class Action:
    """`read_only`: changes nothing; `destructive`: may end or overwrite something; `local`: its
    answer contains no program output."""

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
            properties[name] = argument.type.schema | {"description": argument.description}
            properties[name] |= {} if default is None else {"default": default}
        required = [name for name, argument in self.arguments.items() if argument.required]
        schema = {"type": "object", "properties": properties, "additionalProperties": False}
        return schema | ({"required": required} if required else {})


_PANE = {
    "pane": Argument(
        STRING,
        "tmux target of the pane; absent: what the person looks at in the session `shared`",
    )
}
_WAIT = "seconds to wait at most; 0: do not wait"
_TIMEOUT = {"timeout": Argument(SECONDS, _WAIT, setting="wait_timeout")}
_PATTERNS = {
    "prompt_pattern": Argument(
        PATTERN, "regex of the prompt, for a program whose prompt is not recognised by itself"
    ),
    "until": Argument(
        PATTERN, "regex in output since the last input; it ends the wait, e.g. [Ll]istening on"
    ),
    "answers": Argument(
        ANSWERS, "object: regex of a question, case ignored -> text; then the wait goes on"
    ),
}

ACTIONS: dict[str, Action] = {
    "run": Action(
        "types a command at a prompt, waits, answers with its output; refused without a prompt",
        {
            "text": Argument(TEXT, "the command; may have several lines", required=True),
            "timeout": Argument(SECONDS, _WAIT, setting="run_timeout"),
            **_PATTERNS,
            **_PANE,
        },
        destructive=True,
    ),
    "send": Action(
        "types exactly this text, then Enter, and waits: for answers, passwords, REPL lines,"
        " typing ahead",
        {
            "text": Argument(TEXT, "the text, as it is; empty: Enter alone", required=True),
            "enter": Argument(
                FLAG, "press Enter after the text; false: do not wait either", default=True
            ),
            **_TIMEOUT,
            **_PATTERNS,
            **_PANE,
        },
        destructive=True,
    ),
    "keys": Action(
        "presses keys and waits for a turn, or in a full screen until it is still",
        {
            "keys": Argument(
                KEYS,
                "a list, or a string separated by spaces: C-c Enter Escape Tab Up F5 y",
                required=True,
            ),
            **_TIMEOUT,
            **_PANE,
        },
        destructive=True,
    ),
    "wait_ready": Action(
        "waits until it is your turn, or until `until` is seen; types nothing but `answers`",
        {
            **_TIMEOUT,
            **_PATTERNS,
            "person": Argument(
                FLAG,
                "the person answers what is asked there now: wait until they have",
                default=False,
            ),
            **_PANE,
        },
        destructive=True,
    ),
    "read": Action(
        "shows the last lines of the screen and its history",
        {
            "lines": Argument(COUNT, "how many lines, at most", default=100),
            "new": Argument(FLAG, "only what no answer has shown yet", default=False),
            **_PANE,
        },
        read_only=True,
    ),
    "interrupt": Action(
        "presses C-c; answers with an empty prompt, or with what did not stop",
        _PANE,
        destructive=True,
    ),
    "list": Action(
        "lists all panes: target, size, command, directory, state", {}, read_only=True, local=True
    ),
    "open": Action(
        "opens a window of your own beside what the person looks at: for servers, ssh, REPLs; its"
        " target is shared:NAME",
        {
            "name": Argument(NAME, "of the window: letters, digits, - and _", required=True),
            "directory": Argument(STRING, "where its shell starts"),
        },
        local=True,
    ),
    "close": Action(
        "ends a window that open made, with nothing running in it",
        {"pane": Argument(STRING, "its target, shared:NAME", required=True)},
        destructive=True,
        local=True,
    ),
}


def check(came: object, settings: Settings = DEFAULTS) -> tuple[str, dict[str, Any]]:
    """The action and all its arguments, converted to their types. Raises BadArgument.

    `None` means absent, and so does an empty value of an optional argument.
    """
    if not isinstance(came, dict):
        raise BadArgument(f"a call is an object of arguments, got {shown(came)}")
    values = {name: value for name, value in came.items() if value is not None}
    action = values.pop("action", None)
    called = "_".join(action.lower().split()) if isinstance(action, str) else ""
    if called not in ACTIONS:
        raise _wrong("action", action, ", ".join(ACTIONS))
    table = ACTIONS[called].arguments
    takes = f"{called} takes {', '.join(table) or 'no arguments'}"
    for name in values:
        if name not in table:
            raise _wrong(name, values[name], takes)
    checked = {}
    for name, argument in table.items():
        value = values.get(name, "")
        if value == "" and not argument.required:
            checked[name] = argument.default_in(settings)
        elif name not in values:
            raise BadArgument(f"argument {name!r} is missing: {takes}")
        else:
            checked[name] = _converted(name, value, argument.type)
    return called, checked


def _converted(name: str, value: object, kind: ArgumentType) -> object:
    try:
        checked = kind.convert(value)
    except ValueError as problem:
        raise BadArgument(f"argument {name!r}: {problem}") from None
    if checked is None:
        raise _wrong(name, value, kind.allowed)
    return checked


def _wrong(name: object, came: object, allowed: str) -> BadArgument:
    return BadArgument(f"argument {shown(name)}: got {shown(came)}, allowed: {allowed}")
