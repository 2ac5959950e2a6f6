"""Who reads a pane's terminal: one, two, or one that the terminal has stopped; and what they do not draw."""

import os
import re
import shlex
import signal
import sys
import threading
import time

import pytest

from tests.conftest import poll

SHELLS = pytest.mark.parametrize("room", ["bash", "zsh", "fish", "dash"], indirect=True)


def code(text: str) -> str:
    return shlex.join([sys.executable, "-c", text])


# what is not drawn


def test_a_hidden_answer_is_asked_for_as_a_password_and_never_quoted(terminal):
    """readline's memory holds what `read -es` does not draw."""
    answer = terminal.run("read -es -p 'Token: ' t; echo got ${#t}", timeout=5)
    assert answer.startswith("needs password"), answer
    terminal.person("hunter2")
    time.sleep(1.2)
    for action, more in {"read": {}, "wait_ready": {"timeout": 0.5}, "send": {"text": "x"}, "interrupt": {}}.items():
        told = terminal.call(action, **more)
        assert "hunter2" not in told, told
        assert action in ("read", "wait_ready") or told.startswith("error: "), told
    terminal.person("", "Enter")
    terminal.see("got 7")


def test_a_hidden_answer_is_typed(terminal):
    assert terminal.run("read -es -p 'Token: ' t; echo got ${#t}", timeout=5).startswith("needs password")
    answer = terminal.call("send", text="hunter2")
    assert answer.startswith("ready") and "got 7" in answer and "hunter2" not in answer, answer


# ghost text

GHOST = {
    "a default that the program has drawn behind the cursor": "input('Name: your name' + chr(8) * 9)",
    "a counter at the right": "input('Pick: ' + chr(27) + '[s   3/3' + chr(27) + '[u')",
}


@pytest.mark.parametrize("what", GHOST)
@pytest.mark.parametrize("between", ["read", "wait_ready", "list"])
def test_what_the_program_shows_behind_the_cursor_is_nobodys_line(terminal, what, between):
    answer = terminal.run(code(f"print('got', {GHOST[what]})"), timeout=5)
    assert answer.startswith("needs input"), answer
    told = terminal.call(between, **({"timeout": 0.3} if between == "wait_ready" else {}))
    assert "not yours" not in told, told
    answer = terminal.call("send", text="x")
    assert answer.startswith("ready") and "got x" in answer, answer


def test_what_the_program_shows_behind_the_cursor_hinders_no_interrupt(terminal):
    terminal.run(code("input('Name: your name' + chr(8) * 9)"), timeout=5)
    terminal.call("read")
    assert terminal.interrupt().startswith("ready")


def test_a_persons_text_before_which_the_cursor_stands_is_theirs(terminal):
    terminal.run("read -e -p 'Name: ' n; echo got $n", timeout=5)
    terminal.person("prod", "C-a")
    terminal.see("Name: prod")
    time.sleep(1.2)
    terminal.call("read")
    answer = terminal.call("send", text="x")
    assert answer.startswith("error: a half-typed line is at the question: 'prod'"), answer


# two readers

STRANGER = """import os, sys
if os.fork(): sys.exit()
os.setsid()
if os.fork(): os._exit(0)
terminal = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
for n in range(3): os.dup2(terminal, n)
open(__file__ + '.reads', 'w'); os.read(0, 100); os._exit(0)"""


@SHELLS
def test_a_reader_from_elsewhere_that_the_person_has_left_behind_is_named(room):
    """Not told by any answer: it has come while the person worked."""
    assert room.run("true").startswith("ready")
    file = room.file("stranger.py", STRANGER)
    room.person(shlex.join([sys.executable, str(file), room.fact("pane_tty")]), "Enter")
    poll((room.folder / "stranger.py.reads").exists, what=lambda: room.screen())
    time.sleep(1.2)
    answer = room.call("run", text="touch precious")
    named = re.search(r"python\S* \((\d+)\) reads this terminal too", answer)
    assert answer.startswith("error: ") and named, answer
    assert room.call("run", text="touch precious").startswith("error: ")
    os.kill(int(named[1]), signal.SIGKILL)
    poll(lambda: room.call("run", text="echo fine").endswith("\nfine"), what="the line is free")


TWO = "import os, sys; pid = os.fork(); line = os.read(0, 99); print(line); pid and os.waitpid(pid, 0)"


def test_two_that_read_in_front_are_named_and_nothing_is_typed(terminal):
    answer = terminal.run(code(f"print('Name: ', end='', flush=True); {TWO}"), timeout=3)
    assert "reads this terminal too" in answer, answer
    answer = terminal.call("send", text="hunter2")
    assert answer.startswith("error: ") and "reads this terminal too" in answer, answer
    assert "hunter2" not in terminal.screen()
    assert terminal.interrupt().startswith("ready")


@pytest.mark.parametrize("script", [
    "timeout 9 PYTHON -c 'input(\"Delete? \")'", "set -m; PYTHON -c 'input(\"Delete? \")' & sleep 9"])
def test_a_reader_that_the_terminal_has_stopped_gets_nothing(terminal, script):
    file = terminal.file("script.sh", script.replace("PYTHON", shlex.quote(sys.executable)) + "\n")
    answer = terminal.run(f"bash {file}", timeout=2)
    assert answer.startswith("run timed out"), answer
    answer = terminal.call("send", text="hunter2", timeout=1)
    assert answer.startswith("error: python") and "stopped" in answer, answer
    assert "hunter2" not in terminal.screen()
    os.kill(int(re.search(r"\((\d+)\) wants to read", answer)[1]), signal.SIGKILL)
    assert terminal.wait().startswith("ready")


# the pane


def test_a_pane_that_takes_no_input_is_told_as_that(terminal):
    terminal.tmux("select-pane", "-d", "-t", "=shared:")
    for action, more in {"run": {"text": "echo x"}, "keys": {"keys": "Enter"}, "interrupt": {}}.items():
        answer = terminal.call(action, **more)
        assert answer.startswith("error: ") and "takes no input" in answer, answer
    terminal.tmux("select-pane", "-e", "-t", "=shared:")
    assert terminal.run("echo x").endswith("\nx")


def test_a_program_that_was_started_anew_under_a_command_is_told(terminal):
    answer = []
    caller = threading.Thread(target=lambda: answer.append(terminal.run("sleep 60", timeout=20)))
    caller.start()
    terminal.in_front("sleep")
    terminal.tmux("respawn-pane", "-k", "-t", "=shared:", "bash --norc --noprofile")
    caller.join()
    assert "started anew" in answer[0], answer[0]


def test_a_session_is_made_where_sessions_end_when_nobody_is_attached(bare):
    bare.tmux("new-session", "-d", "-s", "other", "cat")
    bare.tmux("set-option", "-g", "destroy-unattached", "on", ";", "set-option", "-t", "=other:", "destroy-unattached",
              "off")
    answer = bare.run("echo here")
    assert answer.startswith("ready") and "\nhere" in answer, answer
    assert bare.run("echo there").endswith("\nthere")


def test_a_pane_of_one_cell_gets_a_verdict(terminal):
    terminal.tmux("set-option", "-g", "window-size", "manual")
    terminal.tmux("resize-window", "-t", "=shared:", "-x", "1", "-y", "1")
    answer = terminal.run("true", timeout=3)
    assert answer.partition(" ")[0] in ("ready", "quiet", "run", "unfinished", "needs", "error:"), answer
    terminal.call("read")


REPLIES = [";1R", "12;40R", ";120;40t", ">|tmux 3.3a", "62;22c", ">84;0;0c", "11;rgb:0000/0000/0000", "?2026;2$y"]


@pytest.mark.parametrize("reply", REPLIES)
def test_a_terminals_reply_that_was_left_at_the_prompt_is_nobodys(terminal, reply):
    """A program has asked for it and ended; the person has worked since."""
    assert terminal.run("true").startswith("ready")
    terminal.person("", "Enter")
    terminal.tmux("send-keys", "-t", "=shared:", "-l", reply)
    terminal.see(reply)
    time.sleep(1.2)
    answer = terminal.call("run", text="echo x")
    assert "nobody has typed" in answer, answer
    assert terminal.interrupt().startswith("ready")
    assert terminal.run("echo x").endswith("\nx")


@pytest.mark.thorough
def test_an_unfinished_command_in_another_window_of_a_nested_multiplexer_is_never_ended(terminal):
    terminal.run("screen -c /dev/null bash --norc", timeout=9)
    assert terminal.run("echo one", timeout=9).endswith("\none")
    terminal.person("", "C-a", "c")
    poll(lambda: "echo one" not in terminal.screen() and "#" in terminal.screen(), what="the new window")
    terminal.person("touch precious &&", "Enter")
    terminal.see("\n>")
    time.sleep(1.2)
    for _ in range(3):
        answer = terminal.run("echo mine", timeout=2)
        assert answer.startswith("error: "), answer
    assert not (terminal.folder / "precious").exists()


def test_a_half_typed_line_is_noted_once_whatever_signs_are_in_it(terminal):
    terminal.run("true")
    terminal.person("echo it's \\ there")
    terminal.see("there")
    time.sleep(1.2)
    answer = terminal.call("keys", keys="Left", timeout=1)
    assert answer.count("not yours: 'echo it's \\ there'") == 1, answer
