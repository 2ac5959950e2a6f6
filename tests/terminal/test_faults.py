"""What may happen to a terminal while a caller waits for it: it ends, moves or changes, the kernel cannot be read, tmux
ends. Every call ends soon after the fault with a clear first line, or goes on unharmed; and nothing is left behind."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from python.helpers.tmux.actions import Call
from python.helpers.tmux.base import client, process
from tests.conftest import Terminal, poll
from tests.support.answer import READY, Answer
from tests.support.callers import InThread
from tests.support.killed import stopped
from tests.support.run import TMUX_TOOL, run
from tests.support.tables import Tables

TABLES = Tables(__file__)

WITHIN = 15.0  # seconds from the fault to the answer: 3 of the tool's, and a busy machine
FOR_EVER = 600  # seconds a call would wait if nothing happened


class Asking(InThread):
    """One call in a thread of its own, as a host makes it."""
    def __init__(self, action: str, **arguments):
        super().__init__([{"action": action, **arguments}])
        self.start()

    @property
    def answer(self) -> str:
        return "".join(self.answers)

    def waits(self) -> Asking:
        """It has not answered, and it goes on looking."""
        seen = self.pulse.beats
        poll(lambda: self.pulse.beats > seen + 3 or self.answer, what="a call that waits")
        assert not self.answer, self.answer
        return self

    def answered(self, since: float) -> Answer:
        self.thread.join(WITHIN)
        assert self.answer, "no answer at all"
        assert self.ended - since < WITHIN, self.answer
        return Answer(self.answer)


def children() -> set[str]:
    """Processes that this one has started and not ended."""
    found: set[str] = set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError):  # a thread that has just ended
            found |= set((task / "children").read_text().split())
    return found


def descriptors() -> Counter[str]:
    """What this process holds open."""
    held: Counter[str] = Counter()
    for one in Path("/proc/self/fd").iterdir():
        try:
            held[re.sub(r"\d+", "", os.readlink(one))] += 1
        except FileNotFoundError:  # the folder's own
            pass
    return held


@pytest.fixture(autouse=True)
def nothing_left(bare, tmp_path, monkeypatch):
    """Afterwards there is no paste buffer, temporary file, child process, open descriptor or thread
    that was not there."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr(tempfile, "tempdir", None)
    before = children(), descriptors(), threading.active_count()
    yield
    bare.leave()

    def more() -> tuple:
        """What was not there; what an earlier test has left may end meanwhile."""
        threads = max(threading.active_count() - before[2], 0)
        return children() - before[0], descriptors() - before[1], threads

    poll(lambda: not any(more()), 5, f"no more than {before}: {more()}, {threading.enumerate()}")
    assert bare.buffers() == ""
    assert list(scratch.iterdir()) == []


@pytest.fixture
def ask(nothing_left):
    """Starts calls, and ends those that a failed test has left."""
    asked: list[Asking] = []

    def start(action: str, **arguments) -> Asking:
        asked.append(Asking(action, **arguments))
        return asked[-1]

    yield start
    for one in asked:
        one.pulse.set()
        one.thread.join(10)


class Gate:
    """A command that goes on until the test lets it through, and prints one line then."""
    def __init__(self, path: Path):
        self.path, self.command = path, f"cat {path}"
        os.mkfifo(path)

    def open(self) -> float:
        """Let it through, once it is there; when that was."""
        self.path.write_text("all done\n")
        return time.monotonic()


@pytest.fixture
def gate(tmp_path):
    return Gate(tmp_path / "gate")


def is_ready(answer: Answer, body: str | None = None) -> None:
    assert READY.fullmatch(answer.first), answer
    assert body is None or answer.body == body, answer


def runs(terminal: Terminal, pane: str = "shared") -> None:
    """The pane is as good as new: a command gives its output, all of it and nothing else."""
    is_ready(terminal.call("run", text="echo as good as new", pane=pane, timeout=20), "as good as new")


# It ends while callers wait


def kill(whose: str, *before: str) -> Callable[[Terminal], None]:
    """Of the server (`pid`) or of the program (`pane_pid`), after a command of tmux's."""
    def happen(terminal: Terminal) -> None:
        if before:
            terminal.tmux(*before)
        os.kill(int(terminal.fact(whose)), signal.SIGKILL)

    return happen


def ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def restart_server(terminal: Terminal) -> None:
    server = int(terminal.fact("pid"))
    terminal.tmux("kill-server")
    poll(lambda: ended(server), what="the server's end")  # it takes its socket with it
    terminal.start()


def tmux(*command: str) -> Callable[[Terminal], None]:
    return lambda terminal: terminal.tmux(*command) and None


def beside(*command: str) -> Callable[[Terminal], None]:
    """`command`, with another session and another window that stay."""
    def happen(terminal: Terminal) -> None:
        terminal.tmux("new-session", "-d", "-s", "other", "sleep 1000")
        terminal.tmux("new-window", "-d", "-t", "=shared:", "sleep 1000")
        terminal.tmux(*command)

    return happen


def test_the_row_that_tmux_draws_on_a_pane_that_remains_is_not_output(terminal):
    terminal.tmux("set-option", "-g", "remain-on-exit", "on")
    answer = terminal.call("run", text="echo last; exit 4")
    assert answer.first.startswith("gone: its program ended (exit status "), answer
    assert "last\nexit" in terminal.call("read").body


ENDS: dict[str, Callable[[Terminal], None]] = {
    "the server is killed": kill("pid"), "the server is restarted and has a pane of the same id": restart_server,
    "the pane is killed": beside("kill-pane", "-t", "%0"),
    "the session is closed": beside("kill-session", "-t", "=shared"), "the program is killed": kill("pane_pid"),
    "the program is killed and its pane stays": kill("pane_pid", "set-option", "-g", "remain-on-exit", "on")}


def all_waiting(ask, running: Asking) -> list[Asking]:
    """One waits for its command, one for the prompt, one for a line of output."""
    others = [ask("wait_ready", timeout=FOR_EVER, **more) for more in ({}, {"until": "never"})]
    return [one.waits() for one in (running, *others)]


def assert_failed(one: Asking, running: Asking, why: str) -> None:
    """An error says that nothing was entered: what fails behind a command's Enter is a note."""
    entered = f"sent to shared\nnote: what came of it is not known: {why}"
    assert one.answer.startswith(entered if one is running else f"error: {why}"), one.answer


@pytest.mark.parametrize("fault", ENDS)
def test_every_waiting_call_reports_that_the_pane_is_gone(terminal, ask, fault):
    running = ask("run", text="sleep 1000", timeout=FOR_EVER)
    terminal.in_front("sleep")
    waiting = all_waiting(ask, running)
    since = time.monotonic()
    ENDS[fault](terminal)
    for one in waiting:
        assert one.answered(since).startswith("gone: "), one.answer
    assert re.match(r"\d panes?\b", terminal.call("list"))  # and the next call works


def test_a_call_that_waits_for_the_pane_reports_that_it_is_gone(terminal, ask):
    """Another caller holds it; the server dies: both calls end."""
    running = ask("run", text="sleep 1000", timeout=FOR_EVER)
    terminal.in_front("sleep")
    queued = ask("send", text="x", timeout=0).waits()
    since = time.monotonic()
    kill("pid")(terminal)
    assert running.answered(since).startswith("gone: ")
    assert queued.answered(since).startswith("gone: ")


def until_it_ends(call: dict, asked: threading.Event) -> None:
    while not Call().answer(call).text.startswith(("gone: ", "error: ", "0 panes")):
        asked.set()


def test_a_server_that_ends_in_the_middle_of_an_answer(bare):
    """Killed or asked to end: whatever a caller was reading, the answer says so."""
    for number in range(6):
        bare.start()
        server, asked = int(bare.fact("pid")), threading.Event()
        with ThreadPoolExecutor() as pool:
            ends = [pool.submit(until_it_ends, call, asked) for call in TABLES["READING"]]
            assert asked.wait(10)
            if number % 2:
                os.kill(server, signal.SIGKILL)
            else:
                bare.tmux("kill-server")
            for one in ends:
                one.result(10)
        poll(lambda server=server: ended(server), what="the server's end")


# The server stops for a while


def notes_enter(terminal):
    record = ("show-options", "-pqv", "-t", f"={terminal.name}:", "@tmux_tool")
    poll(lambda: '"enter": true' in terminal.tmux(*record), what="the record of what was entered")


def test_a_stopped_server_is_reported_soon_by_every_action_and_the_command_goes_on(terminal, ask, gate, monkeypatch):
    running = ask("run", text=gate.command, timeout=FOR_EVER)
    terminal.in_front("cat")
    running.waits()
    notes_enter(terminal)
    since, server = time.monotonic(), terminal.fact("pid")
    with stopped(server), monkeypatch.context() as patch:
        patch.setitem(client.tmux.__kwdefaults__, "limit", 1.0)
        for one in [running, *(ask(**call) for call in TABLES["CALLS"])]:
            answer = one.answered(since)
            assert_failed(one, running, "the tmux server did not answer within")
            assert "may come later; " in answer and "kill -CONT" in answer
    is_ready(ask("wait_ready", timeout=FOR_EVER).waits().answered(gate.open()), "all done")
    runs(terminal)


def test_a_server_that_stops_for_a_second_is_waited_for(terminal, ask, gate):
    running = ask("run", text=gate.command, timeout=FOR_EVER)
    terminal.in_front("cat")
    running.waits()
    with stopped(terminal.fact("pid")):
        running.thread.join(1.5)  # longer than a wait lets pass between two looks
    running.waits()
    is_ready(running.answered(gate.open()), "all done")


# A person moves things about while a command runs


def look_in(terminal: Terminal) -> None:
    """A client comes, small, and goes."""
    with terminal.attach((70, 20)) as person:
        poll(lambda: terminal.fact("window_width", "shared:") == "70", what="the client's width")
        person.detach()
    assert not terminal.tmux("list-clients")


MOVES = {name: tmux(*words) for name, words in TABLES["MOVES"].items()}
MOVES |= {"scrolled back": lambda terminal: terminal.person.scroll_back(5)}
MOVES |= {"looked at by a client that comes and goes": look_in}


@pytest.mark.parametrize("move", MOVES)
def test_a_run_goes_on_while_its_pane_is(terminal, ask, gate, move):
    terminal.call("run", text="seq 100")  # a history, and a screen to be moved
    running = ask("run", text=gate.command, timeout=FOR_EVER)
    terminal.in_front("cat")
    waiting = ask("wait_ready", timeout=FOR_EVER, until="all done").waits()
    running.waits()
    MOVES[move](terminal)
    mode = terminal.tmux("display-message", "-p", "-t", "%0", "#{pane_mode}")
    running.waits()
    since = gate.open()
    is_ready(running.answered(since), "all done")
    assert re.fullmatch(r"matched after \d+\.\d\ds: all done", waiting.answered(since).first)
    runs(terminal, "%0")
    assert terminal.tmux("display-message", "-p", "-t", "%0", "#{pane_mode}") == mode


# The one who holds the pane is killed


def test_a_killed_holder_frees_the_pane(terminal, ask):
    call = json.dumps({"action": "run", "text": "sleep 1000", "timeout": FOR_EVER})
    holder = subprocess.Popen([sys.executable, TMUX_TOOL, call], stdout=subprocess.DEVNULL)
    try:
        terminal.in_front("sleep")
        notes_enter(terminal)
        sending = ask("send", text="typed ahead", timeout=0).waits()
        running = ask("run", text="echo no", timeout=60).waits()
        since = time.monotonic()
        ahead = poll(lambda: process.children(process.read(holder.pid)), what="clients that were started ahead")
        holder.kill()
        poll(lambda: all(ended(each.pid) for each in ahead), what="the end of its clients")
        assert sending.answered(since) == "sent to shared\nnote: typed ahead: sleep was running"
        assert running.answered(since).startswith("error: sleep is in front in shared and is still running; ")
    finally:
        holder.kill()
        holder.wait()
    is_ready(terminal.interrupt())
    runs(terminal)


# Nothing can be written anywhere


def test_a_caller_who_may_not_write_a_byte_into_any_file(bare, monkeypatch):
    """Nor has it a home or a folder for temporary files; from the first call on, which makes the session."""
    monkeypatch.setenv("HOME", "/dev/full")
    monkeypatch.setenv("TMPDIR", "/proc/1/nowhere")
    for call, begins in [({"action": "run", "text": "PS1='$ '"}, "ready (shell)"), *TABLES["EACH"]]:
        no_byte = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # noqa: E731
        done = run(sys.executable, TMUX_TOOL, json.dumps(call), preexec_fn=no_byte)
        assert done.stdout.startswith(begins) and not done.stderr, (call, done)


# The tmux binary goes away in the middle of a wait


def becomes(script: str, mode: int = 0o755) -> Callable[[Path], None]:
    def happen(tmux: Path) -> None:
        stand_in = tmux.with_name("new")
        stand_in.write_text(script)
        stand_in.chmod(mode)
        stand_in.replace(tmux)

    return happen


FAILS = "#!/bin/sh\necho error connecting '(Permission denied)' >&2\nexit 1\n"
BINARY = {
    "missing": (Path.unlink, "tmux is not installed; install it: apt-get update && "),
    "failing": (becomes(FAILS), "tmux: error connecting (Permission denied)"),
    "not to be run": (becomes("not a program", 0o644), "tmux cannot be started: ")}


@pytest.mark.parametrize("fault", BINARY)
def test_a_tmux_binary_that_is_suddenly(terminal, ask, gate, tmp_path, monkeypatch, fault):
    happens, says = BINARY[fault]
    tmux = Path(shutil.which("tmux"))
    if tmux.read_bytes().startswith(b"#!"):
        pytest.skip("this tmux is a script (tests/newer_tmux), which is read after it has been started")
    binary = tmp_path / "bin" / "tmux"
    binary.parent.mkdir()
    binary.symlink_to(tmux)
    running = ask("run", text=gate.command, timeout=FOR_EVER)
    terminal.in_front("cat")
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(binary.parent))
        waiting = all_waiting(ask, running)
        since = time.monotonic()
        happens(binary)
        for one in waiting:
            one.answered(since)
            assert_failed(one, running, says)
    is_ready(ask("wait_ready", timeout=FOR_EVER).waits().answered(gate.open()))
    runs(terminal)


# A caller that goes away


def test_cancelled_waits_end_at_once_and_leave_the_pane_free(terminal, ask):
    running = ask("run", text="sleep 1000", timeout=FOR_EVER)
    terminal.in_front("sleep")
    waiting = [
        running, ask("wait_ready", timeout=FOR_EVER), ask("wait_ready", timeout=FOR_EVER, until="never"),
        ask("wait_ready", timeout=FOR_EVER, prompt_pattern="never"), ask("send", text="never typed"),
        ask("keys", keys="n e v e r"), ask("run", text="never run", timeout=60)]
    for one in waiting:
        one.waits()
    since = time.monotonic()
    for one in waiting[::-1]:
        one.pulse.set()
    assert [one.answered(since) for one in waiting] == ["stopped"] * len(waiting)
    assert "never" not in terminal.screen()
    is_ready(terminal.interrupt())
    runs(terminal)
