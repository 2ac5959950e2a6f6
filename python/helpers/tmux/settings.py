"""The settings, none of which needs to be set.

Pure, except that the environment is read, and that `directory` must exist.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .argument_kinds import SECONDS, shown, whole

PREFIX = "TMUX_TOOL_"  # of the environment variables: TMUX_TOOL_SESSION, TMUX_TOOL_RUN_TIMEOUT ...
_SMALLEST, _LARGEST = 10, 10_000  # columns or rows; tmux refuses a window of more than 10,000
_NAME = re.compile(r"[A-Za-z0-9_-]+")  # "shared"; in tmux ":" and "." end a session's name
_FLAGS = dict.fromkeys(("true", "yes", "on", "1"), True)
_FLAGS |= dict.fromkeys(("false", "no", "off", "0"), False)
_VIEWS = ("type", "look", "off")


class BadSetting(ValueError):
    """An invalid setting: the message names it, the value received, and what is allowed."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """`width`, `height`: columns and rows of a session that the tool creates; `directory`: where it
    starts, None: in the caller's; `run_timeout`, `wait_timeout`: seconds, for calls without a
    timeout; `line_editor`: read the memory of line editors; `view`: what the live view may do."""

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
        """Each setting from the first of these that has it: `overrides` (a host's plugin
        configuration), the environment, the defaults. None and empty text mean not set. Raises
        BadSetting."""
        chosen = dict(overrides or {})
        if unknown := sorted(set(chosen) - set(_CHECKS)):
            raise BadSetting(f"setting {unknown[0]!r} is unknown; there are {', '.join(_CHECKS)}")
        values: dict[str, Any] = {}
        for name, (convert, allowed) in _CHECKS.items():
            variable = PREFIX + name.upper()
            places = {f"setting {name}": chosen.get(name), variable: os.environ.get(variable)}
            for place, value in places.items():
                if value is None or isinstance(value, str) and not value.strip():
                    continue
                values[name] = convert(value)
                if values[name] is None:
                    raise BadSetting(f"{place}: got {shown(value)}, allowed: {allowed}")
                break
        return cls(**values)


def _name(came: object) -> str | None:
    name = came.strip() if isinstance(came, str) else ""
    return name if _NAME.fullmatch(name) else None


def _directory(came: object) -> str | None:
    path = os.path.expanduser(came.strip()) if isinstance(came, str) else ""
    return path if os.path.isabs(path) and os.path.isdir(path) else None


def _flag(came: object) -> bool | None:
    return came if isinstance(came, bool) else _FLAGS.get(_word(came))


def _view(came: object) -> str | None:
    word = "off" if came is False else _word(came)  # YAML reads `off` as false
    return word if word in _VIEWS else None


def _word(came: object) -> str:
    return came.strip().lower() if isinstance(came, str) else ""


_CELLS = (whole(_SMALLEST, _LARGEST), f"a whole number from {_SMALLEST} to {_LARGEST}")
_SECONDS = (SECONDS.convert, SECONDS.allowed)
# For each setting, what converts the value received (None: not allowed), and what is allowed.
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
