"""A person's keys that their shell has not drawn yet, because it is slow or stopped: the agent's
text must not be typed on the same line."""

from __future__ import annotations

import os
import pty
import signal
import tty

import pytest

from python.helpers.tmux import process
from python.helpers.tmux.kernel import probe
from python.helpers.tmux.pane import Pane
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


@pytest.mark.parametrize("action", ["run", "send", "interrupt"])
def test_the_line_is_judged_by_a_look_that_was_taken_at_rest(slow, monkeypatch, action):
    """The shell draws between the tool's look and its reading of the kernel."""
    person, look, late = slow.terminal.person, Pane.look, []

    def outdated(pane, *above):
        view = look(pane, *above)
        if not late and view.settled:
            late.append(view)
            slow.go_on()
            poll(lambda: WORD in slow.line() and slow.rests(), what="the word")
        return view

    slow.stop()
    person.type(WORD + "\x01")  # C-a: the cursor is where it was
    monkeypatch.setattr(Pane, "look", outdated)
    text = {} if action == "interrupt" else {"text": "echo mine"}
    answer = slow.terminal.call(action, **text)
    assert late and answer.startswith("error: a half-typed line is at the prompt: 'vzqk'"), answer
    assert slow.line().split()[-1] == WORD


def test_keys_count_as_unread_from_the_moment_they_are_typed():
    master, slave = pty.openpty()
    tty.setraw(slave)
    path = os.ttyname(slave)
    for _ in range(500):
        os.write(master, WORD.encode())
        assert process.terminal(path).unread == len(WORD)
        assert len(os.read(slave, 100)) == len(WORD)
    os.close(master)
    os.close(slave)
