"""One tmux server for many situations. Each gets a room: a session of its own with one shell in it,
in which small programs (this folder's) write down the true moment at which they ended or asked:
`$TRUTH`, time.monotonic_ns().

`in_rooms` makes a pytest item of every situation, so `-k` selects one; those that are selected run
side by side, since mostly they wait.
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Terminal, poll
from tests.support.denied import VARIABLE, YAMA

HERE = Path(__file__).parent / "programs"
PROGRAMS = ("stamp", "work", "ask", "player", "stubborn", "engine", "onekey", "cursor_asked", "ssh")
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
LIMIT = 15  # seconds a wait may take here: far more than anything needs, so only a fault reaches it
MEMORY_IS_CLOSED = os.environ.get(VARIABLE) == YAMA  # no shell tells its line or its exit status
STATUS_0 = "" if MEMORY_IS_CLOSED else ", exit status 0"
NOTHING, NO_OUTPUT = "(nothing new)", "(no output)"


class Answer(str):
    """An answer of the tool's."""

    @property
    def first(self) -> str:
        """Its verdict."""
        return self.partition("\n")[0]

    @property
    def notes(self) -> list[str]:
        """The lines behind it that begin with `note: `."""
        rows = self.split("\n")[1:]
        return list(itertools.takewhile(lambda row: row.startswith("note: "), rows))

    @property
    def body(self) -> str:
        """The rest."""
        return "\n".join(self.split("\n")[1 + len(self.notes) :])


def is_verdict(
    answer: str, word: str, detail: str | None = None, status: int | str | None = None
) -> None:
    """The first line of `answer` is as the contract's table says.

    `word` may name the evidence, `ready (shell)`. `detail`: what is behind the colon, exactly.
    `status`: the exit status that is told; "": none may be told; None: it does not matter. Where
    the shell's memory is closed none is told.
    """
    if MEMORY_IS_CLOSED and status is not None:
        status = ""
    first = answer.partition("\n")[0]
    if word.startswith("ready"):
        match = re.fullmatch(
            re.escape(word) + r" after \d+\.\d\ds(?:, exit status (\d+))?(?:: .*)?", first
        )
        assert match, f"expected {word!r}:\n{answer}"
        assert status is None or (match[1] or "") == str(status), f"expected {status}:\n{answer}"
        return
    words = re.escape(word)
    if MEMORY_IS_CLOSED and word == "needs input":
        words = "(?:needs input|quiet)"  # who waits cannot be proven: the question, quoted, is true
    match = re.fullmatch(words + r" after \d+\.\d\ds: (.*)", first)
    assert match, f"expected {word!r}:\n{answer}"
    assert detail is None or match[1] == detail, f"expected {detail!r}:\n{answer}"


def trimmed(text: str) -> str:
    """`text` without the blanks at the ends of its lines and blank lines at its end."""
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


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
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._begun: dict[str, dict[str, Future]] = {}

    def close(self) -> None:
        """Waits for the situations that still run."""
        self._pool.shutdown(cancel_futures=True)

    def result(self, bundle: Bundle, name: str, chosen: list[str]) -> None:
        """What became of the situation `name`; the first call starts all the chosen ones. Asked for
        once more, it is played once more."""
        if bundle.name not in self._begun:
            self._begin(bundle, chosen)
        if name not in self._begun[bundle.name]:
            self._begin(bundle, [name])
        self._begun[bundle.name].pop(name).result()

    def _begin(self, bundle: Bundle, names: list[str]) -> None:
        futures: dict[str, Future] = {one: Future() for one in names}
        self._begun.setdefault(bundle.name, {}).update(futures)
        for group in bundle.groups(names):
            self._pool.submit(bundle.play, self, group, futures)

    def room(self, shell: str = "bash", **more) -> Room:
        return Room(self, shell, f"room{next(self._numbers)}", **more)


class Room:
    """A person's session with one shell, and the agent's calls to it; `with` closes it."""

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
        values = {"TRUTH": str(self.truth), **(environment or {})}
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
            *(word for key, value in values.items() for word in ("-e", f"{key}={value}")),
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
        return Answer(self.house.terminal.call(action, **{"pane": self.name, **arguments}))

    def send(self, text: str, **more) -> Answer:
        """Type it and do not wait: the receipt."""
        self.truth.unlink(missing_ok=True)
        answer = self.call("send", text=text, **{"timeout": 0, **more})
        assert answer.startswith("sent"), answer
        return answer

    def ask(self, text: str, **more) -> Answer:
        """Type it and wait: the verdict."""
        self.truth.unlink(missing_ok=True)
        return self.call("send", text=text, **{"timeout": LIMIT, **more})

    def keys(self, keys: str | list[str], **more) -> Answer:
        """Press them and wait: the verdict."""
        return self.call("keys", keys=keys, **{"timeout": LIMIT, **more})

    def wait(self, **more) -> Answer:
        return self.call("wait_ready", **{"timeout": LIMIT, **more})

    def run(self, text: str, **more) -> Answer:
        self.truth.unlink(missing_ok=True)
        return self.call("run", text=text, **{"timeout": LIMIT, **more})

    def interrupt(self) -> Answer:
        return self.call("interrupt")

    def not_early(self, answer: str) -> None:
        """The answer that just came was not given before the program wrote down the truth."""
        now = time.monotonic_ns()
        assert self.truth.exists(), (
            f"answered before the truth:\n{answer}\n--- on the screen:\n{self.screen()}"
        )
        assert int(self.truth.read_text()) <= now

    def ends(self, text: str, word: str, detail: str | None = None, **more) -> Answer:
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

    def in_front(self, program: str) -> None:
        poll(lambda: self.fact("pane_current_command") == program, what=program)

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path


# Situations as pytest items that run side by side


@dataclass(frozen=True)
class Situation:
    """One item: `task(room, *case)` in a room with this shell."""

    shell: str
    case: tuple[Any, ...]


@dataclass
class Bundle:
    """The situations of one test function."""

    name: str
    task: Callable[..., object]
    situations: dict[str, Situation]
    each: int  # situations that one room takes, one after the other
    options: dict[str, Any]  # of the rooms

    def groups(self, chosen: list[str]) -> Iterator[list[str]]:
        """The names that share a room."""
        for _, names in itertools.groupby(
            sorted(chosen, key=lambda name: self.situations[name].shell),
            key=lambda name: self.situations[name].shell,
        ):
            same = list(names)
            for begin in range(0, len(same), self.each):
                yield same[begin : begin + self.each]

    def play(self, house: House, names: list[str], futures: dict[str, Future]) -> None:
        """After a failure the others of the group get a new room."""
        while names:
            names = self._in_one_room(house, names, futures)

    def _in_one_room(self, house: House, names: list[str], futures: dict[str, Future]) -> list[str]:
        at = 0
        try:
            with house.room(self.situations[names[0]].shell, **self.options) as room:
                for at, name in enumerate(names):  # noqa: B007
                    self.task(room, *self.situations[name].case)
                    futures[name].set_result(None)
        except BaseException as problem:
            if not futures[names[at]].done():
                futures[names[at]].set_exception(problem)
            return names[at + 1 :]
        return []


def in_rooms(
    cases: Mapping[str, Any] | Iterable[Any] = (),
    shells: Iterable[str] = SHELLS,
    each: int = 1,
    **options,
) -> Callable[[Callable[..., object]], Callable[..., None]]:
    """A test `task(room, case)`, or `task(room)` without cases: a pytest item for every shell and
    case, `-k "zsh and some_case"`.

    Of a mapping, `task` gets the values, and each name that begins with a shell's is for that shell
    only. `each`: how many cases one room takes, one after the other. `options`: the rooms'.
    """

    def decorate(task: Callable[..., object]) -> Callable[..., None]:
        bundle = Bundle(task.__name__, task, _situations(cases, list(shells)), each, options)

        @pytest.mark.parametrize("situation", list(bundle.situations), ids=_as_id)
        def test(house: House, request: pytest.FixtureRequest, situation: str) -> None:
            mine = (
                item
                for item in request.session.items
                if getattr(item, "originalname", "") == bundle.name
                and item.path == request.node.path
            )
            chosen = [item.callspec.params["situation"] for item in mine]  # type: ignore[attr-defined]
            house.result(bundle, situation, chosen)

        test.__name__ = test.__qualname__ = task.__name__
        test.__doc__ = task.__doc__
        return test

    return decorate


def _situations(cases, shells: list[str]) -> dict[str, Situation]:
    if not isinstance(cases, Mapping):
        cases = {str(case): case for case in cases}
    if not cases:
        return {shell: Situation(shell, ()) for shell in shells}
    situations = {}
    for name, case in cases.items():
        own = name.split()[0] if name.split() else ""
        if own in SHELLS:
            situations[name] = Situation(own, (case,))
        else:
            situations |= {f"{shell}: {name}": Situation(shell, (case,)) for shell in shells}
    return situations


def _as_id(name: str) -> str:
    """A name that `-k` can be asked for: words, without its signs for `and`, brackets, quotes."""
    return re.sub(r"[^\w.,:$#%>?!+-]+", " ", name).strip()


def alone(task: Callable[..., object]) -> Callable[..., None]:
    """A test `task(room)` with one bash."""
    return in_rooms(shells=["bash"])(task)


def installed(commands: Mapping[str, str]) -> dict[str, str]:
    """Those whose command can be started here; of the others a warning is left."""
    there = {
        name: command
        for name, command in commands.items()
        if command and shutil.which(command.split()[0])
    }
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
        rooms = House(terminal, home)
        yield rooms
        rooms.close()
        subprocess.run(["tmux", "kill-server"], capture_output=True, timeout=30)
        shutil.rmtree(folder, ignore_errors=True)


__all__ = [
    "LIMIT",
    "MEMORY_IS_CLOSED",
    "NOTHING",
    "NO_OUTPUT",
    "SHELLS",
    "STATUS_0",
    "Answer",
    "House",
    "Room",
    "alone",
    "house",
    "in_rooms",
    "installed",
    "is_verdict",
    "poll",
    "trimmed",
]
