"""A turn continues where it was open: not in another pane, not in a new session; also from unusual
processes of callers. Questions and drafts: tests/real/cases/turns.toml."""

import json
import os
import re
import shlex
import signal
import sys
import time

import pytest

from tests.conftest import poll
from tests.support.run import TMUX_TOOL, run

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


BASH = "bash --norc --noprofile"
MOVED = {  # what was done, by which name the password was asked for; what that leads to now, or "": it is followed
    "the session is renamed, and would be made anew": ("rename-session -t =shared work", "", "the person looks at"),
    "two panes are swapped":
        (f"split-window -d -t %0 {BASH} ; swap-pane -d -s %0 -t %2", "shared:0.0", "shared:0.0 leads to"),
    "its window is moved, and another one takes its number":
        (f"move-window -s shared:0 -t shared:7 ; new-window -d -t shared:0 {BASH}", "shared:0", "shared:0 leads to"),
    "its window is renamed, and another one takes its name":
        (f"rename-window -t shared:0 old ; new-window -dt shared: -n web {BASH}", "shared:web", "shared:web leads to"),
    "another one has its name first":
        (f"new-window -dt shared: -n web {BASH} ; rename-window -t shared:0 old", "shared:web", "shared:web leads to"),
    "its window is renamed alone": ("rename-window -t shared:0 old", "shared:web", ""),
    "the windows are numbered anew":
        (f"new-window -d -t shared:5 {BASH} ; swap-window -d -s shared:0 -t shared:5", "shared:0", "shared:0 leads to"),
}


@pytest.mark.parametrize("how", MOVED)
def test_a_name_that_leads_to_another_pane_than_was_told_is_followed_once_it_is_told(terminal, how):
    command, pane, leads = MOVED[how]
    named = {"pane": pane} if pane else {}
    terminal.tmux("rename-window", "-t", "%0", "web")
    terminal.tmux("new-session", "-d", "-s", "other", BASH)
    assert terminal.call("run", text="read -s -p 'Password: ' p; echo", **named).startswith("needs password")
    terminal.tmux(*shlex.split(command))
    answer = terminal.call("send", text="hunter2", **named)
    if leads:
        assert answer.startswith(f"error: the last answer was about %0, and {leads}"), answer
        answer = terminal.call("send", text="hunter2", pane="%0")
    assert answer.startswith("ready"), answer
    panes = terminal.tmux("list-panes", "-aF", "#{pane_id}").split()
    assert not any("hunter2" in terminal.tmux("capture-pane", "-p", "-t", pane) for pane in panes)


def test_opening_a_window_does_not_go_on_to_what_the_person_looks_at(password):
    password.call("open", name="mine")
    assert password.call("send", text="hunter2").startswith("error: the last answer was about %0")


CBREAK = """import os, sys, tty
tty.setcbreak(0); print('Which? ', end='', flush=True); got = ''
while (sign := os.read(0, 1).decode()) != chr(10): got += sign; print(sign, end='', flush=True)
print(); print('got', got)"""


@pytest.mark.parametrize("between", ["read", "wait_ready"])
def test_a_half_answer_that_was_told_stays_theirs(terminal, between):
    file = terminal.file("which.py", CBREAK)
    assert terminal.run(shlex.join([sys.executable, str(file)]), timeout=5).startswith(("needs", "quiet"))
    person = terminal.person
    person("prod-")
    terminal.see("Which? prod-")
    time.sleep(2.2)  # tmux tells the second of a key
    assert "not yours: 'prod-'" in terminal.call(between, **({} if between == "read" else {"timeout": 1}))
    for action, more in {"send": {"text": "x", "timeout": 1}, "interrupt": {}}.items():
        assert terminal.call(action, **more).startswith("error: a half-typed line is at the question: 'prod-'")
    assert terminal.screen().rstrip().endswith("Which? prod-")
    person("a", "Enter")
    terminal.see("got prod-a")


READS_TOO = """import os, sys, time
if sys.argv[1:]:
    os.setsid(); fd = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY); os.write(fd, b'Passphrase: '); os.read(fd, 1)
pid = os.fork() or os.execv(sys.executable, [sys.executable, __file__, os.ttyname(0)])
os.waitpid(pid, 0)"""


def test_who_has_outlived_the_command_that_asked_and_reads_on_is_named_and_nothing_is_typed(terminal):
    file = terminal.file("unlock.py", READS_TOO)
    assert terminal.run(shlex.join([sys.executable, str(file)]), timeout=5).startswith("needs")
    answer = terminal.interrupt()
    reader = re.search(r"python\S* \((\d+)\) reads this terminal too", answer)
    assert answer.startswith("ready") and reader, answer
    for action, more in {"run": {"text": "echo x"}, "keys": {"keys": "Enter"}}.items():
        refused = terminal.call(action, **more)
        assert refused.startswith("error: python") and "reads this terminal too" in refused, refused
    os.kill(int(reader[1]), signal.SIGKILL)
    assert terminal.run("echo x").endswith("\nx")


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
    assert before - 0.7 < silent < after + 0.6, answer  # tmux knows the second


def test_the_agents_own_window_stays_in_reach_though_the_person_gives_its_name_to_theirs(terminal):
    assert terminal.call("open", name="web").startswith("opened")
    assert terminal.call("run", text="echo mine", pane="shared:web").endswith("\nmine")
    terminal.tmux("rename-window", "-t", "shared:0", "web")
    answer = terminal.call("open", name="web")
    assert answer.startswith("opened shared:web"), answer
    assert terminal.call("run", text="echo mine", pane="shared:web").endswith("\nmine")
    call = json.dumps({"action": "run", "text": "echo mine", "pane": "shared:web"})
    assert run(sys.executable, TMUX_TOOL, call).stdout.endswith("\nmine\n")  # by a caller that has seen nothing yet
    terminal.tmux("set-option", "-gu", "@tmux_tool_names")  # no answer has told a pane by that name
    assert terminal.call("run", text="echo mine", pane="shared:web").endswith("\nmine")
    assert terminal.call("close", pane="shared:web").startswith("closed shared:web")
