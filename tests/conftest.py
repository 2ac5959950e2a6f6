"""A throwaway tmux server for every test that asks for one, driven as an agent drives it.

`TMUX_TOOL_TEST_WORLD=yama` is a mode of the whole suite, see support/denied.py.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # what tests start or install leaves no file of its own
sys.dont_write_bytecode = False  # the tests themselves are compiled once, not for every worker

from python.helpers.tmux.actions import Call  # noqa: E402
from tests.support import denied  # noqa: E402

denied.enter()
DEADLINE = 20.0  # seconds a test polls for what must come; this machine is slow and shared


def poll(condition, deadline: float = DEADLINE, what: str = ""):
    """The first truthy value of `condition()`; fails after `deadline` seconds."""
    end = time.monotonic() + deadline
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"not within {deadline:g}s: {what or condition}"
        time.sleep(0.01)


class Terminal:
    """The agent's side (`call`), the person's side (`person`, `screen`) of one tmux server."""

    def __init__(self, folder: Path):
        self.folder = folder

    def tmux(self, *arguments: str, check: bool = True, **more) -> str:
        done = subprocess.run(
            ["tmux", "-u", *arguments], capture_output=True, text=True, timeout=30, **more
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout

    def start(
        self,
        command: str = "bash --norc --noprofile",
        session: str = "shared",
        size: tuple[int, int] = (120, 30),
        options: str = "",
    ) -> None:
        """A session that a person has made, with a plain shell."""
        if options:
            (self.folder / "tmux.conf").write_text(options)
        config = ["-f", str(self.folder / "tmux.conf")] if options else ["-f", "/dev/null"]
        self.tmux(
            *config,
            "new-session",
            "-d",
            "-s",
            session,
            "-x",
            str(size[0]),
            "-y",
            str(size[1]),
            command,
        )

    def call(self, action: str, **arguments) -> str:
        """One call of the agent's: the JSON it would write, the answer it gets."""
        return Call().perform(json.loads(json.dumps({"action": action, **arguments})))

    def ready(self) -> None:
        """The shell shows its prompt."""
        poll(lambda: self.call("wait_ready", timeout=5).startswith("ready"), what="a prompt")

    def person(self, text: str, *keys: str, pane: str = "shared:") -> None:
        """The person types."""
        if text:
            self.tmux("send-keys", "-t", f"={pane}", "-l", text)
        if keys:
            self.tmux("send-keys", "-t", f"={pane}", *keys)

    def screen(self, pane: str = "shared:") -> str:
        """What the person sees."""
        return self.tmux("capture-pane", "-p", "-t", f"={pane}")

    def see(self, text: str, pane: str = "shared:") -> None:
        poll(lambda: text in self.screen(pane), what=f"{text!r} on the screen")

    def fact(self, name: str, pane: str = "shared:") -> str:
        return self.tmux("display-message", "-p", "-t", f"={pane}", f"#{{{name}}}").strip()

    def buffers(self) -> str:
        return self.tmux("list-buffers", check=False)


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A tmux of one's own with no server yet, and a home without anybody's settings."""
    folder = (
        Path(os.environ.get("TMPDIR", "/tmp")) / f"tt-{os.getpid()}-{tmp_path.name[-20:]}"
    )  # a socket's path is short
    folder.mkdir(mode=0o700)
    home = tmp_path / "home"
    home.mkdir()
    for name in ("TMUX", "TMUX_PANE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TMUX_TMPDIR", str(folder))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("LANG", "C.UTF-8")
    terminal = Terminal(folder)
    yield terminal
    subprocess.run(["tmux", "kill-server"], capture_output=True, timeout=30)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def fill_up():
    """Call it with an empty folder: that is then a full disk, on which `filler` lies."""
    mounted = []

    def fill(folder: Path) -> None:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=16k", "none", str(folder)],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            pytest.skip(f"nothing may be mounted here: {done.stderr.strip()}")
        mounted.append(folder)
        with pytest.raises(OSError), open(folder / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))

    yield fill
    for folder in mounted:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def terminal(bare):
    """The shared session with a plain bash at its prompt."""
    bare.start()
    bare.ready()
    return bare


def _is_heavy(name: str) -> bool:
    """Starts OpenCode: 8 s of CPU each time."""
    return name.startswith("tests/opencode/")


TURNS = re.compile(r"test_opencode_turns\.py")
LONG = re.compile(r"test_(core|install|together)\.py")  # few items, 20 CPU seconds and more


class OneAtATime(LoadScopeScheduling):
    """A worker takes a module or class at a time; two take all that start OpenCode: one has the
    modules about turns, which take as long as the others together."""

    def _split_scope(self, nodeid: str) -> str:
        if not _is_heavy(nodeid):
            return super()._split_scope(nodeid)
        return "opencode's turns" if TURNS.search(nodeid) else "opencode's life"


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling:
    return OneAtATime(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first: OpenCode, then the largest modules."""
    sys.dont_write_bytecode = True
    size = Counter(item.path for item in items)

    def place(item: pytest.Item) -> tuple:
        long = LONG.search(item.nodeid)
        return (not _is_heavy(item.nodeid), not long, -size[item.path], str(item.path))

    items.sort(key=place)
