"""What is remembered on a pane: it comes back as it was stored, cut to what tmux takes, and what is
not a memory, or another release's, is none. And whether what was sent has been read."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from python.helpers.tmux.evidence.kernel.probe import How, Probe, Waiter
from python.helpers.tmux.evidence.screen.prompt_book import Book
from python.helpers.tmux.transcript.memory import (
    GRACE,
    OPTIONS,
    PLACE,
    PROMPTS,
    SENT,
    SHOWN,
    Sent,
    Shown,
    load,
    sent_value,
    shown_value,
)

FUZZ = int(os.environ.get("FUZZ", "1"))  # FUZZ=50: as many times more examples, new in each run
RANDOM = settings(deadline=None, derandomize=FUZZ == 1, database=None, max_examples=100 * FUZZ)
MESSAGE = 16_000  # bytes that tmux takes in one message
PID = 42

COUNT = st.integers(0, 10**12)
TEXT = st.text(max_size=60)
SENTS = st.builds(
    Sent,
    pid=st.just(PID),
    at=st.floats(0, 2e9),
    foreground=st.none() | COUNT,
    subject=COUNT,
    awake=COUNT,
    taken=st.none() | COUNT,
    size=COUNT,
    left=TEXT,
    prompt=st.none() | TEXT,
    expected=st.booleans(),
    text=st.none() | TEXT,
    cells=COUNT,
    enter=st.booleans(),
    typed=TEXT,
    unended=COUNT,
    alternate=st.booleans(),
    printed=st.none() | COUNT,
    digest=COUNT,
    ahead=st.lists(TEXT, max_size=4),
    row=COUNT,
    history=COUNT,
)
SHOWNS = st.builds(
    Shown,
    row=COUNT,
    history=COUNT,
    width=COUNT,
    line=TEXT,
    above=st.lists(st.tuples(COUNT, TEXT), max_size=12),
    printed=st.none() | COUNT,
    known=st.booleans(),
    screen=TEXT,
    covers=st.floats(0, 2e9),
)


def sent(**more) -> Sent:
    facts: dict[str, Any] = {
        "pid": PID,
        "at": 1e9,
        "foreground": 77,
        "subject": 77,
        "awake": 1_000,
        "taken": 500,
        "size": 9,
        "left": "$ ",
        "prompt": "$",
        "expected": True,
        "text": "ls",
    }
    return Sent(**(facts | more))


def stored(
    one: Sent | None = None, shown: Shown | None = None, place: str = "7:3"
) -> dict[str, str]:
    values = {PLACE: place}
    if one is not None:
        values[SENT] = sent_value(one)
    if shown is not None:
        values[SHOWN] = shown_value(shown)
    return values


@RANDOM
@given(SENTS, st.integers(0, 10**6), st.integers(0, 500))
def test_a_sending_comes_back_with_the_place_that_tmux_has_filled_in(one, history, y):
    memory = load(stored(one, place=f"{history}:{y}"), PID)
    assert memory.sent == replace(one, history=history, row=history + y)
    assert memory.shown is None


@RANDOM
@given(SHOWNS)
def test_what_was_shown_comes_back(shown):
    memory = load(stored(shown=shown), PID)
    assert memory.shown == shown and memory.sent is None


def test_the_prompts_come_back():
    book = Book()
    book.learn(7, "❯")
    assert load({PROMPTS: book.dumps()}, PID).book.of(7) == ("❯",)


def test_an_empty_pane_has_an_empty_memory():
    memory = load({}, PID)
    assert memory.sent is None and memory.shown is None and memory.book.dumps() == ""
    assert len(set(OPTIONS)) == 4


def test_a_sending_to_another_program_in_the_pane_does_not_count():
    """It was respawned."""
    assert load(stored(sent()), PID + 1).sent is None


@pytest.mark.parametrize("place", ["", ":", "7", "7:", ":3", "x:3", "7:-1", "#{history_size}:3"])
def test_a_sending_without_its_place_does_not_count(place):
    assert load(stored(sent(), place=place), PID).sent is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "5", "null", '"x"', "{}", '{"pid": 42}', '{"pid', "\x00"]
)
def test_what_is_no_memory_is_none(text):
    """A value that was cut, and another release's, which had other facts."""
    memory = load({SENT: text, PLACE: "1:1", SHOWN: "{" + text, PROMPTS: text}, PID)
    assert memory.sent is None and memory.shown is None and memory.book.of(7) == ()


def test_facts_that_only_another_release_knows_are_passed_over():
    value = json.dumps(asdict(sent()) | {"colour": "red"})
    assert load({SENT: value, PLACE: "0:0"}, PID).sent == sent(row=0, history=0)


# Sizes


@pytest.mark.parametrize("char", ["x", "é", "漢", "👍", "\\", '"', "\n", "\x1b"])
def test_a_memory_fits_into_one_message_however_long_the_texts_are(char):
    long = char * 300_000
    one = sent(text=long, left=long[:10_000], prompt=long[:400], typed=long, ahead=[long] * 9)
    shown = Shown(
        line=long[:10_000], above=[(9_999, long[:10_000])] * 12, known=True, screen="d" * 16
    )
    book = Book()
    for pid in range(9):
        for prompt in "abcdefgh":
            book.learn(pid, prompt + char * 399)
            book.learn_upper(pid, [char * 400] * 9)
    sizes = [len(value.encode()) for value in (sent_value(one), shown_value(shown), book.dumps())]
    assert sizes[0] < MESSAGE - 500, sizes
    assert sizes[1] + sizes[2] < MESSAGE - 500, sizes  # they are stored in one call


def test_a_text_that_was_cut_is_known_to_be_cut():
    long = "word " * 5_000
    again = load(stored(sent(text=long, cells=len(long.replace(" ", "")))), PID).sent
    assert again is not None and again.cut and long.startswith(again.text or "x")
    assert len(again.text or "") > 1_000  # enough to find its echo
    assert not sent(text="a b", cells=2).cut and not sent(text=None, cells=7).cut


def test_only_the_latest_texts_typed_ahead_are_remembered():
    again = load(stored(sent(ahead=list("abcdef"))), PID).sent
    assert again is not None and again.ahead == list("cdef")


# Has the sent text been read? Before that, nothing on the screen counts.

NOW, LONG_AGO = time.time() + 10_000, 0.0
THEN = Probe(
    alive=True,
    foreground=77,
    name="bash",
    canonical=False,
    echo=False,
    waiter=Waiter(pid=77, name="bash", how=How.SELECT),
    subject=77,
    awake=1_000,
    taken=500,
)
BLIND = Probe(alive=True, name="bash")
# What was sent, the kernel's facts now, whether the screen moved, whether it has been read.
TAKEN: dict[str, tuple[dict[str, Any], dict[str, Any], bool, bool]] = {
    "nothing has happened yet": ({}, {}, False, False),
    "nothing has been read though the screen moved": ({}, {}, True, False),
    "some of it was read": ({}, {"taken": 508, "awake": 5_000}, True, False),
    "all of it was read": ({}, {"taken": 509, "awake": 5_000}, False, True),
    "it is still in the terminal's queue": ({}, {"unread": 1, "taken": 509}, True, False),
    "it is still in the queue after long": ({"at": LONG_AGO}, {"unread": 9}, True, False),
    "it is in the queue and another program is there": (
        {},
        {"unread": 3, "subject": 9},
        True,
        False,
    ),
    "another program reads now": ({}, {"subject": 99}, False, True),
    "the program threw it away, a moment ago": ({}, {"awake": 5_000}, False, False),
    "the program threw it away, long ago": ({"at": LONG_AGO}, {}, False, True),
    "keys, and nobody has run": ({"size": 0}, {"taken": 999}, False, False),
    "keys, and the program has run": ({"size": 0}, {"awake": 1_001}, False, True),
    "what it reads is unknown, and it has not run": ({"taken": None}, {"taken": 999}, False, False),
    "what it reads is unknown, and it has run": ({}, {"taken": None, "awake": 1_001}, False, True),
}


@pytest.mark.parametrize("name", TAKEN)
def test_whether_the_sent_text_was_read(name):
    what, facts, moved, taken = TAKEN[name]
    sending = sent(**{"at": NOW, **what})
    assert sending.was_taken(replace(THEN, **facts), moved) is taken


@pytest.mark.parametrize("at", [NOW, LONG_AGO], ids=["a moment ago", "long ago"])
@pytest.mark.parametrize("moved", [False, True])
def test_where_the_kernel_is_blind_only_the_screen_tells_that_it_was_read(at, moved):
    assert sent(at=at).was_taken(BLIND, moved) is moved


@pytest.mark.parametrize("ago, taken", [(GRACE - 0.5, False), (GRACE + 0.1, True)])
def test_what_nobody_left_unread_counts_as_read_after_a_while(ago, taken):
    """getpass throws away what was typed before it asks."""
    assert sent(at=time.time() - ago).was_taken(THEN, False) is taken


@pytest.mark.parametrize(
    ("what", "facts", "alone"),
    [
        ({}, {"taken": 509}, True),
        ({}, {"taken": 508}, False),
        ({}, {"taken": 510}, False),
        ({}, {"taken": None}, False),
        ({}, {"taken": 509, "subject": 78}, False),
        ({"taken": None}, {"taken": 9}, False),
        ({"taken": 0}, {"taken": 9}, True),
        ({"size": 0}, {"taken": 500}, False),
    ],
)
def test_whether_nobody_else_has_typed_since(what, facts, alone):
    assert sent(**{"at": NOW, **what}).is_last(replace(THEN, **facts)) is alone
