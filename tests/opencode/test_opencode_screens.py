"""What a captured screen says, for every one there is; no process is started."""

from pathlib import Path

import pytest

from python.helpers import opencode_screen as screen
from python.helpers.opencode_typed import ScreenChannel

SCREENS = sorted((Path(__file__).parent / "screens").glob("*/*.txt"))
MEANS = {
    "busy": {"busy", "retrying"},
    "idle": {"idle"},
    "permission": {"needs permission"},
    "question": {"needs answer"},
}


def load(name):
    path = next(p for p in SCREENS if p.stem == name)
    return [line for line in path.read_text().split("\n") if not line.startswith("# ")]


@pytest.mark.parametrize("path", SCREENS, ids=lambda path: path.stem)
def test_every_captured_screen_is_told_apart(path):
    width = 80 if "80x24" in path.stem else 120
    assert screen.status(load(path.stem), width) in MEANS[path.parent.name]


def test_a_shell_or_a_half_drawn_screen_is_no_state_of_opencode():
    assert screen.status(["$ opencode", "", ""], 120) is None
    assert screen.status([""] * 40, 120) is None


def test_words_of_the_conversation_are_not_taken_for_a_state():
    quoted = [
        "  ┃  △ Permission required",
        "  ┃   Allow once   Allow always   Reject  enter confirm",
        "     esc interrupt",
        "",
    ]
    assert screen.status(quoted + load("idle_after_response_120x40"), 120) == "idle"


def test_retry_has_attempt_and_reason():
    now = screen.status(load("vlatest_retry"), 120)
    assert (now, now.message) == ("retrying", "fake provider says 500") and now.attempt >= 1


def test_permission_has_tool_and_command():
    request = screen.status(load("permission_80x24"), 80).request
    assert (request["permission"], request["metadata"]["command"]) == (
        "bash",
        "ls -la /etc | head -3",
    )


def test_question_has_its_options():
    asked = screen.status(load("question_120x40"), 120).request["questions"][0]
    assert asked["question"] == "Which one?" and [o["label"] for o in asked["options"]] == [
        "Alpha",
        "Beta",
    ]


def test_a_question_that_is_being_drawn_is_not_asked_yet(monkeypatch):
    rows = load("question_120x40")
    end = next(i for i, row in enumerate(rows) if "esc dismiss" in row)
    frames = [[*rows[: end - gone], *rows[end:]] for gone in (9, 6, 4, 0, 0, 0)]
    channel = ScreenChannel(None, None, 1)
    monkeypatch.setattr(
        channel, "_read", lambda: (screen.status(frame := frames.pop(0), 120), frame, 120)
    )
    asked = channel.status().request["questions"][0]
    assert asked["question"] == "Which one?" and [o["label"] for o in asked["options"]] == [
        "Alpha",
        "Beta",
    ]


def test_a_draft_is_seen_and_an_empty_input_is_empty():
    assert screen.draft(load("busy_with_draft_120x40"), 120) == "draft text"
    assert (
        screen.draft(load("idle_first_120x40"), 120)
        == ""
        == screen.draft(load("idle_after_response_120x40"), 120)
    )


def test_answers_and_their_ends():
    assert screen.answer(load("idle_after_response_80x24"), 80) == (
        "I will remember 4711.",
        "stop",
        "",
    )
    assert screen.answer(load("interrupted_80x24"), 80) == (
        "sm1 sm2 sm3 sm4 sm5 sm6 sm7",
        "aborted",
        "",
    )
    assert screen.answer(load("error400_120x40"), 120)[2] == "fake provider says 400"
    assert screen.answer(load("interrupted_retry_120x40"), 120, "FAKE:error 500")[2] == ""
