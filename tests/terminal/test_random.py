"""Random programs whose end is known: none is ever called early, whatever it prints before."""

from __future__ import annotations

import json
import os
import random

from tests.conftest import in_shells
from tests.support.answer import is_verdict
from tests.support.terminal import SHELLS, Terminal

LOOKALIKES = (
    "user@host:~$ |100%|> |>>> |$ |Continue? [y/N] |Password: |total 5$|❯ |(gdb) |... |Name: |# |"
    "\x1b[1m~/src\x1b[0m % |\r  57%|\x1b[2J\x1b[H$ |日本語> |--More--|:|bash-5.2# |room$ ".split(
        "|"
    )
)
RANDOM = int(os.environ.get("READINESS_RANDOM", "60"))  # commands, over the four shells
SEED = int(os.environ.get("READINESS_SEED", "20261"))


SHAPES = ["{}", "{}", "echo start; {}", "{} | cat", "clear; {}", "true && {}", "sleep 0.SS; {}"]
SHAPES += ["sh -c '{}'"]


def random_steps(dice: random.Random) -> list[list]:
    steps: list[list] = []
    for _ in range(dice.randint(1, 6)):
        kind = dice.choice(["line", "print", "print", "pause", "pause", "busy"])
        text = dice.choice(LOOKALIKES) if dice.random() < 0.7 else "x" * dice.randint(1, 300)
        seconds = round(dice.choice([0.01, 0.05, 0.2, 0.5]) * dice.random() * 2, 3)
        if kind in ("pause", "busy"):
            steps.append([kind, seconds])
        else:
            steps.append(["print", text + "\n" * (kind == "line")])
    return steps


def random_command(dice: random.Random, room: Terminal, number: int) -> tuple[str, str, str | None]:
    """A command line, the verdict that its end deserves, and the question."""

    def play(steps) -> str:
        return f"play {room.file(f'p{number}-{dice.random()}', json.dumps(steps)).name}"

    steps = random_steps(dice)
    ending = dice.choice(["exit", "exit", "exit", "ask", "hide"])
    if ending != "exit":
        question = dice.choice(["Really? ", "Name: ", "$ ", "Amount in € "])
        word = {"ask": "needs input", "hide": "needs password"}[ending]
        asks = [["print", "\n"], ["ask", question, ending == "ask"]]
        return play([*steps, *asks]), word, question.strip()
    text = dice.choice(SHAPES).replace("SS", f"{dice.randint(0, 30):02d}")
    return text.replace("{}", play(steps)), "ready (shell)", None


@in_shells()
def test_random_programs_are_never_called_early(room):
    dice = random.Random(f"{SEED} {room.shell}")
    for number in range(RANDOM // len(SHELLS)):
        text, word, question = random_command(dice, room, number)
        try:
            room.ends(text, word, question)
            if question:
                is_verdict(room.ask("answer"), "ready (shell)")
        except AssertionError as problem:
            steps = [path.read_text() for path in room.folder.glob(f"p{number}-*")]
            begins = f"{room.shell}, seed {SEED}, number {number}: {text}"
            raise AssertionError(f"{begins}\n{steps}\n{problem}") from None
