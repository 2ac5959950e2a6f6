"""A turn continues where it was open: not in another pane, not in a new session; also from unusual
processes of callers. Questions and drafts: tests/real/cases/turns.toml."""

from __future__ import annotations

import os
import re
import resource
import shlex
import sys
import time

import pytest

from python.helpers.tmux.client import TmuxError
from tests.conftest import poll
from tests.support.denied import denied
from tests.support.pythons import PY313
from tests.support.tables import Tables

TABLES = Tables(__file__)

GO_ON = TABLES["GO_ON"]


@pytest.fixture
def password(terminal):
    """A password is asked for in %0, and the person has gone to another window."""
    answer = terminal.call("run", text="read -s -p 'Password: ' p; echo")
    assert answer.startswith("needs password"), answer
    terminal.tmux("new-window", "-t", "=shared:", "bash --norc --noprofile")
    poll(lambda: terminal.screen().strip(), what="a prompt in the new window")
    return terminal


@pytest.mark.parametrize("action", GO_ON)
def test_nothing_that_continues_a_turn_is_done_in_the_pane_that_the_person_looks_at_now(
    password, action
):
    answer = password.call(action, **GO_ON[action])
    assert answer.startswith("error: the last answer was about %0, where a turn is open"), answer
    assert "pane '%0' or pane '%1'; nothing was typed" in answer
    assert "hunter2" not in password.screen()
    answer = password.call("send", text="hunter2", pane="%0")
    assert answer.startswith("ready"), answer
    answer = password.call("send", text="echo here")
    assert re.fullmatch(
        r"ready .*\nnote: the person has gone on to %1; this answer is about it\nhere", answer
    )


def test_a_command_is_run_where_the_person_looks_even_if_a_turn_is_open_elsewhere(password):
    answer = password.call("run", text="echo here")
    assert answer.endswith("note: the person has gone on to %1; this answer is about it\nhere"), (
        answer
    )


@pytest.mark.parametrize("action", GO_ON)
def test_continuing_a_turn_in_a_pane_that_is_gone_is_reported_once(password, action):
    password.tmux("kill-pane", "-t", "%0")
    answer = password.call(action, **GO_ON[action])
    assert answer.startswith("gone: the pane %0 has ended"), answer
    assert password.call("send", text="echo here").endswith("\nhere")


def test_a_new_session_is_created_if_no_turn_was_open(terminal):
    assert terminal.call("run", text="true").startswith("ready")
    terminal.tmux("kill-session", "-t", "=shared")
    answer = terminal.call("send", text="echo here")
    assert "note: session shared did not exist" in answer and answer.endswith("\nhere"), answer


def test_an_error_has_its_notes(terminal):
    terminal.call("run", text="true")
    terminal.tmux("new-window", "-t", "=shared:", "sleep 60")
    answer = terminal.call("run", text="echo hi")
    assert answer.startswith("error: sleep is in front")
    assert "\nnote: the person has gone on to %1; this answer is about it" in answer


def test_a_password_in_keys_is_kept_nowhere(terminal):
    ask = "stty -echo -icanon; printf 'Password: '; head -c 9 >/dev/null; stty sane"
    assert terminal.call("run", text=ask).startswith("needs password")
    assert terminal.call("keys", keys="s e c r 3 t", timeout=0) == "pressed keys in shared"
    kept = terminal.tmux("show-options", "-p", "-t", "=shared:")
    assert "r3t" not in kept and "secr" not in kept, kept
    terminal.call("interrupt")


def test_a_call_from_a_directory_that_was_removed_makes_the_session_at_home(bare, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    here = os.getcwd()
    os.chdir(gone)
    try:
        gone.rmdir()
        answer = bare.call("run", text="pwd")
    finally:
        os.chdir(here)
    assert answer.startswith("ready") and answer.endswith(f"\n{os.environ['HOME']}"), answer


def test_a_pane_that_cannot_be_looked_at_is_a_row_of_the_list(terminal, monkeypatch):
    def stopped(watch, patience):
        raise TmuxError("the tmux server did not answer")

    monkeypatch.setattr("python.helpers.tmux.watch.Watch.turn", stopped)
    answer = terminal.call("list")
    assert answer == "1 pane, nobody attached\nshared:0.0 (%0): the tmux server did not answer"


def test_until_in_a_process_with_more_than_a_thousand_open_files(terminal):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2000:
        pytest.skip("so many files may not be opened here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (2000, hard))
    files = [os.open("/dev/null", os.O_RDONLY) for _ in range(1100)]
    try:
        answer = terminal.call("run", text="echo done; sleep 60", until="done")
    finally:
        for file in files:
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert answer.startswith("matched"), answer


@pytest.mark.skipif(not PY313, reason="no Python 3.13")
def test_a_program_that_prints_a_prompt_leaves_nothing_half_typed(bare):
    """Where memory is closed."""
    with denied():
        bare.start(f"{PY313} -q")
        poll(lambda: bare.screen().rstrip().endswith(">>>"), what="a prompt")
        bare.call("run", text="import time; print('>>> ', end='', flush=True); time.sleep(1)")
        assert bare.call("run", text="6 * 7").body == "42"


def test_a_mode_without_scrolling_is_called_a_mode(terminal):
    terminal.person.scroll_back(0)
    assert terminal.call("read").notes == ["note: the person is in a mode of tmux's"]


def test_silence_is_counted_from_the_last_output_and_not_from_the_last_look(terminal, tmp_path):
    truth = tmp_path / "truth"
    code = (
        "import time; time.sleep(1.3); print('x', flush=True);"
        f" open({str(truth)!r}, 'w').write(str(time.monotonic())); time.sleep(600)"
    )
    for _ in range(5):  # a machine that stops for a moment makes it less, never more
        text = shlex.join([sys.executable, "-c", code])
        answer = terminal.call("run", text=text, timeout=2.4)
        real = time.monotonic() - float(truth.read_text())
        silent = float(answer.split("\n")[0].removesuffix("s").rpartition("silent for ")[2])
        assert silent < real + 0.1
        if silent > real - 0.4:
            break
        terminal.call("interrupt")
    else:
        pytest.fail(f"silent for {real:.1f}s, reported {silent}")
    time.sleep(2.5)
    before = time.monotonic() - float(truth.read_text())
    answer = terminal.call("wait_ready", timeout=0.3)
    after = time.monotonic() - float(truth.read_text())
    silent = float(answer.split("\n")[0].removesuffix("s").rpartition("silent for ")[2])
    assert before - 2.1 < silent < after + 0.1, answer  # of two times tmux knows the second
