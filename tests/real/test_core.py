"""The core of the suite of real programs: the cases that need nothing but what tests/run installs, in two worlds.

The whole, with databases, ssh and the prompt libraries, is `tests/real/run`.
"""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.worlds import World

from .cases import CASES
from .judge import Finding
from .place import Place
from .play import play

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(os.geteuid() != 0, reason="it starts shells of other users"),
]
AT_ONCE = 6  # cases side by side: mostly they wait
CORE = {case.name: case for case in CASES if case.core}
WORLDS = (World.READABLE, World.YAMA)


@pytest.fixture(scope="module")
def played(request):
    """All chosen cases, already being played: (world, name) -> what came of it."""
    chosen = [item.callspec.params for item in request.session.items if item.module is request.module]
    places = {world: Place(world) for world in WORLDS if any(one["world"] is world for one in chosen)}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {
            (one["world"], one["name"]): pool.submit(play, places[one["world"]], CORE[one["name"]])
            for one in chosen
        }
    for place in places.values():
        place.end()


@pytest.mark.parametrize("name", CORE)
@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_every_call_is_right(played, world, name):
    missing = [word for word in CORE[name].tools if not shutil.which(word)]
    if missing:
        pytest.skip(f"not installed: {' '.join(missing)}")
    wrong = [one for one in played[world, name].result() if one.finding is not Finding.RIGHT]
    assert not wrong, "\n\n".join(
        f"step {one.number}, {one.finding}: {one.reason}\n{one.call}\nexpected: {one.expected}\n"
        f"answer:\n{one.answer}\nscreen:\n{one.screen.strip()}"
        for one in wrong
    )
