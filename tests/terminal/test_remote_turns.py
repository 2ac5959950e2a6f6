"""Whose turn it is behind a real ssh where tmux shows bracketed paste (3.7 and newer): the line editor
proves it. Without that: tests/real/cases/remote.toml."""

from __future__ import annotations

import re

import pytest

from tests.acceptance.remote import command
from tests.support import devbox
from tests.support.run import run
from tests.support.terminal import Server, poll

_VERSION = tuple(map(int, re.findall(r"\d+", run("tmux", "-V").stdout)[:2]))
pytestmark = [
    pytest.mark.skipif(not devbox.is_there(), reason="no sshd"),
    pytest.mark.skipif(_VERSION < (3, 7), reason="this tmux does not show bracketed paste"),
]


@pytest.fixture
def remote(tmp_path):
    """A bash of Debian's own prompt behind ssh."""
    with Server(tmp_path) as server, devbox.devbox(tmp_path / "ssh", forced=False) as binaries:
        rc = tmp_path / "rc"
        rc.write_text("PS1='user@host:\\w$ '\n")
        start = command(binaries, "devbox", tmp_path, f"bash --noprofile --rcfile {rc}")
        with server.open(start, ready=False, size=(100, 24)) as terminal:
            poll(lambda: terminal.screen().strip().endswith("$"), what="a prompt")
            terminal.wait(timeout=5)
            yield terminal


def test_a_prompt_that_is_printed_is_still_running(remote):
    assert remote.run("echo known").startswith("ready (line editor)")
    answer = remote.run("printf 'user@host:~$ '; sleep 4", timeout=1.5)
    assert " timed out" in answer.first, answer
    answer = remote.wait()
    assert answer.first.startswith(("ready (line editor)", "quiet")), answer


def test_what_a_line_editor_asks_inside_a_command_is_a_question(remote):
    answer = remote.run("read -e -p 'Which place ' x; echo got $x")
    assert answer.first.startswith("needs input") and answer.first.endswith(": Which place"), answer
    answer = remote.ask("here")
    assert answer.first.startswith("ready (line editor)") and answer.body == "got here", answer
