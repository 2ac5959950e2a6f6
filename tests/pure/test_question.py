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
    rows: list[str], x: int, y: int, visible: bool, alternate: bool, columns: int = 0
) -> Question | None:
    left = cells(rows[y], x)[0] if y in range(len(rows)) else ""
    place = {"left": left, "x": x, "y": y, "cursor_visible": visible, "alternate": alternate}
    return Screen(rows=tuple(rows), columns=columns, **place).picture


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
def test_a_prompt_and_plain_output_are_no_question(line: str) -> None:
    assert on_line(line) is None


def test_is_key_goes_by_the_line() -> None:
    assert is_key("--More--") and not is_key("Password: ")


def test_an_old_answer_above_new_output_is_no_question() -> None:
    rows = ["? What is your name? Jo", "Installing packages", "", "", ""]
    assert on_screen(rows, 0, 2, True, False) is None


def test_one_row_behind_a_sign_below_a_question_is_no_list() -> None:
    for below in ([" > a"], [" > a", "text"]):
        question = on_screen(["? Name", *below], 6, 0, True, False)
        assert question is not None and question.kind is Kind.INPUT
    question = on_screen(["? Name", " > a", "   b"], 6, 0, True, False)
    assert question is not None and question.kind is Kind.KEY


def test_a_window_that_was_left_on_the_screen_asks_no_more() -> None:
    window = ["┌──────────┐", "│ Sure?    │", "│ < Yes >  │", "└──────────┘"]
    assert on_screen([*window, "", ""], 0, 5, True, False) is None
    question = on_screen([*window, "", ""], 4, 2, True, False)
    assert question is not None and question.text == "Sure?"


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ("Modified buffers exist; exit anyway? (yes or no) ", Kind.INPUT),
        ("Save file /tmp/a? (y, n, !, ., q, C-r, C-f, d or C-h) ", Kind.KEY),
        ("[O]pen Read-Only, (E)dit anyway, (Q)uit: ", Kind.KEY),
    ],
)
def test_what_the_last_row_of_a_full_screen_takes(row: str, kind: Kind) -> None:
    question = on_screen(["a text", "", "", "", row], len(row), 4, True, True)
    assert question is not None and question.kind is kind
    assert on_screen(["a text", row, "", "", ""], len(row), 1, True, True) is None
    assert on_screen(["a text", "", "", row, "more"], len(row), 3, True, True) is None


RULE = "─" * 40


def test_a_rule_above_the_text_of_an_answer_makes_no_prompt_box_of_it() -> None:
    """aider shows the cursor, and its box is directly below a rule."""
    quoted = [RULE, "it said:", "> quoted"]
    assert on_screen(quoted, 8, 2, True, False) is None
    question = on_screen(quoted, 8, 2, False, False)
    assert question is not None and question.kind is Kind.INPUT
    assert on_screen([RULE, "> typed"], 7, 1, True, False) is not None


def test_where_codex_shows_nothing_of_its_last_turn_its_box_is_a_weak_question() -> None:
    rows = ["the end of a long answer", "", "› Improve the tests", ""]
    question = on_screen(rows, 2, 2, True, True)
    assert question is not None and question.kind is Kind.INPUT and not question.strong


@pytest.mark.parametrize(
    ("asked", "kind"), [("Enter your API key", Kind.PASSWORD), ("Enter a name", Kind.INPUT)]
)
def test_a_box_inside_a_box_asks_for_what_is_written_above_it(asked: str, kind: Kind) -> None:
    rows = [f"│ {asked}", "│", "│ ╭──╮ │", "│ │ x │ │", "│ ╰──╯ │"]
    question = on_screen(rows, 5, 3, False, False)
    assert question is not None and (question.kind, question.text) == (kind, asked)


def test_a_question_that_wraps_is_whole() -> None:
    rows = ["an answer", "Which of the man", "y possible names", " is it? Jo"]
    question = on_screen(rows, 10, 3, True, False, columns=16)
    assert question is not None and question.text == "Which of the many possible names is it? Jo"


def test_a_question_in_the_text_of_an_editor_is_none() -> None:
    rows = ["Sure? [y/N] ", "Password: ", *[""] * 8]
    assert on_screen(rows, 10, 1, True, True) is None


def test_a_wide_character_left_of_the_cursor_takes_two_cells() -> None:
    question = on_screen(["名前？ typed behind"], 7, 0, True, False)
    assert question is not None and question.text == "名前？"


def test_a_conversation_that_quotes_the_sign_of_work_far_above_does_not_work() -> None:
    assert not Screen(rows=("(esc to interrupt)", *[""] * 20, "> "), y=21).works


def test_the_cursor_outside_the_rows_is_no_question() -> None:
    assert on_screen([], 0, 0, True, False) is None
    assert on_screen(["Sure? "], 6, 1, True, False) is None


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


UNITS = TABLES["UNITS"]


@pytest.mark.parametrize("unit", UNITS)
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
