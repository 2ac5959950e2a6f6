"""Callers who use the terminal at the same time: threads of this process, and processes."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time

from python.helpers.tmux.actions import Call, Stopped
from tests.support.run import ROOT

DEADLOCK = 100.0  # seconds in which callers that take turns finish, even on a very slow machine
CALLER = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tests.support import denied
denied.enter()
from python.helpers.tmux.actions import Call
from tests.support.run import ROOT
for line in sys.stdin:
    print(json.dumps(Call().answer(json.loads(line)).text), flush=True)
"""


class Pulse(threading.Event):
    """The stop switch of a call, which counts how often the call has looked at it: proof that it
    waits."""

    beats = 0

    def wait(self, timeout: float | None = None) -> bool:
        self.beats += 1
        return super().wait(timeout)


class InThread:
    def __init__(self, calls: list[dict]):
        self.calls, self.answers, self.pulse, self.ended = calls, [], Pulse(), 0.0
        self.thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        self.thread.start()

    def _work(self) -> None:
        for call in self.calls:
            try:
                self.answers.append(Call(self.pulse).answer(call).text)
            except Stopped:
                self.answers.append("stopped")
            except Exception as problem:  # it never may
                self.answers.append(f"raised {type(problem).__name__}: {problem}")
            self.ended = time.monotonic()

    def finish(self, deadline: float) -> None:
        self.thread.join(max(deadline - time.monotonic(), 0))


class InProcess:
    def __init__(self, calls: list[dict]):
        self.calls, self.answers = calls, []
        self.process = subprocess.Popen(
            [sys.executable, "-c", CALLER, str(ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self) -> None:
        self.process.stdin.write("".join(json.dumps(call) + "\n" for call in self.calls))
        self.process.stdin.flush()

    def finish(self, deadline: float) -> None:
        try:
            output, _ = self.process.communicate(timeout=max(deadline - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            self.process.kill()
            output, _ = self.process.communicate()
        self.answers = [json.loads(line) for line in output.splitlines()]


def together(work: list[list[dict]], limit: float = DEADLOCK) -> list[list[str]]:
    """Every caller's answers; its calls (tool_args) are made one after the other, at the same time
    as the others'. Every other caller is a process of its own. Raises AssertionError where one is
    not done within `limit` seconds."""
    callers = [(InThread, InProcess)[number % 2](calls) for number, calls in enumerate(work)]
    deadline = time.monotonic() + limit
    for one in callers:
        one.start()
    for one in callers:
        one.finish(deadline)
    for number, (one, calls) in enumerate(zip(callers, work, strict=True)):
        assert len(one.answers) == len(calls), (
            f"caller {number}: {len(one.answers)} of {len(calls)}, {one.answers[-1:]}"
        )
    return [one.answers for one in callers]
