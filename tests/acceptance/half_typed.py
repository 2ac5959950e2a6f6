"""A person's half-typed line: every prompt x where its cursor is, cold and after a first command.

    python3 -m tests.acceptance.half_typed                       every prompt, on this machine
    python3 -m tests.acceptance.half_typed --prompts bash zsh --through devbox
    TMUX_TOOL_TEST_WORLD=yama python3 -m tests.acceptance.half_typed

`run` must be refused and the screen untouched; once the line is cleared it must run. Prints a line
for each prompt and every fault. Exit status 1 where a line was touched, or a command refused.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum

from tests.support import denied
from tests.support.still import until_still
from tests.support.terminal import Server, Terminal, poll

from . import remote
from .bodies import HERE, NEAR, Stage
from .languages import Dash
from .prompts import PROMPTS, Prompt

COLUMNS, ROWS = 60, 20
_TEXT = "echo precious"


Result = tuple[str, "Kind", str]  # where, what it was, the answer and the screens


class Kind(StrEnum):
    RIGHT = "right"
    NOTED = "noted"  # it ran behind a note that the tool cannot determine who typed
    TOUCHED = "touched"
    REFUSED = "refused"  # an empty prompt was taken for a half-typed line
    NOT_THERE = "not drawn"


@dataclass(frozen=True)
class State:
    """What the person types and presses; `edits`: by a line editor's keys."""

    text: str
    keys: tuple[str, ...] = ()
    edits: bool = False


def states(prompt: Prompt) -> dict[str, State]:
    room = COLUMNS - len(prompt.last)
    long = _TEXT + " " + "a" * (COLUMNS + 10)
    return {
        "at its end": State(_TEXT),
        "one letter": State("e"),
        "behind a space": State(_TEXT + " "),
        "like a prompt": State("echo 5 >"),
        "a full row": State(_TEXT + " " + "a" * (room - len(_TEXT) - 1)),
        "wrapped": State(long),
        "at its beginning": State(_TEXT, ("Home",), True),
        "in its middle": State(_TEXT, ("Left",) * 5, True),
        "wrapped, at its beginning": State(long, ("Home",), True),
        "wrapped, in its second row": State(long, ("Left",) * 5, True),
    }


def played(terminal: Terminal, prompt: Prompt, names: list[str]) -> Iterator[Result]:
    """The states one after the other, in one pane."""
    command, output = prompt.language.say("mine") or ("1", "1")
    action = prompt.language.action
    for name in names:
        state = states(prompt)[name]
        terminal.person(state.text)
        drawn = "".join(state.text.split())[-5:]  # some scroll a long line sideways
        poll(lambda drawn=drawn: drawn in "".join(terminal.screen().split()), what=name)
        terminal.person.press(*state.keys)
        pid, tty = int(terminal.fact("pane_pid")), terminal.fact("pane_tty")
        until_still(terminal.screen, pid, tty, 0.05)
        before = terminal.screen()
        answer = terminal.call(action, text=command, timeout=5)
        if answer.startswith("error") and terminal.screen() == before:
            kind = Kind.RIGHT
        elif any("cannot determine" in note for note in answer.notes):
            kind = Kind.NOTED
        else:
            kind = Kind.TOUCHED
        yield name, kind, f"{answer}\n--- before:\n{before}\n--- now:\n{terminal.screen()}"
        if kind is Kind.RIGHT:
            terminal.person.press(*["End"] * state.edits, "C-u")
            poll(lambda: terminal.fact("cursor_x") == str(len(prompt.last)), what="clear")
        answer = terminal.call(action, text=command, timeout=10)
        free = answer.startswith(("ready", "quiet", "needs input")) and output in answer
        kind = Kind.RIGHT if free else Kind.REFUSED
        yield f"{name}, cleared", kind, f"{answer}\n--- now:\n{terminal.screen()}"
        terminal.wait(timeout=5)


def play(stage: Stage, name: str, through: str) -> list[Result]:
    """Each state in a fresh pane, then all in one that has run a command."""
    prompt = PROMPTS[name]
    edited = not isinstance(prompt.language, Dash) and name not in ("bc", "busybox")
    names = [one for one, state in states(prompt).items() if edited or not state.edits]
    groups = [*([one] for one in names), names]
    results = []
    for number, group in enumerate(groups):
        folder = stage.server.folder / f"{name}-{number}".replace(" ", "").replace(",", "")
        folder.mkdir()
        command = prompt.start(folder / "rc")
        if through != HERE:
            assert stage.binaries
            command = remote.command(stage.binaries, through, folder, command)
        size = (COLUMNS, ROWS)
        with stage.server.open(command, ready=False, size=size, folder=folder) as terminal:
            terminal.attach()
            last = prompt.last.rstrip()
            poll(lambda last=last: last in terminal.screen(), what=f"{last!r} on the screen")
            warm = len(group) > 1
            if warm:
                terminal.wait(timeout=5)
                terminal.call("run", text=(prompt.language.say("first") or ("1", ""))[0])
            when = "warm" if warm else "cold"
            try:
                for state, kind, text in played(terminal, prompt, group):
                    results.append((f"{name}, {when}: {state}", kind, text))
            except AssertionError as problem:
                text = f"{problem}\n{terminal.screen()}"
                results.append((f"{name}, {when}: {group[0]}", Kind.NOT_THERE, text))
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prompts", nargs="*", default=list(PROMPTS))
    parser.add_argument("--through", default=HERE, choices=[HERE, NEAR])
    parser.add_argument("--jobs", type=int, default=3)
    options = parser.parse_args()
    denied.enter()
    names = [n for n in PROMPTS if n.startswith(tuple(options.prompts)) and PROMPTS[n].is_there()]
    results = []
    with ExitStack() as stack:
        server = stack.enter_context(Server())
        binaries = None
        if options.through != HERE:
            binaries = stack.enter_context(remote.hosts(server.folder / "ssh"))
            names = [name for name in names if PROMPTS[name].remote]
        server.open("cat", name="keeper", ready=False)
        stage = Stage(server, binaries)
        with ThreadPoolExecutor(options.jobs) as pool:
            for group in pool.map(lambda name: play(stage, name, options.through), names):
                results += group
                for place, kind, text in group:
                    if kind is not Kind.RIGHT:
                        print(f"== {kind}: {place}\n{text}", flush=True)
    for name in [*names, ""]:
        counts = Counter(
            kind for place, kind, _ in results if place.startswith(f"{name}, " if name else "")
        )
        print(f"{name or 'all':24}", *(f"{kind} {counts[kind]:3}" for kind in Kind), sep="  ")
    return int(bool(counts[Kind.TOUCHED] or counts[Kind.REFUSED]))


if __name__ == "__main__":
    sys.exit(main())
