"""The cases of real programs, judged call by call, each world in a class of its own.

The core, which `tests/run` plays, is fixed: of each theme one case, in one world. A theme in which a
person types, or in which nothing may be touched, guards their line: none of these is left out. Of the others
it has one in RISK. The rest is thorough: CI plays all cases in all
worlds (`tests/run --everything`), also those that need more programs than `tests/run` installs.
"""

import os
import tomllib
import zlib
from pathlib import Path

import pytest

from tests.support.again import ALONE
from tests.support.late import Late, Wrong
from tests.support.played import played
from tests.support.terminal import SHELLS

from .cases import CASES
from .judge import Finding
from .place import Place
from .play import Judged, described, play
from .table import ROOT_PLAYS, Case, World

ALL = os.environ.get("TMUX_TOOL_TEST_EVERYTHING") == "1"  # by tests/run --everything
CASES_AT_ONCE = 1 if os.environ.get(ALONE) else 6
RISK = 3
_OPEN = tomllib.loads(Path(__file__).with_name("open.toml").read_text(encoding="utf-8"))
OPEN = {name: {"why": why, "steps": steps, **dict(*more)} for name, (why, steps, *more) in _OPEN["open"].items()}
PLAYED = {case.name: case for case in CASES if case.core or ALL}
WORLDS = tuple(World) if ALL and ROOT_PLAYS else (World.READABLE, World.YAMA)


def _guards(case: Case) -> bool:
    """Whether a person types in it, or something of theirs must not be touched."""
    return any(step.what in ("person", "later") or step.untouched for step in case.steps)


def _theme(case: Case) -> str:
    theme, _, shell = case.name.rpartition(", ")
    return case.theme or (theme if shell in SHELLS else case.name)


def core() -> dict[str, World]:
    """The cases of the core, each with the world in which it is played."""
    themes: dict[str, list[Case]] = {}
    for case in CASES:
        if case.core:
            themes.setdefault(_theme(case), []).append(case)
    chosen = {}
    for theme, cases in themes.items():
        if not any(map(_guards, cases)) and zlib.crc32(theme.encode()) % RISK:
            continue  # the others that are chosen do not change with a new theme
        turn, number = divmod(zlib.crc32(theme.encode()), len(cases))  # not the same shell in all
        worlds = [one for one in (World.READABLE, World.YAMA) if one.value in cases[number].worlds]
        chosen[cases[number].name] = worlds[turn % len(worlds)]
    return chosen


CORE = core()


def pytest_generate_tests(metafunc):
    """An item for each case of the class's world; for the core no others: each of its workers collects them."""
    world = metafunc.cls.world
    mine = [name for name, case in PLAYED.items() if world.value in case.worlds]
    in_core = [name for name in mine if CORE.get(name) is world]
    only_core = metafunc.config.option.markexpr == "not thorough"
    others = [] if only_core else [name for name in mine if name not in in_core]
    marked = [pytest.param(name, marks=pytest.mark.thorough) for name in others]
    metafunc.parametrize("name", in_core + marked, ids=[str(name) for name in in_core + others])


@pytest.fixture(scope="class")
def calls(request):
    """The judged calls of a case by its name, in the world of the class; why there are none."""
    place = Place(request.cls.world)

    def judged(name: str):
        return PLAYED[name].impossible(place.environment["PATH"]) or play(place, PLAYED[name])

    items = [one for one in request.session.items if one.cls is request.cls]
    cases = [PLAYED[one.callspec.params["name"]] for one in items]
    possible = [one for one in cases if not one.impossible(place.environment["PATH"])]
    place.start({need for one in possible for need in one.needs})
    with played(request, judged, CASES_AT_ONCE) as calls:
        yield calls
    place.end()


def _class(of: World) -> type:
    """One for each world: they are played at the same time where pytest has as many workers."""
    class Cases:
        world = of

        def test_every_call_is_right(self, calls, name, request):
            known = OPEN.get(name, {})
            if self.world.value not in known.get("worlds", list(World)):
                known = {}
            if known:
                request.applymarker(pytest.mark.xfail(raises=Known, reason=known["why"]))
            thorough = request.node.get_closest_marker("thorough") is not None
            is_right(calls(name), known, thorough)

    return Cases


TestReadable, TestYama = _class(World.READABLE), _class(World.YAMA)
if World.USER in WORLDS:
    TestUser = _class(World.USER)


class Known(Exception):
    """What open.toml says is wrong."""


def is_right(calls: list[Judged] | str, known: dict, thorough: bool) -> None:
    if isinstance(calls, str):
        pytest.skip(calls)
    wrong = [one for one in calls if one.finding is not Finding.RIGHT]
    if wrong and wrong[-1].missing:
        pytest.skip(f"not installed: {wrong[-1].missing}")
    if not wrong:
        return
    if wrong[0].number in known.get("steps", ()) and wrong[0].finding == known.get("finding", "wrong"):
        raise Known(described(calls))
    # What comes after a call that was late is its consequence.
    kind = Late if wrong[0].finding is Finding.LATE else AssertionError
    if thorough and all(one.finding is Finding.WRONG for one in wrong):
        kind = Wrong
    raise kind(f"{wrong[0].finding} at step {wrong[0].number}\n{described(calls)}")
