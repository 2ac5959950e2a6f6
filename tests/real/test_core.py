"""The cases of real programs that need only the tools of tests/run, and the shells.

An everyday run plays each in one of the worlds that it is for, and of those that are the same in
several shells two; they take turns. The rest is thorough; CI plays all of it on the newest tmux. The whole, with databases, ssh and the
prompt libraries, is `tests/real/run`.
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
from .table import SHELLS

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="it starts shells of other users")
CASES_AT_ONCE = 10  # cases side by side: mostly they wait
EVERYDAY = 2  # of the shells in which a case is the same
CORE = {case.name: case for case in CASES if case.core}
WORLDS = (World.READABLE, World.YAMA)


def themes() -> list[list[str]]:
    """The cases by name, those together that are the same steps in several shells."""
    found: dict[str, list[str]] = {}
    for name in CORE:
        theme, _, shell = name.rpartition(", ")
        found.setdefault(theme if shell in SHELLS else name, []).append(name)
    return list(found.values())


def cases_of(world: World) -> list:
    """A parameter for each case of this world."""
    found = []
    for number, names in enumerate(themes()):
        for turn, name in enumerate(names[number % len(names) :] + names[: number % len(names)]):
            mine = [one for one in WORLDS if one.value in CORE[name].worlds]
            today = turn < EVERYDAY and mine[(number + turn) % len(mine)] is world
            if world in mine:
                found.append(pytest.param(name, marks=[] if today else [pytest.mark.thorough]))
    return found


@pytest.fixture(scope="class")
def played(request):
    """What comes of a case by its name: all chosen cases of the class's world are being played
    already."""
    items = (item for item in request.session.items if item.cls is request.cls)
    names = [item.callspec.params["name"] for item in items]
    place = Place(request.cls.world)
    with ThreadPoolExecutor(CASES_AT_ONCE) as pool:
        futures = {name: pool.submit(play, place, CORE[name]) for name in names}
        yield lambda name: futures[name].result()
    place.end()


class TestReadable:
    """A class for each world: both are played at the same time where pytest has two workers."""

    world = World.READABLE

    @pytest.mark.parametrize("name", cases_of(world))
    def test_every_call_is_right(self, played, name):
        is_right(played, name)


class TestYama:
    world = World.YAMA

    @pytest.mark.parametrize("name", cases_of(world))
    def test_every_call_is_right(self, played, name):
        is_right(played, name)


def is_right(played, name: str) -> None:
    missing = [word for word in CORE[name].tools if not shutil.which(word)]
    if missing:
        pytest.skip(f"not installed: {' '.join(missing)}")
    fine = (Finding.RIGHT, Finding.SLOW)  # how quick it is, is the bench's business
    wrong = [one for one in played(name) if one.finding not in fine]
    assert not wrong, "\n\n".join(map(described, wrong))
