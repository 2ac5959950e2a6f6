"""Whether text may be typed, given what the last answer left open and what is there now; and the
words of a refusal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from python.helpers.tmux.turn import dialogue
from python.helpers.tmux.turn.dialogue import TABLE, Act, Situation, refusal
from python.helpers.tmux.words import Word
from tests.support.tables import Tables

TABLES = Tables(__file__)

RUN, SEND = Act.RUN, Act.SEND
AT_PROMPT = Situation(act=RUN, program="bash", word=Word.READY)
ASKED = Situation(act=SEND, program="rm", word=Word.NEEDS_INPUT, open=Word.NEEDS_INPUT)
SECRET = replace(ASKED, word=Word.NEEDS_PASSWORD, open=Word.NEEDS_PASSWORD)
SCREEN = Situation(act=SEND, program="vim", word=Word.NEEDS_KEY)
PERSONS = replace(AT_PROMPT, persons="rm -rf x")
OWN = replace(AT_PROMPT, own="make")
MAYBE = replace(AT_PROMPT, word=None, running=True, program="make", beside="ls")
AHEAD = replace(AT_PROMPT, ahead=True, program="dash")
UNDRAWN = replace(AT_PROMPT, word=None, undrawn=True, program="fish")
VI = replace(AT_PROMPT, vi_command=True, program="zsh")
KEY = replace(AT_PROMPT, one_key=True)

# name: situation, acts that are refused, words of the refusal
_NAMES = "AT_PROMPT ASKED SECRET SCREEN VI PERSONS OWN MAYBE AHEAD KEY UNDRAWN".split()
STARTS = {name: globals()[name] for name in _NAMES}


def situation_of(row: str | list) -> Situation:
    name, more = (row, {}) if isinstance(row, str) else row
    words = {key: Word[more[key]] if more[key] else None for key in {"word", "open"} & more.keys()}
    return replace(STARTS[name], **more | words)


def row_of(start, refused=(), words="") -> tuple[Situation, list[Act], str]:
    return situation_of(start), [Act(name) for name in refused], words


SITUATIONS = {name: row_of(*row) for name, row in TABLES["SITUATIONS"].items()}


@pytest.mark.parametrize("name", SITUATIONS)
@pytest.mark.parametrize("act", Act)
def test_which_acts_are_refused(name, act):
    situation, refused, words = SITUATIONS[name]
    found = refusal(replace(situation, act=act))
    if act not in refused:
        assert found is None
        return
    assert found is not None and words in found.message
    assert found.hint and found.message[-1] not in ".;" and found.hint[-1] not in ".;"


WHOLE = TABLES["WHOLE"]


@pytest.mark.parametrize("name", WHOLE)
def test_each_refusal_says_what_is_there_and_what_to_do(name):
    situation, refused, _ = SITUATIONS[name]
    found = refusal(replace(situation, act=refused[0]))
    assert (found.message, found.hint) == WHOLE[name]


def test_the_first_reason_is_given():
    """A screen that was opened says more than a line on it, a person's line more than one's own."""
    both = replace(SCREEN, screen_opened=True, screen_typed="x", persons="x", act=SEND)
    assert "opened" in refusal(both).message
    assert "own" not in refusal(replace(PERSONS, own="make")).message


@pytest.mark.parametrize("number", range(len(TABLE)))
def test_every_row_is_needed_by_a_situation(number, monkeypatch):
    monkeypatch.setattr(dialogue, "TABLE", TABLE[:number] + TABLE[number + 1 :])
    changed = [
        name
        for name, (situation, refused, words) in SITUATIONS.items()
        for act in Act
        for found in [refusal(replace(situation, act=act))]
        if (found is not None) != (act in refused) or (found and words not in found.message)
    ]
    assert changed
