"""A person at work in the same OpenCode, on either channel: no answer of another turn, ever.

`FUZZ=40` in the environment tries that many turns for each channel instead of a few.
"""

import os
import random
import time

import pytest

from python.helpers.opencode.screen import Frame
from python.helpers.opencode.terminal import Terminal
from python.helpers.opencode_cli import (
    OpenCodeError,
    OpenCodeGone,
    OpenCodePermissionNeeded,
    OpenCodeSession,
    OpenCodeTurnFailed,
)

pytestmark = pytest.mark.thorough
TURNS = int(os.environ.get("FUZZ", "5"))
SEED = int(os.environ.get("SEED", "14"))


def draft(desk):
    desk.type("half a thought")
    yield
    desk.press("C-u")


def palette(desk):
    desk.press("C-p")
    desk.until(lambda: "Commands" in desk.screen())
    yield
    desk.press("Escape")
    desk.until(lambda: "Commands" not in desk.screen())


def scroll(desk):
    desk.press("PageUp")
    yield
    desk.press("PageDown")


def new(desk):
    desk.type("/new")
    desk.until(lambda: "New session" in desk.screen() or "/new" in desk.screen())
    desk.press("Enter")
    yield


def undo(desk):
    desk.type("/undo")
    time.sleep(0.3)
    desk.press("Enter")
    time.sleep(0.5)
    yield
    desk.press("C-u")


def own_prompt(desk):
    desk.type("FAKE:say the persons own")
    time.sleep(0.3)
    desk.press("Enter")
    yield


def quit(desk):
    desk.press("C-c")
    yield


ACTS = (draft, palette, scroll, new, undo, own_prompt, quit)


def settle(session, desk):
    """OpenCode at rest with an empty input, started again where the person has ended it."""
    desk.until(lambda: session.status in ("idle", "gone"))
    if session.status == "gone":
        session.start(resume=session.session_id, progress=False)
    desk.until(lambda: session.status == "idle")
    for _ in range(2):
        desk.press("Escape")
        time.sleep(0.15)
    desk.press("C-u")


def one_turn(session, desk, act, number, in_turn):
    """An act of the person's before or in a turn; what came of the turn."""
    slow = f"FAKE:slow n=12 delay=0.05 x={number}"
    prompt = slow if in_turn else f"FAKE:say answer {number}"
    whole = (
        " ".join(f"w{i}" for i in range(1, 13)) + " SLOW-DONE" if in_turn else f"answer {number}"
    )
    rest = act(desk)
    try:
        if not in_turn:
            next(rest)
        session.submit(prompt)
        if in_turn:
            desk.until(lambda: session.status in ("busy", "idle"))
            next(rest)
        reply = session.wait(timeout=20)
    except (OpenCodeError, OpenCodeGone) as problem:
        return f"{type(problem).__name__}: {problem}"
    finally:
        next(rest, None)
        settle(session, desk)
    assert whole.startswith(reply.text), (act.__name__, in_turn, reply)
    assert reply.text == whole or reply.finish == "aborted", (act.__name__, in_turn, reply)
    return reply.finish


@pytest.mark.timeout(120 + 30 * TURNS)
@pytest.mark.parametrize("channel", ["http", "screen"])
def test_with_a_person_at_work_no_answer_is_another_turns(model, binary, desk, channel):
    session = OpenCodeSession(str(desk.project), channel=channel, timeout=30).start()
    chance = random.Random(SEED)
    acts = [*chance.sample(ACTS, len(ACTS)), *chance.choices(ACTS, k=max(0, TURNS - len(ACTS)))]
    results = [
        f"{act.__name__}: {one_turn(session, desk, act, number, chance.random() < 0.5)}"
        for number, act in enumerate(acts[:TURNS])
    ]
    print(*results, sep="\n")
    assert session.turn("FAKE:say at the end") == "at the end"
    session.exit()
    desk.until(desk.is_clean)


def input_of(desk):
    """What stands in OpenCode's input."""
    return Frame(Terminal("shared").front().view).input


def type_alone(desk, text):
    """Into the input, in place of what is there."""
    desk.until(lambda: desk.press("C-u") or not input_of(desk))
    desk.type(text)
    desk.until(lambda: input_of(desk) == text)


def test_a_prompt_that_the_person_undoes_is_an_error(session, place):
    session.turn("FAKE:say before")
    session.submit("FAKE:slow n=400 delay=0.05")
    session.interrupt()
    type_alone(place, "/undo")
    place.until(lambda: "Undo previous message" in place.screen())
    place.press("Enter")
    place.until(lambda: "reverted" in place.screen() and "FAKE:slow" in input_of(place))
    type_alone(place, "another thought of the person's")
    place.press("Enter")
    place.until(lambda: session.status == "idle" and "ECHO" in place.screen())
    with pytest.raises(OpenCodeTurnFailed, match="not in the conversation"):
        session.wait(timeout=20)


@pytest.fixture(scope="module", params=["http", "screen"])
def running(request, place):
    one = OpenCodeSession(str(place.project), timeout=30, channel=request.param).start()
    yield one
    one.exit()
    place.until(place.is_clean)


def test_permission_by_the_person_lets_the_wait_go_on(session, place):
    with pytest.raises(OpenCodePermissionNeeded, match="echo by hand"):
        session.send("FAKE:bash echo by hand")
    place.until(lambda: "Allow once" in place.screen())
    place.press("Enter")
    place.until(lambda: session.status != "needs permission")
    assert str(session.wait()) == "TOOL SAID: by hand\n"


def test_the_summary_of_a_compacted_conversation_is_no_answer(session, place):
    session.turn("FAKE:say something to be summed up")
    session.submit("FAKE:slow n=30 delay=0.05")
    place.until(lambda: "w3 " in place.screen())
    place.type("/compact")
    time.sleep(0.4)
    place.press("Enter")
    reply = session.wait()
    assert reply.text.startswith("w1 w2") and set(reply.text.split()) <= {
        *(f"w{i}" for i in range(1, 31)),
        "SLOW-DONE",
    }
    place.until(lambda: session.status == "idle")
    time.sleep(0.5)
    place.press("C-u")


def test_another_object_learns_the_conversation_that_began_after_it_was_made(session):
    session.reset()
    other = OpenCodeSession().start()
    assert other.session_id is None
    session.turn("FAKE:say first")
    assert other.session_id == session.session_id


def test_a_rejected_reply_is_printed_as_what_it_is(session):
    with pytest.raises(OpenCodePermissionNeeded):
        session.send("FAKE:bash touch never.txt")
    session.answer("reject")
    reply = session.wait()
    assert (reply.finish, reply.text, str(reply)) == ("rejected", "", "(rejected: no text)")
