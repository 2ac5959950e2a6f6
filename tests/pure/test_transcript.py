"""Places on a pane, echoes and endings: rows as tmux gives them, and which of them are new.

`Terminal` below prints as a terminal does; what it holds is what a real pane gave in the same
situation: rows that wrap, scroll away, are cleared, or move when the window is resized."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from python.helpers.tmux.echoes import echo_rows, since_sent, without_echo
from python.helpers.tmux.endings import (
    Ending,
    lost_lines,
    prompt_at,
    screen_rows,
    trimmed_end,
    without_prompt,
)
from python.helpers.tmux.memory import Sent, Shown, load, shown_value
from python.helpers.tmux.output import trimmed
from python.helpers.tmux.places import needs_more, place, since_place
from python.helpers.tmux.prompt_book import Book
from python.helpers.tmux.view import Lines, View, placed

FUZZ = int(os.environ.get("FUZZ", "1"))  # FUZZ=50: as many times more examples, new in each run
RANDOM = settings(deadline=None, derandomize=FUZZ == 1, database=None, max_examples=100 * FUZZ)
PROMPT = "$ "


class Terminal:
    """A pane that is printed to, line by line; the last line is the cursor's."""

    def __init__(self, *lines: str, width: int = 40, height: int = 10, limit: int = 60):
        self.width, self.height, self.limit = width, height, limit
        self.lines = list(lines) or [""]

    def print(self, *lines: str) -> Terminal:
        """The first continues the cursor's line."""
        self.lines[-1] += lines[0]
        self.lines += lines[1:]
        while self._rows(self.lines) - self.height > self.limit:  # tmux drops a tenth
            del self.lines[0]
        return self

    def clear(self) -> Terminal:
        """As `clear` does: the history goes too."""
        self.lines = [""]
        return self

    def resize(self, width: int, height: int) -> Terminal:
        self.width, self.height = width, height
        return self

    def _rows(self, lines: list[str]) -> int:
        return sum(max(-(-len(line) // self.width), 1) for line in lines)

    @property
    def all(self) -> Lines:
        return placed(self.lines, 0, self.width)

    @property
    def view(self) -> View:
        """With a few lines above the screen, as a look brings them along."""
        total = self._rows(self.lines)
        history = max(total - self.height, 0)
        rows = [
            line[at : at + self.width]
            for line in self.lines
            for at in range(0, max(len(line), 1), self.width)
        ]
        visible = (rows[history:] + [""] * self.height)[: self.height]
        return View(
            id="%0",
            pid=42,
            tty="/dev/pts/0",
            dead=False,
            dead_status="",
            in_mode=False,
            alternate=False,
            cursor_x=len(rows[-1]),
            cursor_y=total - history - 1,
            cursor_visible=True,
            width=self.width,
            height=self.height,
            history_size=history,
            history_limit=self.limit,
            server=1,
            version=(3, 4),
            input_off=False,
            synchronized=False,
            activity=0,
            path="/",
            opened="",
            default="",
            status="",
            lines=tuple(visible),
            joined=self.all,
        )

    def shown(self) -> Shown:
        """The place that an answer leaves behind now, as it comes back from the pane."""
        again = load({"@tmux_tool_shown": shown_value(place(self.view, None))}, 42).shown
        assert again is not None
        return again

    def since(self, shown: Shown) -> list[str]:
        return trimmed(since_place(self.view, self.all, shown).lines)

    def sent(self, text: str | None, prompt: str | None = PROMPT, **more) -> Sent:
        """What is sent with the cursor where it is now."""
        view = self.view
        facts: dict[str, Any] = {
            "pid": 42,
            "at": 1e9,
            "foreground": 7,
            "subject": 7,
            "awake": 1,
            "taken": 1,
            "size": 1,
            "left": view.left,
            "prompt": prompt.strip() if prompt is not None else None,
            "expected": True,
            "text": text,
            "cells": len("".join((text or "").split())),
            "row": view.row,
            "history": view.history_size,
        }
        return Sent(**(facts | more))

    def own(self, sent: Sent, text: str | None = None) -> list[str]:
        """A command's own output, with the prompt behind it."""
        return trimmed(since_sent(self.view, self.all, sent, text).lines)


# Places


def test_nothing_is_new_where_nothing_was_printed():
    terminal = Terminal("one", "two", PROMPT)
    assert terminal.since(terminal.shown()) == []


def test_the_line_at_the_cursor_is_new_once_it_has_grown():
    terminal = Terminal("one", PROMPT)
    shown = terminal.shown()
    assert terminal.print("ls", "a", "b", PROMPT).since(shown) == ["$ ls", "a", "b", "$"]


BEFORE = {
    "an empty terminal": [PROMPT],
    "some lines": ["one", "two", PROMPT],
    "more than the screen": [*map(str, range(30)), PROMPT],
    "a line that wraps": ["x" * 95, PROMPT],
    "the same line everywhere": ["same"] * 20 + [PROMPT],
    "blank lines above": ["one", "", "", PROMPT],
    "nearly the whole history": [*map(str, range(66)), PROMPT],
    "no prompt": ["one", ""],
}
OUTPUT = {
    "a line": ["new"],
    "the same line": ["same"],
    "several": ["new 1", "new 2", "new 3"],
    "a line that wraps": ["y" * 130],
    "more than the screen": [f"new {n}" for n in range(25)],
    "blank lines within": ["new 1", "", "new 2"],
}


@pytest.mark.parametrize("after", OUTPUT)
@pytest.mark.parametrize("before", BEFORE)
def test_only_what_was_printed_since_is_new(before, after):
    terminal = Terminal(*BEFORE[before])
    shown = terminal.shown()
    prompt = BEFORE[before][-1]
    terminal.print("cmd", *OUTPUT[after], prompt)
    assert terminal.since(shown) == trimmed([f"{prompt}cmd", *OUTPUT[after], prompt])
    assert terminal.since(terminal.shown()) == []


@pytest.mark.parametrize("up", [1, 3, 8])
def test_a_line_above_the_place_that_was_drawn_over_is_new_with_all_below_it(up):
    """docker pull, npm: several bars, each drawn over."""
    terminal = Terminal(*(f"layer {n}: 10%" for n in range(15)), "")
    shown = terminal.shown()
    terminal.lines[-1 - up] = "layer: 100%"
    below = [f"layer {n}: 10%" for n in range(16 - up, 15)]
    assert terminal.since(shown) == ["layer: 100%", *below]


@pytest.mark.parametrize("size", [(25, 10), (80, 10), (40, 5), (40, 30), (200, 50)], ids=str)
@pytest.mark.parametrize("before", [name for name in BEFORE if name != "no prompt"])
def test_a_resize_makes_nothing_new(before, size):
    terminal = Terminal(*BEFORE[before], limit=200)
    shown = terminal.shown()
    assert terminal.resize(*size).since(shown) == []
    assert terminal.print("cmd", "new", PROMPT).since(shown) == ["$ cmd", "new", "$"]


def test_with_a_full_history_the_place_is_found_by_its_text():
    terminal = Terminal(*(f"old {n}" for n in range(70)), PROMPT)
    terminal.print("", PROMPT)
    shown = terminal.shown()
    for number in range(20):
        terminal.print(f"cmd {number}", f"new {number}", PROMPT)
        assert terminal.since(shown) == [f"$ cmd {number}", f"new {number}", "$"]
        shown = terminal.shown()


def test_what_the_history_could_not_hold_is_dropped():
    terminal = Terminal("one", PROMPT)
    shown = terminal.shown()
    terminal.print("cmd", *(f"new {n}" for n in range(200)), PROMPT)
    since = since_place(terminal.view, terminal.all, shown)
    assert since.dropped and not since.cleared
    assert trimmed(since.lines)[-2:] == ["new 199", "$"]


def test_a_cleared_screen_has_lost_the_place():
    terminal = Terminal(*map(str, range(30)), PROMPT)
    shown = terminal.shown()
    since = since_place(terminal.clear().print("after", PROMPT).view, terminal.all, shown)
    assert since.cleared and not since.dropped
    assert trimmed(since.lines) == ["after", "$"]


def test_the_top_is_read_only_where_the_place_is_not_found_below():
    terminal = Terminal(*map(str, range(40)), PROMPT)
    shown = terminal.shown()
    part = Lines(terminal.all.texts[20:], terminal.all.rows[20:])
    assert not needs_more(terminal.view, part, shown)
    terminal.clear().print(*map(str, range(100, 140)), PROMPT)
    part = Lines(terminal.all.texts[20:], terminal.all.rows[20:])
    assert needs_more(terminal.view, part, replace(shown, width=80))
    assert not needs_more(terminal.view, terminal.all, replace(shown, width=80))


@RANDOM
@given(
    st.lists(st.text("ab ", max_size=90), max_size=12),
    st.lists(st.lists(st.text("ab ", max_size=90), max_size=6), min_size=1, max_size=5),
)
def test_all_that_is_printed_is_new_exactly_once(before, batches):
    """However alike the lines are."""
    terminal = Terminal(*before, PROMPT, limit=500)
    for number, batch in enumerate(batches):
        shown = terminal.shown()
        terminal.print(f"c{number}", *batch, PROMPT)
        expected = [f"$ c{number}", *(line.rstrip() for line in batch), "$"]
        assert terminal.since(shown) == trimmed(expected)


# Own output


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


# Echoes in what is new


def new(terminal: Terminal, shown: Shown, sent: Sent, text: str | None = None) -> list[str]:
    lines = since_place(terminal.view, terminal.all, shown).lines
    return trimmed(without_echo(lines, sent, text, [PROMPT], shown.line))


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


@pytest.mark.parametrize("mark", ["^C", "^D", "^Z", "^\\"])
def test_what_the_terminal_shows_for_a_key_is_an_echo(mark):
    terminal = Terminal("one", PROMPT + "sleep 9", "")
    shown, sent = terminal.shown(), terminal.sent(mark, None)
    assert new(terminal.print(mark, PROMPT), shown, sent, mark) == ["$"]


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


# the echo of what was typed


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


# Endings


@pytest.mark.parametrize(
    ("body", "left", "prompt", "upper", "rest", "glued"),
    [
        (["a", "$ "], "$ ", "$", [], ["a"], False),
        (["$ "], "$ ", "$", [], [], False),
        (["a", "ok$ "], "ok$ ", "$", [], ["a", "ok"], True),
        (["ok$"], "ok$ ", "$", [], ["ok"], True),
        (["a", "┌ ~", "❯ "], "❯ ", "❯", ["┌ ~"], ["a"], False),
        (["a", "", "┌ ~/x", "❯ "], "❯ ", "❯", ["", "┌ ~"], ["a"], False),
        (["a", "other", "❯ "], "❯ ", "❯", ["┌ ~"], ["a", "other"], False),
        (["a", "$ ls"], "$ ls -l", "$", [], ["a", "$ ls"], False),
        (["a"], "", "", [], ["a"], False),
        (["no end"], "no end", "", [], ["no end"], True),
        ([], "$ ", "$", [], [], False),
    ],
)
def test_output_without_the_prompt_at_its_end(body, left, prompt, upper, rest, glued):
    ending = Ending(left=left, prompt=prompt, upper=upper)
    assert without_prompt(body, ending) == (rest, glued)


@pytest.mark.parametrize(
    ("left", "known", "sent_at", "prompt"),
    [
        ("$ ", [], None, "$"),
        ("ok$ ", ["$"], None, "$"),
        ("ok$ ", [], "$", "$"),
        ("ok$ ", [], None, "ok$"),
        ("go! ", ["$"], None, "go!"),
        ("me:/etc$ ", ["me:~$"], None, "me:/etc$"),
    ],
)
def test_the_prompt_behind_output(left, known, sent_at, prompt):
    book = Book()
    for one in known:
        book.learn(7, one)
    sent = Terminal(PROMPT).sent("x", sent_at) if sent_at else None
    assert prompt_at(left, book, sent, 7) == prompt


def test_blank_lines_at_the_end_go_and_no_others():
    assert trimmed_end(["", "a", "", " "]) == ["", "a"]
    assert trimmed_end(["", ""]) == []


@pytest.mark.parametrize(
    ("lines", "rows"),
    [
        (["note", "~", "~", '"notes" 1L'], ["note", '"notes" 1L']),
        (["a", "", "b", "~", ""], ["a", "", "b"]),
        (["", "", "a"], ["a"]),
        (["~"], []),
        (["a", "", "", "b"], ["a", "", "", "b"]),
        (["a", *[""] * 20, "b"], ["a", "", "b"]),
    ],
)
def test_a_full_screen_without_its_filler(lines, rows):
    view = replace(Terminal().view, lines=tuple(lines))
    assert screen_rows(view) == rows


def test_how_many_lines_are_lost_is_estimated_from_what_the_server_has_read():
    view = Terminal(limit=2000).view
    kept = ["123456"] * 100  # 8 bytes each with the line's end
    assert lost_lines(view, 1000, 1000 + 8 * 350, kept).startswith("about 250 lines scrolled out")
    assert lost_lines(view, 1000, 1000, kept).startswith("about 1 lines")
    for then, now in ((None, 5), (5, None)):
        assert lost_lines(view, then, now, kept).startswith("an unknown number of lines")
    assert "(limit 2000)" in lost_lines(view, 1, 2, kept)
