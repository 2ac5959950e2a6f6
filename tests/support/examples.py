"""Random texts and hostile ones: how many are tried, and how long the product may take for one."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import HealthCheck, settings

FUZZ = int(os.environ.get("FUZZ", "1"))  # FUZZ=50: 50 times as many, other ones in each run
AT_ONCE = 0.5  # seconds of CPU that one decision may take, beside other tests


def examples(count: int) -> settings:
    """Settings for hypothesis: `count` examples, the same ones in each run."""
    return settings(
        max_examples=count * FUZZ,
        deadline=None,
        derandomize=FUZZ == 1,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@contextmanager
def at_once(what: object, seconds: float = AT_ONCE) -> Iterator[None]:
    """The block may take that much CPU time; a quadratic pattern needs minutes."""
    began = time.process_time()
    yield
    took = time.process_time() - began
    assert took < seconds, f"{took:.3f}s: {what!r:.100}"
