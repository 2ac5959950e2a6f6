"""A turn continues where it was open: not in another pane, not in a new session; also from unusual
processes of callers. Questions and drafts: tests/real/cases/turns.toml."""

import re
import shlex
import sys
import time

import pytest

from tests.conftest import poll

GO_ON = {"send": {"text": "hunter2"}, "keys": {"keys": "x Enter"}, "interrupt": {}, "wait_ready": {"timeout": 0.5}}


@pytest.fixture
def password(terminal):
    """A password is asked for in %0, and the person has gone to another window."""
    answer = terminal.call("run", text="read -s -p 'Password: ' p; echo")
    assert answer.startswith("needs password"), answer
    terminal.tmux("new-window", "-t", "=shared:", "bash --norc --noprofile")
    poll(lambda: terminal.screen().strip(), what="a prompt in the new window")
    return terminal


@pytest.mark.parametrize("action", GO_ON)
def test_nothing_that_continues_a_turn_is_done_in_the_pane_that_the_person_looks_at_now(password, action):
    answer = password.call(action, **GO_ON[action])
    assert answer.startswith("error: the last answer was about %0, and the person looks at %1"), answer
    assert "pane '%0' or pane '%1'; after read the same call goes to %1; nothing was typed" in answer
    assert "hunter2" not in password.screen()
    answer = password.call("send", text="hunter2", pane="%0")
    assert answer.startswith("ready"), answer
    assert re.fullmatch(r"ready .*\nhere", password.call("run", text="echo here"))


def test_a_command_is_not_run_in_another_window_that_the_person_looks_at_before_that_is_told(password):
    answer = password.call("run", text="echo here")
    assert answer.startswith("error: the last answer was about %0, and the person looks at %1"), answer
    assert password.call("run", text="echo here").endswith("\nhere")


@pytest.mark.parametrize("action", GO_ON)
def test_continuing_a_turn_in_a_pane_that_is_gone_is_reported_once(password, action):
    password.tmux("kill-pane", "-t", "%0")
    answer = password.call(action, **GO_ON[action])
    assert answer.startswith("gone: the pane %0 has ended"), answer
    assert password.call("send", text="echo here").endswith("\nhere")


def test_a_new_session_is_created_if_no_turn_was_open(terminal):
    assert terminal.call("run", text="true").startswith("ready")
    terminal.tmux("kill-session", "-t", "=shared")
    answer = terminal.call("send", text="hunter2")  # an answer to what has gone with it
    assert answer.startswith("error: no answer has told who waits") and "hunter2" not in terminal.screen()
    assert "note: session shared did not exist" in answer, answer
    assert terminal.call("send", text="echo here").endswith("\nhere")


def test_an_error_has_its_notes(terminal):
    terminal.call("run", text="true")
    terminal.tmux("new-window", "-t", "=shared:", "sleep 60")
    answer = terminal.call("read")
    assert "\nnote: the person has gone on to %1; this answer is about it" in answer
    answer = terminal.call("run", text="echo hi")
    assert answer.startswith("error: sleep is in front")


def test_silence_is_counted_from_the_last_output_and_not_from_the_last_look(terminal, tmp_path):
    truth = tmp_path / "truth"
    code = f"print('x', flush=True); open({str(truth)!r}, 'w').write(str(time.monotonic()))"
    text = shlex.join([sys.executable, "-c", f"import time; {code}; time.sleep(600)"])
    terminal.call("run", text=text, timeout=0)
    poll(truth.exists, what="its output")
    time.sleep(2.5)
    before = time.monotonic() - float(truth.read_text())
    answer = terminal.call("wait_ready", timeout=0.3)
    after = time.monotonic() - float(truth.read_text())
    silent = float(answer.first.removesuffix("s").rpartition("silent for ")[2])
    assert before - 2.1 < silent < after + 0.1, answer  # of two times tmux knows the second
