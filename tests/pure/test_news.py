"""What no answer has shown: from where output begins to where it ends, and what changes on a screen."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

from python.helpers.tmux.base.words import Word
from python.helpers.tmux.facts.editor import Editor
from python.helpers.tmux.facts.look import Look, digest
from python.helpers.tmux.facts.place import place_at
from python.helpers.tmux.facts.state import Prompt, State, draft_of
from python.helpers.tmux.told import news as news_of
from python.helpers.tmux.told.news import News, first_cell, of_a_screen, of_lines, remember, tells_a_screen
from python.helpers.tmux.turn.reading import Reading
from python.helpers.tmux.turn.turn import Turn
from python.helpers.tmux.turn.verdict import RUNS, Verdict
from tests.support.readings import entered, facts_of, input_to, reading, rows, seen
from tests.support.tables import Tables

TABLES = Tables(__file__)
NOTES = {
    "CLEARED": "the screen was cleared; what came before that is lost",
    "BACK": "another screen is back; what came on it before this is shown by read",
    "SCROLLED": "the beginning of the output scrolled out of reach and is lost"}


def look(case: dict, name: str) -> Look:
    size = {"width": case.get("width", 40), "height": case.get("height", 24)}
    size |= {"limit": case.get("limit", 2000)} | case.get(f"{name}_at", {})
    return seen(rows(case[name]), **{"cursor_flag": True, "pane_current_path": "/root/src", **size})


def remembered(case: dict, then: Look) -> State:
    state = State(screen=case.get("screen", 0), alternate=case.get("was_alternate", then.alternate_on))
    state.rows = [digest(line.text) for line in then.lines if line.row >= then.history_size]
    state.top_cell = first_cell(then)
    typed = case.get("typed", "")
    kind = "whole" if case.get("output") else "prompt"
    state.place = place_at(then, typed, **({} if typed else {kind: True}))
    state.draft = draft_of(case.get("draft", ""))
    if typed or case.get("keys"):
        state.sent = input_to([7, 5], enter=bool(typed))
        state.sent.at_prompt = case.get("at_prompt", bool(typed) and not case.get("asked"))
        state.sent.place = place_at(look(case, "then"), "?") if case.get("told_since") else state.place
    for row in rows(case.get("above", [])):
        others = rows(case.get("alone", ["other"]))
        above = seen([*others, *row.split("\n"), "$ "], pid=1, visited=not case.get("unvisited"))
        state.note_above(above, shell=1, welcome=case.get("welcome", False))
    prompts = case.get("prompts", [])
    state.prompts = [Prompt("bash", text) for text in ([prompts] if isinstance(prompts, str) else prompts)]
    return state


def turn(case: dict, state: State, now: Look) -> Turn:
    editor = None
    if "editor" in case:
        typed = dict.fromkeys(("text", "before"), case.get("draft", ""))
        text = {"prompt": "$", **typed, **case["editor"], "above": rows(case["editor"].get("above", []))}
        editor = Editor(**text, reads=Word.READY, runs=0, status=0, brackets=True)
    mode, unread = "secret" if case.get("canonical") else "raw", {"unread": case.get("unread", 0)}
    kernel = reading("", f"{case.get('program', 'bash')} {mode} read", unread).kernel
    here = Reading(seen=now, kernel=kernel, editor=editor, state=state, now=9.0, no_key=case.get("no_key", True))
    word, said = Word(case.get("word", "ready")), {name: case.get(name, "") for name in ("detail", "evidence")}
    return Turn(here, RUNS if word is Word.TIMED_OUT else Verdict(word=word, **said))


@TABLES.rows("rule, then, now, body, words, more", of="lines")
def test_the_lines_that_are_new(rule, then, now, body, words, more):
    case = {"now": now, **facts_of((words or "").split()), **entered(then, more)}
    state, now = remembered(case, look(case, "then")), look(case, "now")
    found = of_lines(state, turn(case, state, now), now)
    assert found.body == rows(body)
    assert found.notes == [NOTES.get(note, note) for note in rows(case.get("notes", []))]
    assert found.rule == rule
    assert told_again(case, state, found, now) == []


def told_again(case: dict, state: State, found: News, now: Look) -> list[str]:
    """What the next answer would show if nothing more came."""
    if case.get("unread"):
        return []
    remember(state, found)
    return of_lines(state, turn({**case, "typed": ""}, state, now), now).body


def test_from_the_first_call_on_all_is_new_and_what_stood_there_before_is_old():
    now = seen(["one", "$ "])
    assert of_lines(State(), turn({}, State(), now), now).body == ["one"]
    now = seen(["old", "one", "$ "])
    state = State(place=place_at(seen(["older", "one", "$ "]), prompt=True))
    assert of_lines(state, turn({}, state, now), now).body == []


@TABLES.rows("word, whole, prompt", of="kinds")
def test_what_stands_at_the_place_that_is_remembered(word, whole, prompt):
    case = {"then": ["$ make"], "typed": "make", "word": word, "detail": "all:"}
    state, now = remembered(case, look(case, "then")), seen(["$ make", "all: "])
    place = of_lines(state, turn(case, state, now), now).place
    assert place and (place.whole, place.prompt) == (whole, prompt)


def test_what_came_is_told_once_though_the_input_is_not_read_yet():
    case = {"then": ["$ make"], "typed": "make", "word": "timed out", "unread": 5}
    state, now = remembered(case, look(case, "then")), seen(["$ make", "job done", ""])
    remember(state, found := of_lines(state, turn(case, state, now), now))
    assert found.body == ["job done"] and of_lines(state, turn(case, state, now), now).body == []


@pytest.mark.parametrize("place, above", [
    (None, None), (seen(["$ "]), None), (seen(["$ "], width=30), 20),  # its rows may have moved
    (seen(["gone", *"abcdef"]), 20), (seen([*map(str, range(30)), "$ "], height=12), 7)])
def test_a_look_holds_all_that_stands_behind_the_place(place, above):
    """`above`: the rows above the screen of another look, where one is needed."""
    now = replace(shown := seen([*map(str, range(40)), "$ "], height=21), lines=shown.lines[25:])
    if place and place.width == 40 and not place.history_size and place.left == "$ ":
        now = shown
    state = State(place=place and place_at(place))
    pane, asked = SimpleNamespace(look=lambda above: asked.append(above) or now), []
    watch = SimpleNamespace(state=state, pane=pane, above=lambda _: 7)
    assert news_of._high_enough(watch, now) is now and asked == ([] if above is None else [above])


@pytest.mark.parametrize("facts, whole, body", [
    ({"now": "$ |one|two|"}, False, ["one", "two"]),  # lines
    ({"word": "needs key", "now_at": {"alternate_on": True}}, False, ["1 line came", "one", "two"]),
    ({"word": "needs key", "now_at": {"alternate_on": True}}, True, ["one", "two"]),
    ({"word": "needs key", "now_at": {"keypad_flag": True, "cursor_y": 1}}, False, ["one", "two"])])
def test_news_are_lines_or_a_screen_and_what_came_before_it(facts, whole, body):
    case = {"then": "$ ", "now": "$ |one|two", "behind": "$ |1 line came|", "program": "x", "was_alternate": False}
    case |= facts
    case["now"] = "one|two" if "alternate_on" in str(facts) else case["now"]
    state, now = remembered(case, look(case, "then")), look(case, "now")
    watch = SimpleNamespace(state=state, pane=SimpleNamespace(seen=now, look=lambda _: now), above=lambda _: 7)
    doubles = {"painted": lambda _: painted(now), "ordinary": lambda _: look(case, "behind")}
    with patch.multiple(news_of, **doubles):
        assert news_of.news(watch, turn(case, state, now), whole).body == body


def test_what_was_not_read_yet_leaves_the_place():
    case = {"then": ["$ make"], "typed": "make", "word": "timed out", "unread": 5}
    state, now = remembered(case, look(case, "then")), seen(["$ make"])
    assert of_lines(state, turn(case, state, now), now).place == state.place


@TABLES.rows("then, now, body, more", of="screens")
def test_what_has_changed_on_a_screen(then, now, body, more):
    case = {"word": "needs key", "program": "vim", "then": then, "now": now, "behind": ["$ vim"], **(more or {})}
    for at in ("then_at", "now_at"):
        case[at] = {"alternate_on": True, **case.get(at, {})}
    state, then = State(), look(case, "then")
    for one in then, look(case, "now"):
        found = of_a_screen(state, turn(case, state, one), painted(one), look(case, "behind"), then.screen)
        remember(state, found)
    assert found.body == rows(body)
    assert found.notes == case.get("notes", [])


@TABLES.rows("then, ordinary, now, body, more", of="opened")
def test_what_came_before_a_screen_was_opened(then, ordinary, now, body, more):
    case = {"word": "needs key", "program": "vim", "now": now, "behind": ordinary, "was_alternate": False,
            **entered(then, more)}
    case["now_at"] = {"alternate_on": not case.get("on")}
    state, now, then = remembered(case, look(case, "then")), look(case, "now"), look(case, "then")
    state.rows += [digest(row) for row in rows(case.get("rows", []))]
    ordinary = look(case, "now" if case.get("on") else "behind")
    if case.get("again"):
        remember(state, replace(of_a_screen(state, turn(case, state, now), painted(now), None, []),
                                screen=state.screen, alternate=state.alternate))
    behind = None if case.get("whole") else ordinary
    found = of_a_screen(state, turn(case, state, now), painted(now), behind, then.screen)
    assert (found.body, found.notes) == (rows(body), case.get("notes", []))
    place = {"whole": state.place, "on": first_cell(now)}
    expected = [place[name] for name in ("whole", "on") if case.get(name)] or [place_at(ordinary, whole=True)]
    assert found.place == expected[0]


def painted(one: Look) -> str:
    """Its rows, in reverse video where they begin with `>`."""
    return "\n".join([f"\x1b[7m{row}\x1b[0m" if row.startswith(">") else row for row in one.screen]) + "\n"


@TABLES.rows("facts, expected", of="draws")
def test_a_program_that_draws_the_whole_screen(facts: dict[str, Any], expected):
    case = {"now": ["Pick", "> one", "two"], "word": "needs key", "program": "dialog", **facts}
    now = look(case, "now")
    state = State(screen=case.get("screen", 0))
    assert tells_a_screen(state, turn(case, state, now)) is expected
