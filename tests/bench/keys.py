"""How long a key takes in a program that fills the screen, and how many characters its answer has.

The programs of keys.toml, at three sizes of the pane; a row of a table for each. Seconds are those
of a whole call in this process, Escape's aside; both are means of the keys after the first screen.
"""

import time
import tomllib
from pathlib import Path
from statistics import mean

from tests.support.terminal import Server

SIZES = ((60, 15), (80, 24), (160, 50))
PROGRAMS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())["PROGRAMS"]


def play(*, talk: bool = False) -> str:
    heads = " | ".join(f"{width}x{height}" for width, height in SIZES)
    lines = [f"| program: seconds, characters a key | {heads} |\n|---{'|---' * len(SIZES)}|"]
    print(lines[0])
    for name, start, keys in PROGRAMS:
        cells = (_played(start, keys.split(), size, talk=talk) for size in SIZES)
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def _played(start: str, keys: list[str], size: tuple[int, int], *, talk: bool) -> str:
    seconds, characters = [], []
    with Server() as server, server.open("bash", size=size) as terminal:
        if terminal.run(start).startswith("ready"):
            return "–"  # it is not installed
        for key in keys:
            began = time.monotonic()
            answer = terminal.keys([key])
            took = time.monotonic() - began
            if key != "Escape":  # the program itself waits for the rest of a sequence
                seconds.append(took)
            characters.append(len(answer))
            if talk:
                print(f"    {key} {took:.2f} s\n{answer}")
    return f"{mean(seconds):.2f}, {mean(characters):.0f}"
