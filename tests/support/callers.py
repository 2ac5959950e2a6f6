"""Callers who use the terminal at the same time: threads of this process, and other processes."""

import json
import sys
import threading
import time
from collections.abc import Callable

from python.helpers.tmux.actions import Call, Stopped
from tests.support.late import Late
from tests.support.run import TMUX_TOOL, run

DEADLOCK = 100.0  # seconds in which callers that take turns finish, even on a very slow machine


def elsewhere(call: dict) -> str:
    """The answer to a call that another process makes."""
    return run(sys.executable, TMUX_TOOL, json.dumps(call), timeout=DEADLOCK).stdout.removesuffix("\n")


class Pulse(threading.Event):
    """The stop switch of a call, which counts how often the call has looked at it: proof that it waits."""
    beats = 0

    def wait(self, timeout: float | None = None) -> bool:
        self.beats += 1
        return super().wait(timeout)


class InThread:
    def __init__(self, calls: list[dict], perform: Callable[[dict], str] | None = None):
        self.calls, self.answers, self.pulse, self.ended = calls, [], Pulse(), 0.0
        self.perform = perform or (lambda call: Call(self.pulse).answer(call).text)
        self.thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        self.thread.start()

    def _work(self) -> None:
        for call in self.calls:
            try:
                self.answers.append(self.perform(call))
            except Stopped:
                self.answers.append("stopped")
            except Exception as problem:  # it never may
                self.answers.append(f"raised {type(problem).__name__}: {problem}")
            self.ended = time.monotonic()

    def finish(self, deadline: float) -> None:
        self.thread.join(max(deadline - time.monotonic(), 0))


def together(work: list[list[dict]], limit: float = DEADLOCK) -> list[list[str]]:
    """Every caller's answers; its calls (tool_args) are made one after the other, at the same time as the others',
    every other caller's by other processes. Raises AssertionError where one is not done within `limit` seconds."""
    callers = [InThread(calls, (None, elsewhere)[number % 2]) for number, calls in enumerate(work)]
    deadline = time.monotonic() + limit
    for one in callers:
        one.start()
    for one in callers:
        one.finish(deadline)
    for number, (one, calls) in enumerate(zip(callers, work, strict=True)):
        if len(one.answers) < len(calls):
            raise Late(f"caller {number}: {len(one.answers)} of {len(calls)}, {one.answers[-1:]}")
    return [one.answers for one in callers]
