"""A person and the agent type at the same time: keys of an attached client within 60 ms of a call.

The rules: no mixture of the two is run, nothing is lost, no result of the person's is taken for the
agent's, nothing is refused without need. A mixture that the person's own Enter ran (their keys came
between the agent's text and its Enter) is no fault.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable

from tests.support.terminal import Server, poll

from .pair import (
    BY_THEM,
    DONE,
    INTO,
    LETTERS,
    LIMIT,
    LOST,
    MIXED,
    REFUSED,
    STUCK,
    THEIRS,
    UNSAID,
    Pair,
    Round,
)

# What the person does


def _nothing(pair: Pair, one: Round) -> None:
    one.text, _ = pair.commands()
    one.answer = pair.terminal.run(one.text, timeout=LIMIT)
    pair.judge_run(one, own_enter=False)


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


def _answer(pair: Pair, one: Round) -> None:
    n, terminal = pair.number, pair.terminal
    asked = terminal.run(pair.program.question, timeout=LIMIT)
    if not asked.startswith(("needs input", "quiet")):
        one.answer = asked
        one.findings.append(STUCK)
        return
    one.text = f"touch w{n}"
    pair.race(one, lambda: terminal.call("send", text=one.text, timeout=3), f"touch v{n}", "Enter")
    got = re.findall(r"^got:(.*)", pair.text(), re.M)
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
        pair.race(one, lambda: pair.terminal.run(one.text, timeout=LIMIT), theirs, "Enter")
        program = command.split()[0]
        if pair.is_mixed():
            pair.judge_run(one, own_enter=True)
        elif pair.terminal.fact("pane_current_command") != program:
            one.findings.append(LOST)
        elif not leave(pair, one):
            one.findings.append(INTO)
        else:
            pair.settle()
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
    "letter": _keys(lambda dice: dice.choice(LETTERS)),
    "word": _keys(lambda dice: "".join(dice.sample(LETTERS, 4))),
    "up": _keys(lambda _: "", "Up"),
    "left": _keys(lambda _: "", "Left"),
    "home": _keys(lambda _: "", "Home"),
    "line": _line,
    "answer": _answer,
    "vim": _opens("vim -u NONE -n {}", "one\n", _leave_vim),
    "less": _opens("less {}", "\n".join(map(str, range(1, 300))), _leave_less),
}


def rounds(
    server: Server, name: str, deeds: list[str], count: int, seed: object = 0
) -> list[Round]:
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
