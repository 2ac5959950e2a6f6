"""A shell that is slow or stopped: it shows an old prompt, and has not drawn what was typed. That is
no turn, and the agent's text must not follow a person's on the same line."""

import os
import re
import signal
from pathlib import Path

import pytest

from tests.support.answer import is_verdict
from tests.support.terminal import SHELLS, poll

WORD = "vzqk"  # a person's, at an empty prompt


class Slow:
    """A shell that a test stops and continues. Its parent is no shell with jobs, nor tmux: both
    would continue it at once."""

    def __init__(self, bare, shell: str):
        bare.server.install()
        bare.start(f"sh -c '{SHELLS[shell]}; true'", size=(80, 20))
        bare.ready()
        self.terminal, self.shell = bare, shell
        parent = bare.fact("pane_pid")
        self.pid = int(Path(f"/proc/{parent}/task/{parent}/children").read_text().split()[0])

    def stop(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)
        state = Path(f"/proc/{self.pid}/stat")
        poll(lambda: state.read_text().rpartition(")")[2].split()[0] == "T", what="a stopped shell")

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def line(self) -> str:
        return self.terminal.screen().rstrip().split("\n")[-1]


# A dash that is stopped shows what the kernel echoes: a person's line and ours are one there.
@pytest.fixture(params=[name for name in SHELLS if name != "dash"])
def slow(bare, request):
    shell = Slow(bare, request.param)
    yield shell
    shell.go_on()


def test_a_shell_that_has_not_read_its_input_is_not_ready(slow):
    terminal = slow.terminal
    slow.stop()
    assert f"note: typed ahead: {slow.shell} was running" in terminal.send("stamp")
    answer = terminal.wait(timeout=1.5)
    begins = rf"wait_ready timed out after \d\.\ds: not read yet; still running {slow.shell}, "
    assert re.match(begins, answer), answer
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
