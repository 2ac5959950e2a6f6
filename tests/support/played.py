"""Plays that mostly wait run side by side; each has a test item, which checks only its result."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def played(
    request: pytest.FixtureRequest, play: Callable[[str], Any], side_by_side: int
) -> Iterator[Callable[[str], Any]]:
    """`play` of a name: all chosen items of the module or class that have one are being played."""
    here = request.path, getattr(request, "cls", None)
    items = [one for one in request.session.items if (one.path, one.cls) == here]
    parameters = [one.callspec.params for one in items if hasattr(one, "callspec")]
    with ThreadPoolExecutor(side_by_side) as pool:
        names = [one["name"] for one in parameters if "name" in one]
        futures = {name: pool.submit(play, name) for name in names}
        yield lambda name: futures[name].result()
