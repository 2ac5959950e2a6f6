"""One tmux server of our own, with a home of its own, and panes in it for one tool after the
other."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.fish import has_read_manuals

from .scenarios import FANCY, PROMPTS, Scenario

PROGRAMS = Path(__file__).with_name("programs")
SIZE = (120, 30)
START = 20.0  # seconds a shell may take to show its first prompt


class Lane:
    """The server, the folder with everything it needs, and the environment in which tools and
    shells live."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tb-"))  # short: a socket's path has a limit
        for name in ("home", "bin", "scripts", "runtime"):
            (self.folder / name).mkdir(mode=0o700)
        has_read_manuals(self.folder / "home/.local/share")
        play = self.folder / "bin" / "play"
        play.write_text(f"#!{sys.executable} -SE\n" + (PROGRAMS / "play.py").read_text())
        play.chmod(0o755)
        keep = {
            name: os.environ[name]
            for name in ("PATH", "XDG_CACHE_HOME", "TMPDIR")
            if name in os.environ
        }
        self.environment = {
            **keep,
            "HOME": str(self.folder / "home"),
            "TMUX_TMPDIR": str(self.folder),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "SHELL": "/bin/sh",
            "HISTFILE": "",  # bash would write it while the folder is being removed
            "SCRIPTS": str(self.folder / "scripts"),
            "XDG_RUNTIME_DIR": str(self.folder / "runtime"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",
        }
        self.environment["PATH"] = f"{self.folder / 'bin'}:{self.environment['PATH']}"
        self._numbers = itertools.count()
        keeper = "new-session -d -s keeper -x 20 -y 5".split()
        self.tmux("-f", "/dev/null", *keeper, "sleep 1000000")
        self.server = int(self.tmux("display-message", "-p", "-t", "=keeper:", "#{pid}"))

    def __enter__(self) -> Lane:
        return self

    def __exit__(self, *_) -> None:
        subprocess.run(
            ["tmux", "kill-server"], env=self.environment, capture_output=True, timeout=30
        )
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def here(self) -> Iterator[None]:
        """This process, and those it starts, live in the lane too."""
        before = dict(os.environ)
        os.environ.update(self.environment)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)

    def tmux(self, *words: str) -> str:
        return subprocess.run(
            ["tmux", "-u", *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        ).stdout

    def script(self, scenario: Scenario) -> None:
        (self.folder / "scripts" / scenario.name).write_text(json.dumps(scenario.steps))


class Room:
    """A session with one shell (or another program), as a person left it; closed at the end of
    `with`."""

    def __init__(
        self,
        lane: Lane,
        shell: str,
        scenario: Scenario | None = None,
        argv: list[str] | None = None,
    ):
        self.lane, self.shell = lane, shell
        self.name = f"room{next(lane._numbers)}"
        self.folder = lane.folder / self.name
        self.folder.mkdir()
        self.truth_file = self.folder / "truth"
        self.scenario = scenario
        own = FANCY if scenario and scenario.prompt == FANCY else PROMPTS.get(shell, "")
        self.prompt = scenario.prompt if scenario and scenario.prompt else own
        self.environment = {
            "TRUTH": str(self.truth_file),
            "PYTHONSTARTUP": str(PROGRAMS / "repl_start.py"),
            "PS1": own.replace("%", "%%") if shell == "zsh" else own,
        }
        fish = f"function fish_prompt; printf {own!r}; end"
        self.argv = argv or {
            "bash": ["bash", "--norc", "--noprofile"],
            "zsh": ["zsh", "-f"],
            "dash": ["dash"],
            "fish": ["fish", "--no-config", "-C", fish],
        }.get(shell, [])
        self.first_prompt = own
        self.pane = ""

    def __enter__(self) -> Room:
        return self

    def start(self) -> Room:
        """In tmux; tools with a terminal of their own do without."""
        variables = [word for pair in self.environment.items() for word in ("-e", "=".join(pair))]
        size = ("-x", str(SIZE[0]), "-y", str(SIZE[1]))
        where = ("-s", self.name, "-c", str(self.folder))
        made = ("new-session", "-d", "-P", "-F", "#{pane_id}", *size, *where)
        self.pane = self.lane.tmux(*made, *variables, *self.argv).strip()
        if self.first_prompt:
            self.see(self.first_prompt)
        return self

    def __exit__(self, *_) -> None:
        if self.pane:
            subprocess.run(
                ["tmux", "kill-session", "-t", f"={self.name}"],
                env=self.lane.environment,
                capture_output=True,
                timeout=30,
            )

    def type(self, text: str) -> None:
        """The bench itself types."""
        self.lane.tmux("send-keys", "-t", self.pane, "-l", "--", text)
        self.lane.tmux("send-keys", "-t", self.pane, "Enter")

    def see(self, prompt: str) -> None:
        """Wait until the last line of the screen is `prompt`."""
        end, last = time.monotonic() + START, prompt.rstrip().rpartition("\n")[2]
        while (shown := self._last_line()) != last:
            if time.monotonic() > end:
                raise RuntimeError(f"{self.shell} does not show {last!r} but {shown!r}")
            time.sleep(0.02)

    def _last_line(self) -> str:
        screen = self.lane.tmux("capture-pane", "-p", "-t", self.pane)
        return screen.rstrip().rpartition("\n")[2]

    @property
    def place(self) -> dict:
        """What an adapter is told."""
        last = self.prompt.rstrip().rpartition("\n")[2]
        return {
            "pane": self.pane,
            "session": self.name,
            "prompt": self.prompt,
            "shell": self.shell,
            "argv": self.argv,
            "prompt_pattern": re.escape(last) + r"\s*$",
            "question": self.scenario.question if self.scenario else "",
            "environment": self.environment,
            "folder": str(self.folder),
        }

    def truth(self, limit: float) -> int | None:
        """The moment that the program noted, waited for at most `limit` seconds."""
        end = time.monotonic() + limit
        while True:
            try:
                noted = self.truth_file.read_text()
                if noted.endswith("\n"):
                    return int(noted)
            except FileNotFoundError:
                pass
            if time.monotonic() > end:
                return None
            time.sleep(0.01)

    def forget(self) -> None:
        self.truth_file.unlink(missing_ok=True)
