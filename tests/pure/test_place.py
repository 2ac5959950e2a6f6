"""A place on the screen is found again however its rows have moved, and what stands behind it is
new; where it is lost, that is said."""

from __future__ import annotations

from python.helpers.tmux.look import Look, digest
from python.helpers.tmux.place import new_rows, place_at, since
from tests.support.tables import Tables

TABLES = Tables(__file__)


def look(lines: list[str], width: int = 20, above: int = 0, limit: int = 1000) -> Look:
    """A terminal whose cursor is behind the last of `lines`. `above`: rows of its history, of
    which those that are not in `lines` have gone."""
    placed, row = [], 0
    for text in lines:
        placed.append((row, text))
        row += max(-(-len(text) // width), 1)
    last = len(lines[-1]) if lines else 0
    facts = dict.fromkeys(Look.__dataclass_fields__, 0)
    facts |= {"width": width, "height": max(row - above, 1), "cursor_x": last % width}
    facts |= {"cursor_y": max(row - 1 - above, 0), "history_size": above, "history_limit": limit}
    return Look(**{**facts, "lines": tuple(placed)})


@TABLES.rows("shown, now, new, lost, sizes")
def test_what_stands_behind_a_place_is_new(shown, now, new, lost, sizes):
    sizes = sizes or {}
    before = look(shown, sizes.get("width", 20), sizes.get("above", 0), sizes.get("limit", 1000))
    after = look(
        now,
        sizes.get("width_now", sizes.get("width", 20)),
        sizes.get("above_now", sizes.get("above", 0)),
        sizes.get("limit", 1000),
    )
    place = place_at(before, before.line_row, whole=True)
    found, why = since(place, after, after.lines)
    assert [text for _, text in found] == new
    assert lost in why if lost else not why


@TABLES.rows("old, now, new, gone")
def test_the_rows_of_a_screen_that_have_changed(old, now, new, gone):
    rows, count = new_rows(list(map(digest, old)), list(now))
    assert ([now[row] for row in rows], count) == (list(new), gone)
