"""The wait alone: what the kernel says, probe by probe, and what each look shows."""

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from unittest.mock import patch

from python.helpers.tmux.facts.kernel import Kernel
from python.helpers.tmux.facts.look import Look
from python.helpers.tmux.facts.pattern import Searcher
from python.helpers.tmux.turn import readings
from python.helpers.tmux.turn import watch as watching
from python.helpers.tmux.turn.turn import Turn
from python.helpers.tmux.turn.watch import Watch
from tests.support.readings import reading

BEGAN = 1000.0
LONG_AGO = {"look": {"now": 100, "pid": 7}}  # the screen has stood still since
ASKS = reading("Go on? [y/N] ", "x cooked read", LONG_AGO)
PASSWORD = reading("Password: ", "x secret read", LONG_AGO)
MAKE = reading("cc -c a.c", "make cooked works", LONG_AGO)
SHELL = reading(["cc -c a.c", "box$ "], "bash raw select", LONG_AGO)


@dataclass
class Pane:
    """A pane that shows one thing, and counts the looks."""
    seen: Look
    name: str = "shared"
    looks: int = 0
    stored: list[str] = field(default_factory=list)

    def look(self, above: int) -> Look:
        self.looks += 1
        return replace(self.seen, at=watching.time.monotonic())

    def prepare(self) -> None:
        pass

    def store(self, state: str, now: bool = True) -> None:
        self.stored.append(state)


def waited(pane: Pane, probes: list[Kernel], limit: float = 5.0, comes: float = 0.0) -> Turn:
    """The turn at the end of a wait, in which the kernel says this; the last goes on, and comes after
    so many seconds. A nap takes as long as it says, all else no time."""
    said, clock = list(probes), SimpleNamespace(now=BEGAN)

    def probe(*_: object) -> Kernel:
        if len(said) > 1 and not (len(said) == 2 and clock.now < BEGAN + comes):
            return said.pop(0)
        return said[0]

    def nap(seconds: float) -> None:
        clock.now += seconds

    with (
        patch.object(readings, "time", watching_time := SimpleNamespace(monotonic=lambda: clock.now)),
        patch.object(watching, "time", watching_time), patch.object(watching, "ends", lambda pid, seconds: False),
        patch.object(readings, "probe", probe), patch.object(readings, "is_hidden", lambda pid: False)):
        return Watch(pane, Searcher(), nap, lambda *_: None, False).wait(limit)


def test_what_the_kernel_says_before_and_after_the_look_is_of_one_moment():
    """A person has typed the password between the probe and the look, which shows the next question."""
    turn = waited(Pane(ASKS.seen), [PASSWORD.kernel, ASKS.kernel])
    assert (turn.word, turn.verdict.detail) == ("needs input", "Go on? [y/N]")


def test_the_first_look_comes_with_the_first_waiter_soon_though_a_program_runs_and_at_the_limit():
    """What was typed is stored; a program that has ended at the limit is not named."""
    pane, works = Pane(SHELL.seen), replace(MAKE.kernel, name=SHELL.kernel.name)
    assert (waited(pane, [works] * 9 + [SHELL.kernel]).word, pane.looks) == ("ready", 1)
    pane = Pane(MAKE.seen)
    assert (waited(pane, [MAKE.kernel], limit=0.2).word, pane.looks) == ("timed out", 2)
    assert waited(Pane(SHELL.seen), [works, SHELL.kernel], limit=0.0).word == "ready"


def test_a_program_that_has_just_come_in_front_is_not_told_at_once_and_waited_for_at_the_limit():
    """It must have stood there for a moment: the screen may still be that of the one before."""
    other, pane = replace(MAKE.kernel, foreground=99), Pane(SHELL.seen)
    assert waited(pane, [other, SHELL.kernel], limit=0.1, comes=0.095).word == "ready"
    assert waited(pane, [other, SHELL.kernel], limit=0.1, comes=9.0).word == "timed out"
    turn = waited(pane, [other, SHELL.kernel], comes=0.05)
    assert turn.word == "ready" and turn.reading.now >= BEGAN + 0.05 + 0.006
