"""What a person may set, with defaults that need none.

Pure but for the environment and one look at the directory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from .argument_kinds import SECONDS, number

PREFIX = "TMUX_TOOL_"  # of the environment variables: TMUX_TOOL_SESSION, TMUX_TOOL_RUN_TIMEOUT ...
_SMALLEST, _LARGEST = 10, 10_000  # columns or rows; tmux refuses a window of more than 10,000
_NAME = re.compile(r"[A-Za-z0-9_-]+")  # "shared"; ":" and "." would end a session's name in tmux
_VIEWS = ("type", "look", "off")
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
    the timeouts, in seconds, are those of calls that name none; `view`: what a page that shows the
    terminal may do: type, look, or off."""

    session: str = "shared"
    width: int = 160
    height: int = 50
    directory: str | None = None
    run_timeout: float = 30.0
    wait_timeout: float = 10.0
    line_editor: bool = True
    view: str = "type"

    @classmethod
    def load(cls, overrides: Mapping[str, object] | None = None) -> Settings:
        """From `overrides` (a host's plugin configuration), the environment, the defaults.

        None and empty text mean: not set. Raises BadSetting.
        """
        known = [field.name for field in fields(cls)]
        chosen = dict(overrides or {})
        if unknown := sorted(set(chosen) - set(known)):
            raise BadSetting(f"setting {unknown[0]!r} is unknown; there are {', '.join(known)}")
        values: dict[str, Any] = {}
        for name in known:
            place = f"setting {name}"
            value = chosen.get(name)
            if _absent(value):
                place = PREFIX + name.upper()
                value = os.environ.get(place)
            if _absent(value):
                continue
            convert, allowed = _CHECKS[name]
            values[name] = convert(value)
            if values[name] is None:
                raise BadSetting(f"{place}: got {repr(value)[:80]}, allowed: {allowed}")
        return cls(**values)


def _absent(value: object) -> bool:
    return value is None or isinstance(value, str) and not value.strip()


def _name(came: object) -> str | None:
    name = came.strip() if isinstance(came, str) else ""
    return name if _NAME.fullmatch(name) else None


def _cells(came: object) -> int | None:
    cells = number(came)
    whole = cells is not None and cells == int(cells) and _SMALLEST <= cells <= _LARGEST
    return int(cells) if cells is not None and whole else None


def _directory(came: object) -> str | None:
    path = os.path.expanduser(came.strip()) if isinstance(came, str) else ""
    return path if os.path.isabs(path) and os.path.isdir(path) else None


def _view(came: object) -> str | None:
    name = "off" if came is False else str(came).strip().lower()  # YAML takes `off` for false
    return name if name in _VIEWS else None


def _flag(came: object) -> bool | None:
    return _FLAGS.get(str(came).strip().lower())


_CELLS = (_cells, f"a whole number from {_SMALLEST} to {_LARGEST}")
_SECONDS = (SECONDS.convert, SECONDS.allowed)
# How a value is made of what came, None where it is not allowed, and what is.
_CHECKS: dict[str, tuple[Callable[[Any], object | None], str]] = {
    "session": (_name, "a session's name of letters, digits, - and _"),
    "width": _CELLS,
    "height": _CELLS,
    "directory": (_directory, "the absolute path of a directory that exists"),
    "run_timeout": _SECONDS,
    "wait_timeout": _SECONDS,
    "line_editor": (_flag, "true or false"),
    "view": (_view, ", ".join(_VIEWS)),
}
