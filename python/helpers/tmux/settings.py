"""What a person may set, with defaults that need none.

Pure but for the environment and one look at the directory.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

PREFIX = "TMUX_TOOL_"  # of the environment variables: TMUX_TOOL_SESSION, TMUX_TOOL_RUN_TIMEOUT ...
_SMALLEST, _LARGEST = 10, 10_000  # columns or rows; tmux refuses a window of more than 10,000
_NAME = re.compile(r"[A-Za-z0-9_-]+")  # "shared"; ":" and "." would end a session's name in tmux
_FLAGS = {"true": True, "yes": True, "on": True, "1": True} | {
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


class BadSetting(ValueError):
    """A setting that cannot be used: the message names it, what came, and what is allowed."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """`directory`: where a session that the tool creates starts, None for where the caller is;
    the timeouts, in seconds, are those of calls that name none."""

    session: str = "shared"
    width: int = 160
    height: int = 50
    directory: str | None = None
    run_timeout: float = 30.0
    wait_timeout: float = 10.0
    line_editor: bool = True

    @classmethod
    def load(cls, overrides: Mapping[str, object] | None = None) -> Settings:
        """From `overrides` (a host's plugin configuration), the environment, the defaults.

        None and empty text mean: not set. Raises BadSetting.
        """
        known = [field.name for field in fields(cls)]
        chosen = dict(overrides or {})
        if unknown := sorted(set(chosen) - set(known)):
            raise BadSetting(f"setting {unknown[0]!r} is unknown; there are {', '.join(known)}")
        values = {}
        for name in known:
            place = f"setting {name}"
            value = chosen.get(name)
            if _absent(value):
                place = PREFIX + name.upper()
                value = os.environ.get(place)
            if not _absent(value):
                values[name] = _CHECKS[name](place, value)
        return cls(**values)  # type: ignore[arg-type]


def _absent(value: object) -> bool:
    return value is None or isinstance(value, str) and not value.strip()


def _wrong(place: str, value: object, allowed: str) -> BadSetting:
    return BadSetting(f"{place}: got {repr(value)[:80]}, allowed: {allowed}")


def _session(place: str, value: object) -> str:
    if isinstance(value, str) and _NAME.fullmatch(value.strip()):
        return value.strip()
    raise _wrong(place, value, "a session's name of letters, digits, - and _")


def _cells(place: str, value: object) -> int:
    number = _number(value)
    if number is None or number != int(number) or not _SMALLEST <= number <= _LARGEST:
        raise _wrong(place, value, f"a whole number from {_SMALLEST} to {_LARGEST}")
    return int(number)


def _seconds(place: str, value: object) -> float:
    number = _number(value)
    if number is None or number < 0:
        raise _wrong(place, value, "a number of seconds from 0 on")
    return number


def _number(value: object) -> float | None:
    """A finite number, also one that came as text; None for everything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _directory(place: str, value: object) -> str:
    if isinstance(value, str):
        path = os.path.expanduser(value.strip())
        if os.path.isabs(path) and os.path.isdir(path):
            return path
    raise _wrong(place, value, "the absolute path of a directory that exists")


def _flag(place: str, value: object) -> bool:
    word = str(value).strip().lower()
    if word not in _FLAGS:
        raise _wrong(place, value, "true or false")
    return _FLAGS[word]


_CHECKS: dict[str, Callable[[str, object], object]] = {
    "session": _session,
    "width": _cells,
    "height": _cells,
    "directory": _directory,
    "run_timeout": _seconds,
    "wait_timeout": _seconds,
    "line_editor": _flag,
}
