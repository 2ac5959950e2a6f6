"""A shell that is slow or stopped: it shows an old prompt, and has not drawn what was typed. That is
no turn, and the agent's text must not follow a person's on the same line."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.support.answer import is_verdict
from tests.support.terminal import SHELLS, poll
from tests.support.tool import Pane, is_settled, reads

WORD = "vzqk"  # a person's, at an empty prompt


class Slow:
    """A shell that a test stops and continues. Its parent is no shell with jobs, nor tmux: both
    would continue it at once."""

    def __init__(self, bare, shell: str):
        bare.server.install()
        bare.start(f"sh -c '{SHELLS[shell]}; true'", size=(80, 20))
        bare.ready()
        self.terminal, self.shell = bare, shell
        self.parent, self.tty = int(bare.fact("pane_pid")), bare.fact("pane_tty")
        children = Path(f"/proc/{self.parent}/task/{self.parent}/children")
        self.pid = int(children.read_text().split()[0])

    def stop(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)
        state = Path(f"/proc/{self.pid}/stat")
        poll(lambda: state.read_text().rpartition(")")[2].split()[0] == "T", what="a stopped shell")

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def line(self) -> str:
        return self.terminal.screen().rstrip().split("\n")[-1]


@pytest.fixture(params=list(SHELLS))
def slow(bare, request):
    shell = Slow(bare, request.param)
    yield shell
    shell.go_on()


def test_a_shell_that_has_not_read_its_input_is_not_ready(slow):
    terminal = slow.terminal
    slow.stop()
    receipt = terminal.send("stamp")
    assert f"note: typed ahead: {slow.shell} was running" in receipt
    answer = terminal.wait(timeout=1.5)
    begins = f"wait_ready timed out after 1.5s: not read yet; still running {slow.shell}, "
    assert answer.startswith(begins), answer
    slow.go_on()
    answer = terminal.wait()
    terminal.not_early(answer)
    is_verdict(answer, "ready (shell)")


def test_nothing_is_sent_after_keys_that_a_stopped_shell_has_not_read(slow):
    person = slow.terminal.person
    slow.stop()
    person.type(WORD)
    for _ in range(2):  # an answer in between has not shown the keys either
        answer = slow.terminal.call("send", text="echo mine", timeout=3)
        assert answer.startswith("error: someone "), answer
        assert slow.terminal.wait(timeout=0.5).startswith("wait_ready timed out")
    slow.go_on()
    slow.terminal.see(WORD)
    assert slow.line().split()[-1] == WORD


@pytest.mark.parametrize("action", ["run", "send", "interrupt"])
def test_the_line_is_judged_by_a_look_that_was_taken_at_rest(slow, monkeypatch, action):
    """The shell draws between the tool's look and its reading of the kernel."""
    if slow.shell == "dash":
        pytest.skip("the kernel draws what is typed")
    person, look, late = slow.terminal.person, Pane.look, []

    def outdated(pane, *above):
        view = look(pane, *above)
        if not late and is_settled(view):
            late.append(view)
            slow.go_on()
            poll(lambda: WORD in slow.line() and reads(slow.parent, slow.tty), what="the word")
        return view

    slow.stop()
    person.type(WORD + "\x01")  # C-a: the cursor is where it was
    monkeypatch.setattr(Pane, "look", outdated)
    text = {} if action == "interrupt" else {"text": "echo mine"}
    answer = slow.terminal.call(action, **text)
    assert late and answer.startswith("error: a half-typed line is at the prompt: 'vzqk'"), answer
    assert slow.line().split()[-1] == WORD
