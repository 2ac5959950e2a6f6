"""The cursor's line by its text alone: prompts, continuations, questions, and what is typed behind them."""

from dataclasses import astuple

import pytest

from python.helpers.tmux.facts import line
from tests.support.tables import Tables

TABLES = Tables(__file__)


@TABLES.rows("text, is_form, is_repl, is_sure", of="prompts")
def test_the_form_of_a_prompt(text, is_form, is_repl, is_sure):
    told = line.has_form(text), line.is_repl(text), line.is_repl(text, sure=True)
    assert told == (is_form, is_repl, is_sure)


@TABLES.rows("text, begun, sure", of="continuations")
def test_the_rest_of_a_command(text, begun, sure):
    assert (line.continues(text), line.continues(text, sure=True)) == (begun, sure)


@TABLES.rows("text, right", of="questions")
def test_what_a_question_needs(text, right):
    found = line.question(text)
    assert ("" if found is None else f"{found.word}" if found.strong else f"{found.word}, weak") == right
    assert found is None or found.text == " ".join(text.split())


@pytest.mark.parametrize("text", TABLES["pagers"])
def test_a_pager_asks_nothing(text):
    assert line.is_pager(text) and not line.is_pager("Name:")


@TABLES.rows("text, right", of="libraries")
def test_a_prompt_library_begins_with_its_sign(text, right):
    assert line.is_of_library(text) == right


@TABLES.rows("text, right", of="choices")
def test_keys_to_choose_from(text, right):
    assert line.has_choice_of_keys(text) == right


@TABLES.rows("text, right")
def test_offers(text, right):
    assert line.offers(text) == right.split()


@TABLES.rows("text, right", of="yes_or_no")
def test_a_text_that_says_yes_or_no(text, right):
    assert line.is_yes_no(text) == right


@TABLES.rows("text, known, is_known, at", of="known")
def test_a_known_prompt(text, known, is_known, at):
    assert line.is_known(text, known) == is_known
    assert line.glued(text, known) == at
    long = [prompt for prompt in known if len(prompt) > 3]
    assert line.ends_with_prompt(text, known) == (line.glued(text, long) is not None)


@TABLES.rows("text, known, right", of="split")
def test_a_line_is_prompt_and_typed_text(text, known, right):
    found = line.split(text, list(known), "src")
    assert (None if found is None else list(astuple(found))) == (list(right) or None)


@TABLES.rows("row, below, right", of="searched")
def test_a_search_in_the_history(row, below, right):
    assert line.searched(row, below) == right


@TABLES.rows("right, text", of="right")
def test_the_text_right_of_the_cursor(right, text):
    assert line.adjoining(right) == text


def test_a_long_line_takes_no_time():
    """Each pattern sees a part of it only."""
    for text in TABLES["long"]:
        whole = text * 20_000
        line.question(whole), line.has_form(whole), line.continues(whole), line.is_repl(whole)
        line.split(whole, ["box ~/src 12 $"]), line.glued(whole, ["box ~/src 12 $"])
