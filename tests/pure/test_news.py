"""What no answer has shown: from where output begins to where it ends, and what changes on a screen."""

from typing import Any

import pytest

from python.helpers.tmux.editor import Editor
from python.helpers.tmux.kernel import Kernel, Waiter
from python.helpers.tmux.look import Look, digest
from python.helpers.tmux.news import News, draws, first_cell, of_a_screen, of_lines, remember
from python.helpers.tmux.place import place_at
from python.helpers.tmux.process import Terminal
from python.helpers.tmux.reading import Reading
from python.helpers.tmux.state import Prompt, Sent, State, draft_of
from python.helpers.tmux.turn import Turn
from python.helpers.tmux.verdict import RUNS, Verdict
from python.helpers.tmux.words import Word
from tests.pure.test_state import seen
from tests.support.tables import Tables

TABLES = Tables(__file__)


def look(case: dict, name: str) -> Look:
    """The pane `then`, at the last answer, or `now`."""
    size = {"width": case.get("width", 40), "height": case.get("height", 24)}
    size |= {"limit": case.get("limit", 2000)} | case.get(f"{name}_at", {})
    return seen(list(case[name]), **{"cursor_flag": True, "pane_current_path": "/root/src", **size})


def remembered(case: dict, then: Look) -> State:
    """The record of the last answer, and of what was typed since."""
    state = State(screen=case.get("screen", 0), alternate=case.get("alternate", then.alternate_on))
    state.rows = [digest(line.text) for line in then.lines if line.row >= then.history_size]
    state.top_cell = first_cell(then)
    typed = case.get("typed", "")
    kind = "whole" if case.get("output") else "prompt"
    state.place = place_at(then, typed, **({} if typed else {kind: True}))
    state.draft = draft_of(case.get("draft", ""))
    if typed or case.get("keys"):
        state.sent = Sent(pid=1, reader=[7, 5], used=[0, 0], enter=bool(typed), left=[0, 0, 0])
        state.sent.at_prompt = case.get("at_prompt", bool(typed) and not case.get("asked"))
        state.sent.place = place_at(look(case, "then"), "?") if case.get("told_since") else state.place
    for row in case.get("above", []):
        others = case.get("alone", ["other"])
        above = seen([*others, row, "$ "], pid=1, pane_current_path=then.pane_current_path)
        state.note_above(above, shell=1)
    state.prompts = [Prompt("bash", text) for text in case.get("prompts", [])]
    return state


def turn(case: dict, state: State, now: Look) -> Turn:
    """How the wait has ended."""
    editor = None
    if "editor" in case:
        text = {"prompt": "$", "above": [], "text": "", "before": "", **case["editor"]}
        editor = Editor(**text, reads=Word.READY, runs=0, status=0, brackets=True)
    kernel = Kernel(
        terminal=Terminal(path="/dev/pts/9", canonical=case.get("canonical", False), echo=False, unread=case.get("unread", 0)),
        foreground=5, name=case.get("program", "bash"), waiter=Waiter(pid=7), remote=False, script=False, subject=7,
        cpu_ns=10, bytes_read=10,
    )
    reading = Reading(seen=now, kernel=kernel, editor=editor, state=state, now=9.0, untouched=not case.get("touched"))
    word = Word(case.get("word", "ready"))
    verdict = RUNS if word is Word.TIMED_OUT else Verdict(word=word, detail=case.get("detail", ""), evidence=case.get("evidence", ""))
    return Turn(reading, verdict)


@pytest.mark.parametrize("name", TABLES["lines"])
def test_the_lines_that_are_new(name):
    case = TABLES["lines"][name]
    state, now = remembered(case, look(case, "then")), look(case, "now")
    found = of_lines(state, turn(case, state, now), now)
    assert found.body == list(case["body"])
    assert found.notes == list(case.get("notes", []))
    assert found.rule == case.get("rule", "behind the place")
    assert told_again(case, state, found, now) == []


def told_again(case: dict, state: State, found: News, now: Look) -> list[str]:
    """What the next answer would show if nothing more came."""
    if case.get("unread"):
        return []
    remember(state, found)
    return of_lines(state, turn({**case, "typed": ""}, state, now), now).body


def test_from_the_first_call_on_all_is_new():
    now = seen(["one", "$ "])
    assert of_lines(State(), turn({}, State(), now), now).body == ["one"]


def test_what_stood_there_before_the_first_call_is_old():
    now = seen(["old", "one", "$ "])
    state = State(place=place_at(seen(["older", "one", "$ "]), prompt=True))
    assert of_lines(state, turn({}, state, now), now).body == []


@TABLES.rows("word, whole, prompt", of="kinds")
def test_what_stands_at_the_place_that_is_remembered(word, whole, prompt):
    case = {"then": ["$ make"], "typed": "make", "word": word, "detail": "all:"}
    state, now = remembered(case, look(case, "then")), seen(["$ make", "all: "])
    place = of_lines(state, turn(case, state, now), now).place
    assert place and (place.whole, place.prompt) == (whole, prompt)


def test_what_was_not_read_yet_leaves_the_place():
    case = {"then": ["$ make"], "typed": "make", "word": "timed out", "unread": 5}
    state, now = remembered(case, look(case, "then")), seen(["$ make"])
    assert of_lines(state, turn(case, state, now), now).place == state.place


@pytest.mark.parametrize("name", TABLES["screens"])
def test_what_has_changed_on_a_screen(name):
    case = TABLES["screens"][name]
    then, now = look(case, "then"), look(case, "now")
    state, here = State(), None
    for one in then, now:
        case = {"word": "needs key", "program": "vim", **case}
        here = turn(case, state, one)
        behind = look({**case, "behind": case.get("behind", ["$ vim"])}, "behind") if one.alternate_on else one
        found = of_a_screen(state, here, painted(case, one), behind, then.screen)
        remember(state, found)
    assert found.body == list(case["body"])
    assert found.notes == list(case.get("notes", []))


def painted(case: dict, one: Look) -> str:
    """Its rows, in reverse video where they begin with `>`."""
    rows = [f"\x1b[7m{row}\x1b[0m" if row.startswith(">") else row for row in one.screen]
    return "\n".join(rows) + "\n"


@TABLES.rows("facts, expected", of="draws")
def test_a_program_that_draws_the_whole_screen(facts: dict[str, Any], expected):
    case = {"now": ["Pick", "> one", "two"], "word": "needs key", "program": "dialog", **facts}
    now = look(case, "now")
    state = State(screen=case.get("screen", 0))
    assert draws(state, turn(case, state, now)) is expected
