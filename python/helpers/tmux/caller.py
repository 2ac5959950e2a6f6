"""What every action needs: the target pane, a watch on it, its lock, and a way to stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from .evidence.kernel.process import await_end
from .evidence.screen.line import Kind
from .evidence.screen.view import View
from .output import clean, joined, trimmed
from .pattern import Searcher
from .report.remember import remember
from .settings import Settings
from .terminal.look import SLACK
from .terminal.pane import Pane
from .terminal.windows import Found, find
from .turn.wait import wait
from .turn.watch import Watch
from .turn.whose_turn import whose_turn

_START = 5.0  # seconds a new session's shell may take to show its first prompt
TAKE_TURNS = 10.0  # seconds to wait for another caller to release the pane
_OUTDATED = 0.05  # seconds after which a look taken before the lock is out of date


class Stopped(Exception):
    """The caller has gone: the call ends at once and types nothing more."""


class Caller:
    """One call. `stop` ends it at the next poll; `on_look(screen, what, seconds)` receives the
    screen while it waits."""

    def __init__(
        self,
        stop: threading.Event | None = None,
        on_look: Callable[[str, str, float], object] = lambda screen, what, seconds: None,
        settings: Settings | None = None,
    ):
        self.stop = stop or threading.Event()
        self.on_look = on_look
        self.settings = settings
        self.notes: list[str] = []
        self.ending = ExitStack()
        self.action = ""
        self.pane: Pane | None = None

    @property
    def _settings(self) -> Settings:
        assert self.settings
        return self.settings

    def _nap(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise Stopped

    def _watch(
        self, pane: str | None, above: int = SLACK, goes_on: bool = False, **patterns: Any
    ) -> Watch:
        located = find(pane, self._settings, above, goes_on)
        self._begin(located)
        return self._watching(located, **patterns)

    def _begin(self, located: Found) -> None:
        self.pane = located.pane
        self.notes += located.notes
        if located.new:
            self._first_prompt(located)

    def _watching(
        self, located: Found, answers: dict[str, str] | None = None, **patterns: Any
    ) -> Watch:
        def looked(view: View, seconds: float) -> None:
            screen = "\n".join(trimmed(joined(view.lines, view.width)))
            self.on_look(clean(screen), f"{self.action} {located.pane.name}", seconds)

        watch = Watch(
            located.pane,
            located.view,
            search=Searcher(answers or (), **patterns),
            nap=self._nap,
            await_end=await_end,
            on_look=looked,
            line_editor=self._settings.line_editor,
        )
        self.ending.callback(watch.search.close)
        return watch

    def _first_prompt(self, located: Found) -> None:
        """Waits for a new shell's first prompt and learns it."""
        watch = self._watching(located)
        if wait(watch, _START).at_prompt:
            line = whose_turn(watch).line
            if line.kind is Kind.COMMAND and line.typed == "":
                watch.book.learn(watch.kernel.subject, line.prompt)
            remember(watch, None)
        located.view = watch.pane.look()

    @contextmanager
    def _locked(self, watch: Watch, limit: float = TAKE_TURNS) -> Iterator[None]:
        """Holds the pane's lock. A recent look still counts: text is typed only if nothing has
        changed since, see terminal/pane.py."""
        with watch.pane.lock(limit, nap=self._nap) as waited:
            self._nap(0.0)  # the caller may have gone while it waited
            if waited or watch.clock() - watch.clocks.looked > _OUTDATED:
                watch.look()
                watch.reload()
            watch.refresh()
            yield
