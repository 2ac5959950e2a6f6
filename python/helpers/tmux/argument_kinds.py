"""The types of arguments: how a value is checked, what is allowed, and its JSON Schema. Pure."""

import json
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from .keys import parse

# Window names: "dev-server", "web_2". tmux takes "2" and "-1" for a window's index.
_NAME = re.compile(r"(?!\d+$|-)[A-Za-z0-9_-]{1,40}")
_NO_ARGUMENT = re.compile("[\0\ud800-\udfff]")  # cannot be passed as a program argument
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # all but tab and line feed
_SHOWN = 80  # characters of an invalid value that its error repeats


class BadArgument(ValueError):
    """An invalid argument: the message names it, the value received, and what is allowed."""


def shown(value: object) -> str:
    """An invalid value, as an error repeats it."""
    try:
        text = repr(value)
    except ValueError:  # an integer of more than 4,300 digits
        return "a very long number"
    except RecursionError:
        return "a value that is nested too deeply"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


class ArgumentType(NamedTuple):
    """`convert` returns the value in its Python type, or None if it is not `allowed`; it may raise
    ValueError with a more specific reason."""

    convert: Callable[[Any], object | None]
    allowed: str
    schema: dict[str, Any]


def _string(came: object) -> str | None:
    return came if isinstance(came, str) and came and not _NO_ARGUMENT.search(came) else None


def _text(came: object) -> str | None:
    if isinstance(came, bool | int | float):
        try:
            return json.dumps(came, allow_nan=False)
        except ValueError:  # NaN, infinity, an integer of more than 4,300 digits
            return None
    if not isinstance(came, str):
        return None
    text = came.replace("\r\n", "\n").replace("\r", "\n")
    if bad := _CONTROL.search(text):
        what = "lone surrogate" if bad[0] >= "\ud800" else "control character"
        raise ValueError(
            f"{what} {bad[0]!r} at position {bad.start()}; allowed: text with tabs and line breaks."
            ' Keys are pressed with action keys, e.g. "keys": ["C-c"]'
        )
    return text


def _answers(came: object) -> dict[str, str] | None:
    if not isinstance(came, dict):
        return None
    answers = {}
    for pattern, answer in came.items():
        try:
            text = _text(answer)
        except ValueError as problem:
            raise ValueError(f"the answer to {_string(pattern)!r:.80} has a {problem}") from None
        if text is None or _string(pattern) is None:
            return None
        answers[pattern] = text
    return answers


def _keys(came: object) -> list[str] | None:
    names = came.split() if isinstance(came, str) else came
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        return None
    return parse(names)


def seconds(came: object) -> float | None:
    """A finite number from 0 on, which may be given as a string; None for everything else."""
    try:
        number = math.nan if isinstance(came, bool) else float(came)  # type: ignore[arg-type]
    except (ValueError, TypeError, OverflowError):
        return None
    return number if 0 <= number < math.inf else None


def whole(least: int, most: float = math.inf) -> Callable[[object], int | None]:
    """Converts to a whole number from `least` to `most`."""

    def convert(came: object) -> int | None:
        count = seconds(came)
        if count is None or not count.is_integer() or not least <= count <= most:
            return None
        return int(count)

    return convert


def _flag(came: object) -> bool | None:
    if isinstance(came, str):
        return {"true": True, "false": False}.get(came.strip().lower())
    return came if isinstance(came, bool) else None


def _name(came: object) -> str | None:
    return came if isinstance(came, str) and _NAME.fullmatch(came) else None


_STRING_SCHEMA = {"type": "string"}
STRING = ArgumentType(_string, "a string without NUL and lone surrogates", _STRING_SCHEMA)
PATTERN = ArgumentType(_string, "a regular expression (a string)", _STRING_SCHEMA)
TEXT = ArgumentType(_text, "a string (or a number, typed as JSON)", _STRING_SCHEMA)
ANSWERS = ArgumentType(
    _answers,
    'an object of regex of a question -> text to send, such as {"Continue": "y"}',
    {"type": "object", "additionalProperties": _STRING_SCHEMA},
)
KEYS = ArgumentType(
    _keys,
    'a list of key names such as ["C-c", "Enter"], or a string of them separated by spaces',
    {
        "anyOf": [
            {"type": "array", "items": _STRING_SCHEMA, "minItems": 1},
            {"type": "string", "minLength": 1},
        ]
    },
)
SECONDS = ArgumentType(seconds, "a number of seconds from 0 on", {"type": "number", "minimum": 0})
COUNT = ArgumentType(whole(1), "a whole number from 1 on", {"type": "integer", "minimum": 1})
FLAG = ArgumentType(_flag, "true or false", {"type": "boolean"})
NAME = ArgumentType(
    _name,
    "1 to 40 letters, digits, - and _, not digits alone and no - in front",
    {"type": "string", "pattern": f"^{_NAME.pattern}$"},
)
