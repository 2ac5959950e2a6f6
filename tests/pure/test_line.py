"""The line at the cursor: prompt + typed text, by the line editor, a known prompt or a form."""

from __future__ import annotations

import pytest

from python.helpers.tmux.evidence.editor.line_editor import Editor, Reads
from python.helpers.tmux.evidence.screen.line import (
    Kind,
    Line,
    Near,
    begun_rest,
    is_question,
    is_typed_behind,
    line_at,
    rest_at,
    search_at,
)
from python.helpers.tmux.evidence.screen.prompts import is_prompt
from tests.pure.views import view_of
from tests.support.tables import Tables

TABLES = Tables(__file__)

BASH = Near(program="bash", prompts=("$",))
DASH = Near(program="dash", prompts=("$",), canonical=True)
FISH = Near(program="fish", prompts=("me@host ~>",))
NODE = Near(program="node", prompts=(">",))
NEW = Near(program="bash")  # nothing is known
SSH = Near(program="ssh", remote=True, prompts=("me@host:~$",))


def near(one: Near, **more) -> Near:
    return Near(**{name: getattr(one, name) for name in one.__slots__} | more)


def edits(reads: Reads, text: str = "", prompt: str = "$ ") -> Near:
    editor = Editor(prompt=prompt, text=text, cursor=len(text), reads=reads)
    return near(BASH, editor=editor)


def place(row: str | list) -> Near:
    """What is known of a place in the tables: its name there, and what differs."""
    name, more = (row, {}) if isinstance(row, str) else row
    if name == "edits":
        return edits(Reads[more["reads"]], more["text"], more["prompt"])
    base = {"BASH": BASH, "DASH": DASH, "FISH": FISH, "NODE": NODE, "NEW": NEW, "SSH": SSH}[name]
    return near(
        base, **{key: tuple(it) if isinstance(it, list) else it for key, it in more.items()}
    )


@TABLES.rows("rows, facts, expected", of="LINES")
def test_the_line_at_the_cursor(rows, facts, expected):
    kind, prompt, *typed = expected
    expected = Line(Kind[kind.upper()], prompt, *(typed or [None]))
    assert line_at(view_of(rows, height=9), place(facts)) == expected


# The cursor is within the line


@TABLES.rows("row, x, facts, typed", of="WITHIN")
def test_the_cursor_is_within_the_line(row, x, facts, typed):
    assert line_at(view_of([row], cursor=(0, x)), place(facts)).typed == typed


def test_the_rows_below_the_cursor_are_typed_too():
    for below in ([], ["an old row"]):
        view = view_of(["$ " + "w" * 30, *below], cursor=(0, 5))
        assert line_at(view, BASH).typed == "w" * 30


# Searches


@TABLES.rows("row")
def test_a_search_in_the_history(row):
    expected = Line(Kind.SEARCH, "", row.strip())
    view = view_of([row], width=60)
    assert search_at(view, BASH) == expected
    assert search_at(view_of(["% ls", row], cursor=(0, 4), width=60), BASH) == expected
    assert search_at(view_of(["% ls", "", row], cursor=(0, 4), width=60), BASH) is None
    assert search_at(view, DASH) is None
    assert search_at(view_of([row], width=60, alternate=True), BASH) is None
    assert search_at(view, edits(Reads.COMMAND)) is None


@pytest.mark.parametrize("facts, found", [(FISH, True), (SSH, True), (BASH, False), (NODE, False)])
def test_fishs_search_is_a_word_that_another_program_may_ask_with(facts, found):
    assert (search_at(view_of(["search: l"]), facts) is not None) is found


# The rest of a command


@TABLES.rows("rows, facts, typed", of="RESTS")
def test_all_rows_of_a_rest_are_typed(rows, facts, typed):
    line = rest_at(view_of(rows), place(facts))
    assert (line.kind, line.typed) == (Kind.REST, typed)
    assert line.prompt == rows[-1].strip() and line.at_prompt


@TABLES.rows("rows, facts, typed", of="BEGUN")
def test_the_rest_of_a_command_in_a_program_that_hides_its_state(rows, facts, typed):
    line = begun_rest(view_of(rows, width=40), place(facts))
    assert (line is not None) is (typed is not None)
    if line is not None:
        assert line == Line(Kind.REST, rows[-1], typed)


# Small questions


@TABLES.rows("row, facts, typed")
def test_whether_a_line_is_typed_where_the_state_is_hidden(row, facts, typed):
    assert is_typed_behind(view_of([row]), place(facts)) is typed


def test_a_row_by_the_known_prompts():
    assert is_prompt("me:/etc$", ["x", "me:/usr$"]) and not is_prompt("me:/etc$ ls", ["me:/usr$"])


@pytest.mark.parametrize(
    "row, asks", [("Go on?", True), ("me@host:~$", True), ("make all", False), ("", False)]
)
def test_a_question_is_not_typed_text(row, asks):
    assert is_question(row) is asks
