"""May this call act here: the told turn, the empty line, whose a text is. A situation, and the rule that decides."""

from types import SimpleNamespace
from unittest.mock import Mock, patch

import pytest

from python.helpers.tmux import may_type
from python.helpers.tmux import told as told_of
from python.helpers.tmux.client import TmuxError
from python.helpers.tmux.decide import decide
from python.helpers.tmux.empty import is_empty
from python.helpers.tmux.look import digest
from python.helpers.tmux.may_type import RULES, allow, may_go_on
from python.helpers.tmux.place import place_at
from python.helpers.tmux.rules import Ruling, first
from python.helpers.tmux.screen import colours
from python.helpers.tmux.state import Draft, Front, Ran, Sent, Stamp, State, draft_of
from python.helpers.tmux.told import Facts, stands, telling
from python.helpers.tmux.turn import Turn, whose
from python.helpers.tmux.words import Word
from tests.support.readings import reading, seen
from tests.support.tables import Tables

TABLES = Tables(__file__)
_DRAWN = ("unmoved", "entered_since", "prompted_since")
_LOOKED_UP = ("descends", "begun_by_us", "same_picture", "started_at_home", *_DRAWN)


def facts(call: str, screen: list[str], program: str, mode: str, how: str, more: dict | None) -> Facts:
    """`told`: who was told (group, 5 is in front; pane), `home`, and what is looked up: descends, unmoved, …; what is
    drawn since follows from `then`, the rows of that answer, where they are given."""
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
    given = _LOOKED_UP
    if "then" in told:
        then = seen(list(told.pop("then")), **told.pop("then_look", {}))
        state.place, state.rows = place_at(then, prompt=True), [digest(line.text) for line in then.lines]
        given = tuple(name for name in _LOOKED_UP if name not in _DRAWN)
    state.bytes_read = told.pop("read", 8)
    if "ran" in told:
        state.ran = Ran(7, told.pop("ran"))
    if "nobodys" in told:
        state.draft = draft_of(told.pop("nobodys"), nobodys=True)
    here.seen.visited = told.pop("visited", True)
    pane = SimpleNamespace(name="shared")
    watch = SimpleNamespace(state=state, front=Front(1, 5, 7, 10), first=told.pop("first", False), pane=pane)
    if watch.first:
        state.front = Front()
    found = Facts(watch, Turn(here, decide(here)), call)
    found.__dict__.update({name: told.pop(name, False) for name in given})
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
    """`right`: the rule, and where a colon follows the beginning of what it says."""
    ruling = first(RULES[call], facts(call, screen, program, mode, how, more))
    said = f"{ruling.rule}: {ruling.said.what}; {ruling.said.advice}" if ruling.said else "may act"
    assert said.startswith(right) and (":" in right or said.partition(":")[0] == right), said


@TABLES.rows("screen, program, mode, how, right, more")
def test_drawn(screen, program, mode, how, right, more):
    """What has been drawn since the last answer."""
    found = facts("send", screen, program, mode, how, more)
    assert [name for name in (*_DRAWN, "untouched") if getattr(found, name)] == list(right)


@TABLES.rows("screen, program, mode, how, right, more")
def test_telling(screen, program, mode, how, right, more):
    """What an answer tells of the turn: a command may go home to it, the line is theirs, keys are kept unseen."""
    found = facts("send", screen, program, mode, how, more)
    home, theirs, kept, _ = telling(found.watch, found.here)
    told = [home.name.lower(), "theirs" if theirs else "", "kept" if kept else ""]
    assert [one for one in told if one not in ("", "none")] == list(right)


@TABLES.rows("right, told", of="started")
def test_who_has_started_what_is_in_front(right, told):
    """`parents`: [process, group] of what descends from a group; `runs`, `age`: as shell and kernel tell them."""
    told, sent = dict(told), dict(told.get("sent", {}))
    parents, runs, age = [told.pop(name, None) for name in ("parents", "runs", "age")]
    ran = told.get("ran") and Ran(*told["ran"])
    state = State(front=Front(1, told.get("told", 5), 7, 1), home=told.get("home", 5), ran=ran)
    if sent:
        state.sent = Sent(pid=1, **sent)
    here = SimpleNamespace(reading=SimpleNamespace(now=9.0))
    found = Facts(SimpleNamespace(state=state, front=Front(1, 5, 7, 1)), here, "run")
    descends = Mock(side_effect=lambda *pair: pair in [tuple(one) for one in parents or []])
    process = patch.multiple(told_of.process, descends=descends, age=lambda _: age)
    with process, patch.object(told_of, "runs_of", lambda _: runs):
        assert [name for name in ("descends", "started_at_home", "begun_by_us") if getattr(found, name)] == list(right)


@pytest.mark.parametrize("then, same", [("a\nb\n", True), ("a\nc\n", False)])
def test_a_picture_is_the_same_with_its_colours(then, same):
    look = seen(["a", "b"])
    state = State(colours=colours(then, look))
    with patch.object(told_of, "painted", lambda _: "a\nb\n"):
        assert Facts(SimpleNamespace(state=state), SimpleNamespace(seen=look), "keys").same_picture is same


@TABLES.rows("call, screen, program, mode, how, right, more")
def test_tells(call, screen, program, mode, how, right, more):
    """What a refusal notes on the record, so that the same call again may act: whose turn, the line; or nothing."""
    found = facts(call, screen, program, mode, how, more)
    watch, state = found.watch, found.state
    watch.pane.id, watch.pane.store = "%1", Mock()
    with patch.multiple(may_type, Facts=lambda *_: found, painted=lambda _: "a\n"), pytest.raises(TmuxError) as refused:
        allow(watch, found.here, call, **({"text": True} if call == "keys" else {}))
    assert "nothing was typed" in refused.value.hint and refused.value.rule
    told = [str(state.open)]
    told += ["theirs" if state.theirs else "", "line" if state.doubt else "", "sent" if state.sent else ""]
    told.append("picture" if state.colours else "")
    assert [one for one in told if one] == list(right)
    assert watch.pane.store.called is bool(state.doubt)
    if state.doubt:  # the same call again goes on, as far as the line is concerned
        assert first([may_type._it_cannot_be_told_who_has_typed], found).said is None


def test_the_program_has_ended():
    ended = SimpleNamespace(word=Word.GONE)
    with pytest.raises(TmuxError, match="has ended"):
        allow(SimpleNamespace(pane=SimpleNamespace(name="shared", id="%1")), ended, "run")


@TABLES.rows("screen, program, mode, how, right, more", of="going_on")
def test_more_of_the_same_call_is_typed(screen, program, mode, how, right, more):
    found = facts("answer", screen, program, mode, how, more)
    with patch.object(may_type, "Facts", lambda *_: found):
        assert may_go_on(found.watch, found.here) is right


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
