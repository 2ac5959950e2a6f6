"""A person's keys that their shell has not drawn yet, because it is slow or stopped: the agent's
text must not be typed on the same line."""

from __future__ import annotations

import os
import signal

import pytest

from python.helpers.tmux import process
from python.helpers.tmux.kernel import probe
from tests.support.terminal import SHELLS, poll

WORD = "vzqk"  # a person's, at an empty prompt


class Slow:
    """A shell that a test stops and continues. Its parent is no shell with jobs, nor tmux: both
    would continue it at once."""

    def __init__(self, bare, shell: str):
        bare.start(f"sh -c '{SHELLS[shell]}; true'", size=(80, 20))
        self.terminal = bare
        bare.ready()
        self.parent = int(bare.fact("pane_pid"))
        self.tty = bare.fact("pane_tty")
        self.pid = probe(self.parent, self.tty).subject
        self.prompt = self.line()

    def stop(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)
        poll(lambda: process.read(self.pid).state == "T", what="a stopped shell")

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def line(self) -> str:
        return self.terminal.screen().rstrip().split("\n")[-1]

    def rests(self) -> bool:
        found = probe(self.parent, self.tty)
        return found.waiter is not None and not found.terminal.unread


@pytest.fixture(params=["bash", "zsh", "fish"])
def slow(bare, request):
    shell = Slow(bare, request.param)
    yield shell
    shell.go_on()


def test_nothing_is_sent_after_keys_that_a_stopped_shell_has_not_read(slow):
    person = slow.terminal.person
    slow.stop()
    person.type(WORD)
    for _ in range(2):  # an answer in between has not shown the keys either
        answer = slow.terminal.call("send", text="echo mine", timeout=3)
        assert answer.startswith("error: someone may have typed"), answer
        assert slow.terminal.wait(timeout=0.5).startswith("wait_ready timed out")
    slow.go_on()
    slow.terminal.see(WORD)
    assert slow.line().split()[-1] == WORD
