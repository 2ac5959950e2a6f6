"""In .ci/run the last part answers for all: what was wrong in an earlier one fails here."""

import pytest

from tests.support.parts import SKIPPED, parts, told

if PARTS := parts():  # else there is nothing to ask

    @pytest.mark.parametrize("part", PARTS, ids=lambda part: part[2])
    def test_each_part_of_this_run_is_right(part):
        _, status, name = part
        if status == SKIPPED:
            pytest.skip(f"could not be fetched: {name}")
        assert not status, told(*part)
