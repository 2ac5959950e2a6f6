"""Where a place is now and what stands behind it, however rows have moved since it was noted."""

import json
from dataclasses import asdict

from python.helpers.tmux.facts.look import digest
from python.helpers.tmux.facts.place import Place, changes, place_at, since
from tests.pure.test_news import NOTES
from tests.support.readings import entered, facts_of, rows, seen
from tests.support.tables import Tables

TABLES = Tables(__file__)


@TABLES.rows("then, now, new, words", of="situations")
def test_what_is_new_behind_a_place(then, now, new, words):
    case = entered(then, facts_of((words or "").split()))
    size = {"height": case.get("height", 24), "limit": case.get("limit", 2000)}
    width = case.get("width", 40)
    then = seen(rows(case["then"]), case.get("before", width), **size, **case.get("then_at", {}))
    kind = {name: case[name] for name in ("whole", "prompt") if name in case}
    place = place_at(then, case.get("typed", ""), **kind)
    if "key" in case:
        place.echo = digest(case["key"])
    found, lost = since(place, seen(rows(now), width, **size))
    assert [text.rstrip() for _, text in found] == rows(new)
    assert lost == NOTES.get(case.get("lost", ""), "")


@TABLES.rows("then, now, stands", of="cursor")
def test_the_cursor_is_where_it_was(then, now, stands):
    assert place_at(seen(rows(then))).has_cursor(seen(rows(now))) is stands


@TABLES.rows("history, width, now, limit, wide, moved", of="moved")
def test_rows_may_have_moved(history, width, now, limit, wide, moved):
    place = place_at(seen(["x"], width, history_size=history))
    assert place.is_moved(seen(["x"], wide, limit=limit, history_size=now)) is moved


def test_a_place_is_read_as_it_was_stored_and_without_one_all_is_new():
    place = place_at(seen(["$ ls"]), "ls")
    stored = json.loads(json.dumps(asdict(place)))
    assert Place(**stored) == place and Place(**stored).typed.ends("$ ls")
    assert since(None, seen(["a", "b"])).lines == [(0, "a"), (1, "b")]


def test_the_rows_below_a_cursor_are_those_that_a_program_draws_and_an_empty_one_has_no_digest():
    menu = ["Which?", "> red", "  green"]
    assert place_at(seen(menu, cursor_y=0)).below == [digest("> red"), digest("  green")]
    assert place_at(seen(["one", "two", ""], cursor_y=1)).below == []
    assert digest("") == digest("  ") == 0 != digest("a")


@TABLES.rows("old, now, new, gone", of="changed")
def test_the_rows_of_a_screen_that_have_changed(old, now, new, gone):
    now = rows(now)
    found = changes(list(map(digest, rows(old))), now)
    assert [now[row] for row in found.new] == rows(new)
    assert gone is None or found.gone == list(map(digest, rows(gone)))
