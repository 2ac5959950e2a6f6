"""Where a place is now and what stands behind it, however rows have moved since it was noted."""

import pytest

from python.helpers.tmux.look import digest
from python.helpers.tmux.place import new_rows, place_at, since
from tests.pure.test_state import seen
from tests.support.tables import Tables

TABLES = Tables(__file__)


def looks(case: dict) -> tuple:
    """The pane when the place was noted, and as it is now."""
    size = {"height": case.get("height", 24), "limit": case.get("limit", 2000)}
    width = case.get("width", 40)
    then = seen(list(case["then"]), case.get("before", width), **size, **case.get("at", {}))
    return then, seen(list(case["now"]), width, **size)


@pytest.mark.parametrize("name", TABLES["situations"])
def test_what_is_new_behind_a_place(name):
    case = TABLES["situations"][name]
    then, now = looks(case)
    kind = {name: case[name] for name in ("whole", "prompt") if name in case}
    place = place_at(then, case.get("typed", ""), **kind)
    if "key" in case:
        place.echo = digest(case["key"])
    found, lost = since(place, now)
    assert [text.rstrip() for _, text in found] == list(case["new"])
    assert lost == case.get("lost", "")


@TABLES.rows("then, now, stands", of="cursor")
def test_the_cursor_is_where_it_was(then, now, stands):
    assert place_at(seen(list(then))).has_cursor(seen(list(now))) is stands


def test_without_a_place_all_is_new():
    assert since(None, seen(["a", "b"])).lines == [(0, "a"), (1, "b")]


@TABLES.rows("old, now, new", of="changed")
def test_the_rows_of_a_screen_that_have_changed(old, now, new):
    rows = new_rows(list(map(digest, old)), list(now))
    assert [now[row] for row in rows] == list(new)
