"""Random texts: how many are tried."""

import os

from hypothesis import HealthCheck, settings

FUZZ = int(os.environ.get("FUZZ", "1"))  # FUZZ=50: 50 times as many, other ones in each run


def examples(count: int) -> settings:
    """Settings for hypothesis: `count` examples, the same ones in each run."""
    return settings(
        max_examples=count * FUZZ,
        deadline=None,
        derandomize=FUZZ == 1,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
