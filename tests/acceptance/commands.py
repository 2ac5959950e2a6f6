"""Random commands with known output in any shell: the body is exact and none is answered early."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.support.answer import NO_OUTPUT, Answer, trimmed
from tests.support.terminal import Terminal

SIZE = (80, 24)
_LIMIT = 20.0  # seconds
_AGAIN = 0.2  # share of the commands that come a second time
_ALIKE = ("$ ", "> ", "user@host:~$ ", ">>> ", "bash-5.2# ", "%", "Password: ", "[y/N] ", "~ ")
_WORDS = "alpha beta gamma delta 漢字 naïve 🎉 x=1 a/b/c -n 100% done".split()

Piece = tuple[str, str]  # a command and what it prints


def _say(dice: random.Random) -> Piece:
    text = " ".join(dice.choices(_WORDS, k=dice.randint(1, 30))).removeprefix("-n ")
    return f"printf '%s\\n' '{text}'", text + "\n"


def _alike(dice: random.Random) -> Piece:
    text = dice.choice(_ALIKE) + dice.choice(("", "ls", "echo me"))
    return f"printf '%s\\n' '{text}'", text + "\n"


def _waits(dice: random.Random) -> Piece:
    """What looks like a prompt or a question, and silence behind it."""
    text, seconds = dice.choice(_ALIKE), dice.choice((0.05, 0.3, 0.9))
    return f"printf '%s' '{text}'; sleep {seconds:g}; echo on", f"{text}on\n"


def _count(dice: random.Random) -> Piece:
    first, rows = dice.randint(1, 99), dice.choice((1, 3, 10, 22, 23, 24, 60, 90, 130))
    numbers = range(first, first + rows)
    return f"seq {first} {first + rows - 1}", "".join(f"{number}\n" for number in numbers)


def _part(dice: random.Random) -> Piece:
    text = dice.choice(("no end", "x", "$ ", "y" * 79, "y" * 80, "y" * 81))
    return f"printf '%s' '{text}'", text


def _blank(dice: random.Random) -> Piece:
    return r"printf '\n\n'", "\n\n"


def _error(dice: random.Random) -> Piece:
    return "sh -c 'echo wrong >&2'", "wrong\n"


def _pipe(dice: random.Random) -> Piece:
    last = dice.randint(1, 50)
    return f"seq {last} | tail -n 2", "".join(f"{n}\n" for n in range(max(last - 1, 1), last + 1))


def _silent(dice: random.Random) -> Piece:
    return f"true {'a' * dice.choice((1, 30, 70, 71, 72, 73, 74, 150, 400))}", ""


def _sleep(dice: random.Random) -> Piece:
    return f"sleep {dice.choice((0.01, 0.05, 0.2)):g}", ""


PIECES: list[Callable[[random.Random], Piece]] = [_say, _alike, _count, _part, _blank, _error]
PIECES += [_pipe, _silent, _sleep, _say, _count, _silent, _waits]


def command(dice: random.Random) -> Piece:
    """A command, and its output."""
    pieces = [dice.choice(PIECES)(dice) for _ in range(dice.choice((1, 1, 2, 3, 5)))]
    glue = "\n" if dice.random() < 0.15 and all(out.endswith("\n") for _, out in pieces) else "; "
    return glue.join(text for text, _ in pieces), "".join(out for _, out in pieces)


@dataclass(frozen=True)
class Wrong:
    shell: str
    number: int
    what: str
    text: str
    answer: Answer
    expected: str

    def __str__(self) -> str:
        shown = "".join(f"\n     | {row}" for row in self.answer.split("\n")[:40])
        wanted = "".join(f"\n     = {row}" for row in self.expected.split("\n")[:40])
        return f"== {self.what}: {self.shell}, number {self.number}\n{self.text}{shown}{wanted}"


def tried(terminal: Terminal, shell: str, count: int, seed: object) -> Iterator[Wrong]:
    """What was wrong about that many commands, one after the other in this terminal; some come
    twice, and each makes the file `d<number>` at its end."""
    dice = random.Random(f"{seed} {shell}")
    text = expected = ""
    for number in range(count):
        if not number or dice.random() > _AGAIN:
            text, expected = command(dice)
        answer = terminal.run(f"{text}; touch d{number}", timeout=_LIMIT)
        over = (terminal.folder / f"d{number}").exists()
        body = "" if answer.body == NO_OUTPUT else answer.body
        right = answer.startswith("ready") and trimmed(body) == trimmed(expected)
        if right and over:
            continue
        what = "refused" if answer.startswith("error") else "wrong" if over else "early"
        yield Wrong(shell, number, what, text, answer, expected)
        if not answer.startswith("ready"):
            terminal.person("", "C-c")
            terminal.wait()
