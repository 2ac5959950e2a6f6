"""What a call leaves on the pane: a record that anybody may have damaged."""

from dataclasses import fields
from typing import Any

import pytest

from python.helpers.tmux.cells import Line, breadth, pieces
from python.helpers.tmux.look import Look
from python.helpers.tmux.place import place_at
from python.helpers.tmux.state import Sent, State, load
from tests.support.tables import Tables

TABLES = Tables(__file__)


def seen(lines: list[str], width: int = 40, height: int = 24, limit: int = 2000, **more: Any) -> Look:
    """A look at a pane with these lines, the cursor behind the last one."""
    placed, row = [], 0
    for line in lines:
        placed.append(Line(row, line))
        row += max(len(list(pieces(line, width))), 1)
    history = max(row - height, 0)
    facts = {field.name: field.type() if isinstance(field.type, type) else [] for field in fields(Look)}
    facts |= {"width": width, "height": height, "history_size": history, "history_limit": limit}
    x, y = breadth(lines[-1]) % width, row - 1 - history
    return Look(**{**facts, "cursor_x": x, "cursor_y": y, "lines": placed, **more})


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
