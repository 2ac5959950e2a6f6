"""What the person does between two calls of the agent's, each call with an object of its own: the
conversation, its agent and its model stay what they were, or what the person has made of them."""

import os
import re
import signal

import pytest
from hermetic import Desk

from python.helpers.opencode_cli import (
    OpenCodeError,
    OpenCodeGone,
    OpenCodeSession,
    OpenCodeStartFailed,
)

# What it was started with, said where the next start looks for a reason.
SAYS = '#!/bin/sh\necho "Error: started with $*."; exit 1\n'
SHOWS = """#!/bin/sh
exec 9> "$HOME/opencode.db"
stty raw -echo
printf '\\033[?1049h\\033[H\\n  ┃\\r\\n  ┃\\r\\n  ┃\\r\\n  ┃  Build\\r\\n'
printf '  ╹▀▀▀\\r\\n  ctrl+p commands\\033[3;6H'
while :; do sleep 0.2; done
"""


def script(desk, text):
    (desk.root / "bin" / "opencode").write_text(text)
    (desk.root / "bin" / "opencode").chmod(0o755)


def agent_of_last(session):
    channel = session._connection
    return channel.messages(channel.instance.turn)[0]["info"]["agent"]


def kill(desk):
    group = desk.record()["group"]
    os.killpg(group, signal.SIGKILL)
    desk.until(lambda: not os.path.exists(f"/proc/{group}"))


def test_a_conversation_goes_on_with_its_agent_from_another_window_and_after_its_end(desk, capsys):
    first = OpenCodeSession(str(desk.project), agent="plan").start()
    first.turn("Please remember the number 42.")
    desk.tmux("new-window", "-t", "=shared:", "bash --norc --noprofile")
    other = OpenCodeSession(str(desk.project)).start()
    assert other.turn("What number?") == "The number is 42."
    assert agent_of_last(other) == "plan"
    assert "goes on in pane" in capsys.readouterr().out
    desk.tmux("kill-window", "-t", "=shared:")

    desk.press("Tab")  # the person lets it write
    desk.until(lambda: "Build · Fake One" in desk.screen())
    OpenCodeSession().start().turn("FAKE:say as the person chose")
    assert agent_of_last(other.start()) == "build"
    asked = OpenCodeSession(agent="plan", model="fake/fake-1").start()
    asked.turn("FAKE:say as the agent chose")
    assert agent_of_last(asked) == "plan"

    identity = first.session_id
    kill(desk)
    again = OpenCodeSession(str(desk.project)).start()
    assert f"conversation {identity} goes on" in capsys.readouterr().out
    assert again.turn("What number?") == "The number is 42."
    assert again.session_id == identity and agent_of_last(again) == "plan"

    desk.press("C-c")
    desk.until(lambda: not desk.processes())
    with pytest.raises(OpenCodeGone) as caught:
        OpenCodeSession(str(desk.project)).adopt()
    assert caught.value.session_id == identity and desk.is_clean()


@pytest.fixture
def standing(model):
    """A desk with a stand-in for OpenCode that runs, and the session, whose conversation is
    ses_1."""
    desk = Desk(model, None)
    script(desk, SHOWS)
    session = OpenCodeSession(str(desk.project), model="fake/fake-1", channel="screen").start()
    session._connection.instance.save(session="ses_1")
    yield desk, session
    desk.close()


def started_with(desk, directory, resume=None):
    """The flags that a start of another caller's gives to OpenCode, and the error that it is."""
    script(desk, SAYS)
    with pytest.raises(OpenCodeStartFailed) as caught:
        OpenCodeSession(str(directory), channel="screen").start(resume=resume)
    found = re.search(r"started with \S+(.*?)\.", str(caught.value))
    return found and found[1].strip(), str(caught.value)


def test_what_somebody_ended_goes_on_with_its_model_or_is_named(standing):
    desk, _ = standing
    kill(desk)
    words, error = started_with(desk, desk.project)
    assert words == "-m fake/fake-1 -s ses_1" and "start(resume='ses_1') goes on" in error
    assert not desk.options()


def test_a_half_typed_line_does_not_lose_what_somebody_ended(standing):
    desk, _ = standing
    kill(desk)
    desk.type("rm -rf ")
    desk.until(lambda: "rm -rf" in desk.screen())
    words, error = started_with(desk, desk.project)
    assert words is None and "half-typed" in error and "start(resume='ses_1') goes on" in error


def test_a_start_that_fails_when_it_is_up_does_not_lose_it_either(standing, monkeypatch):
    desk, _ = standing
    kill(desk)

    def begin(channel, session):
        raise OpenCodeError("OpenCode has no agent nope")

    monkeypatch.setattr("python.helpers.opencode_cli.ScreenChannel.begin", begin)
    with pytest.raises(OpenCodeStartFailed, match=r"agent nope.*start\(resume='ses_1'\)"):
        OpenCodeSession(channel="screen").start()


@pytest.mark.parametrize("left", ["by exit", "by reset", "in another directory", "for another"])
def test_what_the_agent_has_left_is_not_resumed(standing, left):
    desk, session = standing
    if left == "by exit":
        session.exit()
    else:
        if left == "by reset":
            session._connection.instance.save(session=None)
        kill(desk)
    place = desk.root if left == "in another directory" else desk.project
    words, error = started_with(desk, place, "ses_2" if left == "for another" else None)
    assert words == ("-s ses_2" if left == "for another" else "") and "goes on" not in error
