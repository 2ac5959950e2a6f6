"""Keys that leave no trace on the screen: what somebody has begun at a hidden question is never continued,
whoever pressed them and however soon."""

import os
import re
import signal
import time
from pathlib import Path

import pytest

from python.helpers.tmux.actions import Call
from tests.support.answer import is_verdict
from tests.support.callers import InThread
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


# who looks while a call waits

LOOKS = {
    "attaches": lambda terminal: terminal.attach(),
    "attaches a smaller terminal": lambda terminal: terminal.attach((70, 20)),
    "attaches to read only": lambda terminal: terminal.attach(flags=["-r"]),
    "comes into focus": lambda terminal: terminal.person.at_once("\x1b[I\x1b[O"),
    "scrolls back": lambda terminal: terminal.person.scroll_back(1),
    "detaches": lambda terminal: terminal.person.detach(),
    "resizes": lambda terminal: terminal.tmux("resize-window", "-t", f"={terminal.name}:", "-x", "60"),
    "types half a line": lambda terminal: terminal.person("n"),
    "types an empty line": lambda terminal: terminal.person("", "Enter"),
}


@pytest.mark.parametrize("does", LOOKS)
def test_only_who_types_while_answers_are_waited_for_keeps_them_from_being_sent(room, does):
    """Nothing is printed meanwhile: a key would be echoed. tmux tells the second of a key, so that one is over."""
    if "attaches" not in does:
        room.attach()
    room.file("asks.sh", "read -p 'One? ' a; gate; read -p 'Two? ' b; echo \"<$a$b>\"")
    run = {"action": "run", "pane": room.name, "text": "bash asks.sh", "timeout": 30}
    run["answers"] = {"One": "1", "Two": "2"}
    shown = [""]
    call = InThread([run], lambda call: Call(on_look=lambda screen, *_: shown.append(screen)).answer(call).text)
    call.start()
    poll(lambda: "One? 1" in shown[-1], what="the first answer, as the call sees it")
    LOOKS[does](room)
    over = int(room.fact("session_activity")) + 3
    poll(lambda: int(room.tmux("display-message", "-p", "%s")) > over, what="the next second")
    (room.folder / "open").touch()
    call.finish(time.monotonic() + 40)
    typed = does.startswith("types")
    assert ("<12>" in call.answers[0]) is not typed, call.answers
    assert ("somebody may have typed here" in call.answers[0]) is (does == "types half a line"), call.answers


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
