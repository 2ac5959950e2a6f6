"""One tmux server for many situations. Each gets a room: a session of its own with one shell in it, in which small programs
(this folder's) write down the true moment at which they ended or asked: `$TRUTH`, time.monotonic_ns().
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest

from tests.conftest import Terminal, poll

T = TypeVar("T")
HERE = Path(__file__).parent / "programs"
PROGRAMS = ("stamp", "work", "ask", "player", "stubborn", "engine", "onekey")
SHELLS = {
    "bash": "bash --norc --noprofile",
    "zsh": "zsh -f",
    "fish": "fish --no-config",
    "dash": "dash",
}
PY311 = "/usr/bin/python3.11" if os.path.exists("/usr/bin/python3.11") else sys.executable
PY313 = next(
    (
        path
        for path in [
            shutil.which("python3.13"),
            *Path(sys.base_prefix).parent.glob("3.1[3-9]*/bin/python"),
        ]
        if path and subprocess.run([path, "-V"], capture_output=True).returncode == 0
    ),
    "",
)
AT_ONCE = 16  # situations side by side: mostly they wait
LIMIT = 15  # seconds a wait may take here: far more than anything needs, so that only a real fault reaches it


class Answer(str):
    """An answer of the tool's: its first line is the verdict."""

    @property
    def first(self) -> str:
        return self.partition("\n")[0]

    @property
    def body(self) -> str:
        return self.partition("\n")[2]


def is_verdict(answer: str, word: str, detail: str | None = None) -> None:
    """`answer` begins as the contract's table says; `detail` is what stands behind the colon, exactly."""
    first = answer.partition("\n")[0]
    if word.startswith("ready"):
        assert re.fullmatch(re.escape(word.rstrip(")")) + r"[^)]*\) after \d+\.\d\ds", first), (
            answer
        )
        return
    found = re.fullmatch(re.escape(word) + r" after \d+\.\d\ds: (.*)", first)
    assert found, f"expected {word!r}:\n{answer}"
    assert detail is None or found[1] == detail, f"expected {detail!r}:\n{answer}"


class House:
    """The server, and the programs that its rooms find on their PATH."""

    def __init__(self, terminal: Terminal, home: Path):
        self.terminal, self.home, self.bin = terminal, home, home / "bin"
        self.bin.mkdir()
        for name in PROGRAMS:
            (self.bin / name).write_text(
                f"#!{sys.executable} -SE\n" + (HERE / f"{name}.py").read_text()
            )
            (self.bin / name).chmod(0o755)
        self._numbers = itertools.count()

    def room(self, shell: str = "bash", **more) -> Room:
        return Room(self, shell, f"room{next(self._numbers)}", **more)


class Room:
    """A person's session with one shell, and the agent's calls to it. Closed at the end of `with`."""

    def __init__(
        self,
        house: House,
        shell: str,
        name: str,
        size: tuple[int, int] = (120, 30),
        start: str | None = None,
        environment: dict[str, str] | None = None,
        ready: bool = True,
        options: Iterable[tuple[str, str]] = (),
    ):
        self.house, self.shell, self.name = house, shell, name
        self.tmux = house.terminal.tmux
        self.folder = house.home / name
        self.folder.mkdir()
        self.truth = self.folder / "truth"
        given = {"TRUTH": str(self.truth), **(environment or {})}
        for option, value in options:
            self.tmux("set-option", "-g", option, value)
        self.tmux(
            "new-session",
            "-d",
            "-s",
            name,
            "-x",
            str(size[0]),
            "-y",
            str(size[1]),
            "-c",
            str(self.folder),
            *(word for key, value in given.items() for word in ("-e", f"{key}={value}")),
            start or SHELLS[shell],
        )
        if ready:
            answer = self.call("wait_ready", timeout=LIMIT)
            assert answer.startswith("ready"), answer

    def __enter__(self) -> Room:
        return self

    def __exit__(self, *_) -> None:
        self.tmux("kill-session", "-t", f"={self.name}", check=False)

    def call(self, action: str, **arguments) -> Answer:
        return Answer(self.house.terminal.call(action, pane=self.name, **arguments))

    def send(self, text: str, **more) -> Answer:
        self.truth.unlink(missing_ok=True)
        answer = self.call("send", text=text, **more)
        assert answer.startswith("sent"), answer
        return answer

    def wait(self, **more) -> Answer:
        return self.call("wait_ready", **{"timeout": LIMIT, **more})

    def ask(self, text: str, **more) -> Answer:
        """Send, wait: what an agent does for one command."""
        self.send(text)
        return self.wait(**more)

    def run(self, text: str, **more) -> Answer:
        self.truth.unlink(missing_ok=True)
        return self.call("run", text=text, **{"timeout": LIMIT, **more})

    def not_early(self, answer: str) -> None:
        """The answer that just came was not given before the program wrote down the truth."""
        now = time.monotonic_ns()
        assert self.truth.exists(), (
            f"answered before the truth:\n{answer}\n--- on the screen:\n{self.screen()}"
        )
        assert int(self.truth.read_text()) <= now

    def ends(self, text: str, word: str = "ready", detail: str | None = None, **more) -> Answer:
        """`text` writes the truth: the verdict is the right one and did not come before it."""
        answer = self.ask(text, **more)
        self.not_early(answer)
        is_verdict(answer, word, detail)
        return answer

    def person(self, text: str, *keys: str) -> None:
        self.house.terminal.person(text, *keys, pane=f"{self.name}:")

    def screen(self) -> str:
        return self.house.terminal.screen(f"{self.name}:")

    def see(self, text: str) -> None:
        self.house.terminal.see(text, f"{self.name}:")

    def fact(self, name: str) -> str:
        return self.house.terminal.fact(name, f"{self.name}:")

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path


def side_by_side(names: Iterable[str], task: Callable[[str], object]) -> None:
    """`task(name)` for all names at once: what waits can wait together. Fails with every name's own failure."""
    names = list(names)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        done = {name: pool.submit(task, name) for name in names}
    failures = {name: one.exception() for name, one in done.items() if one.exception()}
    if failures:
        text = "\n".join(
            f"== {name}: {type(problem).__name__}: {problem}" for name, problem in failures.items()
        )
        raise AssertionError(f"{len(failures)} of {len(names)} failed\n{text}") from next(
            iter(failures.values())
        )


def in_shells(
    house: House, task: Callable[[Room], object], shells: Iterable[str] = SHELLS, **more
) -> None:
    """`task(room)` in each of the shells, side by side."""

    def one(shell: str) -> None:
        with house.room(shell, **more) as room:
            task(room)

    side_by_side(shells, one)


def everywhere(
    house: House,
    task: Callable[[Room, T], object],
    cases: Iterable[T],
    shells: Iterable[str] = SHELLS,
    each: int = 1,
) -> None:
    """`task(room, case)` for every case in every shell, side by side; a room takes `each` cases one after the other."""
    cases = list(cases)

    def one(name: str) -> None:
        shell, begin = name.rsplit(" ", 1)
        with house.room(shell) as room:
            for case in cases[int(begin) : int(begin) + each]:
                try:
                    task(room, case)
                except AssertionError as problem:
                    raise AssertionError(f"{case!r}: {problem}") from None

    side_by_side(
        [f"{shell} {begin}" for begin in range(0, len(cases), each) for shell in shells], one
    )


def beside_each_other(
    house: House, task: Callable[[Room, T], object], cases: Mapping[str, T], shell: str = "bash"
) -> None:
    """`task(room, cases[name])` for every name, side by side, each in a room of its own. A name may begin with its shell."""

    def one(name: str) -> None:
        with house.room(name.split()[0] if name.split()[0] in SHELLS else shell) as room:
            task(room, cases[name])

    side_by_side(cases, one)


def installed(commands: Mapping[str, str]) -> list[str]:
    """The names whose command can be started here; of the others a warning is left."""
    there = [
        name for name, command in commands.items() if command and shutil.which(command.split()[0])
    ]
    if missing := [name for name in commands if name not in there]:
        warnings.warn(f"not installed, so not tried: {', '.join(missing)}", stacklevel=2)
    return there


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A tmux server of this module's own, in a home without anybody's settings."""
    folder = (
        Path(os.environ.get("TMPDIR", "/tmp")) / f"th-{os.getpid()}-{time.monotonic_ns() % 10**9}"
    )
    folder.mkdir(mode=0o700)
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("TMUX", "TMUX_PANE", "PAGER", "LESS", "EDITOR", "PS1", "PROMPT_COMMAND"):
            patch.delenv(name, raising=False)
        for name, value in {
            "TMUX_TMPDIR": str(folder),
            "HOME": str(home),
            "SHELL": "/bin/bash",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "IPYTHONDIR": str(home / "ipython"),
        }.items():
            patch.setenv(name, value)
        terminal = Terminal(folder)
        terminal.start("cat", session="keeper")
        yield House(terminal, home)
        subprocess.run(["tmux", "kill-server"], capture_output=True, timeout=30)
        shutil.rmtree(folder, ignore_errors=True)


__all__ = [
    "LIMIT",
    "SHELLS",
    "Answer",
    "House",
    "Room",
    "beside_each_other",
    "everywhere",
    "house",
    "in_shells",
    "installed",
    "is_verdict",
    "poll",
    "side_by_side",
]
