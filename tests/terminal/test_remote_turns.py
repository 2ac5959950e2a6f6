"""Whose turn it is behind ssh, at once and with a delay that varies: never early, and where tmux
shows bracketed paste (3.7 and newer) told by the line editor. In numbers: tests/acceptance."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from tests.acceptance.remote import command, hosts
from tests.acceptance.remote_turns import PROGRAMS, play
from tests.support import devbox
from tests.support.terminal import Server, poll

pytestmark = [
    pytest.mark.skipif(not devbox.is_there(), reason="no sshd"),
    pytest.mark.timeout(180),
]
_VERSION = subprocess.run(["tmux", "-V"], capture_output=True, text=True).stdout
SHOWS_PASTE = tuple(map(int, re.findall(r"\d+", _VERSION)[:2])) >= (3, 7)
PLAYS = [
    ("bash", "devbox"),
    ("bash", "roughbox"),
    ("zsh", "roughbox"),
    ("zsh, keypad", "devbox"),
    ("sqlite3", "farbox"),
    ("dash", "devbox"),
]


@pytest.fixture(scope="module")
def far(tmp_path_factory):
    """A tmux server and the folder of an ssh that knows the hosts."""
    with Server(tmp_path_factory.mktemp("far")) as server, hosts(server.folder / "ssh") as binaries:
        server.open("cat", name="keeper", ready=False)
        yield server, binaries


@pytest.mark.parametrize(("name", "through"), PLAYS)
def test_no_turn_is_told_early(far, name, through):
    if not shutil.which(name.split(",")[0]):
        pytest.skip("not installed")
    turns = list(play(*far, name, through, 1))
    assert not [str(turn) for turn in turns if turn.early]
    modes = SHOWS_PASTE or name == "zsh, keypad"
    if modes and PROGRAMS[name].sets:
        told = ("ready (line editor)",)
        assert not [str(turn) for turn in turns if not turn.answer.startswith(told)]


@pytest.fixture
def remote(far):
    """A bash of Debian's own prompt behind ssh."""
    server, binaries = far
    folder = server.folder / "questions"
    folder.mkdir(exist_ok=True)
    (folder / "rc").write_text("PS1='user@host:\\w$ '\n")
    start = command(binaries, "farbox", folder, f"bash --noprofile --rcfile {folder}/rc")
    with server.open(start, ready=False, folder=folder, size=(100, 24)) as terminal:
        poll(lambda: terminal.screen().strip().endswith("$"), what="a prompt")
        terminal.wait(timeout=5)
        yield terminal


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
