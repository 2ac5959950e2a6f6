"""In which cells the cursor may be once a text is drawn."""

from __future__ import annotations

import pytest

from python.helpers.tmux.evidence.screen.line import wraps_into
from python.helpers.tmux.typing.enter import _predicted
from tests.pure.views import view_of
from tests.support.tables import Tables

TABLES = Tables(__file__)

# text, columns, first column -> rows down and column
CELLS = TABLES["CELLS"]


@pytest.mark.parametrize("text, columns, x, cells", CELLS)
def test_where_a_text_ends(text, columns, x, cells):
    assert list(map(list, wraps_into(text, columns, x))) == cells


@TABLES.rows("text, cells")
def test_the_cells_are_counted_from_the_oldest_row(text, cells):
    view = view_of([*"abcdefg", "$"], cursor=(7, 2), height=3)
    assert list(map(list, _predicted(view, text))) == cells


# rows of a history of at most 50, the cursor's row of 3, rows down -> the row that it comes to
SCROLLED = TABLES["SCROLLED"]


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
