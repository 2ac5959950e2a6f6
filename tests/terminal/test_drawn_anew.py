"""What shells, menus and dialogs draw beside and above the cursor is neither output nor a person's.

Whole answers; the rooms are fresh, so the prompts are met cold.
"""

from __future__ import annotations

import pytest

from tests.support.answer import MEMORY_IS_CLOSED, NO_OUTPUT, NOTHING, Answer
from tests.support.callers import ClosedCaller
from tests.support.house import PY311, alone, house, in_rooms, is_verdict
from tests.support.terminal import poll

__all__ = ["house"]
READY = "ready (shell)"


def says(answer: Answer, body: str, word: str = READY) -> None:
    """That verdict, no note, and exactly this body."""
    assert answer.first.startswith(word), answer
    assert (answer.notes, answer.body) == ([], body), answer


# A line that the shell gives back is the agent's own

GIVEN_BACK = "note: a half-typed line is at the prompt, your own: 'cat <<EOF'"


@in_rooms(shells=["fish"])
def test_a_line_that_fish_cannot_parse_is_the_agents_own(room):
    answer = room.run("cat <<EOF")
    assert answer.notes == [GIVEN_BACK], answer
    assert "Expected a string" in answer.body, answer
    refused = room.run("echo hi")
    assert refused.startswith("error: a half-typed line, your own, is at the prompt"), refused
    says(room.interrupt(), NOTHING)
    says(room.run("echo hi"), "hi")


@in_rooms(shells=["fish"])
def test_nothing_is_typed_behind_a_line_that_fish_gave_back(room):
    answer = room.run("cat <<EOF\none\nEOF")
    assert answer.notes == ["note: the last 2 lines of text were not typed", GIVEN_BACK], answer
    assert room.screen().rstrip().endswith("cat <<EOF"), room.screen()


@in_rooms(shells=["fish"])
def test_the_same_line_of_a_persons_is_theirs(room):
    room.run("echo mine")
    room.person("", "Up")
    poll(lambda: room.screen().rstrip().endswith("echo mine"), what="the older line")
    refused = room.run("echo hi")
    assert refused.startswith("error: a half-typed line is at the prompt: 'echo mine'"), refused


@alone
def test_a_question_is_quoted_without_the_agents_own_draft(room):
    room.run("read -p 'Name? ' x; echo got $x")
    answer = room.keys(["A", "n", "n"])
    is_verdict(answer, "needs input", "Name?")
    assert answer.notes == ["note: a half-typed line is at the question, your own: 'Ann'"], answer
    says(room.keys("Enter"), "got Ann")


@in_rooms(shells=["bash", "dash"])
def test_a_draft_at_an_empty_prompt_is_the_agents_own(room):
    room.run("PS1=")
    room.send("half", enter=False)
    refused = room.run("echo hi")
    if MEMORY_IS_CLOSED:  # who reads is not proven there, and an empty prompt proves nothing
        assert refused.startswith("error: "), refused
        return
    assert refused.startswith("error: a half-typed line, your own, is at the prompt"), refused
    says(room.interrupt(), NOTHING)
    says(room.run("echo hi"), "hi")


SEARCHES = {"bash": "(reverse-i-search)`':", "zsh": "bck-i-search: _"}


@in_rooms(shells=SEARCHES)
def test_a_search_that_the_agent_began_is_its_own(room):
    """zsh shows it in the row below."""
    answer = room.keys("C-r")
    search = SEARCHES[room.shell]
    note = f"note: a half-typed line is at the prompt, your own: {search!r}"
    assert answer.notes == [note], answer
    says(room.interrupt(), NOTHING)
    says(room.run("echo hi"), "hi")


# A right prompt

RIGHT = {
    "zsh": "PROMPT='%~ %# '; RPROMPT='%*'",
    "fish": "function fish_right_prompt; date +%T; end",  # it fills the row
    "bash": r"PS1='\[\e[s\e[60C\t\e[u\]\$ '",
}


@in_rooms(shells=RIGHT)
def test_a_right_prompt_is_neither_output_nor_typed_nor_anyones_work(room):
    says(room.run(RIGHT[room.shell]), NO_OUTPUT)
    for command in ("false", "cd /", "true"):
        says(room.run(command), NO_OUTPUT)
    says(room.run("echo a; echo b"), "a\nb")
    says(room.run("printf abc"), "abc")
    says(room.keys("Enter"), NOTHING)
    room.send("half", enter=False)
    says(room.interrupt(), NOTHING)
    own = room.keys(["l", "s"])
    assert own.notes == ["note: a half-typed line is at the prompt, your own: 'ls'"], own
    assert own.body == NOTHING, own
    says(room.interrupt(), NOTHING)
    assert room.call("read", new=True).first.startswith("read 0 new lines"), room.screen()


@in_rooms(shells=["bash", "zsh"])
def test_what_a_job_prints_over_a_right_prompt_is_new_without_it(room):
    room.run(RIGHT[room.shell])
    room.run("(sleep 1; printf 'job %s\\n' done) &")
    room.see("job done")
    answer = room.call("read", new=True)
    assert answer.body.split("\n")[0] == "job done", answer


# Rows that a program draws anew

MENU = """
import sys, termios, tty
terminal = sys.stdin.fileno()
before = termios.tcgetattr(terminal)
tty.setraw(terminal)
colours, at = ["red", "green", "blue"], 0
print("? Which colour?", end="\\r\\n")
while True:
    for number, colour in enumerate(colours):
        print(("> " if number == at else "  ") + colour, end="\\x1b[K\\r\\n")
    print("j moves, Enter takes", end="", flush=True)
    key = sys.stdin.read(1)
    if key == "\\r":
        break
    at = (at + 1) % 3
    print(end="\\r\\x1b[3A")
termios.tcsetattr(terminal, termios.TCSADRAIN, before)
print("\\ntook", colours[at])
"""


@alone
def test_a_menu_above_the_cursor_is_shown_from_its_first_new_row(room):
    room.file("menu.py", MENU)
    room.run("echo earlier")
    room.run(f"{PY311} menu.py")
    says(room.keys("j"), "  red\n> green\n  blue\nj moves, Enter takes", "needs key")
    says(room.keys("j"), "  green\n> blue\nj moves, Enter takes", "needs key")
    says(room.keys("Enter"), "took blue")


HIGHER = """
import os, sys, termios, tty
terminal = sys.stdin.fileno()
before = termios.tcgetattr(terminal)
tty.setraw(terminal)
os.write(1, b"\\x1b7\\x1b[10;20HSure? \\x1b[12;20H< Yes >   < No  >\x1b[12;22H")
sys.stdin.read(1)
os.write(1, b"\\x1b8")
termios.tcsetattr(terminal, termios.TCSADRAIN, before)
print(*sys.argv[1:], sep="\\n")
"""


@in_rooms([("", NOTHING), ("chosen", "chosen")], ["bash"])
def test_a_dialog_that_leaves_the_cursor_above_it(room, case):
    """Its rows stay below the prompt: neither they nor what was above them are new."""
    prints, body = case
    room.file("dialog.py", HIGHER)
    room.run("echo earlier")
    assert "< Yes >" in room.run(f"{PY311} dialog.py {prints}"), room.screen()
    says(room.keys("Enter"), body)


@in_rooms()
def test_what_came_while_the_window_was_resized(room):
    assert room.run("sleep 1; echo done", timeout=0.3).body == NO_OUTPUT
    room.tmux("resize-window", "-t", f"={room.name}:", "-x", "50", "-y", "12")
    says(room.wait(), "done")


# A question behind the editor of a shell whose memory is closed


@pytest.fixture
def closed(bare):
    with ClosedCaller() as caller:
        bare.perform = caller.perform
        yield bare


def test_a_search_that_was_left_is_no_question(closed):
    closed.start("env PS1='$ ' bash --norc --noprofile")
    poll(lambda: closed.screen().rstrip().endswith("$"), what="the prompt")
    says(closed.run("echo hi"), "hi")
    assert "your own: \"(reverse-i-search)`':\"" in closed.keys("C-r"), closed.screen()
    says(closed.keys("C-g"), NOTHING)
    says(closed.run("echo hi"), "hi")


def test_a_question_stays_one_once_it_was_told(closed):
    closed.start("env PS1='$ ' bash --norc --noprofile")
    poll(lambda: closed.screen().rstrip().endswith("$"), what="the prompt")
    answer = closed.run("read -e -p 'Enter the value ' x; echo got $x")
    is_verdict(answer, "needs input", "Enter the value")
    is_verdict(closed.wait(timeout=1), "needs input", "Enter the value")
    says(closed.ask("12"), "got 12")
