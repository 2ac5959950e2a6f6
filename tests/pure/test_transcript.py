"""Places on a pane and endings: rows as tmux gives them, and which of them are new. The panes are
`Terminal`s (support/pane_model.py); echoes have a file of their own, test_echoes.py."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from python.helpers.tmux.output import trimmed
from python.helpers.tmux.terminal.view import Lines
from python.helpers.tmux.transcript.endings import (
    lost_lines,
    screen_rows,
    trimmed_end,
    without_ending,
)
from python.helpers.tmux.transcript.places import needs_more, place, since_place
from python.helpers.tmux.turn.may_type import typed_since
from tests.support.pane_model import OUTPUT, PROMPT, Terminal

FUZZ = int(os.environ.get("FUZZ", "1"))  # FUZZ=50: as many times more examples, new in each run
RANDOM = settings(deadline=None, derandomize=FUZZ == 1, database=None, max_examples=100 * FUZZ)

# Places


def test_nothing_is_new_where_nothing_was_printed():
    terminal = Terminal("one", "two", PROMPT)
    assert terminal.since(terminal.shown()) == []


def test_the_line_at_the_cursor_is_new_once_it_has_grown():
    terminal = Terminal("one", PROMPT)
    shown = terminal.shown()
    assert terminal.print("ls", "a", "b", PROMPT).since(shown) == ["$ ls", "a", "b", "$"]


BEFORE = {
    "an empty terminal": [PROMPT],
    "some lines": ["one", "two", PROMPT],
    "more than the screen": [*map(str, range(30)), PROMPT],
    "a line that wraps": ["x" * 95, PROMPT],
    "the same line everywhere": ["same"] * 20 + [PROMPT],
    "blank lines above": ["one", "", "", PROMPT],
    "nearly the whole history": [*map(str, range(66)), PROMPT],
    "no prompt": ["one", ""],
}


@pytest.mark.parametrize("after", OUTPUT)
@pytest.mark.parametrize("before", BEFORE)
def test_only_what_was_printed_since_is_new(before, after):
    terminal = Terminal(*BEFORE[before])
    shown = terminal.shown()
    prompt = BEFORE[before][-1]
    terminal.print("cmd", *OUTPUT[after], prompt)
    assert terminal.since(shown) == trimmed([f"{prompt}cmd", *OUTPUT[after], prompt])
    assert terminal.since(terminal.shown()) == []


@pytest.mark.parametrize("up", [1, 3, 8])
def test_a_line_above_the_place_that_was_drawn_over_is_new_with_all_below_it(up):
    """docker pull, npm: several bars, each drawn over."""
    terminal = Terminal(*(f"layer {n}: 10%" for n in range(15)), "")
    shown = terminal.shown()
    terminal.lines[-1 - up] = "layer: 100%"
    below = [f"layer {n}: 10%" for n in range(16 - up, 15)]
    assert terminal.since(shown) == ["layer: 100%", *below]


@pytest.mark.parametrize("size", [(25, 10), (80, 10), (40, 5), (40, 30), (200, 50)], ids=str)
@pytest.mark.parametrize("before", [name for name in BEFORE if name != "no prompt"])
def test_a_resize_makes_nothing_new(before, size):
    terminal = Terminal(*BEFORE[before], limit=200)
    shown = terminal.shown()
    assert terminal.resize(*size).since(shown) == []
    assert terminal.print("cmd", "new", PROMPT).since(shown) == ["$ cmd", "new", "$"]


def test_with_a_full_history_the_place_is_found_by_its_text():
    terminal = Terminal(*(f"old {n}" for n in range(70)), PROMPT)
    terminal.print("", PROMPT)
    shown = terminal.shown()
    for number in range(20):
        terminal.print(f"cmd {number}", f"new {number}", PROMPT)
        assert terminal.since(shown) == [f"$ cmd {number}", f"new {number}", "$"]
        shown = terminal.shown()


def test_what_the_history_could_not_hold_is_dropped():
    terminal = Terminal("one", PROMPT)
    shown = terminal.shown()
    terminal.print("cmd", *(f"new {n}" for n in range(200)), PROMPT)
    since = since_place(terminal.view, terminal.all, shown)
    assert since.dropped and not since.cleared
    assert trimmed(since.lines)[-2:] == ["new 199", "$"]


def test_a_cleared_screen_has_lost_the_place():
    terminal = Terminal(*map(str, range(30)), PROMPT)
    shown = terminal.shown()
    since = since_place(terminal.clear().print("after", PROMPT).view, terminal.all, shown)
    assert since.cleared and not since.dropped
    assert trimmed(since.lines) == ["after", "$"]


def test_the_top_is_read_only_where_the_place_is_not_found_below():
    terminal = Terminal(*map(str, range(40)), PROMPT)
    shown = terminal.shown()
    part = Lines(terminal.all.texts[20:], terminal.all.rows[20:])
    assert not needs_more(terminal.view, part, shown)
    terminal.clear().print(*map(str, range(100, 140)), PROMPT)
    part = Lines(terminal.all.texts[20:], terminal.all.rows[20:])
    assert needs_more(terminal.view, part, replace(shown, width=80))
    assert not needs_more(terminal.view, terminal.all, replace(shown, width=80))


@RANDOM
@given(
    st.lists(st.text("ab ", max_size=90), max_size=12),
    st.lists(st.lists(st.text("ab ", max_size=90), max_size=6), min_size=1, max_size=5),
)
def test_all_that_is_printed_is_new_exactly_once(before, batches):
    """However alike the lines are."""
    terminal = Terminal(*before, PROMPT, limit=500)
    for number, batch in enumerate(batches):
        shown = terminal.shown()
        terminal.print(f"c{number}", *batch, PROMPT)
        expected = [f"$ c{number}", *(line.rstrip() for line in batch), "$"]
        assert terminal.since(shown) == trimmed(expected)


# Endings


@pytest.mark.parametrize(
    ("body", "left", "prompt", "upper", "rest", "glued"),
    [
        (["a", "$ "], "$ ", "$", [], ["a"], False),
        (["$ "], "$ ", "$", [], [], False),
        (["a", "ok$ "], "ok$ ", "$", [], ["a", "ok"], True),
        (["ok$"], "ok$ ", "$", [], ["ok"], True),
        (["a", "┌ ~", "❯ "], "❯ ", "❯", ["┌ ~"], ["a"], False),
        (["a", "", "┌ ~/x", "❯ "], "❯ ", "❯", ["", "┌ ~"], ["a"], False),
        (["a", "other", "❯ "], "❯ ", "❯", ["┌ ~"], ["a", "other"], False),
        (["a", "$ ls"], "$ ls -l", "$", [], ["a", "$ ls"], False),
        (["a"], "", "", [], ["a"], False),
        (["no end"], "no end", "", [], ["no end"], True),
        ([], "$ ", "$", [], [], False),
    ],
)
def test_output_without_the_prompt_at_its_end(body, left, prompt, upper, rest, glued):
    assert without_ending(body, left, prompt, upper) == (rest, glued)


def test_blank_lines_at_the_end_go_and_no_others():
    assert trimmed_end(["", "a", "", " "]) == ["", "a"]
    assert trimmed_end(["", ""]) == []


@pytest.mark.parametrize(
    ("lines", "rows"),
    [
        (["note", "~", "~", '"notes" 1L'], ["note", '"notes" 1L']),
        (["a", "", "b", "~", ""], ["a", "", "b"]),
        (["", "", "a"], ["a"]),
        (["~"], []),
        (["a", "", "", "b"], ["a", "", "", "b"]),
        (["a", *[""] * 20, "b"], ["a", "", "b"]),
    ],
)
def test_a_full_screen_without_its_filler(lines, rows):
    view = replace(Terminal().view, lines=tuple(lines))
    assert screen_rows(view) == rows


def test_how_many_lines_are_lost_is_estimated_from_what_the_server_has_read():
    view = Terminal(limit=2000).view
    kept = ["123456"] * 100  # 8 bytes each with the line's end
    assert lost_lines(view, 1000, 1000 + 8 * 350, kept).startswith("about 250 lines scrolled out")
    assert lost_lines(view, 1000, 1000, kept).startswith("about 1 lines")
    for then, now in ((None, 5), (5, None)):
        assert lost_lines(view, then, now, kept).startswith("an unknown number of lines")
    assert "(limit 2000)" in lost_lines(view, 1, 2, kept)


@pytest.mark.parametrize("fill", [0, 5, 39, 40, 80])
def test_the_line_at_the_cursor_begins_rows_above_where_it_wraps(fill):
    line = "y" * fill + "Name: "
    for above in ([], ["x"] * 30, ["x" * 40], ["x" * 100]):
        view = Terminal(*above, line).view
        assert view.wrapped_left == line
        assert replace(view, alternate=True).wrapped_left == view.left


def test_what_had_left_the_screen_before_was_shown_though_the_place_is_drawn_over():
    terminal = Terminal(*[f"old {n}" for n in range(30)], PROMPT, height=20)
    shown = place(terminal.view, None)
    drawn = [f"drawn {n}" for n in range(19)]
    terminal.lines[11:] = [*drawn, PROMPT]
    since = since_place(terminal.view, terminal.all, shown)
    assert since.cleared and since.lines == [*drawn, PROMPT.rstrip()]
    for changed in (replace(shown, width=41), replace(shown, history=12)):
        assert "old 0" in since_place(terminal.view, terminal.all, changed).lines


LESS, VIM = (":", 9), ("text", 3)  # what is left of the cursor, and its row of 10


@pytest.mark.parametrize(
    ("before", "left", "row", "typed"),
    [
        (LESS, ":", 9, ""),
        (LESS, "/15", 9, "/15"),
        (LESS, ":n", 9, "n"),
        (LESS, "(END)", 9, ""),
        (("(END)", 9), ":", 9, ""),
        (("(END)", 9), "/", 9, "/"),
        (("(END)", 9), "?ab", 9, "?ab"),
        (VIM, "text", 3, ""),
        (VIM, "text more", 3, "more"),
        (VIM, "text", 4, ""),
        (VIM, "text more", 4, ""),
        (VIM, "other", 3, ""),
        (VIM, ":", 9, ":"),
        (VIM, ":w", 9, ":w"),
        (VIM, ":w", 8, ":w"),
        (VIM, "Search: ab", 7, "Search: ab"),
        (VIM, "more text", 6, ""),
        (("text", 7), "Search: ab", 8, ""),
        (("", 3), "a  ", 3, "a"),
        (("text", -1), "text more", 3, ""),
        (("", -1), ":w", 9, ""),
    ],
)
def test_what_somebody_has_typed_on_a_full_screen(before, left, row, typed):
    lines = [""] * row + [left] + [""] * (9 - row)
    view = replace(Terminal().view, lines=tuple(lines), cursor_x=len(left), cursor_y=row)
    assert typed_since(view, *before) == typed
