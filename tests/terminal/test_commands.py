"""Random commands with known output: the body is exact, and nothing is answered before the end.

`COMMANDS=1000 COMMANDS_SEED=7` tries more, others; tests/acceptance/commands.py prints counts.
"""

from __future__ import annotations

import os

from tests.acceptance.commands import SIZE, tried
from tests.support.house import house, in_rooms

__all__ = ["house"]
COUNT = int(os.environ.get("COMMANDS", "40"))  # in each shell
SEED = os.environ.get("COMMANDS_SEED", "1")


@in_rooms(size=SIZE)
def test_random_commands_have_their_own_output_as_body(room):
    wrong = list(map(str, tried(room, room.shell, COUNT, SEED)))
    assert not wrong, "\n".join([f"{len(wrong)} of {COUNT}, seed {SEED}", *wrong])
