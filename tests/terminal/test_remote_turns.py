"""Whose turn it is behind ssh, at once and with a delay that varies: never early, and where tmux
shows bracketed paste (3.7 and newer) proven by the line editor."""

from __future__ import annotations

import re
from contextlib import contextmanager

import pytest

from tests.acceptance.remote import command, hosts
from tests.acceptance.remote_turns import PROGRAMS, play
from tests.support import devbox
from tests.support.played import played
from tests.support.pythons import PY313
from tests.support.run import run
from tests.support.tables import Tables
from tests.support.terminal import Server, poll

TABLES = Tables(__file__)

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not devbox.is_there(), reason="no sshd"),
    pytest.mark.timeout(180),
]
_VERSION = run("tmux", "-V").stdout
SHOWS_PASTE = tuple(map(int, re.findall(r"\d+", _VERSION)[:2])) >= (3, 7)
SETTINGS = "PS1='user@host:\\w$ '\n"
PROMPT_ENDS = ("$", "ready")
PLAYS = {f"{it}, {way}": (it, way) for it in PROGRAMS for way in PROGRAMS[it].through}


@pytest.fixture(scope="module")
def far(tmp_path_factory):
    """A tmux server and the folder of an ssh that knows the hosts."""
    with Server(tmp_path_factory.mktemp("far")) as server, hosts(server.folder / "ssh") as binaries:
        server.open("cat", name="keeper", ready=False)
        yield server, binaries


@pytest.fixture(scope="module")
def turns_of(request, far):
    with played(request, lambda name: list(play(*far, *PLAYS[name])), len(PLAYS)) as turns:
        yield turns


@pytest.mark.parametrize("name", PLAYS)
def test_no_turn_is_reported_early(turns_of, name):
    program = PLAYS[name][0]
    turns = turns_of(name)
    assert not [str(turn) for turn in turns if turn.early]
    if (SHOWS_PASTE or program == "zsh, keypad") and PROGRAMS[program].sets:
        told = "ready (line editor)"
        assert not [str(turn) for turn in turns if not turn.answer.startswith(told)]


@pytest.fixture
def remote(far, request):
    """A bash of Debian's own prompt behind ssh, on the host that the test asks for."""
    with _bash(*far, getattr(request, "param", "farbox")) as terminal:
        terminal.wait(timeout=5)
        yield terminal


@contextmanager
def _bash(server, binaries, host, settings=SETTINGS):
    folder = server.folder / "questions"
    folder.mkdir(exist_ok=True)
    (folder / "rc").write_text(settings)
    start = command(binaries, host, folder, f"bash --noprofile --rcfile {folder}/rc")
    with server.open(start, ready=False, folder=folder, size=(100, 24)) as terminal:
        poll(lambda: terminal.screen().strip().endswith(PROMPT_ENDS), what="a prompt")
        yield terminal


@pytest.mark.parametrize("remote", ["moonbox"], indirect=True)
def test_enter_is_pressed_after_the_echo_even_if_that_comes_late(remote):
    for text, body in (("echo hi", "hi"), ("seq 3", "1\n2\n3")):
        answer = remote.run(text)
        assert answer.startswith("ready") and answer.body == body, answer


def test_a_prompt_is_quoted_with_its_environment(remote):
    remote.run("echo known")
    for text, body in (('PS1="(venv) $PS1"', "(no output)"), ("printf x", "x")):
        answer = remote.run(text)
        assert answer.first.startswith("ready") and ": (venv) user@host:" in answer.first, answer
        assert answer.body == body, answer


@TABLES.rows("settings, pattern")
def test_a_prompt_that_a_pattern_matches_is_not_output(far, settings, pattern):
    with _bash(*far, "devbox", settings) as terminal:
        prompt = terminal.screen().strip().split("\n")[-1].strip()
        for text, body in (("echo hi", "hi"), ("seq 3", "1\n2\n3")):
            answer = terminal.run(text, prompt_pattern=pattern)
            assert answer.first.startswith("ready (pattern)"), answer
            assert answer.first.endswith(f": {prompt}") and answer.body == body, answer


def test_a_known_prompt_that_the_command_prints_is_not_ready(remote):
    remote.run("echo known")
    answer = remote.run("printf 'user@host:/etc$ '; sleep 5; echo")
    assert answer.first.startswith("quiet after 2."), answer
    assert remote.wait(timeout=1).first.startswith(("quiet", "wait_ready timed out"))
    poll(lambda: remote.screen().strip().endswith("questions$"), what="the prompt")
    assert remote.wait().first.startswith("ready")


@pytest.mark.skipif(not PY313, reason="no python 3.13")
def test_the_shells_prompt_is_known_again_after_a_program_with_other_modes(remote):
    remote.run("echo known")
    assert remote.run(f"{PY313} -q").first.startswith("ready (line editor)")
    assert remote.run("6*7").body == "42"
    for text, body in (("exit()", "(no output)"), ("echo again", "again")):
        answer = remote.run(text)
        assert answer.first.startswith("ready") and answer.body == body, answer


@pytest.mark.skipif(not SHOWS_PASTE, reason="this tmux does not show bracketed paste")
def test_a_prompt_that_is_printed_is_still_running(remote):
    answer = remote.run("printf 'user@host:~$ '; sleep 4", timeout=1.5)
    assert " timed out" in answer.first, answer
    answer = remote.wait()
    assert answer.first.startswith(("ready (line editor)", "quiet")), answer


@pytest.mark.skipif(not SHOWS_PASTE, reason="this tmux does not show bracketed paste")
def test_what_a_line_editor_asks_inside_a_command_is_a_question(remote):
    answer = remote.run("read -e -p 'Which place ' x; echo got $x")
    assert answer.first.startswith("needs input") and answer.first.endswith(": Which place"), answer
    answer = remote.ask("here")
    assert answer.first.startswith("ready (line editor)") and answer.body == "got here", answer


def test_a_program_that_sets_no_mode_is_never_ready_by_its_form_alone(remote):
    answer = remote.run("env PS1='host$ ' dash")
    assert answer.first.startswith(("quiet", "ready (prompt")), answer
    answer = remote.run("echo one")
    assert answer.body == "one" and answer.first.startswith(("quiet", "ready (prompt")), answer
    assert remote.run("exit").first.startswith("ready")


def test_the_exit_status_of_a_remote_command_is_not_guessed(remote):
    assert "exit status" not in remote.run("false").first
