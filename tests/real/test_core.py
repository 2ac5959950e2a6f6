"""The core of the suite of real programs: what needs only the tools of tests/run, in two worlds.

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
from .play import described, play

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="it starts shells of other users")
AT_ONCE = 10  # cases side by side: mostly they wait
CORE = {case.name: case for case in CASES if case.core}


@pytest.fixture(scope="class")
def played(request):
    """What comes of a case by its name: all chosen cases of the class's world are being played
    already."""
    items = (item for item in request.session.items if item.cls is request.cls)
    names = [item.callspec.params["name"] for item in items]
    place = Place(request.cls.world)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        futures = {name: pool.submit(play, place, CORE[name]) for name in names}
        yield lambda name: futures[name].result()
    place.end()


class _Core:
    """A class for each world: both are played at the same time where pytest has two workers."""

    world: World

    @pytest.mark.parametrize("name", CORE)
    def test_every_call_is_right(self, played, name):
        missing = [word for word in CORE[name].tools if not shutil.which(word)]
        if missing:
            pytest.skip(f"not installed: {' '.join(missing)}")
        wrong = [one for one in played(name) if one.finding is not Finding.RIGHT]
        assert not wrong, "\n\n".join(map(described, wrong))


@pytest.mark.thorough
class TestReadable(_Core):
    """CI plays it on the newest tmux; on this one tests/terminal has as much."""

    world = World.READABLE


class TestYama(_Core):
    world = World.YAMA
