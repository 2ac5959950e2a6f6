"""What a call leaves on the pane: a record that anybody may have damaged."""


import pytest

from python.helpers.tmux.place import place_at
from python.helpers.tmux.state import Sent, State, load
from tests.support.readings import seen
from tests.support.tables import Tables

TABLES = Tables(__file__)


@TABLES.rows("value", of="damaged")
def test_a_damaged_record_is_none(value):
    assert load(seen([""], state=value)) == State()


def test_a_record_is_read_as_it_was_written():
    state = State(place=place_at(seen(["one", "$ "]), prompt=True), rows=[1, 0, 2], screen=4)
    state.sent = Sent(
        pid=0, at=5.0, reader=[1, None], used=[0, None], enter=True, at_prompt=True, left=[0, 2, 1], before=0,
        place=place_at(seen(["$ ls"]), text="ls"),
    )
    state.learn("bash", "$")
    assert load(seen([""], state=state.dumps())) == state


def test_a_record_fits_into_one_message_and_holds_no_typed_text():
    state = State(rows=[2**32 - 1] * 500)
    state.place = place_at(seen(["$ my secret"]), text="my secret")
    for number in range(30):
        state.learn("bash", f"{number} " + "é" * 3000)
    text = state.dumps()
    assert len(text) < 16_000 and "secret" not in text


@pytest.mark.parametrize("name", ["rows", "marks", "below"])
def test_a_record_of_a_pane_of_thousands_of_rows_fits_too(name):
    """Whatever is long is cut: a screen of 3,000 rows has so many digests, lines below, highlights."""
    many = [2**32 - 1] * 3_000
    state = State(place=place_at(seen(["$ "])))
    if name == "below":
        state.place.below = list(many)
        state.sent = Sent(place=place_at(seen(["$ "])))
        state.sent.place.below = list(many)
    else:
        setattr(state, name, list(many))
    assert len(state.dumps()) < 16_000
