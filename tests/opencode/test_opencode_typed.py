"""The screen channel: the same session on tmux alone."""

import json
import re
import time

import pytest

from python.helpers.opencode import screen_channel
from python.helpers.opencode.screen import folded_lines
from python.helpers.opencode_cli import (
    OpenCodeError,
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeSession,
    OpenCodeStartFailed,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
)

CHANNEL = "screen"


def test_two_turns_remember(session):
    reply = session.send("Please remember the number 4711.")
    assert (reply.text, reply.finish, reply.channel) == ("I will remember 4711.", "stop", "screen")
    assert reply.tokens["total"] == 110 and reply.cost == 0 and not reply.note
    assert reply.session_id == session.session_id and session.session_id.startswith("ses_")
    assert session.turn("What number?") == "The number is 4711."


@pytest.mark.parametrize(
    "prompt",
    [
        "one line",
        "!echo x",
        "/nosuch",
        "/init now",
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
    assert model.prompts()[-1].strip() == prompt.strip()
    assert model.prompts()[-1] == prompt or "a blank" in reply.note


def palette(place):
    place.press("C-p")


def typed(text, enter=False):
    """The person types that, and presses Enter after it."""

    def act(place):
        place.type(text)
        time.sleep(0.4)
        if enter:
            place.press("Enter")

    return act


def scrolled(place):
    place.press("PageUp")


def closed(session, place):
    """The person closes whatever is open."""
    for _ in range(20):
        obstacle = session._connection._obstacle()
        if not obstacle:
            return
        keys = ["Escape"]
        if "scrolled" in obstacle:
            keys = ["PageDown"] * 3
        elif "typed" in obstacle or "mode with '" in obstacle and "''" not in obstacle:
            keys = ["C-e", "C-u"]
        place.press(*keys)
        time.sleep(0.5)


@pytest.fixture
def session(session, place):
    yield session
    closed(session, place)


OPEN = {
    "palette": (palette, "Commands"),
    "help": (typed("/help", True), "Help"),
    "themes": (typed("/themes", True), "Themes"),
    "models": (typed("/models", True), "Select model"),
    "conversations": (typed("/sessions", True), "Sessions"),
    "status": (typed("/status", True), "Status"),
    "a menu of commands": (typed("/"), "has typed: '.*/'"),
    "a menu of files": (typed("see @"), "has typed: '.*see @'"),
    "shell mode": (typed("!"), "its shell mode"),
    "a command in shell mode": (typed("!touch ran.txt"), "its shell mode with 'touch ran.txt'"),
    "a draft": (typed("half a thought"), "has typed: 'half a thought'"),
    "scrolled back": (scrolled, "scrolled back"),
}


@pytest.mark.parametrize("name", OPEN)
def test_nothing_is_typed_over_what_the_person_has_open(session, place, model, name):
    end = "SLOW-" if name == "scrolled back" else "before"
    session.turn("FAKE:slow n=900 delay=0" if end == "SLOW-" else "FAKE:say before")
    place.until(lambda: end in place.screen() and "esc interrupt" not in place.screen())
    before, (act, says) = place.screen(), OPEN[name]
    act(place)
    place.until(lambda: place.screen() != before)
    time.sleep(0.5)
    count = len(model.requests)
    with pytest.raises(OpenCodeError, match=f"(?s)nothing was typed.*{says}"):
        session.send("new session")
    assert "new session" not in place.screen() and len(model.requests) == count
    assert not (place.project / "ran.txt").exists()
    closed(session, place)
    assert session.turn("FAKE:say on it goes") == "on it goes"


def test_a_draft_that_is_typed_at_the_same_moment_is_not_sent(session, place, model):
    count = len(model.requests)
    place.type("a thought")
    with pytest.raises(OpenCodeError, match="a thought"):
        session.send("FAKE:say mine")
    place.until(lambda: "a thought" in place.screen() and "mine" not in place.screen())
    assert len(model.requests) == count
    place.press("C-u")


def typing(session, place, monkeypatch, before="", behind="", at_enter=""):
    """The person types that just before the prompt, just behind it, just before its Enter."""
    terminal = session._connection.terminal
    type, press = terminal.type, terminal.press

    def with_the_person(text, **how):
        place.type(before) if before else None
        type(text, **how)
        if behind:
            place.until(lambda: text in place.screen())
            place.type(behind)
            place.until(lambda: text + behind in place.screen())
        monkeypatch.setattr(terminal, "type", type)

    def and_enter(keys):
        place.type(at_enter) if at_enter and keys == ["Enter"] else None
        press(keys)

    monkeypatch.setattr(terminal, "type", with_the_person)
    monkeypatch.setattr(terminal, "press", and_enter)


@pytest.mark.parametrize(
    ("draft", "says", "left"),
    [
        ({"before": "mine "}, "send or clear", "mine"),
        ({"behind": " mine"}, "the prompt may stand too", "FAKE:say ours mine"),
    ],
)
def test_what_is_typed_around_a_prompt_is_seen_at_once_and_left(
    session, place, model, monkeypatch, draft, says, left
):
    session.turn("FAKE:say before")
    count, began = len(model.requests), time.monotonic()
    with monkeypatch.context() as person:
        typing(session, place, person, **draft)
        with pytest.raises(OpenCodeError, match=says):
            session.send("FAKE:say ours")
    assert time.monotonic() - began < screen_channel.TYPED_LIMIT - 5
    assert session._connection._frame().input == left and len(model.requests) == count


def test_a_prompt_that_went_with_what_the_person_typed_is_told_and_has_its_answer(
    session, place, monkeypatch
):
    session.turn("FAKE:say before")
    began = time.monotonic()
    with monkeypatch.context() as person:
        typing(session, place, person, at_enter=" and theirs")
        with pytest.raises(OpenCodeTurnFailed, match="together with"):
            session.send("FAKE:say ours")
    assert time.monotonic() - began < screen_channel.LATE_LIMIT - 10
    assert session.wait().text == "ours and theirs"


@pytest.fixture
def untaken(session, place, monkeypatch):
    """Sends a prompt whose Enter is lost, so that it is taken back out and its record has no id."""

    def send(prompt):
        with monkeypatch.context() as lost:
            lost.setattr("python.helpers.opencode.screen_channel.BEGIN_LIMIT", 0.5)
            terminal = session._connection.terminal
            press = terminal.press
            lost.setattr(terminal, "press", lambda keys: keys == ["Enter"] or press(keys))
            with pytest.raises(OpenCodeTurnFailed, match="taken back out"):
                session.send(prompt)

    session.turn("FAKE:say before")
    return send


def test_a_prompt_that_is_not_taken_is_taken_back_out(session, place, model, untaken):
    count = len(model.requests)
    untaken("FAKE:say never taken")
    assert len(model.requests) == count and "never taken" not in place.screen()
    with pytest.raises(OpenCodeError, match="not in the conversation"):
        session.wait()
    assert session.turn("FAKE:say after") == "after"


def pasted(place, text):
    place.tmux("set-buffer", "-b", "persons", text)
    place.tmux("paste-buffer", "-p", "-d", "-b", "persons", "-t", "=shared:")


@pytest.mark.parametrize(
    ("prompt", "draft", "shown"),
    [
        ("ok", "one\ntwo\nthree\nfour", "[Pasted ~4 lines]"),
        ("1\n2\n3", "one\ntwo\nthree\nfour", "[Pasted ~4 lines]"),
        ("y", "my draft, really", "my draft, really"),
    ],
)
def test_a_draft_that_comes_after_a_prompt_that_was_not_taken_stays_whole(
    session, place, untaken, prompt, draft, shown
):
    untaken(prompt)
    pasted(place, draft)
    place.until(lambda: shown in place.screen())
    with pytest.raises(OpenCodeError, match=f"has typed: '{re.escape(shown)}'"):
        session.send("FAKE:say mine")
    assert shown in place.screen()


SIZES = {
    "two lines": "a\nb",
    "breaks around it": "\n\na\n\n",
    "three lines": "a\nb\nc",
    "many": "\n".join(map(str, range(40))),
    "150": "x" * 150,
    "151": "x" * 151,
    "two long lines": "x" * 100 + "\n" + "y" * 60,
    "wide ones count twice": "🙂" * 76,
}


@pytest.mark.parametrize("text", SIZES.values(), ids=SIZES)
def test_how_many_lines_opencode_tells_of_is_known_and_two_keys_take_them_out(session, place, text):
    channel = session._connection
    place.type("draft ")
    place.until(lambda: channel._frame().input == "draft")
    pasted(place, text)
    frame = place.until(lambda: (now := channel._frame()).input != "draft" and now)
    lines = folded_lines(text)
    assert frame.is_folded is bool(lines)
    if lines:
        assert frame.input == f"draft [Pasted ~{lines} lines]"
        channel._take_back("ascii", lines)
        assert channel._frame().input == "draft"


def test_the_same_prompt_twice_has_two_answers(session):
    session.reset()
    session.turn("Please remember the number 7.")
    assert session.turn("What number?") == "The number is 7."
    session.turn("Please remember the number 8.")
    assert session.turn("What number?") == "The number is 8."


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


def test_in_a_narrow_pane_whose_last_rows_wrap_it_is_all_the_same(session, place):
    place.tmux("resize-window", "-t", "=shared:", "-x", "40", "-y", "20")
    try:
        with pytest.raises(OpenCodePermissionNeeded, match="echo narrow"):
            session.send("FAKE:bash echo narrow")
        session.answer("once")
        assert session.wait().text == "TOOL SAID: narrow\n"
        with pytest.raises(OpenCodeQuestionAsked):
            session.send("FAKE:question")
        session.answer("Beta")
        assert session.wait().finish == "stop"
        session.submit("FAKE:slow n=400 delay=0.05")
        place.until(lambda: session.status == "busy")
        session.interrupt()
        assert session.wait().finish == "aborted"
    finally:
        place.tmux("resize-window", "-t", "=shared:", "-x", "160", "-y", "50")


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


def test_of_two_commands_at_once_the_one_that_is_shown_is_told_and_allowed(session, place):
    with pytest.raises(OpenCodePermissionNeeded) as caught:
        session.send('FAKE:commands touch "a 1.txt" | touch "a 2.txt"')
    place.until(lambda: "Allow once" in place.screen())
    told = caught.value.command
    assert told in place.screen().rpartition("Permission required")[2]
    session.answer("once")
    place.until(lambda: list(place.project.glob("a *.txt")))
    assert [f'touch "{file.name}"' for file in place.project.glob("a *.txt")] == [told]
    with pytest.raises(OpenCodePermissionNeeded) as caught:
        session.wait()
    assert caught.value.command != told


def test_a_permission_to_write_names_the_file(session, place):
    file = str(place.project / "new.txt")
    with pytest.raises(OpenCodePermissionNeeded) as caught:
        session.send("FAKE:tool write " + json.dumps({"filePath": file, "content": "x"}))
    assert caught.value.command == file


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
