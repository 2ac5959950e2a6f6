"""What can go wrong under a running turn, on either channel: the provider, OpenCode's process, the
disk."""

import os
import signal

import pytest

from python.helpers.opencode_cli import (
    OpenCodeError,
    OpenCodeGone,
    OpenCodeSession,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
)

HTTP = pytest.param("http", marks=pytest.mark.thorough)  # half of it is in test_opencode_session


@pytest.fixture(scope="module", params=[HTTP, "screen"])
def running(request, place):
    one = OpenCodeSession(str(place.project), timeout=30, channel=request.param).start()
    yield one
    one.exit()
    place.until(place.is_clean)


def group_of(desk):
    return desk.record()["group"]


def test_a_provider_that_never_answers_is_a_timeout_and_can_be_interrupted(session, place, model):
    count = len(model.requests)
    session.submit("FAKE:hang")
    place.until(lambda: len(model.requests) > count)
    with pytest.raises(OpenCodeTimedOut) as caught:
        session.wait(timeout=1)
    assert caught.value.status == "busy" and "SLOW-DONE" not in caught.value.text
    session.interrupt()
    assert session.wait().finish == "aborted"
    assert session.turn("FAKE:say still here") == "still here"
    assert [prompt for prompt in model.prompts()[count:] if "hang" in prompt] == [
        "FAKE:hang"
    ]  # asked once


def test_an_interrupt_at_once_after_the_prompt_ends_its_turn(session):
    for _ in range(3):
        session.submit("FAKE:slow n=400 delay=0.05")
        session.interrupt()
        assert session.wait(timeout=5).finish == "aborted"


@pytest.mark.parametrize("status", [400, 401])
def test_a_providers_error_has_its_text(session, status):
    with pytest.raises(OpenCodeTurnFailed, match=f"fake provider says {status}"):
        session.send(f"FAKE:error {status}")


def test_a_retry_is_visible_and_its_recovery_is_the_answer(session, place, model):
    model.counts.clear()
    session.submit("FAKE:error 429 1")
    place.until(lambda: session.status == "retrying")
    now = session.status
    assert now.attempt == 1 and "429" in now.message
    assert session.wait().text == "RECOVERED"


def test_a_stream_that_is_cut_in_mid_answer_is_taken_up_again(session, model):
    model.counts.clear()
    assert "RECOVERED" in session.turn("FAKE:cut 1")


def test_a_provider_that_answers_nonsense_is_a_failed_turn(session):
    with pytest.raises(OpenCodeTurnFailed, match="JSON"):
        session.send("FAKE:nonsense")
    assert session.turn("FAKE:say still here") == "still here"


def test_an_opencode_that_the_person_stops_is_waited_for_and_nothing_is_typed_into_the_shell(
    session, place, slowly
):
    slowly(40)
    os.killpg(group_of(place), signal.SIGSTOP)
    place.until(
        lambda: (
            "Stopped" in place.screen()
            and place.tmux(
                "display-message", "-p", "-t", "=shared:", "#{pane_current_command}"
            ).strip()
            == "bash"
        )
    )
    with pytest.raises(OpenCodeTimedOut, match="fg in its pane"):
        session.wait(timeout=1)
    before = place.screen()
    for call in (lambda: session.submit("never typed"), OpenCodeSession().start):
        with pytest.raises(OpenCodeError, match="fg"):
            call()
    assert place.screen() == before
    place.tmux("send-keys", "-t", "=shared:", "fg", "Enter")
    assert session.wait().text.endswith("SLOW-DONE")


@pytest.mark.thorough
@pytest.mark.parametrize("channel", ["http", "screen"])
def test_an_opencode_that_is_killed_in_mid_turn_is_gone_and_can_be_started_again(desk, channel):
    session = OpenCodeSession(str(desk.project), channel=channel).start()
    session.submit("FAKE:slow n=400 delay=0.05")
    desk.until(lambda: session.status == "busy")
    os.killpg(group_of(desk), signal.SIGKILL)
    with pytest.raises(OpenCodeGone, match=r"start\(.*\) goes on"):
        session.wait(timeout=10)
    assert session.status == "gone" and not desk.options()
    session.start(resume=session.session_id)
    assert session.status == "idle"  # though the answer that was cut off is open for ever
    session.reset()
    assert session.turn("FAKE:say again") == "again"
    session.exit()
