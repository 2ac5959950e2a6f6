"""What an argument's value may be: its check, how an error names it, its JSON Schema. Pure."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .terminal.keys import UnknownKey, parse

_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")  # of a window: "dev-server", "web_2"
_INDEX = re.compile(r"\d+|-.*")  # "2", "-1": tmux takes such a window name for an index


class BadArgument(ValueError):
    """An argument that cannot be used: the message names it, what came, and what is allowed."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """`convert` gives the value in its type, None for one that is not `allowed`."""

    convert: Callable[[Any], object | None]
    allowed: str
    schema: dict[str, Any]


def _string(came: object) -> str | None:
    if not isinstance(came, str) or not came:
        return None
    return None if any(_unsendable(char) for char in came) else came


def _unsendable(char: str) -> bool:
    """NUL and lone surrogates: no program's argument can hold them."""
    return char == "\0" or unicodedata.category(char) == "Cs"


def _text(came: object) -> str | None:
    if isinstance(came, bool | int | float):
        return _as_json(came)
    if not isinstance(came, str):
        return None
    text = came.replace("\r\n", "\n").replace("\r", "\n")
    for position, char in enumerate(text):
        control = unicodedata.category(char) == "Cc" and char not in "\n\t"
        if control or _unsendable(char):
            raise BadArgument(
                f"argument 'text': {'control character' if control else 'lone surrogate'} {char!r} "
                f"at position {position}; allowed: text with tabs and line breaks. "
                'Keys are pressed with action keys, e.g. "keys": ["C-c"]'
            )
    return text


def _as_json(number: float) -> str | None:
    try:
        return json.dumps(number, allow_nan=False)
    except ValueError:  # NaN, infinity, an integer of more than 4,300 digits
        return None


def _keys(came: object) -> list[str] | None:
    names = came.split() if isinstance(came, str) else came
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        return None
    try:
        return parse(names)
    except UnknownKey as problem:
        raise BadArgument(f"argument 'keys': {problem}") from None


def number(came: object) -> float | None:
    """A finite number, also one that came as text; None for everything else."""
    if isinstance(came, bool) or not isinstance(came, int | float | str):
        return None
    try:
        number = float(came)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _seconds(came: object) -> float | None:
    seconds = number(came)
    return None if seconds is None or seconds < 0 else seconds


def _count(came: object) -> int | None:
    count = number(came)
    return None if count is None or count < 1 or count != int(count) else int(count)


def _flag(came: object) -> bool | None:
    word = came.strip().lower() if isinstance(came, str) else came
    if word is True or word == "true":
        return True
    return False if word is False or word == "false" else None


def _name(came: object) -> str | None:
    if not isinstance(came, str) or not _NAME.fullmatch(came) or _INDEX.fullmatch(came):
        return None
    return came


_STRING_SCHEMA = {"type": "string"}
STRING = Kind(
    convert=_string,
    allowed="a string without NUL and lone surrogates",
    schema=_STRING_SCHEMA,
)
TEXT = Kind(convert=_text, allowed="a string (or a number, typed as JSON)", schema=_STRING_SCHEMA)
KEYS = Kind(
    convert=_keys,
    allowed='a list of key names such as ["C-c", "Enter"], or a string of them separated by blanks',
    schema={
        "anyOf": [
            {"type": "array", "items": _STRING_SCHEMA, "minItems": 1},
            {"type": "string", "minLength": 1},
        ]
    },
)
SECONDS = Kind(
    convert=_seconds,
    allowed="a number of seconds from 0 on",
    schema={"type": "number", "minimum": 0},
)
COUNT = Kind(
    convert=_count,
    allowed="a whole number from 1 on",
    schema={"type": "integer", "minimum": 1},
)
FLAG = Kind(convert=_flag, allowed="true or false", schema={"type": "boolean"})
NAME = Kind(
    convert=_name,
    allowed="1 to 40 letters, digits, - and _, not digits alone and no - in front",
    schema={"type": "string", "pattern": f"^{_NAME.pattern}$"},
)
