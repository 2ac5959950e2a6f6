"""The clocks of a watch: for how long its screen has been still, and a full screen shown.

All times are seconds of the injected clock.
"""

from __future__ import annotations

from collections.abc import Callable

from ..evidence.kernel.probe import Probe
from ..evidence.screen.view import View

_BUSY = 0.3  # share of a core above which a program counts as working, whatever the screen shows
_SAMPLE = 0.1  # seconds over which that share is measured


class Clocks:
    """Updated by each reading. They start at construction."""

    def __init__(self, clock: Callable[[], float]):
        self.now = clock
        self.began = self.changed = self.looked = self.output = self._worked = clock()
        self.cost = 0.0  # seconds that a look takes
        self._full: float | None = None
        self._cpu = (self.began, 0, 0)

    @property
    def still(self) -> float:
        """Seconds for which the screen has not changed and the program has not worked."""
        return self.now() - max(self.changed, self._worked)

    def was_still(self, seconds: float) -> None:
        """Notes that an earlier call has seen this screen still for `seconds`."""
        if self.changed == self._worked == self.began:
            self.changed = self._worked = self.began - seconds

    @property
    def full(self) -> float:
        """Seconds for which a full screen has been shown."""
        return 0.0 if self._full is None else self.now() - self._full

    def look(self, began: float, before: View, view: View) -> None:
        """Notes `view`, the result of a look begun at `began`."""
        self.cost = max(self.now() - began, 0.001)
        self.looked = self.now()
        if view.shows != before.shows:
            self.changed = self.looked
        if not view.is_full_screen:
            self._full = None
        elif self._full is None:
            self._full = self.looked

    def kernel(self, kernel: Probe) -> None:
        """Notes a new kernel reading, and whether its subject has worked since an earlier one."""
        now, (at, subject, cpu_ns) = self.now(), self._cpu
        if subject == kernel.subject and now - at < _SAMPLE:
            return
        if subject == kernel.subject and (kernel.cpu_ns - cpu_ns) / 1e9 > _BUSY * (now - at):
            self._worked = now
        self._cpu = (now, kernel.subject, kernel.cpu_ns)
