"""The cases of real programs that need only the tools of tests/run, and the shells.

An everyday run plays each in one of the worlds that it is for, and those that are the same in
several shells in one of them; they take turns. The rest is thorough: CI plays all shells on the
newest tmux. The whole, with databases, ssh and the prompt libraries, is `tests/real/run`.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from tests.support.played import played
from tests.support.terminal import SHELLS

from .cases import CASES
from .judge import Finding
from .place import Place
from .play import described, play
from .table import World

CASES_AT_ONCE = 10
# Cases that the engine does not meet yet, each with the kind of what is wrong; see the file.
OPEN = {
    name: kind
    for kind, names in tomllib.loads(Path(__file__).with_name("open.toml").read_text()).items()
    for name in names
}
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
            today = not turn and mine[number // len(names) % len(mine)] is world
            if world in mine:
                found.append(pytest.param(name, marks=[] if today else [pytest.mark.thorough]))
    return found


@pytest.fixture(scope="class")
def calls(request):
    """The judged calls of a case by its name, in the world of the class."""
    place = Place(request.cls.world)
    with played(request, lambda name: play(place, CORE[name]), CASES_AT_ONCE) as calls:
        yield calls
    place.end()


class TestReadable:
    """A class for each world: both are played at the same time where pytest has two workers."""

    world = World.READABLE

    @pytest.mark.parametrize("name", cases_of(world))
    def test_every_call_is_right(self, calls, name):
        is_right(calls, name)


class TestYama:
    world = World.YAMA

    @pytest.mark.parametrize("name", cases_of(world))
    def test_every_call_is_right(self, calls, name):
        is_right(calls, name)


def is_right(calls, name: str) -> None:
    if why := CORE[name].impossible(os.environ["PATH"]):
        pytest.skip(why)
    fine = (Finding.RIGHT, Finding.SLOW)  # how quick it is, is the bench's business
    wrong = [one for one in calls(name) if one.finding not in fine]
    if wrong and wrong[-1].missing:
        pytest.skip(f"not installed: {wrong[-1].missing}")
    if wrong and name in OPEN:
        pytest.xfail(OPEN[name])
    assert not wrong, "\n\n".join(map(described, wrong))
