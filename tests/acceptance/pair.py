"""The agent and a person in one pane: rounds in which both type, and what each round breaks."""

from __future__ import annotations

import random
import re
import threading
import time
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.answer import Answer
from tests.support.pythons import PY311
from tests.support.still import until_still
from tests.support.terminal import Server, poll

WITHIN = 0.06  # seconds after the call's start in which the person types
LIMIT = 15.0  # seconds of a call; only a fault reaches it
_STILL = 0.08  # seconds without a change after which a screen is taken for settled
_ERRORS = re.compile("not found|no such user|Unknown command|SyntaxError|NameError|denied")
LETTERS = "zqxjkv"  # in none of the commands


@dataclass(frozen=True)
class Program:
    """A shell or REPL. `touch`: a command that makes the file %s and prints its name in capitals;
    `question`: a command that asks `Go? ` and prints what it got."""

    command: str
    touch: str
    question: str
    prompt: str = "$"
    full_screen: bool = True


_TEXT = Path(__file__).with_suffix(".toml").read_text().replace("PY311", PY311)
PROGRAMS = {name: Program(**row) for name, row in tomllib.loads(_TEXT).items()}


class Fault(str):
    """A broken rule."""


MIXED, LOST, THEIRS, NEEDLESS = map(
    Fault, ("a mixture was run", "lost", "taken for the agent's", "refused without need")
)
INTO, UNSAID, LATE, STUCK = map(
    Fault, ("typed into the person's program", "run, and refused", "late", "stuck")
)
IN_BODY = "what they typed meanwhile is in the body"  # it was there before the look
DONE, REFUSED, BY_THEM = "done", "refused", "a mixture by the person's own Enter"


@dataclass
class Round:
    program: str
    deed: str
    delay: float
    text: str = ""
    answer: Answer = field(default_factory=lambda: Answer(""))
    screen: str = ""
    findings: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[Fault]:
        return [one for one in self.findings if isinstance(one, Fault)]

    def __str__(self) -> str:
        shown = "".join(f"\n     | {row}" for row in self.answer.split("\n"))
        screen = "".join(f"\n     : {row}" for row in self.screen.rstrip().split("\n")[-12:])
        head = f"== {', '.join(self.findings)}: {self.program}, {self.deed} after"
        return f"{head} {self.delay * 1000:.0f} ms\n     {self.text}{shown}{screen}"


class Pair:
    """The agent and the person in one pane."""

    def __init__(self, server: Server, name: str, dice: random.Random):
        self.name, self.program, self.dice = name, PROGRAMS[name], dice
        self.terminal = server.open(self.program.command, ready=False, size=(100, 24))
        poll(lambda: self.program.prompt in self.terminal.screen(), what="a prompt")
        self.person = self.terminal.person
        self.terminal.ready()
        self.at = int(self.terminal.fact("pane_pid")), self.terminal.fact("pane_tty")
        self.number = 0

    def play(self, deed: str, does: Callable[[Pair, Round], None]) -> Round:
        """One round; afterwards the pane is at an empty prompt, or the round is STUCK."""
        self.number += 1
        one = Round(self.name, deed, self.dice.uniform(0, WITHIN))
        self._errors = len(_ERRORS.findall(self.text()))
        does(self, one)
        one.screen = self.terminal.screen()
        if not self._cleared():
            one.findings.append(STUCK)
        return one

    # what the agent does meanwhile

    def commands(self) -> tuple[str, str]:
        """The agent's command, the person's."""
        touch, n = self.program.touch, self.number
        return touch.format(f"a{n}", f"A{n}"), touch.format(f"p{n}", f"P{n}")

    def race(self, one: Round, call: Callable[[], Answer], text: str, *keys: str) -> None:
        """The call, and the person's keys while it begins: at once, or key by key."""
        gap = self.dice.choice((0.0, 0.0, 0.002))

        def types() -> None:
            time.sleep(one.delay)
            if not gap:
                self.person.at_once(text, *keys)
                return
            for key in (*text, *keys):
                self.person.at_once("", key)
                time.sleep(gap)

        thread = threading.Thread(target=types)
        thread.start()
        one.answer = call()
        thread.join()
        self.person.settle()
        self.settle()

    def has_run(self, name: str) -> bool:
        return (self.terminal.folder / f"{name}{self.number}").exists()

    def judge_run(self, one: Round, own_enter: bool, opened: bool = False) -> None:
        """What a `run` has to do with what has happened."""
        ready, ran = one.answer.startswith("ready"), self.has_run("a")
        said = any("typed meanwhile" in note for note in one.answer.notes)
        theirs = f"P{self.number}\n" in one.answer + "\n" and not said
        met = "typed at the same moment" in one.answer  # a key came between the text and its Enter
        if self.is_mixed():
            one.findings.append(BY_THEM if own_enter and not ready else MIXED)
            return
        if " timed out" in one.answer.first and ran:
            one.findings.append(LATE)
        elif ready and (theirs or not ran):
            one.findings.append(THEIRS)
        elif ready and one.answer.body != f"A{self.number}":
            one.findings.append(IN_BODY)
        elif one.answer.startswith("error") and ran:
            one.findings.append(UNSAID)
        elif not (ran or met or opened or self.has_run("p")) and self.is_empty():
            one.findings.append(NEEDLESS)
        one.findings.append(DONE if ran else REFUSED)

    def is_mixed(self) -> bool:
        files = {path.name for path in self.terminal.folder.iterdir()} - {"fish"}
        strays = [name for name in files if not re.fullmatch(r"[apfgvw]\d+|truth", name)]
        for name in strays:
            path = self.terminal.folder / name
            if path.is_file():
                path.unlink()
        text = self.text()
        joined = re.search(rf"^A{self.number}\S|^P{self.number}\S", text, re.M)
        return bool(strays or joined or len(_ERRORS.findall(text)) > self._errors)

    def is_empty(self) -> bool:
        """The prompt with nothing behind it."""
        row = self.terminal.screen().split("\n")[int(self.terminal.fact("cursor_y"))]
        return row.strip() == self.program.prompt

    def text(self) -> str:
        return self.terminal.tmux("capture-pane", "-p", "-S", "-", "-t", f"={self.terminal.name}:")

    def settle(self) -> None:
        until_still(
            lambda: self.terminal.screen() + self.terminal.fact("cursor_x"), *self.at, _STILL
        )

    def _cleared(self) -> bool:
        self.person.press("C-c")
        self.settle()
        with suppress(AssertionError):
            return poll(
                lambda: self.terminal.wait(timeout=5).startswith("ready") and self.is_empty()
            )
        return False
