"""A person types within 60 ms of a call's start: no mixture of both texts is run, nothing is lost,
the person's result is not taken for the agent's, and nothing is refused needlessly.

`TYPISTS=100 SEED=7` plays more rounds, others.
"""

import os
from itertools import product

import pytest

from tests.conftest import SEED
from tests.support.played import played
from tests.support.terminal import MISSING, Server
from tests.terminal.typists import DEEDS, PROGRAMS, rounds

ROUNDS = int(os.environ.get("TYPISTS", "1"))
PAIRS = 4  # side by side; more would be a loaded machine, in which the moments differ
RACES = {
    f"{program}, {deed}": (program, deed)
    for program, deed in product(PROGRAMS, DEEDS)
    if PROGRAMS[program].full_screen or deed != "vim"
}


@pytest.fixture(scope="module")
def races(request, tmp_path_factory):
    with Server(tmp_path_factory.mktemp("typists")) as server:
        server.open("cat", name="keeper", ready=False)

        def play(name: str):
            program, deed = RACES[name]
            if program in MISSING:
                return []
            return rounds(server, program, [deed], ROUNDS, f"{SEED} {deed}")

        with played(request, play, PAIRS) as races:
            yield races


@pytest.mark.parametrize("name", RACES)
def test_both_type_and_no_rule_is_broken(races, name):
    if RACES[name][0] in MISSING:
        pytest.skip(f"not installed: {RACES[name][0]}")
    broken = [str(one) for one in races(name) if one.faults]
    assert not broken, f"{len(broken)} of {ROUNDS} rounds, seed {SEED}\n" + "\n".join(broken)
