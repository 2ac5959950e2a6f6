"""May this call act here: the told turn, the empty line, whose a text is. A situation in words, and the rule that decides."""

from types import SimpleNamespace

import pytest

from python.helpers.tmux.decide import decide
from python.helpers.tmux.empty import is_empty
from python.helpers.tmux.may_type import RULES
from python.helpers.tmux.rules import Ruling, first
from python.helpers.tmux.state import Draft, Front, Ran, Sent, Stamp, draft_of
from python.helpers.tmux.told import Facts, stands
from python.helpers.tmux.turn import Turn, whose
from tests.support.readings import reading
from tests.support.tables import Tables

TABLES = Tables(__file__)
_LOOKED_UP = ("descends", "begun_by_us", "same_picture", "unmoved", "entered_since", "started_at_home")


def facts(call: str, screen: list[str], program: str, mode: str, how: str, more: dict | None) -> Facts:
    """`told`: who was told (group, 5 is in front; pane), `home`, and what is looked up: descends, unmoved, …"""
    more = dict(more or {})
    told = dict(more.pop("told", {}))
    here = reading(screen, program, mode, how, more)
    state = here.state
    state.front = Front(told.pop("pane", 1), told.pop("group", 5), 7, told.pop("cpu", 10))
    state.home, state.remote = told.pop("home", 5), told.pop("remote", False)
    state.theirs, state.touched = told.pop("theirs", False), told.pop("touched", False)
    state.stamp = None if told.pop("kept", False) else Stamp("", True)
    if told.pop("sent", False):
        state.sent = Sent(pid=1, at=-9.0, reader=[7, 5], used=[0, 0], enter=True, left=[0, 0, 0])
    if "ran" in told:
        state.ran = Ran(7, told.pop("ran"))
    if "nobodys" in told:
        state.draft = draft_of(told.pop("nobodys"), nobodys=True)
    here.seen.visited = told.pop("visited", True)
    watch = SimpleNamespace(state=state, front=Front(1, 5, 7, 10), first=told.pop("first", False), pane=SimpleNamespace(name="shared"))
    if watch.first:
        state.front = Front()
    found = Facts(watch, Turn(here, decide(here)), call)
    found.__dict__.update({name: told.pop(name, False) for name in _LOOKED_UP})
    assert not told, f"no fact of a told turn: {', '.join(told)}"
    return found


def said(ruling: Ruling) -> str:
    return f"{ruling.said}, {ruling.rule}" if ruling.rule else "nothing"


@TABLES.rows("call, screen, program, mode, how, right, more")
def test_told(call, screen, program, mode, how, right, more):
    assert said(stands(facts(call, screen, program, mode, how, more))) == right


@TABLES.rows("screen, program, mode, how, right, more")
def test_empty(screen, program, mode, how, right, more):
    assert said(is_empty(facts("send", screen, program, mode, how, more))) == right


@TABLES.rows("call, screen, program, mode, how, right, more")
def test_refused(call, screen, program, mode, how, right, more):
    ruling = first(RULES[call], facts(call, screen, program, mode, how, more))
    assert (ruling.rule or "may act") == right


@TABLES.rows("screen, program, mode, how, right, more")
def test_whose(screen, program, mode, how, right, more):
    ruling = whose(facts("send", screen, program, mode, how, more).here)
    assert (f"{ruling.said.name.lower()}, {ruling.rule}" if ruling.said else "a person's") == right


def test_a_refusal_quotes_the_row_below_too_where_somebody_searches_in_node():
    more = {"untouched": False, "below": ["bck-i-search: _"], "told": {"group": 4}}
    refusal = first(RULES["run"], facts("run", ["> "], "node", "raw", "listen", more)).said
    assert "'> / bck-i-search: _'" in refusal.what


def test_a_draft_is_known_however_it_is_wrapped():
    assert draft_of("echo a b") == draft_of("echo a\nb") != draft_of("echo a c")
    assert isinstance(draft_of("x"), Draft) and draft_of("") is None


@pytest.mark.parametrize("call", RULES)
def test_every_call_asks_for_the_told_turn(call):
    assert "_a_turn_that_nobody_told" in [rule.__name__ for rule in RULES[call]]
