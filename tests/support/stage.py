"""A pane and a watch that play what a table says: what stands there when, and what comes of each typing.

It plays what tmux would: a condition is true where stamp, record and cursor are as when it was made; what is typed
where it is not true does not arrive. Time passes only in naps.
"""

from contextlib import ExitStack, nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from python.helpers.tmux.facts.kernel import Kernel
from python.helpers.tmux.facts.look import Look
from python.helpers.tmux.facts.pane import at_cell, same_stamp
from python.helpers.tmux.facts.pattern import Searcher
from python.helpers.tmux.turn.decide import decide
from python.helpers.tmux.turn.reading import Reading
from python.helpers.tmux.turn.turn import Turn
from tests.support.readings import reading

BEGAN = 1000.0
LONGEST = 60.0  # seconds of its time: what takes longer never ends


def turn_of(screen: str | list[str], waits: str, more: dict | None = None) -> Turn:
    """The turn of a reading in a few words, as the rules decide it."""
    here = reading(screen, waits, more)
    return Turn(here, decide(here))


def joined(waits: str, says: str) -> str:
    """How it waits, with what is said more of it: `as=less_raw_read` is another program."""
    words = says.split()
    for word in [word for word in words if word.startswith("as=")]:
        words.remove(word)
        waits = word.removeprefix("as=").replace("_", " ")
    return " ".join([waits, *words])


class Stage:
    """`then`: of each input, the first included, what comes of it: moments, each the seconds after it, the rows,
    and what is said of the reading (`joined`)."""

    def __init__(self, screen: str | list[str], waits: str, *then: list[list[Any]]) -> None:
        self._waits = waits
        self.here = turn_of(screen, waits)
        self.state, self.reader = self.here.reading.state, self.here.reading.reader
        self.seen, self.first_call, self.search = self.here.seen, False, Searcher()
        self.now, self._since, self.typed, self.stored = BEGAN, BEGAN, "", ""
        self._moments, self._then = [(0.0, self.here.reading)], [[self._moment(*one) for one in part] for part in then]
        self.pane = SimpleNamespace(name="shared", id="%1", look=self._look, type=self._type, store=self._store,
                                    lock=lambda *_: nullcontext(), look_and_enter=self._look_and_enter)

    def _moment(self, after: float, screen: str | list[str], says: str = "") -> tuple[float, Reading]:
        return after, reading(screen, joined(self._waits, says))

    def clock(self, *modules: Any) -> ExitStack:
        """Within it the time of these modules is the stage's."""
        time, patches = SimpleNamespace(monotonic=lambda: self.now), ExitStack()
        for module in modules:
            patches.enter_context(patch.object(module, "time", time))
        return patches

    def comes(self) -> None:
        """Something was typed: what comes of it is next."""
        if self._then:
            self._moments, self._since = self._then.pop(0), self.now

    @property
    def present(self) -> Reading:
        """What is there now."""
        passed = round(self.now - self._since, 6)
        return [one for after, one in self._moments if after <= passed][-1]

    # what a watch does

    def nap(self, seconds: float) -> None:
        self.now += seconds
        assert self.now < BEGAN + LONGEST, "it waits without end"

    def read(self, seen: Look | None = None, look: bool = True) -> Reading:
        self.seen = seen or self.present.seen
        self.reader = replace(self.present, seen=self.seen).reader
        return replace(self.present, seen=self.seen, now=self.now)

    def probe(self, searches: bool) -> Kernel:
        return self.present.kernel

    def note_input(self, sent: Any) -> None:
        self.state.sent, self.state.draft = sent, None

    # what a pane does

    def _look(self, *_: Any) -> Look:
        return self.present.seen

    def _holds(self, condition: str) -> bool:
        seen = self.present.seen
        return condition in ("1", same_stamp(seen), at_cell(seen, seen.cell))

    def _type(self, data: str, only_if: str = "1", bracketed: bool = False) -> bool:
        if not self._holds(only_if):
            return False
        self.typed += f"<{data}>" if bracketed else data
        self.comes()
        return True

    def _look_and_enter(self, enter_if: str, data: str = "", type_if: str = "0") -> tuple[Look, bool, bool]:
        typed = bool(data) and self._type(data, type_if)
        seen = self.present.seen
        return seen, typed, self._type("\r", enter_if)

    def _store(self, state: str, **_: Any) -> None:
        self.stored = state
