"""Random commands with known output: the body is exact, and no answer comes before the end.

`COMMANDS=1000 SEED=7` tries more, others.
"""

import os
import random

import pytest

from tests.conftest import SEED
from tests.support.answer import NO_OUTPUT, trimmed
from tests.support.terminal import SHELLS

COUNT = int(os.environ.get("COMMANDS", "25"))  # in each shell
SIZE = (80, 24)
AGAIN = 0.2  # share of the commands that come a second time
ALIKE = ("$ ", "> ", "user@host:~$ ", ">>> ", "bash-5.2# ", "%", "Password: ", "[y/N] ", "~ ")
WORDS = "alpha beta gamma delta 漢字 naïve 🎉 x=1 a/b/c -n 100% done".split()
PARTS = ("no end", "x", "$ ", "y" * 79, "y" * 80, "y" * 81)
KINDS = "say say alike waits count count part blank error pipe silent silent sleep".split()


def piece(dice: random.Random) -> tuple[str, str]:
    alike = dice.choice(ALIKE)
    match dice.choice(KINDS):
        case "say":
            text = " ".join(dice.choices(WORDS, k=dice.randint(1, 30))).removeprefix("-n ")
            return f"printf '%s\\n' '{text}'", f"{text}\n"
        case "alike":
            text = alike + dice.choice(("", "ls", "echo me"))
            return f"printf '%s\\n' '{text}'", f"{text}\n"
        case "waits":  # what looks like a prompt or a question, and silence behind it
            seconds = dice.choice((0.05, 0.3, 0.9))
            return f"printf '%s' '{alike}'; sleep {seconds:g}; echo on", f"{alike}on\n"
        case "count":
            last = dice.choice((1, 3, 10, 22, 23, 24, 60, 90, 130))
            return f"seq {last}", "".join(f"{number}\n" for number in range(1, last + 1))
        case "part":
            text = dice.choice(PARTS)
            return f"printf '%s' '{text}'", text
        case "silent":
            return f"true {'a' * dice.choice((1, 30, 70, 71, 72, 73, 74, 150, 400))}", ""
        case "sleep":
            return f"sleep {dice.choice((0.01, 0.05, 0.2)):g}", ""
        case "blank":
            return r"printf '\n\n'", "\n\n"
        case "error":
            return "sh -c 'echo wrong >&2'", "wrong\n"
    return "seq 50 | tail -n 2", "49\n50\n"


def command(dice: random.Random) -> tuple[str, str]:
    pieces = [piece(dice) for _ in range(dice.choice((1, 1, 2, 3, 5)))]
    glue = "\n" if dice.random() < 0.15 and all(out.endswith("\n") for _, out in pieces) else "; "
    return glue.join(text for text, _ in pieces), "".join(out for _, out in pieces)


@pytest.mark.parametrize("shell", SHELLS)
def test_random_commands_have_their_own_output_as_body(bare, shell):
    """Each makes a file at its end."""
    bare.start(SHELLS[shell], size=SIZE)
    bare.ready()
    dice = random.Random(f"{SEED} {shell}")
    text = expected = ""
    for number in range(COUNT):
        if not number or dice.random() > AGAIN:
            text, expected = command(dice)
        answer = bare.run(f"{text}; touch d{number}", timeout=20)
        assert answer.startswith("ready"), (number, text, answer)
        assert (bare.folder / f"d{number}").exists(), ("early", number, text, answer)
        assert trimmed("" if answer.body == NO_OUTPUT else answer.body) == trimmed(expected), (number, text)
