"""Values that somebody else has chosen: the kinds there are, and the settings, none of which needs
to be set. Pure, except that the environment is read, and that `directory` must exist.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .answer import cut, quoted
from .keys import Key, Typed, parse

PREFIX = "TMUX_TOOL_"  # of the environment variables: TMUX_TOOL_SESSION, TMUX_TOOL_RUN_TIMEOUT ...
_STRING = "[^\0\ud800-\udfff]+"  # what can be passed as a program argument
# Window names: "dev-server", "web_2". tmux takes "2" and "-1" for a window's index.
_WINDOW = r"(?!\d+$|-)[A-Za-z0-9_-]{1,40}"
_SESSION = "[A-Za-z0-9_-]+"  # "shared"; in tmux ":" and "." end a session's name
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # all but tab and line feed
_TEXTS = {"type": "string"}
_MOST_TEXT = 200_000  # characters of a text: tmux takes it in within seconds
_SHOWN = 80  # characters of an invalid value that its error repeats


class BadValue(ValueError):
    """An invalid argument or setting: the message names it, the value, and what is allowed."""


def refused(name: str, came: object, allowed: str) -> BadValue:
    """The error for a value that is not allowed."""
    return BadValue(f"{name}: got {shown(came)}, allowed: {allowed}")


def shown(value: object) -> str:
    """An invalid value, as an error repeats it."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of more than 4,300 digits
        return "a value that is too long or too deep"
    if isinstance(value, str):
        return quoted(value, _SHOWN)
    return cut(text, _SHOWN)


class Kind(NamedTuple):
    """A kind of value. `converted` returns one in its Python type; for what is not `allowed` it
    returns None or raises anything, BadValue with a more specific reason."""

    converted: Callable[[Any], object | None]
    allowed: str
    schema: dict[str, Any] = _TEXTS

    def of(self, name: str, came: object) -> Any:
        """What came as the value of `name`, converted. Raises BadValue."""
        try:
            value = self.converted(came)
        except BadValue as problem:
            raise BadValue(f"{name}: {problem}") from None
        except Exception:  # whatever a value of another kind leads to
            value = None

        if value is None:
            raise refused(name, came, self.allowed)
        return value


def _matching(pattern: str) -> Callable[[str], str | None]:
    """A text that matches the pattern as a whole."""
    return lambda came: came if re.fullmatch(pattern, came) else None


def _pattern(came: str) -> str | None:
    """A longer one might take minutes to compile."""
    if not re.fullmatch("[^\0\ud800-\udfff]{1,1000}", came):
        return None
    try:
        return re.compile(came).pattern
    except re.error as problem:
        what = f"{shown(came)} is no regular expression: {problem}"
        raise BadValue(what) from None


def _one_of(**meant: object) -> Callable[[object], object | None]:
    """Converts one of these words, or a truth value, to what it means."""

    def converted(came: object) -> object | None:
        if not isinstance(came, str | bool):
            return None
        return meant.get(str(came).strip().lower())

    return converted


def _text(came: Any) -> str:
    """A text with one kind of line break; a number as JSON writes it."""
    if isinstance(came, int | float):
        return json.dumps(came, allow_nan=False)

    text = came.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > _MOST_TEXT:
        raise BadValue(f"{len(text)} characters, allowed: {_MOST_TEXT}; put more into a file")
    if bad := _CONTROL.search(text):
        raise BadValue(
            f"control character {bad[0]!r} at position {bad.start()}; allowed: text with tabs and"
            ' line breaks. Keys are pressed with keys, e.g. "keys": ["C-c"]'
        )
    return text


def _answers(came: Any) -> dict[str, str]:
    """Patterns of questions, each with its answer."""
    return {
        PATTERN.of("a question", question): ANSWER.of(f"the answer to {shown(question)}", text)
        for question, text in came.items()
    }


def _answer(came: Any) -> str:
    """A text without line breaks, but one at its end, which is the Enter that is pressed anyway."""
    text = _text(came).removesuffix("\n")
    if "\n" in text:
        what = "several lines: those behind the first would answer what comes next"
        raise BadValue(f"{what}; give one line, or type several with send")
    return text


def _keys(came: object) -> list[Key] | None:
    """A list of keys and texts; of a string, the names in it."""
    keys = came
    if isinstance(came, str):
        keys = came.split()
    if not isinstance(keys, list) or not keys:
        return None
    return [_key(key) for key in keys]


def _key(came: object) -> Key:
    """A key's name, or a text: {"text": "*.txt"}."""
    if not isinstance(came, dict):
        name: str = KEY.of("a key", came)
        return name
    if list(came) != ["text"] or came["text"] == "":
        raise refused("a text between keys", came, '{"text": "…"}')
    return Typed(TEXT.of("a text between keys", came["text"]))


def _seconds(came: Any) -> float | None:
    """A number from 0 on, also written as a text."""
    if isinstance(came, bool):
        return None
    number = float(came)
    if 0 <= number < math.inf:
        return number
    return None


def _count(came: object) -> int | None:
    """A whole number from 1 on, also written as a text."""
    count = _seconds(came) or 0.0
    if count.is_integer() and count >= 1:
        return int(count)
    return None


def _directory(came: str) -> str | None:
    """A directory that exists, by its absolute path."""
    path = os.path.expanduser(came)
    if os.path.isabs(path) and os.path.isdir(path):
        return path
    return None


STRING = Kind(_matching(_STRING), "a string without NUL and lone surrogates")
PATTERN = Kind(_pattern, "a regular expression of at most 1000 characters")
TEXT = Kind(_text, "a string (or a number, typed as JSON)")
ANSWER = Kind(_answer, TEXT.allowed)
ANSWERS = Kind(
    _answers,
    'an object of regex of a question -> text to send, such as {"Continue": "y"}',
    {"type": "object", "additionalProperties": _TEXTS},
)
KEY = Kind(
    parse,
    "one character, or Enter Escape Tab Space BSpace Up Down Left Right Home End PageUp PageDown"
    ' Insert Delete F1 to F12, with C- M- S- in front; a text between keys is {"text": "…"}',
)
_TYPED = {
    "type": "object",
    "properties": {"text": _TEXTS},
    "required": ["text"],
    "additionalProperties": False,
}
_KEY_LIST = {"type": "array", "items": {"anyOf": [_TEXTS, _TYPED]}, "minItems": 1}
KEYS = Kind(
    _keys,
    'a list of key names and texts such as ["F7", {"text": "docs"}, "Enter"], or a string of names'
    " separated by spaces",
    {"anyOf": [_KEY_LIST, _TEXTS]},
)
SECONDS = Kind(_seconds, "a number of seconds from 0 on", {"type": "number", "minimum": 0})
COUNT = Kind(_count, "a whole number from 1 on", {"type": "integer", "minimum": 1})
FLAG = Kind(_one_of(true=True, false=False), "true or false", {"type": "boolean"})
WINDOW = Kind(
    _matching(_WINDOW),
    "1 to 40 letters, digits, - and _, not digits alone and no - in front",
)
DIRECTORY = Kind(_directory, "the absolute path of a directory that exists")
_VIEW = _one_of(type="type", look="look", off="off", false="off")  # YAML reads `off` as false
_SETTINGS = {
    "session": Kind(_matching(_SESSION), "a session's name of letters, digits, - and _"),
    "width": COUNT,
    "height": COUNT,
    "directory": DIRECTORY,
    "run_timeout": SECONDS,
    "wait_timeout": SECONDS,
    "line_editor": FLAG,
    "readable": Kind(_one_of(own="own", all="all", off="off", false="off"), "own, all, off"),
    "view": Kind(_VIEW, "type, look, off"),
    "names": STRING,
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """`width`, `height`: columns and rows of a session that the tool creates; `directory`: where it
    starts, None: in the caller's; `run_timeout`, `wait_timeout`: seconds, for calls without a
    timeout; `line_editor`: read the memory of line editors; `readable`: the shells that allow that
    under Yama: the tool's `own`, or `all` in its session; `view`: what the live view may do;
    `names`: host names by which a host without a login may be reached for it."""

    session: str = "shared"
    width: int = 160
    height: int = 50
    directory: str | None = None
    run_timeout: float = 30.0
    wait_timeout: float = 10.0
    line_editor: bool = True
    readable: str = "own"
    view: str = "type"
    names: str = ""

    @classmethod
    def load(cls, overrides: Mapping[str, object] | None = None) -> Settings:
        """Each setting from the first of these that has it: `overrides` (a host's plugin
        configuration), the environment, the defaults. None and "" mean not set. Raises BadValue."""
        chosen = dict(overrides or {})
        values = dict[str, Any]()
        for name, kind in _SETTINGS.items():
            variable = PREFIX + name.upper()
            for value in (chosen.pop(name, None), os.environ.get(variable)):
                if value not in (None, "") and name not in values:
                    values[name] = kind.of(f"setting {name} ({variable})", value)

        if chosen:
            raise BadValue(f"setting {min(chosen)!r} is unknown; there are {', '.join(_SETTINGS)}")
        return cls(**values)
