"""Echoes: which rows of a pane only show what was typed, and what followed them.

Every table below holds situations of real terminals. A pane is given as the rows that tmux has of
it, before the sending and after; what is asked for is always the whole result."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from python.helpers.tmux.output import trimmed
from python.helpers.tmux.transcript.echoes import echo_rows, since_sent, without_echo
from python.helpers.tmux.transcript.endings import trimmed_end
from python.helpers.tmux.transcript.further_echoes import without_further_echoes, without_redrawn
from python.helpers.tmux.transcript.memory import Sent, Shown
from python.helpers.tmux.transcript.places import Since, since_place
from python.helpers.tmux.transcript.wrapped import unwrapped
from tests.support.pane_model import OUTPUT, PROMPT, Terminal

FUZZ = int(os.environ.get("FUZZ", "1"))  # FUZZ=50: as many times more examples, new in each run
RANDOM = settings(deadline=None, derandomize=FUZZ == 1, database=None, max_examples=100 * FUZZ)


# A command's own output: a pane before the sending, what was sent, the pane after


def own(before: list[str], typed: str, after: list[str], told: bool = True, **facts) -> Since:
    """The cursor is behind the last row. `told`: the caller itself sent `typed`, and has all of it;
    `facts`: of the memory of the sending, and the `width` of the window since then."""
    terminal = Terminal(*before)
    width = facts.pop("width", terminal.width)
    sent = terminal.sent(**({"text": typed} | facts))
    terminal.lines, terminal.width = [*after], width
    since = since_sent(terminal.view, terminal.all, sent, typed if told else None)
    return replace(since, lines=trimmed_end(since.lines))


LONG = "echo " + " ".join(f"word{n}" for n in range(20))  # 4 rows of a pane of 40 columns
OF_ZSH = [  # what it draws first of a line that is longer than its screen
    "% >....",
    "4 word5 word6 word7 word8 word9 word10 word11 word12",
    "word13 word14 word15 wor",
]
OWN = {
    "no output": (["old", "$ "], "true", ["old", "$ true", "$ "], ["$"]),
    "some": (["old", "$ "], "ls", ["old", "$ ls", "a", "b", "$ "], ["a", "b", "$"]),
    "the same command again": (
        ["$ ls", "old", "$ "],
        "ls",
        ["$ ls", "old", "$ ls", "new", "$ "],
        ["new", "$"],
    ),
    "a right prompt behind the echo": (
        ["% "],
        "ls",
        [
            "% ls                               12:30",
            "a",
            "%                                  12:31",
        ],
        ["a", "%                                  12:31"],
    ),
    "behind what was typed before": (["$ git "], "status", ["$ git status", "clean"], ["clean"]),
    "a prompt that is a blank": (["old", " "], "ls", ["old", " ls", "a", " "], ["a"]),
    "a program without echo, at an empty line": (
        ["make ready", "ready", ""],
        "r",
        ["make ready", "ready", "got r", ""],
        ["got r"],
    ),
    "no prompt: cat": (["$ cat", ""], "one", ["$ cat", "one", "one", ""], ["one"]),
    "an answer to a question": (
        ["Name: "],
        "bob",
        ["Name: bob", "Hello bob", "$ "],
        ["Hello bob", "$"],
    ),
    "Enter at a question": (["Go on? "], "", ["Go on?", "going", "$ "], ["going", "$"]),
    "Enter at a prompt": (["old", "$ "], "", ["old", "$", "$ "], ["$"]),
    "a command that wraps": (["$ "], LONG, ["$ " + LONG, "word0", "$ "], ["word0", "$"]),
    "an editor that begins a row where a command wraps": (
        ["$ "],
        "echo 'a string, longer than this pane, in quotes'",
        ["$ echo 'a string, longer than this", "pane, in quotes'", "a string", "$ "],
        ["a string", "$"],
    ),
    "continuation prompts": (
        ["$ "],
        "for i in 1 2\ndo echo $i\ndone",
        ["$ for i in 1 2", "> do echo $i", "> done", "1", "2", "$ "],
        ["1", "2", "$"],
    ),
    "continuation prompts of zsh": (
        ["% "],
        "for i in 1 2\ndo echo $i\ndone",
        ["% for i in 1 2", "for> do echo $i", "for> done", "1", "2", "% "],
        ["1", "2", "%"],
    ),
    "a block without continuation prompts": (
        ["% "],
        "for i in 1 2\ndo echo $i\ndone",
        ["% for i in 1 2", "do echo $i", "done", "1", "2", "% "],
        ["1", "2", "%"],
    ),
    "the echo is still drawn": (["old", "$ "], "echo one two", ["old", "$ echo o"], []),
    "several lines are still drawn": (
        ["$ "],
        "for i in 1\ndo ls\ndone",
        ["$ for i in 1", "> do l"],
        [],
    ),
    "the screen is cleared while the echo is still drawn": (
        ["old"] * 20 + ["$ "],
        "echo one",
        ["$ ech"],
        [],
    ),
    "fish: each line at a prompt, its output below": (
        ["> "],
        "echo one\necho two",
        ["> echo one", "one", "> echo two", "two", "> "],
        ["one", "> echo two", "two", ">"],
    ),
    "fish: the first line wraps": (
        ["> "],
        "echo a line that is longer than the pane is wide\necho two\necho three",
        ["> echo a line that is longer than the pa", "ne is wide", "a line …", "> echo two", "two"],
        ["a line …", "> echo two", "two"],
    ),
    "zsh shows what `!!` means": (["% "], "!!", ["% ls", "a", "% "], ["a", "%"]),
    "it shows that, and waits (HIST_VERIFY)": (["% "], "!!", ["% ls"], []),
    "zsh shows the end of a line that is longer than the screen": (
        ["% "],
        LONG + "; echo out",
        [*OF_ZSH, "d16 word17 word18 word19; echo o", "ut", "out", "word7", "% "],
        ["out", "word7", "%"],
    ),
    "zsh, and the rest is still drawn": (
        ["% "],
        LONG + "; echo out",
        OF_ZSH,
        [],
    ),
    "zsh, and `!!` at the end": (
        ["% "],
        LONG + "; !!",
        [*OF_ZSH, "d16 word17 word18 word19;", "echo hi", "hi", "% "],
        ["echo hi", "hi", "%"],
    ),
    "output that is a part of a command that was shown otherwise": (
        ["% "],
        "echo word; !!",
        ["% echo word; ls", "word", "ls", "% "],
        ["word", "ls", "%"],
    ),
    "the window became wider: rows moved up": (
        ["x" * 95, "$ "],
        "ls",
        ["x" * 95, "$ ls", "a", "b", "c", "$ "],
        ["a", "b", "c", "$"],
        {"width": 100},
    ),
    "and the last of two equal commands counts": (
        ["x" * 95, "$ ls", "old", "$ "],
        "ls",
        ["x" * 95, "$ ls", "old", "$ ls", "new", "$ "],
        ["new", "$"],
        {"width": 100},
    ),
}


@pytest.mark.parametrize("told", [True, False], ids=["same call", "later call"])
@pytest.mark.parametrize("case", OWN.values(), ids=OWN)
def test_own_output_is_what_follows_the_echo(case, told):
    before, text, after, lines, *more = case
    facts = more[0] if more else {}
    assert own(before, text, after, told, **facts) == Since(lines)


SECRETS = {
    "not echoed": (["Password: "], ["Password:", "welcome", "$ "], ["welcome", "$"]),
    "echoed": (["Name: "], ["Name: bob", "Hello bob", "$ "], ["Hello bob", "$"]),
    "nothing came yet": (["old", "Password: "], ["old", "Password: "], []),
}


@pytest.mark.parametrize("case", SECRETS.values(), ids=SECRETS)
def test_own_output_behind_an_answer_that_is_kept_nowhere(case):
    before, after, lines = case
    assert own(before, "", after, told=False, text=None, cells=3) == Since(lines)


LOST = {
    "clear": (["old", "$ "], "clear; echo after", ["after", "$ "], ["after", "$"]),
    "clear, at the top: the prompt is where it was": (["$ "], "clear", ["$ "], ["$"]),
    "clear, and nothing yet": (["old", "$ "], "clear; ls", [""], []),
    "clear at the top, and a job that ends": (
        ["$ "],
        "clear",
        ["$ ", "[1]+  Done    make", "$ "],
        ["$", "[1]+  Done    make", "$"],
    ),
    "clear, and a person types": (["old", "old", "$ "], "clear", ["$ who"], ["$ who"]),
    "a question that is asked again on a clear screen": (
        ["old", "Sure? "],
        "",
        ["Sure?", "yes or no"],
        ["Sure?", "yes or no"],
    ),
    "clear, and another prompt at the same place": (["~ $ "], "cd /; clear", ["/ $ "], ["/ $"]),
    "clear, and the screen is full again": (
        ["old", "$ "],
        "clear; seq 4",
        ["1", "2", "3", "4", "$ "],
        ["1", "2", "3", "4", "$"],
    ),
    "zsh draws the end of a long line at the top": (
        ["old", "% "],
        LONG + "; echo out",
        [">....word17 word18 word1", "9; echo ou", "t", "out", "% "],
        ["out", "%"],
    ),
    "zsh draws it behind its prompt": (
        ["old", "% "],
        LONG + "; echo out",
        ["%  >....word17 word18 word19; echo out", "out", "% "],
        ["out", "%"],
        {"prompt": "%"},
    ),
    "zsh draws it behind its prompt, and the rest on the next rows": (
        ["old", "% "],
        LONG + "; echo out",
        ["% >....", "; echo", "out", "out", "% "],
        ["out", "%"],
        {"prompt": "%"},
    ),
    "a long line at the top is still drawn": (
        ["old", "% "],
        LONG + "; echo out",
        ["word1 word2 word3 word4 word5 word6 word7 word8 word9"],
        [],
    ),
    "output that is a short part of the command": (
        ["old", "$ "],
        "clear; echo word",
        ["word", "$ "],
        ["word", "$"],
    ),
}


@pytest.mark.parametrize("told", [True, False], ids=["same call", "later call"])
@pytest.mark.parametrize("case", LOST.values(), ids=LOST)
def test_where_the_echo_is_gone_all_that_is_there_may_be_output(case, told):
    before, text, after, lines, *more = case
    facts = more[0] if more else {}
    assert own(before, text, after, told, **facts) == Since(lines, cleared=True)


def test_where_the_history_could_not_hold_the_echo_output_is_dropped():
    terminal = Terminal("old", PROMPT)
    sent = terminal.sent("seq 200")
    terminal.print("seq 200", *map(str, range(1, 201)), PROMPT)
    expected = Since([line.rstrip() for line in terminal.lines], dropped=True)
    assert since_sent(terminal.view, terminal.all, sent, "seq 200") == expected


def test_with_a_full_history_the_echo_is_found_by_its_text():
    terminal = Terminal(*map(str, range(69)), PROMPT)
    sent = terminal.sent("seq 20")
    terminal.print("seq 20", *map(str, range(1, 21)), PROMPT)
    assert since_sent(terminal.view, terminal.all, sent, None) == Since(
        [*map(str, range(1, 21)), "$"]
    )


COMMANDS = {
    "one line": ("ls", ["ls"]),
    "a line that wraps": ("echo " + "word " * 30, ["echo " + "word " * 30]),
    "several lines": ("for i in 1\ndo\ndone", ["for i in 1", "> do", "> done"]),
    "a here-document": ("cat <<E\n> x\nE", ["cat <<E", "> > x", "> E"]),
}


@pytest.mark.parametrize("after", OUTPUT)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_commands_own_output_is_what_follows_its_echo(command, after):
    text, rows = COMMANDS[command]
    terminal = Terminal(*map(str, range(30)), PROMPT, limit=300)
    sent = terminal.sent(text)
    terminal.print(rows[0], *rows[1:], *OUTPUT[after], PROMPT)
    assert terminal.own(sent) == [*OUTPUT[after], "$"]
    assert terminal.own(sent, text) == [*OUTPUT[after], "$"]


def test_while_the_echo_is_still_drawn_nothing_is_output():
    terminal = Terminal("one", PROMPT)
    sent = terminal.sent("echo a long command")
    assert terminal.print("echo a lo").own(sent) == []


def test_of_a_text_that_was_cut_the_length_tells_where_its_echo_ends():
    text = "true " + "word " * 300
    terminal = Terminal("one", PROMPT, limit=300)
    sent = terminal.sent(text[:400], cells=len("".join(text.split())))
    assert sent.cut
    terminal.print(text, "out", PROMPT)
    assert terminal.own(sent) == ["out", "$"]


def test_after_a_clear_the_whole_screen_is_output():
    terminal = Terminal(*map(str, range(30)), PROMPT)
    sent = terminal.sent("clear; echo after")
    assert terminal.clear().print("after", PROMPT).own(sent) == ["after", "$"]


def test_after_a_clear_that_makes_the_screen_look_as_before():
    terminal = Terminal("after", PROMPT)
    sent = terminal.sent("clear; echo after")
    assert terminal.clear().print("after", PROMPT).own(sent) == ["after", "$"]


def test_where_rows_have_moved_the_last_echo_counts():
    terminal = Terminal("one", PROMPT)
    sent = terminal.sent("ls", row=1)
    terminal.clear().print("$ ls", "old", "$ ls", "new", PROMPT)
    assert terminal.own(replace(sent, row=40)) == ["new", "$"]


# A text of which the memory keeps the beginning, the end and the length (Sent.cut)


WORDS = "true " + "word " * 60 + ": END"
CUT = {
    "found by its end": (["$ " + WORDS, "out", "$ "], ": END", Since(["out", "$"])),
    "the end on two rows": (
        ["$ " + WORDS[:-3], "END", "out", "$ "],
        "word word : END",
        Since(["out", "$"]),
    ),
    "the end on three rows": (
        ["% >....", "4 word", ": E", "ND", "out"],
        "word : END",
        Since(["out"]),
    ),
    "a long end in a narrow pane": (
        ["% >....", "word w", "ord wo", "rd wor", "d : EN", "D", "out"],
        "word word word : END",
        Since(["out"]),
    ),
    "the end on a row of its own": (["$ true", "> : END", "out"], ": END", Since(["out"])),
    "nothing but its length": (["$ " + WORDS, "out", "$ "], "", Since(["out", "$"])),
    "its length, on several rows": (
        ["$ " + WORDS[:60], WORDS[60:200], WORDS[200:-1], "D", "out", "$ "],
        "",
        Since(["out", "$"]),
    ),
    "still drawn": (["$ " + WORDS[:200]], ": END", Since([])),
    "still drawn, on its second row": (["$ " + WORDS[:60], WORDS[60:150]], ": END", Since([])),
    "another command is there": (
        ["$ cat log", "x" * 300, "out", "$ "],
        ": END",
        Since(["x" * 300, "out", "$"]),
    ),
    "the screen was cleared": (["x" * 300, "$ "], ": END", Since(["x" * 300, "$"], cleared=True)),
}


@pytest.mark.parametrize("case", CUT.values(), ids=CUT)
def test_the_echo_of_a_text_of_which_only_parts_are_known(case):
    after, tail, since = case
    facts = {"text": WORDS[:100], "cells": len("".join(WORDS.split())), "tail": tail}
    assert own(["$ "], WORDS, after, told=False, **facts) == since


def test_who_has_sent_a_long_text_knows_all_of_it():
    facts = {"text": WORDS[:100], "cells": len("".join(WORDS.split())), "tail": "word"}
    after = ["$ true word", *["word"] * 59, ": END", "out", "$ "]
    assert own(["$ "], WORDS, after, told=True, **facts) == Since(["out", "$"])


def test_the_end_of_a_text_that_is_known_in_full_is_not_looked_for():
    after = ["$ echo one", "one", "$ "]
    assert own(["$ "], "echo one", after, told=False, tail="one") == Since(["one", "$"])


# Echoes in what is new


def new(terminal: Terminal, shown: Shown, sent: Sent, text: str | None = None) -> list[str]:
    lines = since_place(terminal.view, terminal.all, shown).lines
    return trimmed(without_echo(lines, sent, text, [PROMPT], shown.line, terminal.width))


@pytest.mark.parametrize("after", OUTPUT)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_new_is_without_the_echo(command, after):
    text, rows = COMMANDS[command]
    terminal = Terminal(*map(str, range(30)), PROMPT, limit=300)
    shown, sent = terminal.shown(), terminal.sent(text)
    terminal.print(rows[0], *rows[1:], *OUTPUT[after], PROMPT)
    assert new(terminal, shown, sent, text) == [*OUTPUT[after], "$"]


def test_an_answer_to_a_question_is_an_echo():
    terminal = Terminal("one", "Sure? [y/N] ")
    shown, sent = terminal.shown(), terminal.sent("y", None)
    assert new(terminal.print("y", "got y", PROMPT), shown, sent, "y") == ["got y", "$"]


def test_an_answer_of_which_only_the_length_is_known_is_an_echo():
    """What answers a question may be a secret: it is kept nowhere."""
    terminal = Terminal("one", "Name: ")
    shown, sent = terminal.shown(), terminal.sent(None, None, cells=6)
    assert new(terminal.print("secret", "got it", PROMPT), shown, sent) == ["got it", "$"]


@pytest.mark.parametrize(
    ("shown_as", "is_echo"), [("●●●●", True), ("****", True), ("****!", False)]
)
def test_the_marks_that_a_program_shows_for_a_password_are_an_echo(shown_as, is_echo):
    terminal = Terminal("one", "Password: ")
    shown, sent = terminal.shown(), terminal.sent(None, None, cells=0)
    expected = ["got it", "$"] if is_echo else [f"Password: {shown_as}", "got it", "$"]
    assert new(terminal.print(shown_as, "got it", PROMPT), shown, sent) == expected


@pytest.mark.parametrize("mark", ["^C", "^D", "^Z", "^\\"])
def test_what_the_terminal_shows_for_a_key_is_an_echo(mark):
    terminal = Terminal("one", PROMPT + "sleep 9", "")
    shown, sent = terminal.shown(), terminal.sent(mark, None)
    assert new(terminal.print(mark, PROMPT), shown, sent, mark) == ["$"]


def test_an_answer_to_a_question_that_is_longer_than_what_a_place_keeps_of_a_line():
    question = "Do you want " + "very " * 20 + "much to go on? "
    terminal = Terminal("one", question, width=200)
    shown, sent = terminal.shown(), terminal.sent(None, None, cells=3)
    assert new(terminal.print("yes", "got it", PROMPT), shown, sent) == ["got it", "$"]


def test_a_text_that_is_known_in_parts_is_an_echo():
    terminal = Terminal("one", PROMPT, width=400)
    facts = {"cells": len("".join(WORDS.split())), "tail": ": END"}
    shown, sent = terminal.shown(), terminal.sent(WORDS[:100], **facts)
    assert sent.cut and new(terminal.print(WORDS, "out", PROMPT), shown, sent) == ["out", "$"]


def test_texts_typed_ahead_are_echoes_twice():
    """The terminal shows them as they come, and the shell once more at its prompt."""
    terminal = Terminal("one", PROMPT)
    shown = terminal.shown()
    terminal.print("sleep 1", "")
    sent = terminal.sent("echo two", None, ahead=["sleep 1", "echo one"])
    terminal.print("echo one", "echo two", "$ echo one", "one", "$ echo two", "two", PROMPT)
    assert new(terminal, shown, sent, "echo two") == ["one", "two", "$"]


def test_output_that_equals_the_command_stays():
    terminal = Terminal("one", PROMPT)
    shown, sent = terminal.shown(), terminal.sent("cat note")
    terminal.print("cat note", "cat note", "$ cat note", PROMPT)
    assert new(terminal, shown, sent, "cat note") == ["cat note", "$ cat note", "$"]


# name: the line at the cursor, what was sent there, the rows that came, those that are news, facts
QUESTION = {"prompt": None, "expected": False}
RUNNING = {"prompt": None, "expected": True}  # a command that began at a prompt
KEYS = {"size": 0}
IRB = {"prompt": "irb(main):001:0>"}
NEWS = {
    "a command": ("$ ", "ls", ["$ ls", "a", "$"], ["a", "$"], {}),
    "late output above the echo": (
        "$ ",
        "ls",
        ["[1]+  Done  make", "$ ls", "a", "$"],
        ["[1]+  Done  make", "a", "$"],
        {},
    ),
    "an empty row above the echo": ("$ ", "ls", ["", "$ ls", "a"], ["", "a"], {}),
    "a row that begins like the echo above it": ("$ ", "ls", ["$ la", "$ ls"], ["$ la"], {}),
    "output that shows the command again": (
        "$ ",
        "cat log",
        ["$ cat log", "$ cat log", "a"],
        ["$ cat log", "a"],
        {},
    ),
    "a person's longer command": ("$ ", "ls", ["$ lsof", "a", "$"], ["$ lsof", "a", "$"], {}),
    "an echo that is still drawn": ("$ ", "echo one", ["$ echo"], ["$ echo"], {}),
    "nothing came yet": ("$ ", "ls", [], [], {}),
    "Enter at a prompt": ("$ ", "", ["$"], ["$"], {}),
    # Prompts that are drawn anew once Enter was pressed
    "irb": (
        "irb(main):001:0> ",
        "def f",
        ["irb(main):001:1* def f", "irb(main):002:1*"],
        ["irb(main):002:1*"],
        IRB,
    ),
    "irb, at the end of a block": (
        "irb(main):002:1* ",
        "end",
        ["irb(main):002:0> end", "=> :f", "irb(main):003:0>"],
        ["=> :f", "irb(main):003:0>"],
        {"prompt": None, "expected": True},
    ),
    "a shell without a prompt and echo, and its trace": (
        "",
        "echo one",
        ["+ echo one", "one"],
        ["+ echo one", "one"],
        {"prompt": ""},
    ),
    "a program without an echo that repeats what it was told": (
        "",
        "one",
        ["got one"],
        ["got one"],
        QUESTION,
    ),
    # Questions
    "an answer": ("Sure? ", "y", ["Sure? y", "done"], ["done"], QUESTION),
    "an answer that ends without a line break": (
        "Name: ",
        "bob",
        ["Name: bobHello bob", "$"],
        ["Hello bob", "$"],
        QUESTION,
    ),
    "and late output above it": (
        "Name: ",
        "bob",
        ["note", "Name: bobHello bob", "$"],
        ["note", "Hello bob", "$"],
        QUESTION,
    ),
    "an answer, and output that begins like it": (
        "",
        "one",
        ["one", "one more"],
        ["one more"],
        QUESTION,
    ),
    "Enter at a question that no answer has shown": (
        "",
        "",
        ["Go", "Go on?", "going"],
        ["Go", "going"],
        QUESTION | {"left": "Go on? "},
    ),
    "Enter at a question that goes on in its row": (
        "Go on? ",
        "",
        ["Go on? yes", "done"],
        [" yes", "done"],
        QUESTION,
    ),
    "a password, which is not echoed": ("Password: ", "secret", ["ok"], ["ok"], QUESTION),
    "an answer of which only the length is known": (
        "Name: ",
        None,
        ["Name: John Smith", "Hello John"],
        ["Hello John"],
        QUESTION | {"cells": 9},
    ),
    "a row of another length": (
        "Name: ",
        None,
        ["Name: John Smith", "Hello John"],
        ["Name: John Smith", "Hello John"],
        QUESTION | {"cells": 8},
    ),
    "another row of that length": (
        "Name: ",
        None,
        ["Nobody: John Smith", "Hello John"],
        ["Nobody: John Smith", "Hello John"],
        QUESTION | {"cells": 9},
    ),
    "a secret, and output": ("Name: ", None, ["Name:", "ok"], ["Name:", "ok"], QUESTION),
    "a secret, and nothing yet": ("Name: ", None, [], [], QUESTION | {"cells": 9}),
    # Typed ahead: the terminal shows it as it comes, and the shell at its prompt
    "typed ahead": (
        "",
        "echo two",
        ["echo two", "$ echo two", "two", "$"],
        ["two", "$"],
        RUNNING,
    ),
    "typed ahead, of a prompt that is known from before": (
        "",
        "cd /",
        ["cd /", "~ $ cd /", "/ $"],
        ["/ $"],
        RUNNING | {"known": ["/ $", "~ $"]},
    ),
    "typed ahead twice": (
        "",
        "two",
        ["$ one", "two", "1", "$ two", "2", "$"],
        ["1", "2", "$"],
        RUNNING | {"ahead": ["one"], "line": "$"},
    ),
    "typed ahead behind a line that is not ended": (
        "50%",
        "two",
        ["50%one", "two", "$ one", "1", "$ two", "2", "$"],
        ["1", "2", "$"],
        RUNNING | {"left": "", "ahead": ["one"]},
    ),
    # A full screen
    "keys in a full screen, and what came below it": (
        "$",
        "q",
        ["$ less log", "before", "q", "$"],
        ["before", "q", "$"],
        KEYS | {"left": "", "alternate": True, "ahead": ["less log"]},
    ),
    # Keys
    "Enter, three times": ("$ ", "", ["$", "$", "$"], [], KEYS),
    "rows that are no prompts": ("$ ", "", ["$", "late", "", "$ x"], ["late", "", "$ x"], KEYS),
    "C-c at a prompt": ("$ ", "^C", ["$ ^C", "$"], [], KEYS),
    "C-c twice": ("$ ", "^C", ["$ ^C", "$ ^C", "$"], [], KEYS),
    "C-c twice at a prompt without a blank": (
        "me>",
        "^C",
        ["me>^C", "me>^C", "me>"],
        [],
        KEYS | {"known": ["me>"]},
    ),
    "C-c at a prompt that stands behind output": (
        "ok$ ",
        "^C",
        ["ok$ ^C", "$"],
        [],
        KEYS,
    ),
    "C-c behind what was typed": ("$ ls", "^C", ["$ ls^C", "$"], [], KEYS),
    "C-c in the middle of what was typed": (
        "$ ls -l",
        "^C",
        ["$ ls -l^C", "$"],
        [],
        KEYS | {"left": "$ ls"},
    ),
    "C-c behind new output, at an empty line": (
        "",
        "^C",
        ["compiling^C", "Traceback", "$"],
        ["compiling", "Traceback"],
        KEYS | RUNNING,
    ),
    "C-c behind more output in the row that was told": (
        "50 %",
        "^C",
        ["50 % 60 %^C", "$"],
        ["50 % 60 %"],
        KEYS | RUNNING,
    ),
    "C-c alone in its row": ("", "^C", ["one", "^C", "$"], ["one"], KEYS | RUNNING),
    "C-c again and again": ("", "^C", ["one", "^C", "^C", "$"], ["one"], KEYS | RUNNING),
    "C-c behind output": ("", "^C", ["one", "two^C", "$"], ["one", "two"], KEYS | RUNNING),
    "C-c behind output, told of by `interrupt`": (
        "",
        "^C",
        ["one", "two^C", "$"],
        ["one", "two", "$"],
        RUNNING,
    ),
    "C-z, and what the shell says": (
        "",
        "^Z",
        ["^Z", "[1]+  Stopped  sleep 9", "$"],
        ["[1]+  Stopped  sleep 9"],
        KEYS | RUNNING,
    ),
    "a row that ends in another key's sign": (
        "",
        "^C",
        ["type ^D", "one", "two^C"],
        ["type ^D", "one", "two"],
        KEYS | RUNNING,
    ),
    "arrows, whose echo is not known": ("$ ", None, ["$ ls", "a"], ["$ ls", "a"], KEYS),
}


@pytest.mark.parametrize("case", NEWS.values(), ids=NEWS)
def test_news_are_without_echoes(case):
    line, text, rows, news, facts = case
    facts = {**facts}
    known, line = facts.pop("known", ["$"]), facts.pop("line", line)
    sent = Terminal(case[0]).sent(text, **facts)
    assert without_echo(rows, sent, text, known, line.rstrip(), 80) == news
    assert without_echo(rows, sent, None, known, line.rstrip(), 80) == news


def test_an_answer_that_the_caller_knows_and_the_memory_does_not():
    sent = Terminal("Name: ").sent(None, None, cells=99)
    assert without_echo(["Name: bob", "ok"], sent, "bob", ["$"], "Name:", 80) == ["ok"]


REDRAWN = {
    "one line": ("def f", ["irb(main):001:1* def f", "irb(main):002:1*"], ["irb(main):002:1*"]),
    "a block": (
        "def f\n\n  1\nend",
        ["irb(main):001:1* def f", "irb(main):002:1*   1", "irb(main):003:0> end", "=> :f"],
        ["=> :f"],
    ),
    "a transient prompt of zsh": ("ls", ["❯ ls", "a"], ["a"]),
    "not at the beginning": ("ls", ["a", "❯ ls"], ["a", "❯ ls"]),
    "an empty line": ("", ["a"], ["a"]),
    "nothing came": ("ls", [], []),
}


@pytest.mark.parametrize("case", REDRAWN.values(), ids=REDRAWN)
def test_an_echo_whose_prompt_was_drawn_anew(case):
    text, rows, expected = case
    assert without_redrawn(rows, text) == expected


# Programs that take their lines one by one


FURTHER = {  # what was sent, the rows behind the echo of its first line, known prompts, its output
    "one line": ("ls", ["$ ls", "> > 1"], ["$"], ["$ ls", "> > 1"]),
    "fish": ("a\nb", ["1", "> b", "2", ">"], [">"], ["1", "2", ">"]),
    "fish with a long prompt": ("a\nb", ["1", "~/src> b", "2"], ["~> ", "~/src> "], ["1", "2"]),
    "python": (
        "def f():\n  g()\n\nf()",
        ["...   g()", "...", ">>> f()", "1", ">>>"],
        [">>>"],
        ["1", ">>>"],
    ),
    "each line once": ("a\nb", ["... b", "... b", "2"], [">>>"], ["... b", "2"]),
    "lines in their order": (
        "a\nb\nc",
        ["... c", "... b", "2", "... c", "3"],
        [">>>"],
        ["... c", "2", "3"],
    ),
    "one line that is shown otherwise": (
        "a\n!!\nc",
        ["1", "% a", "1", "% c", "3", "%"],
        ["%"],
        ["1", "a", "1", "3", "%"],
    ),
    "output that equals a line": ("a\nb", ["b", "> b", "2"], [">"], ["b", "2"]),
    "dash, behind its continuation prompts": (
        "for i in 1 2\ndo echo $i\ndone",
        ["> > 1", "2", "#"],
        ["#"],
        ["1", "2", "#"],
    ),
    "dash, behind its prompts": (
        "sleep 1\necho one\necho two",
        ["$ one", "$ two", "$ $ three", "$"],
        ["", "$ "],
        ["one", "two", "$ $ three", "$"],
    ),
    "dash, behind two prompts": (
        "sleep 1\ntrue\necho two",
        ["$ $ two", "$ three", "$"],
        ["$"],
        ["two", "$ three", "$"],
    ),
    "a prompt alone": ("a\nb", ["$ ", "$ 1"], ["$"], ["$ ", "1"]),
    "a prompt and a right one": ("a\nb", ["1", "%      12:30"], ["%"], ["1", "%      12:30"]),
    "an empty line in output": ("a\n\nb", ["1", "", "> b", "2"], [">"], ["1", "", "2"]),
    "a continuation prompt for an empty line": ("a\n\nb", ["> ", "> b", "2"], ["$"], ["2"]),
}


@pytest.mark.parametrize("case", FURTHER.values(), ids=FURTHER)
def test_output_is_without_the_further_lines_of_what_was_sent(case):
    text, rows, prompts, output = case
    assert without_further_echoes(rows, text, prompts, True) == output
    if rows[0][:1] != ">":
        assert without_further_echoes(rows, text, prompts, False) == output


def test_where_a_line_editor_shows_the_lines_no_sign_before_output_is_an_echo():
    rows = ["> quoted", "> > twice", "$"]
    assert without_further_echoes(rows, "cat mail\ntrue", ["$"], False) == rows
    assert without_further_echoes(rows, "cat mail\ntrue", ["$"], True) == ["quoted", *rows[1:]]


# The rows of one echo


@pytest.mark.parametrize(
    ("rows", "typed", "count"),
    [
        (["$ ls", "a", "b"], "$ ls", 1),
        (["$ echo aaaa", "aaaa bbbb", "out"], "$ echo aaaaaaaa bbbb", 2),
        (["$ ls"], "$ ls -l", -1),
        (["$ la", "x"], "$ ls", None),
        (["other", "$ ls"], "$ ls", None),
        (["$ cat <<X", "> one", "> X", "one"], "$ cat <<X\none\nX", 3),
        (["% for i in 1", "for> do echo", "for> done", "1"], "% for i in 1\ndo echo\ndone", 3),
        ([">>> if 1:", "...  print(2)", "... ", "2"], ">>> if 1:\n print(2)\n", 3),
        (["$ ls           12:30", "a"], "$ ls", 1),
        (["$ lsx"], "$ ls", None),
        (["$ a\tb"], "$ a b", 1),
        (["anything"], "", 0),
        ([], "$ ls", -1),
        (["$"], "$ ls", -1),
        (["日本", "語 x", "out"], "日本語 x", 2),
        (["$ ls  12:30", "a"], "$ ls", 1),
        (["$ ls 12:30", "a"], "$ ls", None),
        (["# done> > $ ", "1"], "# done", 1),
        (["$ ls ", "a"], "$ ls", 1),
        (["$ echo 'a", "b'"], "$ echo 'a\nb'", 2),
        (["$ for x in 1", "do> ls", "> x"], "$ for x in 1\nls\ny", None),
        (["$ a", "", "b", "out"], "$ a\n\nb", 3),
        (["% cat <<X     (main)", "one", "X", "one"], "% cat <<X\none\nX", 3),
        (["% echo a     b c", "b c", "out"], "% echo a\nb c", 2),
        (["% echo a (main)", "b", "out"], "% echo a\nb", None),
        (["  a", "b", "out"], "\n  a\nb", 2),
    ],
)
def test_the_rows_that_are_the_echo(rows, typed, count):
    assert echo_rows(rows, typed) == count


@RANDOM
@given(
    st.text("ab'\" ;|$日é", min_size=1, max_size=60).filter(str.strip),
    st.integers(4, 40),
    st.lists(st.text("xyz ", max_size=10), max_size=4),
)
def test_an_echo_is_found_however_it_was_wrapped(command, columns, output):
    line = "$ " + command
    rows = [line[at : at + columns] for at in range(0, len(line), columns)]
    shown = len(["" for at in range(0, len(line.rstrip()), columns)])
    found = echo_rows([*rows, *output], line)
    assert found is not None and found == shown
    assert echo_rows(rows[: shown - 1], line) == -1


def test_the_echo_in_dash_has_a_continuation_prompt_for_each_line_typed_ahead():
    assert echo_rows(["# for i in 1", "do", "done> > ", "1"], "# for i in 1\ndo\ndone") == 3


@pytest.mark.parametrize(
    ("rows", "typed", "count"),
    [
        (["$ for x in 1", "> ", "> ", "1"], "$ for x in 1\n\n", 3),
        (["$ for x in 1", "> ", "out"], "$ for x in 1\n\n", 2),
        (["$ for x in 1", "> ", "> "], "$ for x in 1\n", 2),
        (["$ for x in 1", "> "], "$ for x in 1\n\n\n", 2),
        (["$ for x in 1", ""], "$ for x in 1\n", 1),
        (["$ cat <<E", "> > quoted", "out"], "$ cat <<E\n> quoted", 2),
        (["> ls", "out"], "ls", None),
    ],
)
def test_the_echo_of_several_lines_ends_with_their_continuation_prompts(rows, typed, count):
    assert echo_rows(rows, typed) == count


# Lines longer than a row


@pytest.mark.parametrize(
    ("rows", "typed", "columns", "parted"),
    [
        (["$ echo about"], "$ echo ab", 9, ["$ echo ab", "out"]),
        (["$ echo abcdeout"], "$ echo abcde", 6, ["$ echo abcde", "out"]),
        (["$ if x", "> echo about"], "$ if x\necho ab", 9, ["$ if x", "> echo ab", "out"]),
        (["$ echo ab", "out"], "$ echo ab", 9, ["$ echo ab", "out"]),
        (["$ echo abcout"], "$ echo abc", 9, ["$ echo abcout"]),
        (["$ echo 日out"], "$ echo 日", 9, ["$ echo 日", "out"]),
        (["$ a 日日日out"], "$ a 日日日", 5, ["$ a 日日日out"]),  # rows of 4, 4 and 2 cells
        (["$ a 日日 out"], "$ a 日日", 5, ["$ a 日日 ", "out"]),
        (["         out"], "", 9, ["         out"]),
    ],
)
def test_output_that_follows_an_echo_that_fills_its_row(rows, typed, columns, parted):
    assert unwrapped(rows, typed, columns) == parted


@pytest.mark.parametrize("letter", ["x", "日"])
def test_a_line_of_hundreds_of_rows_is_looked_through_at_once(letter):
    typed = "$ echo " + letter * 60_000
    began = time.process_time()
    assert unwrapped([typed, letter * 60_000], typed, 80) == [typed, letter * 60_000]
    assert time.process_time() - began < 1


def test_thousands_of_further_lines_are_looked_through_at_once():
    text = "\n".join(f": {n}" for n in range(5000))
    rows = [f"out {n}" for n in range(5000)]
    began = time.process_time()
    assert without_further_echoes(rows, text, ["$ ", "# "], True) == rows
    assert time.process_time() - began < 1


def test_a_long_text_is_looked_for_at_thousands_of_rows_at_once():
    began = time.process_time()
    own(["$ "], "x" * 300_000, ["$ out"] * 2000)
    assert time.process_time() - began < 1
