"""In which cells the cursor may be once a text is drawn."""

from __future__ import annotations

from python.helpers.tmux.evidence.screen.line import wraps_into
from python.helpers.tmux.typing.enter import _predicted
from tests.pure.views import view_of
from tests.support.tables import Tables

TABLES = Tables(__file__)


@TABLES.rows("text, columns, x, cells", of="CELLS")
def test_where_a_text_ends(text, columns, x, cells):
    """`x`: its first column; `cells`: rows down and column."""
    assert list(map(list, wraps_into(text, columns, x))) == cells


@TABLES.rows("text, cells")
def test_the_cells_are_counted_from_the_oldest_row(text, cells):
    view = view_of([*"abcdefg", "$"], cursor=(7, 2), height=3)
    assert list(map(list, _predicted(view, text))) == cells


@TABLES.rows("history, y, down, row", of="SCROLLED")
def test_a_full_history_drops_rows_when_the_text_scrolls(history, y, down, row):
    """`history`: of at most 50 rows; `y`: the cursor's row of 3; `row`: to which it comes."""
    view = view_of([""] * (history + 3), cursor=(history + y, 2), height=3, history_limit=50)
    assert view.row_below(down) == row
    assert _predicted(view, "x" * (20 * down)) == [(row, 2)]


def test_how_many_rows_a_text_took_if_rows_were_dropped():
    view = view_of([""] * 53, cursor=(52, 2), height=3, history_limit=50)
    assert [view.rows_down(view.row_below(down)) for down in range(5)] == [0, 1, 2, 3, 4]
    assert view.rows_down(view.row_below(3) - 1) == 2  # and a row was drawn below the cursor


def test_a_pane_without_a_history_only_scrolls():
    view = view_of(["", "", ""], cursor=(1, 2), height=3, history_limit=0)
    assert [view.row_below(down) for down in range(4)] == [1, 2, 2, 2]
