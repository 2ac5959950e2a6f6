"""The clocks of a watch: since when the screen is still, its program works, a full screen is shown.

All in seconds of the clock that was handed in.
"""

from __future__ import annotations

from collections.abc import Callable

from ..evidence.kernel.probe import Probe
from ..evidence.screen.view import View

_BUSY = 0.3  # share of a core above which a program counts as working, whatever it shows
_SAMPLE = 0.1  # seconds over which that share is taken


class Clocks:
    """They go on from reading to reading, and count from the moment that this is made."""

    def __init__(self, clock: Callable[[], float]):
        self.now = clock
        self.began = self.changed = self.looked = self.output = self._worked = clock()
        self.cost = 0.002  # seconds of a look
        self._full: float | None = None
        self._cpu = (self.began, 0, 0)

    @property
    def still(self) -> float:
        """Seconds in which neither the screen changed nor the program worked."""
        return self.now() - max(self.changed, self._worked)

    @property
    def full(self) -> float:
        """Seconds that a full screen has been shown."""
        return 0.0 if self._full is None else self.now() - self._full

    def look(self, began: float, before: View, view: View) -> None:
        """A look that `began` then has given `view`."""
        self.cost = max(self.now() - began, 0.001)
        self.seen(view)
        if view.shows != before.shows:
            self.changed = self.looked

    def seen(self, view: View) -> None:
        """The latest view is this one."""
        self.looked = self.now()
        if not view.is_full_screen:
            self._full = None
        elif self._full is None:
            self._full = self.looked

    def kernel(self, kernel: Probe) -> None:
        """A new reading of the kernel: has its subject worked since an earlier one?"""
        now, (at, subject, awake) = self.now(), self._cpu
        if subject == kernel.subject and now - at < _SAMPLE:
            return
        if subject == kernel.subject and (kernel.awake - awake) / 1e9 > _BUSY * (now - at):
            self._worked = now
        self._cpu = (now, kernel.subject, kernel.awake)
