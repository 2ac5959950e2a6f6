"""Whose turn it is behind ssh: what is early, what is only `quiet`, and how late the rest is.

    python3 -m tests.acceptance.remote_turns                     every program, at once and with delays
    python3 -m tests.acceptance.remote_turns --programs bash zsh --through roughbox --rounds 5
    PATH=$(tests/newer_tmux sid):$PATH python3 -m tests.acceptance.remote_turns

A command writes down the moment at which it ends: an answer before that which claims a turn is
early. Prints a line for each program and every turn that is not right; exit status 1 where one was
early, or where, with a tmux that shows bracketed paste, fewer than 95 % of the turns of the
programs that set it came within LATEST seconds and the way there and back.
"""

from __future__ import annotations

import argparse
import itertools
import re
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.support.pythons import PY313
from tests.support.terminal import Answer, Server, Terminal, poll

from .remote import DELAY, JITTER, command, hosts

LATEST = 0.6  # seconds after a command's end, beside the way there and back
SHARE = 0.95
_LIMIT = 12.0  # seconds a turn may take
_LONGEST = 2.5  # seconds that a command lasts at most
_WAYS = {"devbox": 0.0, "farbox": 2 * DELAY, "roughbox": 2 * (DELAY + JITTER)}
_END = "date +%s.%N >end"


@dataclass(frozen=True)
class Program:
    """`start`: its command line, `{rc}` a file with `rc` in it; `prompt`: as it ends; `end`: what
    writes down the moment; `texts`: the commands, `{end}` is `end`; `sets`: it asks for bracketed
    paste."""

    start: str
    prompt: str
    texts: tuple[str, ...]
    end: str = _END
    rc: str = ""
    sets: bool = True


_SHELL = (
    "{end}",
    "echo hi; {end}",
    "sleep 1.3; {end}",
    "printf 'user@host:~$ '; sleep 1.5; echo; {end}",
    "printf 'Downloading 45%% '; sleep 1.2; echo done; {end}",
    "echo 'Building: '; sleep 0.9; echo 'Name: '; sleep 0.9; {end}",
    "echo one; sleep 0.7; echo two; sleep 0.7; {end}",
    "printf 'no end of line'; {end}",
    "clear; {end}",
    "seq 400; {end}",
    "stty -echo; sleep 0.4; stty echo; {end}",
    "true; sleep 0.3; {end}",
)
_JOB = ("sleep 0.5 & {end}",)
_RC = "PS1='user@host:\\w$ '"
_SMKX = "PS1='%n@%m %~ %# '; zle-line-init() { echoti smkx }; zle -N zle-line-init; zle-line-finish() { echoti rmkx }; zle -N zle-line-finish"
_PYTHON = (
    "open('end','w').write(str(__import__('time').time()))",
    "__import__('time').sleep(1.2); open('end','w').write(str(__import__('time').time()))",
    "print('>>> ', end='', flush=True); __import__('time').sleep(1.2);"
    " open('end','w').write(str(__import__('time').time()))",
)
_SQL = (f".shell {_END}", f".shell sleep 1.2; {_END}", f".shell seq 200; {_END}")

PROGRAMS = {
    "bash": Program("bash --noprofile --rcfile {rc}", "$ ", _SHELL + _JOB, rc=_RC),
    "zsh": Program("env ZDOTDIR={folder} zsh -d", "% ", _SHELL, rc="PS1='%n@%m %~ %% '"),
    "zsh, keypad": Program("env ZDOTDIR={folder} zsh -d", "# ", _SHELL, rc=_SMKX),
    "fish": Program("env XDG_CONFIG_HOME={folder} fish", "# ", _SHELL),
    "dash": Program("env ENV={rc} dash", "$ ", _SHELL, rc="PS1='$ '", sets=False),
    "python 3.13": Program(f"{PY313} -q", ">>> ", _PYTHON),
    "sqlite3": Program("sqlite3 :memory:", "sqlite> ", _SQL),
}


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
    start = program.start.format(rc=folder / "rc", folder=folder)
    line = command(binaries, through, folder, start)
    with server.open(line, ready=False, folder=folder, size=(100, 24)) as terminal:
        poll(lambda: program.prompt.strip() in terminal.screen(), what=program.prompt)
        terminal.wait(timeout=5)
        for text in program.texts * rounds:
            turn = _turn(terminal, name, through, text.replace("{end}", program.end))
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", nargs="*", default=list(PROGRAMS))
    parser.add_argument("--through", nargs="*", default=list(_WAYS), choices=list(_WAYS))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=3, help="panes at the same time")
    options = parser.parse_args()
    turns: list[Turn] = []
    with Server() as server, hosts(server.folder / "ssh") as binaries:
        server.open("cat", name="keeper", ready=False)
        version = server.tmux("-V").strip()
        pairs = list(itertools.product(options.programs, options.through))
        with ThreadPoolExecutor(options.jobs) as pool:
            played = pool.map(
                lambda pair: list(play(server, binaries, *pair, options.rounds)), pairs
            )
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
