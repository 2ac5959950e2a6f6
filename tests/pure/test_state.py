"""What a call leaves on the pane: a record that anybody may have damaged."""

from dataclasses import fields

import pytest

from python.helpers.tmux.facts.look import digest
from python.helpers.tmux.facts.place import place_at
from python.helpers.tmux.facts.reader import Reader
from python.helpers.tmux.facts.state import Commands, Draft, Prompt, Ran, Sent, Stamp, State, load
from tests.support.readings import seen
from tests.support.tables import Tables

TABLES = Tables(__file__)


@TABLES.rows("value", of="damaged")
def test_a_damaged_record_is_none(value):
    assert load(seen([""], state=value)) == State()


def test_a_record_is_read_as_it_was_written_and_one_of_another_release_is_none():
    state = State(place=place_at(seen(["one", "$ "]), prompt=True), rows=[1, 0, 2], screen=4)
    state.sent = Sent(
        at=5.0, reader=Reader(0, 1, bytes_read=3), enter=True, at_prompt=True, left=[0, 2, 1], before=0,
        place=place_at(seen(["$ ls"]), text="ls"),
    )
    state.learn("bash", "$")
    assert load(seen([""], state=state.dumps())) == state
    number, _, text = State(screen=4).dumps().split(" ", 2)
    other = text.replace('"screen"', '"shown"')
    assert load(seen([""], state=f"{number} {digest(other):x} {other}")) == State()
    assert load(seen([""], state=State(screen=4).dumps())) != State()


def test_every_field_is_read_as_it_was_written():
    place = place_at(seen(["one", "$ "]), text="ls")
    whole = State(
        place=place, sent=Sent(place=place, enter=True), open="ready", question=1, question_cells=1, ghost=1,
        told=Reader(1, 2, 3, 4, "sh", 1), home=Reader(1), remote=True, theirs=True, touched=True, doubt=1,
        stamp=Stamp("1", True), screen=1, alternate=True, rows=[1], top_cell=place, marks=[1], colours=1, ran=Ran(1, 2),
        draft=Draft(1, 2), shell=1, above=[1], unproven=1, prompts=[Prompt("a", "b")],
        typed_unseen=[1])
    text = whole.dumps()
    usual = [each.name for each in fields(State) if getattr(whole, each.name) == getattr(State(), each.name)]
    assert not usual, f"give them a value above: {usual}"
    assert load(seen([""], state=text)) == whole


def test_a_record_fits_into_one_message_and_holds_no_typed_text():
    state = State(rows=[2**32 - 1] * 500)
    state.place = place_at(seen(["$ my secret"]), text="my secret")
    for number in range(30):
        state.learn("bash", f"{number} " + "é" * 3000)
    text = state.dumps()
    assert len(text) < 16_000 and "secret" not in text


def test_a_text_that_was_typed_unseen_is_known_again_and_cannot_be_found_by_trying():
    state = State()
    for text in ("yes", "x", "", *(f"secret {number}" for number in range(10))):
        state.note_secret(text)
    assert [state.is_secret(text) for text in ("yes", "", "secret 1", "secret 2", "secret 9", "Secret 9")] == [
        False, False, False, True, True, False]
    assert all(trace < 2**16 for trace in state.typed_unseen)


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


def test_a_prompt_is_known_once_the_latest_first():
    state = State()
    for program, text in [("bash", "$ "), ("bash", "% "), ("sh", "$"), ("bash", "$")]:
        state.learn(program, text)
    assert state.prompts == [Prompt("bash", "$"), Prompt("sh", "$"), Prompt("bash", "%")]


@pytest.mark.parametrize(
    "commands, kept", [(Commands.NONE, (3, True)), (Commands.PROMPT, (5, False)), (Commands.REMOTE, (5, True))])
def test_a_command_goes_home(commands, kept):
    state = State(home=Reader(group=3), remote=True)
    state.type_at(Reader(group=5), commands)
    assert (state.home.group, state.remote) == kept


@pytest.mark.parametrize(
    "word, left_open", [("ready", ""), ("gone", ""), ("quiet", "quiet"), ("needs input", "needs input")]
)
def test_what_an_answer_leaves_open(word, left_open):
    state = State(open="matched")
    state.note_told(Reader(1, 5, 7, 10), word, Commands.NONE, theirs=True)
    assert (state.open, state.told.group, state.theirs) == (left_open, 5, True)


@pytest.mark.parametrize(
    "sent, typed, right", [("if (", "if (", True), ("if (", "", False), ("if (", "ls", False), ("", "ls", False)]
)
def test_a_text_is_the_one_that_was_sent(sent, typed, right):
    place = place_at(seen(["$ "]), sent) if sent else None
    assert Sent(place=place).is_text(typed) is right


@pytest.mark.parametrize("left, behind", [("Name: ", ""), ("Name: Bo", "Bo"), ("Age: 7", None)])
def test_what_stands_behind_the_question(left, behind):
    state = State()
    state.ask(seen(["Name: "]), no_key=True)
    assert state.behind_question(left) == behind
