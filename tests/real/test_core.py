"""The cases of real programs, judged call by call.

An everyday run plays the core (what needs only the tools of tests/run), each case in one of the
worlds that it is for, and of those that are the same in several shells one; they take turns. The rest
of the core is thorough: CI plays all shells on the newest tmux. `tests/real/run` plays all cases in
all worlds, with databases, ssh and the prompt libraries.
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

ALL = os.environ.get("TMUX_TOOL_TEST_REAL") == "all"  # by tests/real/run
CASES_AT_ONCE = 4 if ALL else 10
# Cases that the engine does not meet yet, each with the kind of what is wrong; see the file.
OPEN = {
    name: kind
    for kind, names in tomllib.loads(Path(__file__).with_name("open.toml").read_text()).items()
    for name in names
}
CORE = {case.name: case for case in CASES if case.core or ALL}
WORLDS = tuple(World) if ALL else (World.READABLE, World.YAMA)


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
            today = ALL or not turn and mine[number // len(names) % len(mine)] is world
            if world in mine:
                found.append(pytest.param(name, marks=[] if today else [pytest.mark.thorough]))
    return found


@pytest.fixture(scope="class")
def calls(request):
    """The judged calls of a case by its name, in the world of the class; why there are none."""
    place = Place(request.cls.world)

    def judged(name: str):
        return CORE[name].impossible(place.environment["PATH"]) or play(place, CORE[name])

    items = [one for one in request.session.items if one.cls is request.cls]
    place.start({need for one in items for need in CORE[one.callspec.params["name"]].needs})
    with played(request, judged, CASES_AT_ONCE) as calls:
        yield calls
    place.end()


def _class(of: World) -> type:
    """One for each world: they are played at the same time where pytest has as many workers."""

    class Cases:
        world = of

        @pytest.mark.parametrize("name", cases_of(of))
        def test_every_call_is_right(self, calls, name):
            is_right(calls(name), name)

    return Cases


TestReadable, TestYama = _class(World.READABLE), _class(World.YAMA)
if ALL:
    TestUser = _class(World.USER)


def is_right(calls, name: str) -> None:
    if isinstance(calls, str):
        pytest.skip(calls)
    fine = (Finding.RIGHT, Finding.SLOW)  # how quick it is, is the bench's business
    wrong = [one for one in calls if one.finding not in fine]
    if wrong and wrong[-1].missing:
        pytest.skip(f"not installed: {wrong[-1].missing}")
    if wrong and name in OPEN:
        pytest.xfail(OPEN[name])
    assert not wrong, "\n\n".join(map(described, wrong))
