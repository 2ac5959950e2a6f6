"""Whose turn it is behind ssh: what is early, what is only `quiet`, and how late the rest is.

    python3 -m tests.acceptance.remote_turns             every program, at once and with delays
    python3 -m tests.acceptance.remote_turns --programs bash zsh --through roughbox --rounds 5
    PATH=$(tests/newer_tmux sid):$PATH python3 -m tests.acceptance.remote_turns

A command writes down the moment at which it ends: an answer before that which claims a turn is
early. Prints a line for each program and every turn that is not right; exit status 1 where one was
early, or where, with a tmux that shows bracketed paste, fewer than 95 % of the turns of the
programs that set it came within LATEST seconds and the way there and back.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.support import surroundings
from tests.support.terminal import Answer, Server, Terminal, poll

from .remote import DELAY, JITTER, command, hosts
from .remote_programs import PROGRAMS, database, fill

LATEST = 0.6  # seconds after a command's end, beside the way there and back
SHARE = 0.95
_LIMIT = 12.0  # seconds a turn may take
_LONGEST = 2.5  # seconds that a command lasts at most
_WAYS = {"": 0.0, "devbox": 0.0, "farbox": 2 * DELAY, "roughbox": 2 * (DELAY + JITTER)}


@dataclass(frozen=True)
class Turn:
    """One command: `late` is None where the answer came before its end."""

    program: str
    through: str
    text: str
    answer: Answer
    late: float | None

    @property
    def claims(self) -> bool:
        return self.answer.startswith(("ready", "needs", "unfinished"))

    @property
    def early(self) -> bool:
        return self.claims and (self.late is None or self.late < 0)

    @property
    def right(self) -> bool:
        return self.answer.startswith("ready") and not self.early

    @property
    def in_time(self) -> bool:
        limit = LATEST + _WAYS[self.through]
        return self.right and self.late is not None and self.late <= limit

    def __str__(self) -> str:
        late = "never" if self.late is None else f"{self.late:.2f}s"
        return f"{self.program} @ {self.through}: {self.text!r}: {late}: {self.answer!r:.160}"


def play(server: Server, binaries: Path, name: str, through: str, rounds: int) -> Iterator[Turn]:
    """Every command of a program `rounds` times, in one pane."""
    program = PROGRAMS[name]
    folder = server.folder / f"{name}-{through}".replace(" ", "").replace(",", "")
    folder.mkdir()
    for file in ("rc", ".zshrc"):
        (folder / file).write_text(program.rc + "\n")
    line = fill(program.start, folder, binaries)
    line = command(binaries, through, folder, line) if through else line
    with server.open(line, ready=False, folder=folder, size=(160, 24)) as terminal:
        poll(lambda: program.prompt.strip() in terminal.screen(), what=f"{name} @ {through}")
        terminal.wait(timeout=5)
        for text in program.texts * rounds:
            turn = _turn(terminal, name, through, fill(text, folder, binaries))
            print(turn, file=sys.stderr, flush=True)
            yield turn
            if not turn.right and not _is_back(terminal):
                return


def _turn(terminal: Terminal, name: str, through: str, text: str) -> Turn:
    end = terminal.folder / "end"
    end.unlink(missing_ok=True)
    answer = terminal.run(text, timeout=_LIMIT)
    now = time.time()
    late = now - float(end.read_text()) if end.exists() and end.read_text().strip() else None
    return Turn(name, through, text, answer, late)


def _is_back(terminal: Terminal) -> bool:
    """The prompt is back after a turn that was not right."""
    time.sleep(_LONGEST)
    back = terminal.wait(timeout=5)
    if not back.startswith(("ready", "quiet")):
        print(f"no prompt: {back}\n{terminal.screen()}")
    return back.startswith(("ready", "quiet"))


def row(name: str, turns: list[Turn]) -> str:
    """How the turns of one program went."""
    lates = [turn.late for turn in turns if turn.late is not None and turn.right] or [0.0]
    early = sum(turn.early for turn in turns)
    quiet = sum(turn.answer.startswith("quiet") for turn in turns)
    in_time = sum(turn.in_time for turn in turns)
    return (
        f"{name:26}{len(turns):6}{early:7}{quiet:7}{in_time:8}"
        f"{statistics.median(lates):9.2f}{max(lates):7.2f}"
    )


def main() -> int:
    surroundings.enter()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", nargs="*", default=list(PROGRAMS))
    parser.add_argument("--through", nargs="*", default=list(_WAYS), choices=list(_WAYS))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=3, help="panes at the same time")
    options = parser.parse_args()
    turns: list[Turn] = []
    with Server() as server, hosts(server.folder / "ssh") as binaries, database():
        server.open("cat", name="keeper", ready=False)
        version = server.tmux("-V").strip()
        every = [(name, way) for name in options.programs for way in PROGRAMS[name].ways]
        pairs = [pair for pair in every if pair[1] in options.through]
        with ThreadPoolExecutor(options.jobs) as pool:
            played = pool.map(lambda one: [*play(server, binaries, *one, options.rounds)], pairs)
            heads = ("turns", "early", "quiet", "in time", "median", "max")
            print(f"{version:26}{heads[0]:>6}" + "".join(f"{one:>8}" for one in heads[1:]))
            for pair, group in zip(pairs, played, strict=True):
                print(row(" @ ".join(pair), group), flush=True)
                turns += group
    for turn in turns:
        if not turn.in_time:
            print(turn)
    shown = [turn for turn in turns if PROGRAMS[turn.program].sets]
    in_time = sum(turn.in_time for turn in shown) / max(len(shown), 1)
    print(f"{row('all', turns)}\n{in_time:.1%} of {len(shown)} in time where the program sets it")
    newer = tuple(map(int, re.findall(r"\d+", version)[:2])) >= (3, 7)
    return int(any(turn.early for turn in turns) or (newer and in_time < SHARE))


if __name__ == "__main__":
    sys.exit(main())
