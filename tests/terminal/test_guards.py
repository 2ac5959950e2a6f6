"""Keys that leave no trace on the screen: what somebody has begun at a hidden question is never continued,
whoever pressed them and however soon."""

import os
import re
import signal
from pathlib import Path

import pytest

from tests.support.answer import is_verdict
from tests.support.terminal import SHELLS, Terminal, poll

ASKS = "read -s -p 'Password: ' x; echo; echo \"<$x>\""
ROUNDS = 3  # tmux stamps keys by the second: at least one falls into that of the call before


def asked(terminal: Terminal) -> None:
    answer = terminal.run(ASKS)
    assert answer.startswith("needs password"), answer


def refused(terminal: Terminal) -> None:
    answer = terminal.call("send", text="agents", timeout=3)
    assert answer.startswith("error: someone typed before bash asked"), answer
    terminal.person("", "Enter")
    terminal.see("<abc>")


def test_keys_of_a_client_in_control_mode_are_somebodys(terminal):
    """They leave no stamp that tells when."""
    with terminal.attached_program() as takes:
        asked(terminal)
        print(f"send-keys -t ={terminal.name}: abc\nset-buffer typed", file=takes, flush=True)
        poll(terminal.buffers, what="what was typed")
        refused(terminal)


def test_a_key_in_the_second_of_the_question_is_somebodys(terminal):
    """They have answered the question before: the stamp of that key is the next one's too."""
    terminal.attach()
    for _ in range(ROUNDS):
        answer = terminal.run(f"read -s -p 'First: ' x; echo; {ASKS}")
        assert answer.startswith("needs password"), answer
        terminal.person("one", "Enter")
        answer = terminal.wait()
        assert answer.startswith("needs password") and "Password:" in answer.first, answer
        terminal.person("abc")
        refused(terminal)
        terminal.run("clear")


# a shell that is slow or stopped: it shows an old prompt, and has not drawn what was typed


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


def test_a_shell_that_has_not_read_its_input_is_not_ready_and_nothing_is_sent_after_keys_before_it(slow):
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
