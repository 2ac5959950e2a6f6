"""What the last answer left open against what is there now: what may be typed, and what is said
where it may not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from python.helpers.tmux.turn import dialogue
from python.helpers.tmux.turn.dialogue import TABLE, Act, Situation, refusal
from python.helpers.tmux.words import Word
from tests.support.tables import Tables

TABLES = Tables(__file__)

RUN, SEND, STOP = Act.RUN, Act.SEND, Act.INTERRUPT
AT_PROMPT = Situation(act=RUN, program="bash", word=Word.READY)
ASKED = Situation(act=SEND, program="rm", word=Word.NEEDS_INPUT, open=Word.NEEDS_INPUT)
SECRET = replace(ASKED, word=Word.NEEDS_PASSWORD, open=Word.NEEDS_PASSWORD)
SCREEN = Situation(act=SEND, program="vim", word=Word.NEEDS_KEY, full_screen=True)
PERSONS = replace(AT_PROMPT, persons="rm -rf x")
OWN = replace(AT_PROMPT, own="make")
MAYBE = replace(AT_PROMPT, word=None, running=True, program="make", beside="ls")
AHEAD = replace(AT_PROMPT, ahead=True, program="dash")
VI = replace(AT_PROMPT, vi_command=True, program="zsh")
KEY = replace(AT_PROMPT, reads_key=True)

# name: situation, acts that are refused, words of the refusal
SITUATIONS = {
    "an empty prompt": (AT_PROMPT, (), ""),
    "a question that was told": (ASKED, (), ""),
    "a question that came by itself": (replace(ASKED, open=""), (), ""),
    "a question that someone has answered: a prompt": (
        replace(ASKED, word=Word.READY),
        (SEND,),
        "the question is no longer there",
    ),
    "a question that someone has answered: it runs": (
        replace(ASKED, word=None, running=True),
        (SEND,),
        "the question is no longer there",
    ),
    "a question that someone has answered: the next one": (
        replace(ASKED, asks_otherwise=True),
        (SEND,),
        "the question is no longer there",
    ),
    "nothing was asked, and another line is read": (
        replace(ASKED, open="", asks_otherwise=True),
        (),
        "",
    ),
    "a command that ran and has ended": (
        replace(AT_PROMPT, open=Word.TIMED_OUT, act=SEND),
        (),
        "",
    ),
    "a question of which nothing shows any more": (replace(ASKED, word=None), (), ""),
    "a question that has become a password": (replace(ASKED, word=Word.NEEDS_PASSWORD), (), ""),
    "a password that was told": (SECRET, (), ""),
    "a password that someone has typed: a prompt": (
        replace(SECRET, word=Word.READY),
        (SEND,),
        "the password prompt is no longer there",
    ),
    "a password that someone has typed: a question": (
        replace(SECRET, word=Word.NEEDS_INPUT),
        (SEND,),
        "the password prompt is no longer there",
    ),
    "a password of which nothing shows any more": (replace(SECRET, word=None), (), ""),
    "a full screen that was shown": (SCREEN, (), ""),
    "a full screen that someone has opened": (
        replace(SCREEN, screen_shown=False),
        (SEND, STOP),
        "vim fills the screen: someone has opened it",
    ),
    "a full screen in which someone types": (
        replace(SCREEN, screen_typed="dear"),
        (SEND, STOP),
        "someone types in vim: 'dear'",
    ),
    "what was typed on a full screen that has gone": (
        replace(AT_PROMPT, screen_typed="dear", screen_shown=False),
        (),
        "",
    ),
    "a person's line at a prompt": (
        PERSONS,
        (RUN, SEND, STOP),
        "a half-typed line is at the prompt: 'rm -rf x'",
    ),
    "a person's line at a question": (
        replace(ASKED, persons="ye", at_question=True),
        (RUN, SEND, STOP),
        "a half-typed line is at the question: 'ye'",
    ),
    "the agent's own line": (OWN, (RUN,), "a half-typed line, your own, is at the prompt: 'make'"),
    "someone may have typed while it runs": (
        MAYBE,
        (RUN, SEND, STOP),
        "someone has typed while make runs, and perhaps this line: 'ls'",
    ),
    "the agent has typed while it runs": (replace(MAYBE, own="ls"), (RUN,), "your own"),
    "something may wait, unseen": (
        AHEAD,
        (RUN, SEND, STOP),
        "someone typed before dash asked for a line",
    ),
    "something may wait, and the agent's own line is there": (
        replace(AHEAD, own="ls"),
        (RUN,),
        "your own",
    ),
    "vi's command mode": (VI, (RUN, SEND), "the line editor of zsh is in vi's command mode"),
    "a line editor that reads a key": (
        KEY,
        (RUN, SEND),
        "the line editor of bash waits for one key",
    ),
    "one key for a line editor that reads a key": (replace(KEY, one_key=True), (), ""),
}


@pytest.mark.parametrize("name", SITUATIONS)
@pytest.mark.parametrize("act", Act)
def test_what_may_be_done(name, act):
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
    both = replace(SCREEN, screen_shown=False, screen_typed="x", persons="x", act=SEND)
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
