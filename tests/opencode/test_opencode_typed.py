"""The screen channel: the same session on tmux alone."""

import re
import time

import pytest

from python.helpers.opencode_cli import (
    OpenCodeError,
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeSession,
    OpenCodeStartFailed,
    OpenCodeTimedOut,
)

CHANNEL = "screen"


def test_two_turns_remember(session):
    reply = session.send("Please remember the number 4711.")
    assert (reply.text, reply.finish, reply.channel) == ("I will remember 4711.", "stop", "screen")
    assert "only the last screenful" in reply.note and reply.tokens == {} and reply.cost is None
    assert session.turn("What number?") == "The number is 4711."


@pytest.mark.parametrize(
    "prompt",
    [
        "one line",
        "!echo x",
        "/nosuch",
        "see @p.txt",
        "a\nb",
        "/two\nlines",
        "tab\there",
        "🙂 é 漢字",
        "; # $(id) `id`;",
        "\n".join(f"line {i}" for i in range(300)),
        "x " * 3000,
    ],
    ids=lambda p: repr(p[:12]),
)
def test_prompts_arrive_but_for_a_blank_that_is_said(session, model, prompt):
    reply = session.send(prompt)
    assert model.prompts()[-1].rstrip() == prompt.rstrip()
    assert model.prompts()[-1] == prompt or "changed by a blank" in reply.note


def test_what_cannot_be_typed_is_refused(session, model):
    count = len(model.requests)
    for prompt, reason in (
        ("exit", "ends OpenCode"),
        ("a\x1b[201~b", "control character"),
        (" ", "empty"),
    ):
        with pytest.raises(OpenCodeError, match=reason):
            session.send(prompt)
    assert len(model.requests) == count


def test_a_silent_pause_is_not_the_end(session):
    assert session.turn("FAKE:pause 2.5") == "BEFORE AFTER"


def test_instant_answers_one_after_another_are_all_seen(session):
    for i in range(5):
        assert session.turn(f"FAKE:say number {i}") == f"number {i}"


def test_permission_once_always_and_rejected(session, place):
    with pytest.raises(OpenCodePermissionNeeded) as caught:
        session.send("FAKE:bash echo one > one.txt")
    assert (caught.value.tool, caught.value.command) == ("bash", "echo one > one.txt")
    session.answer("once")
    session.wait()
    assert (place.project / "one.txt").exists()
    with pytest.raises(OpenCodePermissionNeeded):
        session.send("FAKE:bash touch two.txt")
    session.answer("reject")
    assert session.wait().finish != "stop" and not (place.project / "two.txt").exists()
    with pytest.raises(OpenCodePermissionNeeded):
        session.send("FAKE:bash mkdir three")
    session.answer("always")
    session.wait()
    assert "TOOL SAID" in session.turn("FAKE:bash mkdir four") and (place.project / "four").exists()


def test_interrupt_with_a_pending_permission(session):
    with pytest.raises(OpenCodePermissionNeeded):
        session.send("FAKE:bash id")
    session.interrupt()
    assert session.turn("FAKE:say next") == "next"


def test_a_question_is_answered(session):
    with pytest.raises(OpenCodeQuestionAsked) as caught:
        session.send("FAKE:question")
    assert caught.value.options == ["Alpha", "Beta"]
    with pytest.raises(OpenCodeError, match="one of"):
        session.answer("Gamma")
    session.answer("Beta")
    assert '"Which one?"="Beta"' in re.sub(r"\s+", " ", session.wait().text)


def test_a_timeout_carries_what_is_seen_and_interrupt_ends_it(session, slowly):
    slowly(200)
    with pytest.raises(OpenCodeTimedOut) as caught:
        session.wait(timeout=0.5)
    assert caught.value.text.startswith("w1 w2")
    began = time.monotonic()
    session.interrupt()
    assert time.monotonic() - began < 8 and session.wait().finish == "aborted"


def test_a_persons_draft_is_not_typed_into(session, place):
    place.tmux("send-keys", "-t", "=shared:", "half a thought")
    place.until(lambda: "half a thought" in place.screen())
    with pytest.raises(OpenCodeError, match="half a thought"):
        session.send("mine")
    place.tmux("send-keys", "-t", "=shared:", "C-u")
    place.until(lambda: "half a thought" not in place.screen())


def test_another_process_adopts_by_the_screen(session):
    other = OpenCodeSession().start()
    assert str(other.send("FAKE:say adopted")) == "adopted"
    with pytest.raises(OpenCodeStartFailed, match="no API"):
        OpenCodeSession(channel="http").start()


def test_reset_begins_a_new_conversation(session):
    session.turn("Please remember the number 5.")
    session.reset()
    assert session.turn("What number?") == "I know no number."
