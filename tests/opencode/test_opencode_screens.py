"""What a captured screen says, for every one there is; no process is started."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from python.helpers.opencode.screen import Frame

SCREENS = sorted((Path(__file__).parent / "screens").glob("*/*.txt"))
MEANS = {
    "busy": {"busy", "retrying"},
    "idle": {"idle"},
    "permission": {"needs permission"},
    "question": {"needs answer"},
}


def load(name):
    path = next(path for path in SCREENS if path.stem == name)
    return [line for line in path.read_text().split("\n") if not line.startswith("# ")]


def frame(lines, width=120, cursor=(0, 0), visible=True):
    """A frame of `lines`; the captured ones have no cursor."""
    x, y = cursor
    facts = {"width": width, "cursor_x": x, "cursor_y": y, "cursor_visible": visible}
    return Frame(SimpleNamespace(lines=tuple(lines), **facts))


def shown(name, **more):
    size = re.search(r"(\d+)x\d+$", name)
    return frame(load(name), int(size[1]) if size else 120, **more)


@pytest.mark.parametrize("path", SCREENS, ids=lambda path: path.stem)
def test_every_captured_screen_is_told_apart(path):
    assert shown(path.stem).status in MEANS[path.parent.name]


@pytest.mark.parametrize("lines", [["$ opencode", "", ""], [""] * 40], ids=["a shell", "blank"])
def test_a_shell_or_a_blank_screen_is_no_state_of_opencode(lines):
    assert frame(lines).status is None


def test_words_of_the_conversation_are_not_taken_for_a_state():
    quoted = [
        "  ┃  △ Permission required",
        "  ┃   Allow once   Allow always   Reject  enter confirm",
        "     esc interrupt",
        "",
    ]
    assert frame(quoted + load("idle_after_response_120x40")).status == "idle"


def test_retry_has_attempt_and_reason():
    status = shown("vlatest_retry").status
    assert (status, status.message) == ("retrying", "fake provider says 500")
    assert status.attempt >= 1


def test_a_draft_is_seen_and_an_empty_input_is_empty():
    assert shown("busy_with_draft_120x40").input == "draft text"
    assert shown("idle_after_response_120x40").input == ""


def test_what_the_empty_input_suggests_is_no_draft():
    lines = load("idle_first_120x40")
    y, row = next((i, row) for i, row in enumerate(lines) if "Ask anything" in row)
    x = row.index("Ask anything")
    assert frame(lines, cursor=(x, y)).obstacle == ""
    assert "has typed" in frame(lines, cursor=(x + 3, y)).obstacle


def test_a_cursor_that_is_not_in_the_input_is_an_obstacle():
    lines = load("idle_after_response_120x40")
    assert frame(lines, cursor=(20, 3)).obstacle == "a dialog"
    assert frame(lines, visible=False).obstacle == "no cursor in its input"


def test_a_scroll_bar_is_no_text():
    lines = load("idle_after_response_120x40")
    drawn = [line.ljust(77)[:77] + "█" for line in lines[:20]] + lines[20:]
    assert frame(drawn).rows == frame(lines).rows


def test_the_end_of_the_conversation_out_of_sight_is_seen():
    lines = load("idle_after_response_120x40")
    end = max(i for i, line in enumerate(lines) if "▣" in line)
    assert not frame(lines).is_scrolled
    assert frame([*lines[:end], "     some text of the answer", *lines[end + 1 :]]).is_scrolled


def test_text_below_a_prompt_belongs_to_that_prompt_alone():
    lines = load("busy_streaming_120x40")
    prompt = next(line for line in lines if "FAKE:slow" in line)
    prompt = prompt.strip().strip("┃").strip()
    assert frame(lines).text_below(prompt).startswith("word1 word2")
    assert frame(lines).text_below("another prompt") == ""
