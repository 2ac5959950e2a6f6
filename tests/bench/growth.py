"""How costs grow: with the history, the panes, the jobs below a pane, its size, and callers at once.

Each row is a call, made a few times: its median seconds, its CPU with that of the tmux clients, and how
many calls of tmux it makes.
"""

import resource
import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from python.helpers.tmux.base import client
from tests.support.terminal import Server, Terminal, poll

from .tables import table

HISTORIES = (0, 2_000, 20_000, 200_000, 2_000_000)  # rows, of a full history but the first
PANES = (1, 10, 50, 200)
JOBS = (0, 50, 400)
SIZES = ((80, 24), (160, 50), (200, 200), (200, 1000))  # columns and rows
CALLERS = (1, 10)
WAIT = 20  # seconds
TIMES = 5  # calls of a row


@dataclass
class Counted:
    calls: int = 0

    def __enter__(self) -> "Counted":
        self._start = client._start

        def start(*arguments):
            self.calls += 1
            return self._start(*arguments)

        client._start = start
        return self

    def __exit__(self, *_: object) -> None:
        client._start = self._start


def cpu() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def measured(what: str, call: Callable[[], object], times: int = TIMES) -> list[object]:
    call()  # what is loaded once is loaded
    seconds = []
    before = cpu()
    with Counted() as counted:
        for _ in range(times):
            began = time.monotonic()
            call()
            seconds.append(time.monotonic() - began)
    row = [what, f"{1000 * statistics.median(seconds):.0f}", f"{1000 * (cpu() - before) / times:.0f}"]
    row.append(f"{counted.calls / times:.1f}")
    print("| " + " | ".join(map(str, row)) + " |", flush=True)
    return row


def runs(terminal: Terminal) -> Callable[[], object]:
    def call() -> None:
        answer = terminal.call("run", text="true")
        assert answer.startswith("ready"), answer

    return call


def rows() -> list[list[object]]:
    found = []
    for history in HISTORIES:
        with Server() as server, server.open("bash", history=history or 2000) as terminal:
            if history:
                terminal.call("run", text=f"seq {history + history // 5}", timeout=120)
            found.append(measured(f"`run true`, {history:,} rows of history", runs(terminal)))
    with Server() as server, server.open("bash") as terminal:
        panes = 1
        for count in PANES:
            while panes < count:
                server.tmux("new-window", "-d", "-t", f"{terminal.name}:", "sh")
                panes += 1
            poll(lambda: "running" not in terminal.call("list"), 60.0, what="prompts")
            found.append(measured(f"`list`, {count} panes", lambda: terminal.call("list")))
    for jobs in JOBS:
        with Server() as server, server.open("bash") as terminal:
            terminal.call("run", text=f"set +m; for i in $(seq {jobs}); do sleep 1000 & done", timeout=60)
            found.append(measured(f"`run true`, {jobs} jobs", runs(terminal)))
    for size in SIZES:
        with Server() as server, server.open("bash", size=size) as terminal:
            terminal.call("run", text=f"seq {size[1]}")
            found.append(measured(f"`run true`, {size[0]}x{size[1]} cells", runs(terminal)))
    for count in CALLERS:
        with Server() as server:
            calls = [runs(server.open("bash")) for _ in range(count)]
            what = f"`run true`, {count} at once, each in a pane of its own"
            found.append(measured(what, partial(at_once, calls)))
    with Server() as server, server.open("bash") as terminal:
        what = f'`run "sleep {WAIT}"`'
        found.append(measured(what, lambda: terminal.call("run", text=f"sleep {WAIT}", timeout=60), 1))
    return found


def at_once(calls: list[Callable[[], object]]) -> None:
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def play(*, talk: bool = False) -> str:
    return table(("call", "ms", "CPU, ms", "calls of tmux"), rows())
