"""The one harness for tests about a terminal: a throwaway tmux server and panes in it.

    with Server() as server, server.open("bash", size=(60, 20)) as terminal:
        answer = terminal.run("echo hi")            # the agent's side: Call().answer(tool_args).text
        terminal.person("echo hello", "Enter")    # the person's side: a client on a pty

`Server()` replaces this process's environment, in which a call finds its server. The fixtures
`terminal`, `room` and `bare` give each test one of its own.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from python.helpers.tmux.actions import Call
from tests.support import surroundings
from tests.support.answer import Answer, is_verdict
from tests.support.late import Late
from tests.support.person import Person
from tests.support.run import run

DEADLINE = 20.0  # seconds a test polls for what must come; this machine is slow and shared
SIGN = "$" if os.geteuid() else "#"  # at the end of bash's prompt
LIMIT = 15  # seconds a wait may take here: far more than anything needs, so only a fault reaches it
SHELLS = {"bash": "bash --norc --noprofile", "zsh": "zsh -f", "fish": "fish --no-config", "dash": "dash"}
PROGRAMS = ("stamp", "work", "gate", "ask", "onekey", "liar")
MISSING = tuple(os.environ.get("TMUX_TOOL_TEST_MISSING", "").split())  # by tests/run
_STANDS_IN = """#!/bin/sh
echo {0} >> "${{TRUTH%/*}}/missing"
echo "{0}: not installed" >&2
exit 127
"""  # for a program that is missing: a test that starts it is skipped
CONFIG = """set -s escape-time 20
set -g status off
set -g assume-paste-time 0
"""  # a person's keys are keys, however quickly a test presses them
_HERE = Path(__file__).parent / "programs"


def poll(condition: Callable[[], Any], deadline: float = DEADLINE, what: str | Callable[[], str] = "") -> Any:
    """The first truthy value of `condition()`; Late after `deadline` seconds, with `what` there is by then."""
    end, pause = time.monotonic() + deadline, 0.02
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= end:
            raise Late(f"not within {deadline:g}s: {what() if callable(what) else what or condition}")
        time.sleep(pause)
        pause = min(pause * 1.4, 0.2)  # most conditions start a tmux


class Server:
    """A tmux server of our own with a home of its own, in `folder` (a new one where none is given).

    `with` takes this process's environment along until its end. `variables` is what has to be set
    there (None: absent), for who does that by other means; `environment`: what tmux itself is
    started with, this process's where it is None; `words`: those before a tmux command.
    """
    environment: Mapping[str, str] | None = None
    words: Sequence[str] = ("tmux", "-u")
    python = sys.executable

    def __init__(self, folder: Path | None = None, environment: Mapping[str, str] | None = None) -> None:
        self.socket = Path(tempfile.mkdtemp(prefix="s-", dir=surroundings.temporary()))
        self.folder = folder or self.socket
        self.home, self.bin = self.folder / "home", self.folder / "home/bin"
        self.bin.mkdir(parents=True, exist_ok=True)
        for name in MISSING:
            self.script(name, _STANDS_IN.format(name))
        surroundings.has_read_manuals(self.home / ".local/share")
        self._numbers = itertools.count()
        self._before: dict[str, str] = {}
        self.variables: dict[str, str | None] = {
            **surroundings.PLAIN, "XDG_CACHE_HOME": None, "TMUX_TMPDIR": str(self.socket), "HOME": str(self.home),
            "PATH": f"{self.bin}:{os.environ['PATH']}", "GIT_CONFIG_GLOBAL": "/dev/null",
            "IPYTHONDIR": str(self.home / "ipython"), **(environment or {})}

    def __enter__(self) -> Server:
        self._before = dict(os.environ)
        for name, value in self.variables.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        os.environ.clear()
        os.environ.update(self._before)

    def end(self) -> None:
        run("tmux", "kill-server", env={**(self.environment or os.environ), "TMUX_TMPDIR": str(self.socket)})
        shutil.rmtree(self.socket, ignore_errors=True)

    def install(self, *names: str, of: Path = _HERE) -> None:
        """Put programs of tests/support/programs, or of another folder, on the PATH of its panes."""
        python = self.socket / "python"  # this one's own path may be long, and have a space
        if not python.is_symlink():
            python.symlink_to(self.python)
        for name in names or PROGRAMS:
            self.script(name, f"#!{python} -SE\n" + (of / f"{name}.py").read_text())

    def script(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def tmux(self, *words: str, check: bool = True) -> str:
        done = run(*self.words, *words, env=self.environment)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout

    def open(self, shell: str = "bash", name: str = "", ready: bool = True, **more: Any) -> Terminal:
        """A session with one shell, or another program's command line; see `Terminal.start`."""
        terminal = Terminal(self, name or f"room{next(self._numbers)}", shell)
        terminal.pane = terminal.name
        terminal.start(**more)
        if ready:
            terminal.ready()
        return terminal


class Terminal:
    """A session of the server's: the agent's calls to it, the person at it, its screen."""
    def __init__(self, server: Server, name: str = "shared", shell: str = "bash"):
        self.server, self.name, self.shell = server, name, shell
        self.pane = ""  # what calls name where they name none; "" is the tool's default pane
        self.tmux = server.tmux
        self.folder = server.folder / name
        self.truth = self.folder / "truth"  # programs write the moment of the turn into it
        self.perform: Callable[[dict], str] = lambda arguments: Call().answer(arguments).text
        self._people: list[Person] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(
        self, command: str = "", session: str = "", size: tuple[int, int] = (120, 30), history: int = 2000,
        options: str = "", environment: Mapping[str, str] | None = None, folder: Path | None = None) -> None:
        """Make the session, as a person has left it.

        command: instead of the shell's; size: columns and rows; history: its limit in rows;
        options: a tmux.conf, where this session is the server's first; folder: where its program starts.
        """
        self.name = session or self.name
        self.folder = folder or self.folder
        self.folder.mkdir(exist_ok=True)
        config = self.server.socket / "tmux.conf"
        config.write_text(CONFIG + options)
        values = {"TRUTH": str(self.truth), **(environment or {})}
        words = [word for pair in values.items() for word in ("-e", "=".join(pair))]
        made = ["new-session", "-d", "-s", self.name, "-x", str(size[0]), "-y", str(size[1])]
        start = [*made, "-c", str(self.folder), *words]
        start.append(command or SHELLS.get(self.shell, self.shell))
        # One command list: another session that is opened now does not get this limit, and this one keeps it (tmux
        # 3.8). And while a person is attached anywhere, a new window takes the size of their terminal.
        set_both = "set-option -g history-limit {} ; set-option -g window-size {}".format
        before, after = set_both(history, "largest").split(), set_both(2000, "latest").split()
        own = ["set-option", "-t", f"={self.name}:", "history-limit", str(history)]
        self.tmux("-f", str(config), *before, ";", *start, ";", *own, ";", *after)

    def close(self) -> None:
        self.leave()
        self.tmux("kill-session", "-t", f"={self.name}", check=False)

    def leave(self) -> None:
        for person in self._people:
            person.close()
        self._people.clear()

    def lacks(self) -> str:
        """The missing programs that were started here."""
        noted = self.truth.with_name("missing")
        return " ".join(sorted(set(noted.read_text().split()))) if noted.exists() else ""

    # the agent
    def call(self, action: str, **arguments: Any) -> Answer:
        """One call of the agent's: the JSON it would write, the answer it gets."""
        where = {"pane": self.pane} if self.pane and action not in ("list", "open", "close") else {}
        return Answer(self.perform(json.loads(json.dumps({"action": action, **where, **arguments}))))

    def ready(self) -> None:
        """The shell shows its prompt."""
        poll(lambda: self.call("wait_ready", timeout=5).startswith("ready"), what="a prompt")

    def send(self, text: str, **more: Any) -> Answer:
        """Type it and do not wait: the receipt."""
        self.truth.unlink(missing_ok=True)
        answer = self.call("send", text=text, **{"timeout": 0, **more})
        assert answer.startswith("sent"), answer
        return answer

    def ask(self, text: str, **more: Any) -> Answer:
        """Type it and wait: the verdict."""
        self.truth.unlink(missing_ok=True)
        return self.call("send", text=text, **{"timeout": LIMIT, **more})

    def keys(self, keys: str | list[str], **more: Any) -> Answer:
        """Press them and wait: the verdict."""
        return self.call("keys", keys=keys, **{"timeout": LIMIT, **more})

    def wait(self, **more: Any) -> Answer:
        return self.call("wait_ready", **{"timeout": LIMIT, **more})

    def run(self, text: str, **more: Any) -> Answer:
        self.truth.unlink(missing_ok=True)
        return self.call("run", text=text, **{"timeout": LIMIT, **more})

    def interrupt(self) -> Answer:
        return self.call("interrupt")

    def not_early(self, answer: str) -> None:
        """The answer that just came was not given before the program wrote down the truth."""
        now = time.monotonic_ns()
        assert self.truth.exists(), f"answered before the truth:\n{answer}\n{self.screen()}"
        assert int(self.truth.read_text()) <= now

    def ends(self, text: str, word: str, detail: str | None = None, **more: Any) -> Answer:
        """`text` writes the truth: the verdict is the right one and did not come before it."""
        answer = self.ask(text, **more)
        self.not_early(answer)
        is_verdict(answer, word, detail)
        return answer

    # the person

    @property
    def person(self) -> Person:
        """The person at this session; the first use attaches a client of the window's size."""
        if not self._people:
            self.attach()
        return self._people[0]

    def attach(self, size: tuple[int, int] | None = None, flags: list[str] | None = None) -> Person:
        """A client more, of the window's size where none is given; `flags` go to tmux attach."""
        if size is None:
            width, height = self.fact("window_width"), self.fact("window_height")
            size = (int(width), int(height))
        one = Person(self.name, size, self.server.words, self.server.environment or os.environ, flags)
        self._people.append(one)
        return one

    @contextmanager
    def attached_program(self) -> Iterator[Any]:
        """A client in control mode: where it takes commands."""
        words = [*self.server.words, "-C", "attach", "-t", f"={self.name}"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as program:
            poll(lambda: self.tmux("list-clients"), what="a client")
            yield program.stdin
            program.kill()

    # the screen
    def screen(self, pane: str = "") -> str:
        return self.tmux("capture-pane", "-p", "-t", f"={pane or self.name + ':'}")

    def see(self, text: str, pane: str = "") -> None:
        poll(lambda: text in self.screen(pane), what=f"{text!r} on the screen")

    def fact(self, name: str, pane: str = "") -> str:
        """The value of a tmux format, `cursor_x`."""
        return self.tmux("display-message", "-p", "-t", f"={pane or self.name + ':'}", f"#{{{name}}}").strip()

    def in_front(self, program: str) -> None:
        poll(lambda: self.fact("pane_current_command") == program, what=program)

    def buffers(self) -> str:
        return self.tmux("list-buffers", check=False)

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path
