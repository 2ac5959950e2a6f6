"""Full screens for a reader of text: what is highlighted, shown and asked there."""

from python.helpers.tmux.facts.screen import filled, highlighted, question_on, shown, visible
from tests.support.readings import seen
from tests.support.tables import Tables

TABLES = Tables(__file__)


@TABLES.rows("painted, expected", of="highlighted")
def test_what_is_highlighted(painted, expected):
    assert [text for _, text in highlighted(painted + "\n")] == list(expected)


@TABLES.rows("rows, expected", of="shown")
def test_rows_are_shown_without_frames_and_filler(rows, expected):
    assert [row for row in shown(filled(list(rows))) if row] == list(expected)


@TABLES.rows("row, above, expected", of="asked")
def test_the_question_in_the_row_of_the_cursor(row, above, expected):
    left, _, right = row.partition("|")
    lines = [*above, left + right]
    assert question_on(seen(lines, height=len(lines) + 1, cursor_x=len(left), cursor_flag=True)) == expected


@TABLES.rows("painted, row, expected", of="visible")
def test_signs_that_hardly_differ_from_their_ground_are_blanks(painted, row, expected):
    assert visible(painted + "\n", [row]) == [expected]
