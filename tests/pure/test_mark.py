"""What is stored on a pane between two calls: it comes back unchanged, and contains no typed text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from python.helpers.tmux.evidence.kernel.probe import How, Probe, Waiter
from python.helpers.tmux.evidence.screen.view import Stamp
from python.helpers.tmux.terminal.look import INPUT, MARK, PROMPTS
from python.helpers.tmux.transcript.mark import (
    GRACE,
    Mark,
    Memory,
    Typed,
    draft_of,
    dumps,
    ends_with,
    left_of,
    lines_sent,
    load,
    may_have_typed,
    place_at,
    stamp_of,
)
from python.helpers.tmux.words import Word
from tests.pure.views import input_of, view_of
from tests.support.tables import Tables

TABLES = Tables(__file__)

SECRET = "S3cret-xyz"
VIEW = view_of(["one", "two", f"$ echo {SECRET}"])
TYPED = input_of(
    typed=Typed.TEXT,
    size=9,
    enter=True,
    at_prompt=True,
    asks=True,
    draft=draft_of(SECRET),
    sent=lines_sent(f"echo {SECRET}"),
    end=place_at(VIEW),
    stamp=stamp_of(VIEW),
)
SHOWN = Mark(
    number=2,
    place=place_at(VIEW, 3),
    covers=1,
    open=Word.NEEDS_INPUT,
    asked=[4, 6, 5, 20],
    proposed=draft_of(SECRET),
    screen=9,
    screen_cell=[1, 2, 3],
    prompt=True,
    ahead=True,
    stamp=["$0 1", True, 1],
)


def loaded(typed: str = "", mark: str = "", prompts: str = "", pid: int = 7) -> Memory:
    return load(view_of(["x"], memory={INPUT: typed, MARK: mark, PROMPTS: prompts}, pid=pid))


def test_what_is_kept_comes_back():
    memory = loaded(dumps(TYPED), dumps(SHOWN), '{"7": [["$"], ["top"]]}')
    assert memory.input == TYPED and memory.mark == SHOWN and not memory.first
    assert memory.input.typed is TYPED.typed  # it is compared with `is`
    assert memory.book.of(7) == ("$",) and memory.book.upper(7, "$") == ["top"]


@pytest.mark.parametrize("one", [TYPED, SHOWN], ids=["input", "mark"])
def test_nothing_of_a_text_is_kept(one):
    value = dumps(one)
    assert SECRET not in value and "echo" not in value and "two" not in value
    assert value.startswith(f"{one.number} {{") and "'" not in value and "\n" not in value


def test_an_input_to_an_earlier_process_no_longer_counts():
    memory = loaded(dumps(TYPED), dumps(SHOWN), pid=8)
    assert memory.input is None and memory.mark == SHOWN


@pytest.mark.parametrize(
    "value",
    ["", "3", "3 {", "3 []", "3 null", '3 {"number": 3}', '3 {"place": {"q": 1}}', "x" * 99],
)
def test_an_invalid_record_is_none(value):
    memory = loaded(value, value if "number" not in value else "")
    assert memory.input is None and memory.mark == Mark() and memory.first


def test_fields_of_another_release_are_dropped():
    assert loaded(mark='5 {"number": 5, "covers": 2, "later": 1}').mark == Mark(number=5, covers=2)


@pytest.mark.parametrize(
    "typed, mark, answered, is_open",
    [
        (None, Mark(), True, False),
        (TYPED, Mark(covers=3), True, False),
        (TYPED, Mark(covers=4), True, False),
        (TYPED, Mark(covers=2), False, True),
        (None, Mark(open=Word.QUIET), True, True),
    ],
)
def test_whether_an_answer_covers_what_was_typed(typed, mark, answered, is_open):
    memory = Memory(input=typed, mark=mark)
    assert memory.is_answered is answered and memory.turn_is_open is is_open


# Has what was typed been read?

SHELL = Probe(
    alive=True,
    foreground=70,
    canonical=False,
    waiter=Waiter(pid=71, name="bash", how=How.SELECT),
    subject=71,
    cpu_ns=1000,
    bytes_read=50,
)
LATER = {"LONG_AGO": GRACE + 0.1, "NOT_LONG": GRACE}


def without(facts: dict) -> dict:
    """A table has no None."""
    return {name: None if it == "absent" else it for name, it in facts.items()}


@TABLES.rows("facts, more, moved, later, read", of="READ")
def test_whether_it_was_read(facts, more, moved, later, read):
    kernel = Probe(alive=True) if facts == "nothing" else replace(SHELL, **without(facts))
    moment = TYPED.at + LATER.get(later, later)
    assert replace(TYPED, **without(more)).was_read(kernel, moved, moment) is read


@TABLES.rows("facts, more, last")
def test_whether_nothing_else_was_read(facts, more, last):
    more = without(more)
    assert replace(TYPED, **more).is_last(replace(SHELL, **facts)) is last


# Who typed


@TABLES.rows("then, facts, may")
def test_whether_a_key_may_have_come(then, facts, may):
    if stamp := facts.get("stamp"):
        facts = {"stamp": Stamp(*stamp)}
    assert may_have_typed(then, view_of(["x"], **facts)) is may


def test_a_stamp_says_how_many_people_there_were():
    assert stamp_of(view_of(["x"], people=2)) == ["$0 1", True, 2]


# Places


def test_a_place_is_a_cell_and_the_rows_by_which_it_is_found():
    view = view_of(["a", "", "b", "$ one two three four five"], height=3)
    assert view.row == 4
    place = place_at(view, 2)
    assert (place.row, place.x, place.history, place.width) == (4, 5, 2, 20)
    assert len(place.drawn) == 2 and place.drawn[-1] == left_of(view.left, view.cursor_x)
    assert [up for up, _ in place.above] == [2, 4]  # the nearest first, no empty one
    assert place_at(view).drawn == place.drawn[-1:]


def test_no_more_rows_are_kept_than_a_program_redraws():
    rows = [str(number) for number in range(100)]
    place = place_at(view_of([*rows, "$"], height=200), 96)
    assert len(place.drawn) == 61 and len(place.above) == 40 and place.above[0][0] == 61


def test_a_place_begins_where_the_lines_begin():
    place = place_at(view_of(["a", "b", "$"], trimmed=1), 3)
    assert len(place.drawn) == 2 and place.above == []


def test_a_line_is_known_by_its_end():
    (one,) = lines_sent("make all")
    assert ends_with("$ make all  ", one) and ends_with("make all", one)
    assert not ends_with("make al", one) and not ends_with("$ make all x", one)
    assert [size for size, _ in lines_sent("\n".join("abcdefghij") + "\n\nlong ")] == [1] * 6 + [4]


def test_a_draft_is_the_same_however_it_is_wrapped():
    assert draft_of("make   all\n now") == draft_of("make all now") != draft_of("make all")
    assert draft_of("  ") == []
