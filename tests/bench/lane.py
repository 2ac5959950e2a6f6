"""One tmux server of our own, with a home of its own, and panes in it for one tool after another."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
from pathlib import Path

from tests.support.terminal import SHELLS, Server, Terminal, poll

from .scenarios import FANCY, PROMPTS, Scenario

PROGRAMS = Path(__file__).with_name("programs")
SIZE = (120, 30)


class Lane(Server):
    """The server, and in `environment` what tools and shells inherit; this process does not."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts, runtime = self.folder / "scripts", self.folder / "runtime"
        for folder in (self.scripts, runtime):
            folder.mkdir(mode=0o700)
        self.install("play", of=PROGRAMS)
        self.variables |= {
            "SHELL": "/bin/sh",
            "HISTFILE": "",  # bash would write it while the folder is being removed
            "SCRIPTS": str(self.scripts),
            "XDG_RUNTIME_DIR": str(runtime),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",
        }
        merged = {**os.environ, **self.variables}
        self.environment = {name: value for name, value in merged.items() if value is not None}
        self.numbers = itertools.count()

    def __enter__(self) -> Lane:
        self.open("cat", name="keeper", ready=False)
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def store(self, scenario: Scenario) -> None:
        (self.scripts / scenario.name).write_text(json.dumps(scenario.steps))


class Room(Terminal):
    """A session with one shell, from `begin` on."""

    def __init__(self, lane: Lane, shell: str, scenario: Scenario | None = None):
        super().__init__(lane, f"room{next(lane.numbers)}", shell)
        self.folder.mkdir()
        self.scenario = scenario
        self.own = FANCY if scenario and scenario.prompt == FANCY else PROMPTS[shell]
        self.prompt = scenario.prompt if scenario and scenario.prompt else self.own
        self.environment = {
            "TRUTH": str(self.truth), "PYTHONSTARTUP": str(PROGRAMS / "repl_start.py"),
            "PS1": self.own.replace("%", "%%") if shell == "zsh" else self.own,
        }
        fish = f"function fish_prompt; printf {self.own!r}; end"
        self.argv = SHELLS[shell].split() + (["-C", fish] if shell == "fish" else [])

    def begin(self) -> None:
        self.start(f"exec {shlex.join(self.argv)}", size=SIZE, environment=self.environment)
        self.pane = self.fact("pane_id")
        self.shows(self.own)

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-t", self.pane, "-l", "--", text)
        self.tmux("send-keys", "-t", self.pane, "Enter")

    def shows(self, prompt: str) -> None:
        last = prompt.rstrip().rpartition("\n")[2]
        poll(lambda: self.screen().rstrip().rpartition("\n")[2] == last, what=f"{last!r}")

    @property
    def place(self) -> dict:
        """What an adapter is given."""
        last = self.prompt.rstrip().rpartition("\n")[2]
        return {
            "pane": self.pane, "session": self.name, "prompt_pattern": re.escape(last) + r"\s*$",
            "question": self.scenario.question if self.scenario else "",
        }

    def noted(self, limit: float) -> int | None:
        """The moment that the program noted, waited for at most `limit` seconds."""
        try:
            poll(lambda: self.truth.exists() and self.truth.read_text().endswith("\n"), limit)
        except AssertionError:
            return None
        return int(self.truth.read_text())
