"""A person and the agent type at the same time: keys of an attached client within 60 ms of a call.

The rules: no mixture of the two is run, nothing is lost, no result of the person's is taken for the
agent's, nothing is refused without need. A mixture that the person's own Enter ran (their keys came
between the agent's text and its Enter) is no fault.
"""

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
_ECHOED = re.compile(r"(\^\[)?\[[AD]")  # a cursor key, as the kernel echoes it while a command runs
LETTERS = "zqxjkv"  # in none of the commands


@dataclass(frozen=True)
class Program:
    """A shell or REPL. `touch`: a command that makes the file %s and prints its name in capitals;
    `question`: a command that asks `Go? ` and prints what it got."""
    command: str
    question: str
    touch: str = "touch {0}; echo {1}"
    prompt: str = "$"
    full_screen: bool = True


_TEXT = Path(__file__).with_suffix(".toml").read_text().replace("PY311", PY311)
PROGRAMS = {name: Program(**row) for name, row in tomllib.loads(_TEXT).items()}


class Fault(str):
    """A broken rule."""


MIXED, LOST, THEIRS = map(Fault, ("a mixture was run", "lost", "taken for the agent's"))
NEEDLESS, UNSAID, LATE = map(Fault, ("refused without need", "run, and refused", "late"))
INTO, STUCK = map(Fault, ("typed into the person's program", "stuck"))
BY_THEM = "a mixture by the person's own Enter"


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
        self.pid = int(self.terminal.fact("pane_pid"))
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
        elif one.answer.startswith("error") and ran:
            one.findings.append(UNSAID)
        elif not (ran or met or opened or self.has_run("p")) and self.is_empty():
            one.findings.append(NEEDLESS)

    def is_mixed(self) -> bool:
        files = {path.name for path in self.terminal.folder.iterdir()} - {"fish"}
        strays = [name for name in files if not re.fullmatch(r"[apfgvw]\d+|truth", name)]
        for name in strays:
            path = self.terminal.folder / name
            if path.is_file():
                path.unlink()
        text = _ECHOED.sub("", self.text())
        joined = re.search(rf"^A{self.number}\S|^P{self.number}\S", text, re.M)
        return bool(strays or joined or len(_ERRORS.findall(text)) > self._errors)

    def is_empty(self) -> bool:
        row = self.terminal.screen().split("\n")[int(self.terminal.fact("cursor_y"))]
        return row.strip() == self.program.prompt

    def text(self) -> str:
        return self.terminal.tmux("capture-pane", "-p", "-S", "-", "-t", f"={self.terminal.name}:")

    def settle(self) -> None:
        until_still(lambda: self.terminal.screen() + self.terminal.fact("cursor_x"), self.pid, _STILL)

    def _cleared(self) -> bool:
        self.person.press("C-c")
        self.settle()
        with suppress(AssertionError):
            return poll(lambda: self.terminal.wait(timeout=5).startswith("ready") and self.is_empty())
        return False


# What the person does


def _keys(text: Callable[[random.Random], str], *keys: str):
    def deed(pair: Pair, one: Round) -> None:
        typed = text(pair.dice)
        one.text, _ = pair.commands()
        before = {letter: pair.text().count(letter) for letter in typed}
        pair.race(one, lambda: pair.terminal.run(one.text, timeout=LIMIT), typed, *keys)
        pair.judge_run(one, own_enter=False)
        shown = pair.text()
        if any(shown.count(letter) <= count for letter, count in before.items()):
            one.findings.append(LOST)

    return deed


def _line(pair: Pair, one: Round) -> None:
    one.text, theirs = pair.commands()
    pair.race(one, lambda: pair.terminal.run(one.text, timeout=LIMIT), theirs, "Enter")
    pair.judge_run(one, own_enter=True)
    if not pair.has_run("p") and not {BY_THEM, MIXED} & set(one.findings):
        one.findings.append(LOST)


def _pressed(pair: Pair, one: Round) -> None:
    """Keys that hold a text: none is pressed behind what somebody types meanwhile."""
    one.text, _ = pair.commands()
    pair.race(one, lambda: pair.terminal.keys([{"text": one.text}, "Enter"]), pair.dice.choice(LETTERS))
    if pair.is_mixed():
        one.findings.append(MIXED)


def _answer(pair: Pair, one: Round) -> None:
    n, terminal = pair.number, pair.terminal
    asked = terminal.run(pair.program.question, timeout=LIMIT)
    if not asked.startswith(("needs input", "quiet")):
        one.answer = asked
        one.findings.append(STUCK)
        return
    one.text = f"touch w{n}"
    pair.race(one, lambda: terminal.call("send", text=one.text, timeout=3), f"touch v{n}", "Enter")
    got = re.findall(r"^[^$\"]{0,8}got:(.*)", pair.text(), re.M)  # behind the echo of their first letters
    last = got[-1].strip() if got else ""
    ready = one.answer.startswith("ready")
    if pair.has_run("w"):
        one.findings.append(MIXED)  # the answer ran as a command
    elif last not in (f"touch w{n}", f"touch v{n}"):
        one.findings.append(MIXED if ready else BY_THEM)
    elif ready and last == f"touch v{n}":
        one.findings.append(THEIRS)
    elif one.answer.startswith("error") and last == f"touch w{n}":
        one.findings.append(UNSAID)


def _vim(pair: Pair, one: Round) -> None:
    """The person opens it: nothing of the agent's may get into it."""
    n, terminal = pair.number, pair.terminal
    one.text, _ = pair.commands()
    terminal.file(f"f{n}", "one\n")
    pair.race(one, lambda: terminal.run(one.text, timeout=LIMIT), f"vim -u NONE -n f{n}", "Enter")
    if pair.is_mixed():
        pair.judge_run(one, own_enter=True)
        return
    if terminal.fact("pane_current_command") != "vim":
        one.findings.append(LOST)
        return
    pair.person("", "Escape")
    pair.person(f":w! g{n}", "Enter")
    pair.person(":qa!", "Enter")
    poll(lambda: terminal.fact("pane_current_command") != "vim", what="vim's end")
    written = terminal.folder / f"g{n}"
    if not written.exists() or written.read_text() != "one\n":
        one.findings.append(INTO)
        return
    pair.settle()
    pair.judge_run(one, own_enter=True, opened=True)


DEEDS: dict[str, Callable[[Pair, Round], None]] = {
    "letter": _keys(lambda dice: dice.choice(LETTERS)), "word": _keys(lambda dice: "".join(dice.sample(LETTERS, 4))),
    "up": _keys(lambda _: "", "Up"), "left": _keys(lambda _: "", "Left"), "line": _line, "answer": _answer, "vim": _vim,
    "press": _pressed,
}


def rounds(server: Server, name: str, deeds: list[str], count: int, seed: object = 0) -> list[Round]:
    """That many rounds of each deed, in random order."""
    dice = random.Random(f"{seed} {name}")
    order = deeds * count
    dice.shuffle(order)
    results, pair = [], Pair(server, name, dice)
    for deed in order:
        results.append(pair.play(deed, DEEDS[deed]))
        if STUCK in results[-1].findings:
            pair.terminal.close()
            pair = Pair(server, name, dice)
    pair.terminal.close()
    return results
