"""In which cells the cursor may be once a text is drawn."""

from __future__ import annotations

import pytest

from python.helpers.tmux.evidence.screen.line import wraps_into
from python.helpers.tmux.typing.enter import _predicted
from tests.pure.views import view_of

# text, columns, first column -> rows down and column
CELLS = [
    ("", 10, 3, [(0, 3)]),
    ("ab", 10, 3, [(0, 5)]),
    ("abcdef", 10, 3, [(0, 9)]),
    ("abcdefg", 10, 3, [(0, 10), (1, 0)]),  # the cursor waits in the last column, or has wrapped
    ("abcdefgh", 10, 3, [(1, 1)]),
    ("x" * 27, 10, 3, [(2, 10), (3, 0)]),
    ("x" * 28, 10, 3, [(3, 1)]),
    ("", 10, 10, [(0, 10), (1, 0)]),
    ("漢", 10, 3, [(0, 5)]),
    ("漢字", 10, 6, [(0, 10), (1, 0)]),
    ("漢字", 10, 7, [(1, 2)]),  # a wide character that does not fit goes to the next row
    ("e\u0301", 10, 3, [(0, 4)]),  # a combining mark takes no cell
    ("e\u0301", 10, 9, [(0, 10), (1, 0)]),
]


@pytest.mark.parametrize("text, columns, x, cells", CELLS)
def test_where_a_text_ends(text, columns, x, cells):
    assert wraps_into(text, columns, x) == cells


@pytest.mark.parametrize(
    "text, cells",
    [
        ("ls", [(7, 4)]),
        ("x" * 20, [(8, 2)]),
        ("x" * 18, [(7, 20), (8, 0)]),
        ("two\nlines", [(7, -1)]),  # the program draws these in its own way
        ("a\ttab", [(7, -1)]),
    ],
)
def test_the_cells_are_counted_from_the_oldest_row(text, cells):
    view = view_of([*"abcdefg", "$"], cursor=(7, 2), height=3)
    assert _predicted(view, text) == cells


# rows of a history of at most 50, the cursor's row of 3, rows down -> the row that it comes to
SCROLLED = [
    (40, 0, 2, 42),  # nothing scrolls
    (40, 2, 3, 45),
    (49, 2, 1, 52),
    (50, 2, 1, 48),  # the oldest tenth is dropped first
    (49, 1, 4, 49),
    (50, 2, 6, 48),  # twice
]


@pytest.mark.parametrize("history, y, down, row", SCROLLED)
def test_a_full_history_drops_rows_when_the_text_scrolls(history, y, down, row):
    view = view_of([""] * (history + 3), cursor=(history + y, 2), height=3, history_limit=50)
    assert view.row_below(down) == row
    assert _predicted(view, "x" * (20 * down)) == [(row, 2)]


def test_how_many_rows_a_text_took_where_rows_were_dropped():
    view = view_of([""] * 53, cursor=(52, 2), height=3, history_limit=50)
    assert [view.rows_down(view.row_below(down)) for down in range(5)] == [0, 1, 2, 3, 4]
    assert view.rows_down(view.row_below(3) - 1) == 2  # and a row was drawn below the cursor


def test_a_pane_without_a_history_only_scrolls():
    view = view_of(["", "", ""], cursor=(1, 2), height=3, history_limit=0)
    assert [view.row_below(down) for down in range(4)] == [1, 2, 2, 2]
