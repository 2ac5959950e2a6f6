"""Where a place is now and which lines came since: found, cleared, trimmed, redrawn, at another
width, drawn over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from python.helpers.tmux.evidence.screen.view import Lines, View
from python.helpers.tmux.transcript.mark import Input, Place, Typed, lines_sent, place_at
from python.helpers.tmux.transcript.news import (
    News,
    output_of,
    since_answer,
    since_place,
)
from tests.pure.views import input_of, view_of
from tests.support.tables import Tables

TABLES = Tables(__file__)

FULL = {"history_limit": 4}  # with a history this long rows have been dropped


def typed_at(view: View, text: str, rows: int = 1, kind: Typed = Typed.TEXT) -> Input:
    """The record of `text`, drawn on the last `rows` rows of `view`, and Enter pressed there."""
    sent, end = lines_sent(text), place_at(view, rows)
    return input_of(bytes_read=None, typed=kind, enter=True, sent=sent, end=end)


def news_of(lines: list[str], more: dict[str, bool] | None = None) -> News:
    """The end of a row."""
    return News(lines, **(more or {}))


OLD = ["one", "two", "three", "four"]
LONG = "word " * 6 + "end"  # two rows of twenty cells


@TABLES.rows("before, after, rows, flags", of="OUTPUT")
def test_output_since_enter(before, after, rows, flags):
    then, now = view_of(before, height=9), view_of(after, height=9)
    text = before[-1].removeprefix("$ ")
    found = output_of(now, now.joined, typed_at(then, text))
    assert found == news_of(rows, flags)


@TABLES.rows("before, after, rows, then, now, more", of="MOVED")
def test_output_after_rows_have_moved(before, after, rows, then, now, more):
    """Dropped from a full history: the number of a row says nothing then. Or at another width."""
    facts = dict(then)
    typed = facts.pop("rows", 1)
    then, now = view_of(before, **facts), view_of(after, **now)
    found = output_of(now, now.joined, typed_at(then, before[-1][2:], rows=typed))
    assert found == news_of(rows, more)


@pytest.mark.parametrize("height", [20, 6])
def test_a_box_that_is_drawn_lower_is_not_the_line_that_was_typed_in_it(height):
    """Gemini CLI: Enter was pressed unseen, the text is above, and the box below the answer."""
    box = [" ? for shortcuts", "-----", " Shift+Tab to accept", " > Type here"]
    then = view_of([*OLD, *box, " folder"], cursor=(7, 3), height=height, **FULL)
    now = [*OLD, " > say hello", "hello", *box, " folder"]
    now = view_of(now, cursor=(9, 3), height=height, **FULL)
    found = output_of(now, now.joined, replace(typed_at(then, "say hello"), unseen=True))
    assert found.lines[:2] == ["hello", box[0]]


def test_rows_above_the_command_that_output_repeats_are_not_its_place():
    """Rows have moved, and only a part of the lines was read: the command is further up."""
    then = view_of([*OLD, "$ x"], **FULL)
    now = view_of([*OLD, "$ x", *"abc", *OLD, *"de"], **FULL)
    part = Lines(now.joined.texts[-5:], now.joined.rows[-5:], now.width)
    assert output_of(now, part, typed_at(then, "x")).cleared
    assert output_of(now, now.joined, typed_at(then, "x")) == News([*"abc", *OLD, *"de"])


def test_output_begins_even_if_the_caller_was_killed_before_it_saw_its_text_drawn():
    """Then the option holds the cell alone."""
    for drawn in ("$ ls", "$ ls         12:01"):
        now = view_of([*OLD, drawn, "a"], height=9)
        typed = replace(typed_at(now, "ls"), end=Place(row=4, x=4, width=20))
        assert output_of(now, now.joined, typed) == News(["a"])


@pytest.mark.parametrize("stays, output", [(True, ["", "a"]), (False, ["a"])])
def test_a_text_that_fills_its_row_and_the_empty_row_below_it(stays, output):
    """tmux holds that row for the end of the line. Output begins there, or Enter leaves it."""
    line = "$ " + "x" * 18
    then = view_of([*OLD, line + " "], cursor=(5, 0))
    now = view_of([*OLD, line + " ", "a"])
    typed = replace(typed_at(then, "x" * 18, rows=2), stays=stays)
    assert output_of(now, now.joined, typed) == News(output)


@pytest.mark.parametrize("output", [[], ["a"]])
def test_a_text_that_fills_its_row_and_that_enter_redrew_lower(output):
    text = "x" * 18
    then = view_of([*OLD, f"$ {text} "], cursor=(5, 0), height=9)
    now = view_of([*OLD, "12:01", f"% {text}", *output], height=9)
    assert output_of(now, now.joined, typed_at(then, text, rows=2)) == News(output)


def test_a_command_of_several_lines_of_which_one_is_output_too():
    """Enter has made its prompt a row shorter."""
    command = ["for i in 1 2", "do echo done", "done"]
    then = view_of(["x", "12:01", *(f"$ {line}" for line in command)], height=9)
    now = view_of(["x", *(f"$ {line}" for line in command), "done", "done", "$"], height=9)
    typed = typed_at(then, "\n".join(command), rows=3)
    assert output_of(now, now.joined, typed) == News(["done", "done", "$"])


def test_a_row_into_which_a_line_had_wrapped_and_that_was_erased_is_a_row():
    lines = Lines(("ab", "cd", "e"), (0, 2, 3), columns=2)
    assert list(lines.physical.items()) == [(0, "ab"), (1, ""), (2, "cd"), (3, "e")]
    assert lines.split(1) == (["ab"], ["", "cd", "e"])
    assert lines.split(2) == (["ab"], ["cd", "e"])


def test_rows_were_dropped_and_enter_redrew_the_line():
    """It is found below the rows that were above it, though the same line was sent before."""
    then = view_of(["$ ls", "x", "y", "z", "$ ls       right"], cursor=(4, 4), **FULL)
    typed = replace(typed_at(then, "ls"), end=replace(place_at(then), row=5))
    now = view_of(["$ ls", "x", "y", "z", "% ls", "b", "$ ls", "d"], height=4, **FULL)
    assert output_of(now, now.joined, typed) == News(["b", "$ ls", "d"])


@pytest.mark.parametrize("width", [14, 30])
def test_an_empty_row_at_another_width_is_the_one_below_what_was_above_it(width):
    """A command runs, and has printed nothing yet when the window is resized."""
    then = view_of([*OLD, "$ make", ""], height=9)
    now = view_of([*OLD, "$ make", "done", "$", "", ""], (6, 1), width=width, height=9)
    assert since_place(now, now.joined, place_at(then), end=6) == News(["done", "$"])


def test_an_empty_row_at_another_width_below_nothing_known_is_lost():
    then = view_of([LONG, ""], height=9)
    now = view_of([LONG, "done", "$", "", ""], (2, 1), width=40, height=9)
    found = since_place(now, now.joined, place_at(then), end=2)
    assert found == News([LONG, "done", "$"], cleared=True)


def test_the_history_was_cleared_before_the_caller_saw_its_text_drawn():
    """The option holds the cell alone, in a row that is no more."""
    now = view_of(["$ ls", "a"], height=2)
    typed = replace(typed_at(now, "ls"), end=Place(row=4, x=4, history=3, width=20))
    assert output_of(now, now.joined, typed) == News(["$ ls", "a"], cleared=True)


@TABLES.rows("echo, before, after, rows", of="KEYS")
def test_output_after_keys(echo, before, after, rows):
    then, now = view_of(before), view_of(after)
    typed = typed_at(then, echo, kind=Typed.KEYS)
    assert output_of(now, now.joined, typed) == News(rows)


@TABLES.rows("kind, after, rows", of="HIDDEN")
def test_the_echo_of_a_hidden_answer_is_not_output(kind, after, rows):
    then, now = view_of(["Go?"]), view_of(after)
    typed = typed_at(then, "yes", kind=Typed[kind])
    assert output_of(now, now.joined, typed) == News(rows)


@TABLES.rows("before, after, rows, rows_at_prompt", of="DRAWN")
def test_what_keys_have_drawn_above_and_on_their_row(before, after, rows, rows_at_prompt):
    """`at_prompt`: a line editor draws there, and what is above it is no menu."""
    then, now = view_of(before, (len(before) - 1, 5)), view_of(after)
    typed = typed_at(then, "j", kind=Typed.KEYS)
    assert output_of(now, now.joined, typed) == News(rows)
    assert output_of(now, now.joined, replace(typed, at_prompt=True)) == News(rows_at_prompt)


def test_only_the_redrawn_rows_of_a_menu_below_the_cursor_are_new():
    then = view_of(["12:01", "a", "Pick:", "> x", "  y"], (2, 5))
    typed = typed_at(then, "j", kind=Typed.KEYS)
    now = view_of(["12:01", "a", "Pick:", "  x", "> y"], (2, 5))
    assert output_of(then, then.joined, typed) == News([])
    assert output_of(now, now.joined, typed) == News(["  x", "> y"])
    answered = view_of(["12:02", "a", "Pick: y", "> x", "  y"], (2, 7))
    assert output_of(answered, answered.joined, typed) == News(["y"])
    assert since_place(then, then.joined, place_at(then)) == News([])
    assert since_place(now, now.joined, place_at(then)) == News(["  x", "> y"])


@TABLES.rows("before, after, end, rows, flags", of="ENDS")
def test_up_to_the_row_of_the_cursor(before, after, end, rows, flags):
    """Where a dialog has left it above what it drew: below the rows that were there before."""
    then, now = view_of(before, height=9), view_of(after, height=9)
    found = output_of(now, now.joined, typed_at(then, before[-1][2:]), end=end)
    assert found == since_place(now, now.joined, place_at(then), end=end) == news_of(rows, flags)


@TABLES.rows("prompts, rows, output", of="AHEAD")
def test_what_was_typed_ahead_is_redrawn_at_the_next_prompt(prompts, rows, output):
    then, now = view_of(["x", "ls"]), view_of(["x", "ls", *rows], height=9)
    typed = replace(typed_at(then, "ls"), ahead=True)
    assert output_of(now, now.joined, typed, prompts) == News(list(output))


def test_a_program_that_prints_no_newline_on_enter():
    """The row of the place is blank up to it: what it shows now is output."""
    then, now = view_of(["x", ""]), view_of(["x", "out", "more"])
    assert output_of(now, now.joined, typed_at(then, "")) == News(["out", "more"])
    now = view_of(["x", "", "more"])
    assert output_of(now, now.joined, typed_at(then, "")) == News(["more"])


def test_without_a_place_there_is_nothing():
    view = view_of(["a"])
    assert output_of(view, view.joined, replace(typed_at(view, "x"), end=None)) == News([])


# Since an answer has shown the pane


@pytest.mark.parametrize("name", TABLES["SHOWN"])
def test_what_came_since_an_answer(name):
    shown, after, rows, *more = TABLES["SHOWN"][name]
    flags, then, now = [*more, {}, {}, {}][:3]
    then, now = view_of(shown, **then), view_of(after, **now)
    assert since_place(now, now.joined, place_at(then)) == news_of(rows, flags)


@TABLES.rows("shown, after, rows", of="BEHIND")
def test_what_a_job_printed_after_the_prompt(shown, after, rows):
    then, now = view_of(shown, cursor=(1, 2)), view_of(after)
    assert since_place(now, now.joined, place_at(then), behind=True) == News(rows)


# Between an answer and what was typed after it


def since(place: Place | None, typed: Input, now: View, behind: bool = False) -> list[str]:
    return since_answer(now, now.joined, place, typed, behind).lines


def test_what_came_before_the_agent_typed_is_kept_apart():
    shown = view_of(["a", "$"])
    then = view_of(["a", "$", "b", "c", "$ ls"], height=9)
    now = view_of(["a", "$", "b", "c", "$ ls", "out"], height=9)
    place, typed = place_at(shown), typed_at(then, "ls")
    assert since(place, typed, now) == ["b", "c", "out"]
    assert since(place, replace(typed, end=None), now) == ["b", "c", "$ ls", "out"]


def test_nothing_is_between_if_the_place_has_gone():
    shown, then = view_of([*OLD, "$"]), view_of(["b", "$ ls"])
    now = view_of(["b", "$ ls", "out"])
    assert since(place_at(shown), typed_at(then, "ls"), now) == ["out"]


def test_what_a_job_printed_after_the_prompt_came_before_the_agent_typed():
    shown = view_of(["a", "$ "], cursor=(1, 2))
    then = view_of(["a", "$ done", "$ ls"])
    now = view_of(["a", "$ done", "$ ls", "out"])
    assert since(place_at(shown), typed_at(then, "ls"), now, behind=True) == ["done", "out"]


def test_nothing_is_between_if_enter_redrew_a_prompt_of_two_rows():
    """It was typed at the place itself, whose row now shows the upper row."""
    shown, then = view_of([*OLD, "$"], height=9), view_of([*OLD, "$ ls"], height=9)
    now = view_of([*OLD, "12:01", "$ ls", "out"], height=9)
    assert since(place_at(shown), typed_at(then, "ls"), now) == ["out"]


def test_what_came_before_a_line_that_enter_redrew_higher():
    shown = view_of(["a", "$"], height=9)
    then = view_of(["a", "$", "b", "12:01", "$ ls"], height=9)
    now = view_of(["a", "$", "b", "% ls", "out"], height=9)
    assert since(place_at(shown), typed_at(then, "ls"), now) == ["b", "out"]


def test_between_two_inputs_the_output_of_the_first_is_reported_without_its_echo():
    shown = view_of(["a", "$"])
    first = view_of(["a", "$", "b", "$ make"], height=9)
    second = view_of(["a", "$", "b", "$ make", "made", "$ ls"], height=9)
    now = view_of(["a", "$", "b", "$ make", "made", "$ ls", "out"], height=9)
    typed = typed_at(second, "ls")
    typed.first = typed_at(first, "make")
    assert since(place_at(shown), typed, now) == ["b", "made", "out"]


def test_a_wrapped_input_is_not_between():
    shown = view_of(["a", "$"])
    then = view_of(["a", "$", "b", f"$ {LONG}"], height=9)
    now = view_of(["a", "$", "b", f"$ {LONG}", "out"], height=9)
    typed = typed_at(then, LONG, rows=2)
    assert since(place_at(shown), typed, now) == ["b", "out"]


def test_before_any_answer_the_output_of_the_first_input_is_between_too():
    first = view_of(["$ make"], height=9)
    second = view_of(["$ make", "made", "$ ls"], height=9)
    now = view_of(["$ make", "made", "$ ls", "out"], height=9)
    typed = replace(typed_at(second, "ls"), first=typed_at(first, "make"))
    assert since(None, typed, now) == ["made", "out"]


def test_rows_that_were_dropped_between_two_inputs_are_reported_as_lost():
    """A flood that C-c ended: the place of the last answer has left the history before the key."""
    shown = view_of(["$ x", "1", ""], height=3, history_limit=4)
    then = view_of([*"3456789", ""], height=3, history_limit=4)
    now = view_of([*"3456789", "^C", "$"], height=3, history_limit=4)
    typed = typed_at(then, "^C", kind=Typed.KEYS)
    found = since_answer(now, now.joined, place_at(shown), typed, False)
    assert found == News([*"3456789", "$"], lost=True)


def test_the_echo_of_a_key_whose_place_has_left_the_history():
    then = view_of(["go", "1", ""], height=3, **FULL)
    now = view_of([*"2345678", "^C", "$"], height=3, **FULL)
    typed = typed_at(then, "^C", kind=Typed.KEYS)
    assert output_of(now, now.joined, typed) == News([*"2345678", "$"], cleared=True, lost=True)


def test_lines_that_do_not_reach_up_to_the_place_are_not_enough():
    """What was typed since is in them, and what came before it may be above them."""
    shown, then = view_of([*OLD, "$"], **FULL), view_of([*OLD, "$", *"abc", "$ ls"], **FULL)
    now = view_of([*OLD, "$", *"abc", "$ ls", "out"], height=3, **FULL)
    part = Lines(now.joined.texts[5:], now.joined.rows[5:], now.width)
    place, typed = place_at(shown), typed_at(then, "ls")
    assert since_answer(now, part, place, typed, False).cleared
    found = since_answer(now, now.joined, place, typed, False)
    assert found == News(["a", "b", "c", "out"])
