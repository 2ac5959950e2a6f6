"""Random texts: how many are tried, by which seed."""

import os
from collections.abc import Callable

from hypothesis import HealthCheck, seed, settings

FUZZ = int(os.environ.get("FUZZ", "1"))  # FUZZ=50: 50 times as many
SEED = int(os.environ.get("SEED", "1"))  # the same ones in each run; SEED=7: others


def examples(count: int) -> Callable[[Callable], Callable]:
    """A test with that many examples."""
    options = settings(max_examples=count * FUZZ, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    return lambda test: seed(SEED)(options(test))
