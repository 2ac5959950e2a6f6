"""What a question looks like: recorded screens of real programs, and lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from python.helpers.tmux.evidence.screen.question_line import Kind, Question, is_key, on_line
from python.helpers.tmux.evidence.screen.screen import Screen
from python.helpers.tmux.output import cells
from tests.support.examples import at_once, examples
from tests.support.tables import Tables

TABLES = Tables(__file__)

FRAMES = sorted((Path(__file__).parent / "frames").glob("*.json"))
LONG = 100_000

LIMITS = TABLES["LIMITS"]
WEAK_SCREENS = {name for names in TABLES["WEAK_SCREENS"].values() for name in names}


def lines(text: str) -> list[str]:
    """One line a row; a program leaves a blank between a question and the cursor."""
    return [line.strip() + " " for line in text.strip().splitlines()]


def on_screen(
    rows: list[str], x: int, y: int, cursor_visible: bool, alternate: bool, columns: int = 0
) -> Question | None:
    left = cells(rows[y], x)[0] if y in range(len(rows)) else ""
    place = {"left": left, "x": x, "y": y, "alternate": alternate, "columns": columns}
    return Screen(rows=tuple(rows), cursor_visible=cursor_visible, **place).picture


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.stem)
def test_a_recorded_screen_is_judged_as_its_program_meant_it(frame: Path) -> None:
    picture = json.loads(frame.read_text(encoding="utf-8"))
    rows = picture["rows"] + [""] * (picture["height"] - len(picture["rows"]))
    place = picture["x"], picture["y"], picture["cursor_visible"], picture["alternate"]
    question = on_screen(rows, *place, columns=picture["width"])
    judged = (question.kind, question.text) if question else (None, "")
    truth = (picture["kind"] and Kind(picture["kind"]), picture["text"])
    assert (judged == truth) is (frame.stem not in LIMITS), (judged, truth)
    assert question is None or question.strong is (frame.stem not in WEAK_SCREENS)


def test_each_known_limit_is_a_recorded_screen() -> None:
    assert LIMITS.keys() <= {frame.stem for frame in FRAMES}


@pytest.mark.parametrize(
    ("kind", "line"),
    [(Kind[kind], line) for kind, text in TABLES["STRONG"].items() for line in lines(text)],
)
def test_a_line_that_only_a_question_has_is_strong(kind: Kind, line: str) -> None:
    question = on_line(line)
    assert question is not None and question.strong
    assert question.kind is kind
    assert question.text == " ".join(line.split())


@pytest.mark.parametrize("line", lines(TABLES["WEAK"]))
def test_a_line_that_may_be_output_is_a_weak_question(line: str) -> None:
    question = on_line(line)
    assert question is not None and not question.strong
    assert question.kind is Kind.INPUT


@pytest.mark.parametrize("line", ["", "   ", *lines(TABLES["NO_QUESTION"])])
def test_a_prompt_and_plain_output_are_not_questions(line: str) -> None:
    assert on_line(line) is None


def test_is_key_goes_by_the_line() -> None:
    assert is_key("--More--") and not is_key("Password: ")


@TABLES.rows("rows, x, y, expected, place", of="SCREENS")
def test_what_a_screen_asks(rows, x, y, expected, place) -> None:
    facts = {"cursor_visible": True, "alternate": False, **(place or {})}
    question = on_screen(rows, x, y, **facts)
    assert bool(question) is bool(expected)
    for fact, value in (expected or {}).items():
        assert getattr(question, fact) == (Kind[value] if fact == "kind" else value)


def test_a_conversation_that_quotes_the_sign_of_work_far_above_does_not_work() -> None:
    assert not Screen(rows=("(esc to interrupt)", *[""] * 20, "> "), y=21).works


PIECES = st.sampled_from(
    [*"?:[]()/,. >›❯◆│┌└─●*", "y/N", "or ", "Password", "press ", "esc to ", "1. ", "a", "é", "漢"]
)
ROWS = st.lists(st.one_of(st.text(max_size=40), st.lists(PIECES).map("".join)), max_size=12)


@given(ROWS, st.integers(0, 60), st.integers(-1, 13), st.booleans(), st.booleans())
@examples(300)
def test_a_question_on_any_screen_has_words_of_its_rows(
    rows: list[str], x: int, y: int, visible: bool, alternate: bool
) -> None:
    question = on_screen(rows, x, y, visible, alternate, columns=20)
    shown = "".join("".join(rows).split())
    assert question is None or all(word in shown for word in question.text.split())


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
@examples(300)
def test_a_question_on_any_line_is_words_of_the_line(line: str) -> None:
    question = on_line(line)
    assert question is None or question.text in " ".join(line.split())


@TABLES.rows("unit", of="UNITS")
@pytest.mark.parametrize("visible", [True, False], ids=["cursor", "no-cursor"])
def test_rows_of_100_kilobytes_take_a_bounded_time(unit: str, visible: bool) -> None:
    row = (unit * LONG)[:LONG]
    rows = [f"? {row}", f"◆ {row}", row, f"│ {row}", row]
    with at_once(unit):
        on_line(row)
    for y in range(len(rows)):
        with at_once(unit):
            on_screen(rows, LONG, y, visible, False)
            on_screen(rows, 3, y, visible, True)
