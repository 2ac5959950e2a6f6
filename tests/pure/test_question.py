"""What a question looks like: recorded screens of real programs, and lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from python.helpers.tmux.question import Kind, on_screen

LIMITS = {
    "builtin-menu.asking": "`>` is the form of a prompt, not of a question",
    "readline-angle.asking": "`Value>` is the form of a prompt, not of a question",
    "click-password.again": "the words do not say that it is not shown; the kernel's echo bit does",
    "prompt_toolkit-confirm.asking": "one key; elsewhere `(y/n)` takes a line, and looks the same",
}
FRAMES = sorted((Path(__file__).parent / "frames").glob("*.json"))


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.stem)
def test_a_recorded_screen_is_judged_as_its_program_meant_it(frame: Path) -> None:
    picture = json.loads(frame.read_text(encoding="utf-8"))
    rows = picture["rows"] + [""] * (picture["height"] - len(picture["rows"]))
    place = picture["x"], picture["y"], picture["cursor_visible"], picture["alternate"]
    question = on_screen(rows, *place)
    found = (question.kind, question.text) if question else (None, "")
    truth = (picture["kind"] and Kind(picture["kind"]), picture["text"])
    assert (found == truth) is (frame.stem not in LIMITS), (found, truth)
