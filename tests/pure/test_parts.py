"""In .ci/run the last part answers for all: what was wrong in an earlier one fails here."""

import os
from pathlib import Path

import pytest

ENDED = os.environ.get("TMUX_TOOL_TEST_PARTS")  # a file with a line for each that has ended: status, name
PARTS = [line.split(" ", 1) for line in Path(ENDED).read_text().splitlines()] if ENDED else []


@pytest.mark.skipif(not ENDED, reason="only .ci/run has parts")
def test_each_part_of_this_run_is_right():
    assert PARTS and not [name for status, name in PARTS if status != "0"], PARTS
