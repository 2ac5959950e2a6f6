"""The parts of a run of .ci/run: each is told, with the time it took, and decides.

TMUX_TOOL_TEST_PARTS names a file with a line for each part that has ended: seconds, status, name.
"""

import os
from pathlib import Path

SKIPPED = 77  # the status of a part that could not be played: what it needs cannot be fetched


def parts() -> list[tuple[int, int, str]]:
    """Seconds, status and name of each that has ended."""
    path = os.environ.get("TMUX_TOOL_TEST_PARTS")
    if not path:
        return []
    rows = [line.split(" ", 2) for line in Path(path).read_text().splitlines()]
    return [(int(seconds), int(status), name) for seconds, status, name in rows]


def told(seconds: int, status: int, name: str) -> str:
    how = {0: "right", SKIPPED: "skipped"}.get(status, f"NOT RIGHT, status {status}")
    return f"{name}: {seconds} s, {how}"
