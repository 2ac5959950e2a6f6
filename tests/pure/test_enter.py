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
