"""When a wait looks at the screen, and how long it pauses: its whole policy, as tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from python.helpers.tmux.turn.pace import Moment, look_is_due, pause
from tests.pure.views import view_of

# A program that computes, a moment after the last look: nothing is to be seen.
QUIET = Moment(
    may_be_over=False,
    settled=True,
    unsettled=0.0,
    turned=False,
    stale=False,
    taken=True,
    since_look=0.01,
    cost=0.002,
    elapsed=0.5,
)
WAITS = replace(QUIET, may_be_over=True)
UNSETTLED = replace(WAITS, settled=False, unsettled=0.02)
OLD = 60.0  # seconds
MOMENTS = {
    "nothing has changed": (WAITS, False),
    "the kernel has settled on new facts": (replace(WAITS, turned=True), True),
    "the kernel has settled after new output": (replace(WAITS, stale=True), True),
    "a program that computes prints": (replace(QUIET, stale=True, turned=True), False),
    "it turns just now: it may print yet": (
        replace(UNSETTLED, turned=True, unsettled=0.009, since_look=0.5),
        False,
    ),
    "the kernel has not settled for a while": (
        replace(UNSETTLED, turned=True, since_look=0.011),
        True,  # a look may cost a fifth of the time: 2 ms of 10
    ),
    "the kernel has not settled, just looked": (
        replace(UNSETTLED, turned=True, since_look=0.009),
        False,
    ),
    "it has not settled, in an old wait": (
        replace(UNSETTLED, stale=True, elapsed=OLD, since_look=0.11),
        False,
    ),
    "it has not settled, in an old wait, for long": (
        replace(UNSETTLED, stale=True, elapsed=OLD, since_look=0.13),
        True,
    ),
    "a look is dear": (replace(UNSETTLED, stale=True, cost=0.1, since_look=0.4), False),
    "the heartbeat, whatever runs": (replace(QUIET, since_look=1.1), True),
    "the echo has not been seen yet": (replace(QUIET, taken=False, since_look=0.06), True),
    "nothing is ever drawn": (replace(QUIET, taken=False, since_look=0.9, elapsed=1.1), False),
    "just before the heartbeat": (replace(QUIET, since_look=0.9), False),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_when_a_look_is_due(name):
    moment, due = MOMENTS[name]
    assert look_is_due(moment) is due


@pytest.mark.parametrize(
    "elapsed, seconds",
    [
        (0.0, 0.003),
        (0.99, 0.003),
        (1.0, 0.008),
        (3.9, 0.008),
        (4.5, 0.03),
        (9.0, 0.06),
        (3600, 0.09),
    ],
)
def test_pauses_grow_with_the_wait(elapsed, seconds):
    assert pause(elapsed, turned=False) == pytest.approx(seconds)
    assert pause(elapsed, turned=True) <= pause(elapsed, turned=False)


def test_no_pause_is_shorter_than_one_before_it():
    pauses = [pause(tenth / 10, turned=False) for tenth in range(400)]
    assert pauses == sorted(pauses) and pauses[0] > 0


@pytest.mark.parametrize(
    ("more", "full"),
    [
        ({"alternate": True}, True),
        ({"cursor_visible": False, "keypad": True}, True),  # top
        ({"cursor_visible": False}, False),  # a spinner
        ({"keypad": True}, False),  # a shell's line editor
        ({}, False),
    ],
)
def test_which_screens_a_program_draws_all_of(more, full):
    assert view_of(["a"], **more).is_full_screen is full
