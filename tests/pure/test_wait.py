"""When a wait looks at the screen, and how long it pauses: its whole policy, as tables."""

from __future__ import annotations

from typing import Any

import pytest

from python.helpers.tmux.turn.pace import look_is_due, pause
from tests.pure.views import view_of
from tests.support.tables import Tables

TABLES = Tables(__file__)

# A program that computes, a moment after the last look: nothing is to be seen.
QUIET: dict[str, Any] = {
    "may_be_over": False,
    "unsettled": 0.0,
    "turned": False,
    "stale": False,
    "taken": True,
    "since_look": 0.01,
    "cost": 0.002,
    "elapsed": 0.5,
}


@TABLES.rows("facts, due", of="MOMENTS")
def test_when_a_look_is_due(facts, due):
    assert look_is_due(**(QUIET | facts)) is due


SECONDS = {0.0: 0.003, 0.3: 0.003, 0.5: 0.005, 2.0: 0.02, 4.5: 0.045, 9.0: 0.09, 3600: 0.09}


def test_pauses_grow_with_the_wait():
    for elapsed, seconds in SECONDS.items():
        assert pause(elapsed, turned=False) == pytest.approx(seconds)
        assert pause(elapsed, turned=True) <= pause(elapsed, turned=False)
    pauses = [pause(tenth / 10, turned=False) for tenth in range(400)]
    assert pauses == sorted(pauses) and pauses[0] > 0


@TABLES.rows("more, full")
def test_which_screens_a_program_draws_all_of(more, full):
    assert view_of(["a"], **more).is_full_screen is full
