"""Nobody reads, nobody waits: whatever a program prints that does not read, it is running."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pytest

from tests.support.denied import denied
from tests.support.tables import Tables

LIES = Tables(__file__)["LIES"]
MODES = ("canonical", "raw", "hidden")
PARTS = 4  # panes of each mode
SHOWN = 2.3  # seconds for each text: longer than a weak form must be still


def told(bare, shows: dict[str, tuple[str, list[str], float]]) -> None:
    """A pane for each: mode, texts, seconds. None of the calls ends before its program."""
    bare.server.install("liar")
    bare.start()

    def play(name: str) -> None:
        mode, texts, seconds = shows[name]
        with bare.server.open("bash", name) as terminal:
            file = terminal.file("texts.json", json.dumps(texts))
            answer = terminal.run(f"liar {mode} {seconds} {file}", timeout=240)
            terminal.not_early(answer)

    with ThreadPoolExecutor(len(shows)) as pool:
        list(pool.map(play, shows))


@pytest.mark.parametrize("world, turn", [(nullcontext, 0), (denied, 1)], ids=["readable", "yama"])
def test_a_program_that_does_not_read_is_running_whatever_it_prints(bare, world, turn):
    """Each lie in one of the worlds, and in all modes."""
    lies = [f"\r\n{lie}" for lie in LIES[turn::2]]
    shows = {
        f"{mode}{part}": (mode, lies[part::PARTS], SHOWN) for mode in MODES for part in range(PARTS)
    }
    with world():
        told(bare, shows)


def test_no_stream_of_random_bytes_is_a_turn(bare):
    dice = random.Random(7)
    streams = [random_stream(dice) for _ in range(500)]
    told(bare, {mode: (mode, streams[at::3], 0.02) for at, mode in enumerate(MODES)})


def random_stream(dice: random.Random) -> str:
    """Up to 80 bytes, mostly of what terminals and prompts are made of."""
    likely = "\x1b[?;0123456789hlHJKmABCD\r\n\t$#>: yn/()\x07\x08\x0e\x0f"
    return "".join(
        dice.choice(likely) if dice.random() < 0.7 else chr(dice.randrange(256))
        for _ in range(dice.randrange(1, 80))
    )
