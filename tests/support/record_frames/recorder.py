"""Plays one scenario in a tmux server of its own and yields its pictures."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .steps import Frame, Keys, Moving, Scenario, See, Step, Text

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tmux-tool-tests"
PROGRAMS = Path(__file__).parent / "programs"
VENV = CACHE / "prompts-venv" / "bin"
NPM = CACHE / "prompts-npm"
BINS = f"{NPM}/node_modules/.bin:{CACHE}/ai-npm/node_modules/.bin:{CACHE}/aider-venv/bin"
WRAPPERS = {
    "ask-node": f'exec node {NPM}/ask.mjs "$@"',
    "with-users": f'exec unshare -m {PROGRAMS}/with-users "$@"',
    "ask-python": f'exec {VENV}/python {PROGRAMS}/ask.py "$@"',
}  # no path of this machine is to be in a picture
HOMES = Path("/tmp/frames")  # it is in pictures, so it is the same each time
STATE = "cursor_x cursor_y cursor_flag alternate_on pane_width pane_height".split()
DEADLINE = 20.0  # seconds that a program may take to show something
STILL = 0.6  # seconds without a change after which a screen stands still
SHELL = "env 'PS1=$ ' bash --norc --noprofile"

Picture = dict[str, Any]


class NotShown(Exception):
    """A text did not come, or a screen did not stand still."""


class Recorder:
    """One throwaway tmux server with one pane; a context manager."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.folder = Path(tempfile.mkdtemp(prefix="fr", dir="/tmp"))
        self.home = HOMES / scenario.name
        self.environment = {
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "PATH": f"{self.home}/bin:{os.environ['PATH']}:/usr/sbin:/sbin:{VENV}:{BINS}",
            "SHELL": "/bin/bash",
            "TERM": "xterm-256color",
            "TMUX_TMPDIR": str(self.folder),
        }

    def __enter__(self) -> Recorder:
        shutil.rmtree(self.home, ignore_errors=True)
        (self.home / "p").mkdir(parents=True)
        (self.home / "bin").mkdir()
        for name in (
            "conffile",
            "claude-on-loopback",
            "codex-on-loopback",
            "gemini-on-loopback",
            "aider-on-loopback",
        ):
            (self.home / "bin" / name).symlink_to(PROGRAMS / name)
        for name, line in WRAPPERS.items():
            (self.home / "bin" / name).write_text(f"#!/bin/sh\n{line}\n")
            (self.home / "bin" / name).chmod(0o755)
        size = ("-x", str(self.scenario.width), "-y", str(self.scenario.height))
        self.tmux("-f", "/dev/null", "new-session", "-d", "-c", str(self.home / "p"), *size, SHELL)
        self.see("$\n")
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["tmux", "kill-server"], env=self.environment, capture_output=True)
        for process in self.processes():
            os.kill(process, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.home, ignore_errors=True)

    def processes(self) -> Iterator[int]:
        """What still runs of this scenario: whoever has its home."""
        home = f"HOME={self.home}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if home in (folder / "environ").read_bytes().split(b"\0"):
                    yield int(folder.name)
            except OSError:
                continue  # it has ended

    def tmux(self, *arguments: str) -> str:
        """What one tmux command prints."""
        command = ["tmux", "-u", *arguments]
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True, timeout=30
        )
        return done.stdout

    def picture(self) -> Picture:
        """The screen now."""
        ask = "|".join(f"#{{{name}}}" for name in STATE)
        out = self.tmux("display-message", "-p", ask, ";", "capture-pane", "-p")
        first, *rows = out.split("\n")
        x, y, visible, alternate, width, height = map(int, first.split("|"))
        while rows and not rows[-1]:
            rows.pop()
        return {
            "width": width,
            "height": height,
            "x": x,
            "y": y,
            "cursor_visible": bool(visible),
            "alternate": bool(alternate),
            "rows": rows,
        }

    def see(self, text: str) -> None:
        """Waits for `text` on the screen, row breaks ignored; raises NotShown."""
        end = time.monotonic() + DEADLINE
        while text not in "\n".join(self.picture()["rows"]) + "\n":
            if time.monotonic() > end:
                rows = "\n".join(self.picture()["rows"])
                raise NotShown(f"{self.scenario.name}: no {text!r} on\n{rows}")
            time.sleep(0.05)

    def still(self) -> Picture:
        """The screen once it has stood still; raises NotShown."""
        end = time.monotonic() + DEADLINE
        before, since = self.picture(), time.monotonic()
        while time.monotonic() - since < STILL:
            if time.monotonic() > end:
                raise NotShown(f"{self.scenario.name}: never stands still")
            time.sleep(0.1)
            now = self.picture()
            if now != before:
                before, since = now, time.monotonic()
        return before

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-l", text)

    def play(self) -> Iterator[tuple[str, Picture]]:
        """Runs the scenario: (file name without ending, picture with the truth)."""
        self.type(self.scenario.command)
        self.tmux("send-keys", "Enter")
        for step in self.scenario.steps:
            yield from self._do(step)

    def _do(self, step: Step) -> Iterator[tuple[str, Picture]]:
        name = self.scenario.name
        match step:
            case See(text):
                self.see(text)
            case Text(text):
                self.type(text)
            case Keys(names):
                self.tmux("send-keys", *names.split())
            case Frame(state, kind, text):
                yield f"{name}.{state}", {"kind": kind, "text": text, **self.still()}
            case Moving(state, count, seconds):
                for number in range(1, count + 1):
                    time.sleep(seconds)
                    yield f"{name}.{state}-{number}", {"kind": None, "text": "", **self.picture()}
