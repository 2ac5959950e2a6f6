"""Items for shells and situations over the fixture `room`; a plain sequence of calls is a case of
tests/real instead."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from tests.support.terminal import SHELLS, Terminal

Room = Terminal


def in_rooms(
    cases: Mapping[str, Any] | Iterable[Any] = (), shells: Iterable[str] = SHELLS
) -> Callable[[Callable], Callable]:
    """A test `task(room, case)`, or `task(room)` without cases: an item for each shell and case."""
    named = cases if isinstance(cases, Mapping) else {str(case): case for case in cases}

    def decorate(task: Callable) -> Callable:
        if not named:
            return pytest.mark.parametrize("room", list(shells), indirect=True)(task)
        name = list(inspect.signature(task).parameters)[1]
        task = pytest.mark.parametrize(name, list(named.values()), ids=list(named))(task)
        return pytest.mark.parametrize("room", list(shells), indirect=True)(task)

    return decorate


alone = in_rooms(shells=["bash"])
__all__ = [
    *("LIMIT", "MEMORY_IS_CLOSED", "NOTHING", "NO_OUTPUT", "PY311", "PY313", "SHELLS", "STATUS_0"),
    *("Room", "alone", "in_rooms", "is_verdict", "poll"),
]
