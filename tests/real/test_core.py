"""The cases of real programs, judged call by call.

An everyday run plays a fifth of the core (what needs only the tools of tests/run), each case in one
of the worlds that it is for, and tomorrow the next fifth. The rest is thorough: CI plays what
depends on tmux on the newest.
`tests/real/run` plays all cases in all worlds, with ssh and the prompt libraries.
"""

import os
import tomllib
from pathlib import Path

import pytest

from tests.conftest import DAY
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


def everyday() -> dict[str, World]:
    """The cases of today's run, each with the world in which it is played: of every other theme one
    case, of single situations (not programs) one in four."""
    themes: dict[str, list[str]] = {}
    for name, case in CORE.items():
        if case.everyday:
            theme, _, shell = name.rpartition(", ")
            theme = case.theme or (theme if shell in SHELLS else name)
            themes.setdefault(theme, []).append(name)
    chosen = {}
    for number, names in enumerate(themes.values()):
        single = len(names) == 1 and ":" in names[0]
        turn, rest = divmod(DAY + number, 4 if single else 2)
        if not rest:
            turn, at = divmod(turn, len(names))
            mine = [one for one in WORLDS if one.value in CORE[names[at]].worlds]
            chosen[names[at]] = mine[turn % len(mine)]
    return chosen


TODAY = everyday()


def pytest_generate_tests(metafunc):
    """An item for each case of the class's world; for an everyday run no others: each of its
    workers collects them."""
    mine = [name for name, case in CORE.items() if metafunc.cls.world.value in case.worlds]
    today = [name for name in mine if ALL or TODAY.get(name) is metafunc.cls.world]
    everyday = metafunc.config.option.markexpr == "not thorough"
    late = [] if everyday else [name for name in mine if name not in today]
    marked = [pytest.param(name, marks=pytest.mark.thorough) for name in late]
    metafunc.parametrize("name", today + marked)


@pytest.fixture(scope="class")
def calls(request):
    """The judged calls of a case by its name, in the world of the class; why there are none."""
    place = Place(request.cls.world)

    def judged(name: str):
        return CORE[name].impossible(place.environment["PATH"]) or play(place, CORE[name])

    items = [one for one in request.session.items if one.cls is request.cls]
    cases = [CORE[one.callspec.params["name"]] for one in items]
    possible = [one for one in cases if not one.impossible(place.environment["PATH"])]
    place.start({need for one in possible for need in one.needs})
    with played(request, judged, CASES_AT_ONCE) as calls:
        yield calls
    place.end()


def _class(of: World) -> type:
    """One for each world: they are played at the same time where pytest has as many workers."""

    class Cases:
        world = of

        def test_every_call_is_right(self, calls, name):
            is_right(calls(name), name)

    return Cases


TestReadable, TestYama = _class(World.READABLE), _class(World.YAMA)
if ALL:
    TestUser = _class(World.USER)


def is_right(calls, name: str) -> None:
    if isinstance(calls, str):
        pytest.skip(calls)
    wrong = [one for one in calls if one.finding is not Finding.RIGHT]
    if wrong and wrong[-1].missing:
        pytest.skip(f"not installed: {wrong[-1].missing}")
    if wrong and name in OPEN:
        pytest.xfail(OPEN[name])
    assert not wrong, "\n\n".join(map(described, wrong))
