"""Whose turn it is behind ssh, at once and with a delay that varies: never early, and where tmux
shows bracketed paste (3.7 and newer) told by the line editor. In numbers: tests/acceptance."""

from __future__ import annotations

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.acceptance.remote import command, hosts
from tests.acceptance.remote_turns import PROGRAMS, play
from tests.support import devbox
from tests.support.terminal import Server, poll

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not devbox.is_there(), reason="no sshd"),
    pytest.mark.timeout(180),
]
_VERSION = subprocess.run(["tmux", "-V"], capture_output=True, text=True).stdout
SHOWS_PASTE = tuple(map(int, re.findall(r"\d+", _VERSION)[:2])) >= (3, 7)
_PAIRS = [
    ("bash", "devbox"),
    ("bash", "roughbox"),
    ("zsh", "roughbox"),
    ("zsh, keypad", "devbox"),
    ("sqlite3", "farbox"),
    ("dash", "devbox"),
]
PLAYS = {
    f"{program}, {through}": (program, through)
    for program, through in _PAIRS
    if shutil.which(program.split(",")[0])
}
PRINTED = "user@host"


@pytest.fixture(scope="module")
def far(tmp_path_factory):
    """A tmux server and the folder of an ssh that knows the hosts."""
    with Server(tmp_path_factory.mktemp("far")) as server, hosts(server.folder / "ssh") as binaries:
        server.open("cat", name="keeper", ready=False)
        yield server, binaries


@pytest.fixture(scope="module")
def played(request, far):
    """The turns of a play by its name: all chosen ones are being played already."""
    names = [
        item.callspec.params["name"]
        for item in request.session.items
        if _plays(item) and "name" in item.callspec.params
    ]
    with ThreadPoolExecutor(len(PLAYS)) as pool:
        futures = {
            name: pool.submit(lambda name: list(play(*far, *PLAYS[name], 1)), name)
            for name in names
        }
        yield lambda name: futures[name].result()


def _plays(item: pytest.Item) -> bool:
    return item.path.name == "test_remote_turns.py" and hasattr(item, "callspec")


@pytest.mark.parametrize("name", PLAYS)
def test_no_turn_is_told_early(played, name):
    program = PLAYS[name][0]
    turns = played(name)
    modes = SHOWS_PASTE or program == "zsh, keypad"
    # Where no mode is seen, what is printed exactly as the prompt is the prompt.
    assert not [str(turn) for turn in turns if turn.early and (modes or PRINTED not in turn.text)]
    if modes and PROGRAMS[program].sets:
        told = "ready (line editor)"
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
