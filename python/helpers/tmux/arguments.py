"""The agent's arguments: the table of actions, and the checking of what came. Pure."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable

from .keys import UnknownKey, parse
from .pane import SHARED


class BadArgument(ValueError):
    """An argument that cannot be used: the message names it, what came, and what is allowed."""


def _wrong(name: str, came: object, allowed: str) -> BadArgument:
    return BadArgument(f"argument {_shown(name)}: got {_shown(came)}, allowed: {allowed}")


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else shown[:77] + "..."


def _string(name: str, came: object) -> str:
    if not isinstance(came, str) or any(
        char == "\0" or unicodedata.category(char) == "Cs" for char in came
    ):
        raise _wrong(name, came, "a string that can be said to tmux: no NUL, no half characters")
    return came


def _text(name: str, came: object) -> str:
    if not isinstance(came, str):
        raise _wrong(name, came, "a string")
    text = came.replace("\r\n", "\n").replace("\r", "\n")
    for at, char in enumerate(text):
        kind = unicodedata.category(char)
        if kind == "Cc" and char not in "\n\t" or kind == "Cs":
            what = f"control character {char!r}" if kind == "Cc" else f"half a character {char!r}"
            raise BadArgument(
                f"argument 'text': {what} at position {at}; allowed: text with tabs and line breaks. "
                'Keys are pressed with action keys, e.g. "keys": ["C-c"]'
            )
    return text


def _keys(name: str, came: object) -> list[str]:
    if (
        isinstance(came, str)
        and came.strip()
        or isinstance(came, list)
        and came
        and all(isinstance(k, str) for k in came)
    ):
        try:
            return parse(came)  # type: ignore[arg-type]
        except UnknownKey as problem:
            raise BadArgument(f"argument 'keys': {problem}") from None
    raise _wrong(
        name,
        came,
        'a list of key names such as ["C-c", "Enter"], or a string of them parted by blanks',
    )


def _number(name: str, came: object, allowed: str) -> float:
    try:
        if isinstance(came, bool) or not isinstance(came, (int, float, str)):
            raise ValueError
        return float(came)
    except (ValueError, OverflowError):
        raise _wrong(name, came, allowed) from None


def _seconds(name: str, came: object) -> float:
    seconds = _number(name, came, "a positive number of seconds")
    if not (seconds > 0 and math.isfinite(seconds)):
        raise _wrong(name, came, "a positive number of seconds")
    return seconds


def _count(name: str, came: object) -> int:
    count = _number(name, came, "a whole number from 1 on")
    if not (count >= 1 and math.isfinite(count) and count == int(count)):
        raise _wrong(name, came, "a whole number from 1 on")
    return int(count)


def _flag(name: str, came: object) -> bool:
    if isinstance(came, bool):
        return came
    if isinstance(came, str) and came.strip().lower() in ("true", "false"):
        return came.strip().lower() == "true"
    raise _wrong(name, came, "true or false")


REQUIRED = object()
_PATTERNS = {"prompt_pattern": (_string, None), "until": (_string, None)}

# action -> argument -> (check, default); `pane` goes with every action but list.
ACTIONS: dict[str, dict[str, tuple[Callable[[str, object], object], object]]] = {
    "send": {"text": (_text, REQUIRED), "enter": (_flag, True)},
    "keys": {"keys": (_keys, REQUIRED)},
    "read": {"lines": (_count, 100), "new": (_flag, False)},
    "wait_ready": {"timeout": (_seconds, 10.0), **_PATTERNS},
    "run": {"text": (_text, REQUIRED), "timeout": (_seconds, 30.0), **_PATTERNS},
    "interrupt": {},
    "list": {},
}
for _action, _arguments in ACTIONS.items():
    if _action != "list":
        _arguments["pane"] = (_string, SHARED)


def check(came: object) -> tuple[str, dict]:
    """The action and its arguments, complete and of the right types. Raises BadArgument.

    `None` means absent, and so does an empty string where the argument has a default.
    """
    if not isinstance(came, dict):
        raise BadArgument(f"a call is an object of arguments, got {_shown(came)}")
    given = {name: value for name, value in came.items() if value is not None}
    action = given.pop("action", None)
    if not isinstance(action, str) or action.strip() not in ACTIONS:
        raise _wrong("action", action, ", ".join(ACTIONS))
    action = action.strip()
    table = ACTIONS[action]
    for name, value in given.items():
        if name not in table:
            raise _wrong(name, value, f"{action} takes {', '.join(table) or 'no arguments'}")
    checked = {}
    for name, (checker, default) in table.items():
        value = given.get(name)
        if value is None or value == "" and default is not REQUIRED:
            if default is REQUIRED:
                raise BadArgument(
                    f"argument {name!r} is missing: {action} takes {', '.join(table)}"
                )
            checked[name] = default
        else:
            checked[name] = checker(name, value)
    return action, checked
