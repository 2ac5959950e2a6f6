"""A person and the agent type at the same time: keys of an attached client within 60 ms of a call.

    python3 -m tests.acceptance.typists --rounds 100 --seed 7
    python3 -m tests.acceptance.typists --programs bash fish --deeds letter vim
    TMUX_TOOL_TEST_WORLD=yama python3 -m tests.acceptance.typists      the editor's memory closed

Prints what became of the rounds, and each round in which a rule was broken: no mixture of the two
is run, nothing is lost, no result of the person's is taken for the agent's, nothing is refused
without need. Exit status 1 where one was broken. A mixture that the person's own Enter ran (their
keys came between the agent's text and its Enter) is counted, and no fault.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tests.support import denied
from tests.support.house import PY311
from tests.support.terminal import Answer, Server, poll

WITHIN = 0.06  # seconds after the call's start in which the person types
_LIMIT = 6.0  # seconds of a call
_STILL = 0.08  # seconds without a change after which a screen is taken for settled
_ERRORS = re.compile("not found|no such user|Unknown command|SyntaxError|NameError|denied")
_LETTERS = "zqxjkv"  # in none of the commands


@dataclass(frozen=True)
class Program:
    """A shell or REPL. `touch`: a command that makes the file %s and prints its name in capitals;
    `question`: a command that asks `Go? ` and prints what it got."""

    command: str
    touch: str
    question: str
    prompt: str = "$"
    full_screen: bool = True


_TOUCH = "touch {0}; echo {1}"
PROGRAMS = {
    "bash": Program(
        "env HISTFILE= PS1='$ ' bash --norc --noprofile",
        _TOUCH,
        "read -e -p 'Go? ' r; echo \"got:$r\"",
    ),
    "zsh": Program("env PS1='$ ' zsh -f", _TOUCH, "read 'r?Go? '; echo \"got:$r\""),
    "fish": Program(
        "env XDG_CONFIG_HOME=. XDG_DATA_HOME=. fish -C "
        "'set -g fish_greeting; function fish_prompt; printf \"\\x24 \"; end'",
        _TOUCH,
        "read -P 'Go? ' r; echo \"got:$r\"",
    ),
    "dash": Program("env PS1='$ ' dash", _TOUCH, "printf 'Go? '; read r; echo \"got:$r\""),
    "python": Program(
        f"{PY311} -q",
        "open('{0}','w').close(); print('{1}')",
        "print('got:' + input('Go? '))",
        prompt=">>>",
        full_screen=False,
    ),
}


class Fault(str):
    """A broken rule."""


MIXED, LOST, THEIRS, NEEDLESS = map(
    Fault, ("a mixture was run", "lost", "taken for the agent's", "refused without need")
)
INTO, UNSAID, LATE, STUCK = map(
    Fault, ("typed into the person's program", "run, and refused", "late", "stuck")
)
IN_BODY = "what they typed meanwhile stands in the body"  # it stood there before the look
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
        self.number = 0

    def play(self, deed: str) -> Round:
        """One round; afterwards the pane is at an empty prompt, or the round is STUCK."""
        self.number += 1
        one = Round(self.name, deed, self.dice.uniform(0, WITHIN))
        self._errors = len(_ERRORS.findall(self._all()))
        DEEDS[deed](self, one)
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
        self._settled()

    def has_run(self, name: str) -> bool:
        return (self.terminal.folder / f"{name}{self.number}").exists()

    def judge_run(self, one: Round, own_enter: bool, opened: bool = False) -> None:
        """What a `run` has to do with what has happened."""
        ready, ran = one.answer.startswith("ready"), self.has_run("a")
        if self._is_mixed():
            one.findings.append(BY_THEM if own_enter and not ready else MIXED)
            return
        if " timed out" in one.answer.first and ran:
            one.findings.append(LATE)
        elif ready and (not ran or f"P{self.number}\n" in one.answer + "\n"):
            one.findings.append(THEIRS)
        elif ready and one.answer.body != f"A{self.number}":
            one.findings.append(IN_BODY)
        elif one.answer.startswith("error") and ran:
            one.findings.append(UNSAID)
        elif not ran and self._is_empty() and not self.has_run("p") and not opened:
            one.findings.append(NEEDLESS)
        one.findings.append(DONE if ran else REFUSED)

    def _is_mixed(self) -> bool:
        files = {path.name for path in self.terminal.folder.iterdir()} - {"fish"}
        strays = [name for name in files if not re.fullmatch(r"[apfgvw]\d+|truth", name)]
        for name in strays:
            path = self.terminal.folder / name
            if path.is_file():
                path.unlink()
        text = self._all()
        joined = re.search(rf"^A{self.number}\S|^P{self.number}\S", text, re.M)
        return bool(strays or joined or len(_ERRORS.findall(text)) > self._errors)

    def _is_empty(self) -> bool:
        """The prompt with nothing behind it."""
        row = self.terminal.screen().split("\n")[int(self.terminal.fact("cursor_y"))]
        return row.strip() == self.program.prompt

    def _all(self) -> str:
        return self.terminal.tmux("capture-pane", "-p", "-S", "-", "-t", f"={self.terminal.name}:")

    def _settled(self) -> None:
        last, since, end = "", time.monotonic(), time.monotonic() + 5
        while time.monotonic() < end:
            now = self.terminal.screen() + self.terminal.fact("cursor_x")
            if now != last:
                last, since = now, time.monotonic()
            elif time.monotonic() - since > _STILL:
                return
            time.sleep(0.02)

    def _cleared(self) -> bool:
        self.person.press("C-c")
        self._settled()
        answer = self.terminal.wait(timeout=5)
        return answer.startswith("ready") and self._is_empty()


# What the person does


def _nothing(pair: Pair, one: Round) -> None:
    one.text, _ = pair.commands()
    one.answer = pair.terminal.run(one.text, timeout=_LIMIT)
    pair.judge_run(one, own_enter=False)


def _keys(text: Callable[[random.Random], str], *keys: str):
    def deed(pair: Pair, one: Round) -> None:
        typed = text(pair.dice)
        one.text, _ = pair.commands()
        before = {letter: pair._all().count(letter) for letter in typed}
        pair.race(one, lambda: pair.terminal.run(one.text, timeout=_LIMIT), typed, *keys)
        pair.judge_run(one, own_enter=False)
        shown = pair._all()
        if any(shown.count(letter) <= count for letter, count in before.items()):
            one.findings.append(LOST)

    return deed


def _line(pair: Pair, one: Round) -> None:
    one.text, theirs = pair.commands()
    pair.race(one, lambda: pair.terminal.run(one.text, timeout=_LIMIT), theirs, "Enter")
    pair.judge_run(one, own_enter=True)
    if not pair.has_run("p") and not {BY_THEM, MIXED} & set(one.findings):
        one.findings.append(LOST)


def _answer(pair: Pair, one: Round) -> None:
    n, terminal = pair.number, pair.terminal
    asked = terminal.run(pair.program.question, timeout=_LIMIT)
    if not asked.startswith(("needs input", "quiet")):
        one.answer = asked
        one.findings.append(STUCK)
        return
    one.text = f"touch w{n}"
    pair.race(one, lambda: terminal.call("send", text=one.text, timeout=3), f"touch v{n}", "Enter")
    got = re.findall(r"^got:(.*)", pair._all(), re.M)
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
    one.findings.append(DONE if last == f"touch w{n}" else REFUSED)


def _opens(command: str, text: str, leave: Callable[[Pair, Round], bool]):
    def deed(pair: Pair, one: Round) -> None:
        if not pair.program.full_screen:
            return _line(pair, one)
        one.text, _ = pair.commands()
        pair.terminal.file(f"f{pair.number}", text)
        theirs = command.format(f"f{pair.number}")
        pair.race(one, lambda: pair.terminal.run(one.text, timeout=_LIMIT), theirs, "Enter")
        program = command.split()[0]
        if pair._is_mixed():
            pair.judge_run(one, own_enter=True)
        elif pair.terminal.fact("pane_current_command") != program:
            one.findings.append(LOST)
        elif not leave(pair, one):
            one.findings.append(INTO)
        else:
            pair._settled()
            pair.judge_run(one, own_enter=True, opened=True)
        return None

    return deed


def _leave_vim(pair: Pair, one: Round) -> bool:
    n = pair.number
    pair.person("", "Escape")
    pair.person(f":w! g{n}", "Enter")
    pair.person(":qa!", "Enter")
    written = pair.terminal.folder / f"g{n}"
    poll(lambda: pair.terminal.fact("pane_current_command") != "vim", what="vim's end")
    return written.exists() and written.read_text() == "one\n"


def _leave_less(pair: Pair, one: Round) -> bool:
    rows = pair.terminal.screen().rstrip("\n").split("\n")
    untouched = rows[0] == "1" and rows[-1] in (":", f"f{pair.number}")
    for _ in range(5):  # out of its help too
        if pair.terminal.fact("pane_current_command") == "less":
            pair.person("q")
            time.sleep(0.1)
    return untouched


DEEDS: dict[str, Callable[[Pair, Round], None]] = {
    "nothing": _nothing,
    "letter": _keys(lambda dice: dice.choice(_LETTERS)),
    "word": _keys(lambda dice: "".join(dice.sample(_LETTERS, 4))),
    "up": _keys(lambda _: "", "Up"),
    "left": _keys(lambda _: "", "Left"),
    "home": _keys(lambda _: "", "Home"),
    "line": _line,
    "answer": _answer,
    "vim": _opens("vim -u NONE -n {}", "one\n", _leave_vim),
    "less": _opens("less {}", "\n".join(map(str, range(1, 300))), _leave_less),
}


def played(
    server: Server, name: str, deeds: list[str], rounds: int, seed: object = 0
) -> list[Round]:
    """That many rounds of each deed, in random order."""
    dice = random.Random(f"{seed} {name}")
    order = deeds * rounds
    dice.shuffle(order)
    results, pair = [], Pair(server, name, dice)
    for deed in order:
        results.append(pair.play(deed))
        if STUCK in results[-1].findings:
            pair.terminal.close()
            pair = Pair(server, name, dice)
    pair.terminal.close()
    return results


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", nargs="*", default=list(PROGRAMS), choices=PROGRAMS)
    parser.add_argument("--deeds", nargs="*", default=list(DEEDS), choices=DEEDS)
    parser.add_argument("--rounds", type=int, default=10, help="of each deed in each program")
    parser.add_argument("--seed", default=str(random.randrange(10**6)))
    parser.add_argument("--jobs", type=int, default=3, help="programs at the same time")
    parser.add_argument("--quiet", action="store_true", help="the counts alone")
    arguments = parser.parse_args()
    denied.enter()
    with Server() as server, ThreadPoolExecutor(arguments.jobs) as pool:
        server.open("cat", name="keeper", ready=False)

        def play(name: str) -> list[Round]:
            return played(server, name, arguments.deeds, arguments.rounds, arguments.seed)

        results = [one for group in pool.map(play, arguments.programs) for one in group]
    bad = [one for one in results if one.faults]
    if not arguments.quiet:
        print(*bad, sep="\n")
    for name in arguments.programs:
        counts = Counter(
            finding for one in results if one.program == name for finding in one.findings
        )
        print(f"{name:8}", ", ".join(f"{what}: {count}" for what, count in counts.most_common()))
    for deed in arguments.deeds:
        counts = Counter(fault for one in results if one.deed == deed for fault in one.faults)
        print(f"{deed:8}", ", ".join(f"{what}: {count}" for what, count in counts.items()) or "-")
    print(f"{len(bad)} of {len(results)} rounds broke a rule (seed {arguments.seed})")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
