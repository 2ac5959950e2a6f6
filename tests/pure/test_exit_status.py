"""Whose exit status a shell tells."""

from __future__ import annotations

import pytest

from python.helpers.tmux.transcript.exit_status import own_status

PROMPTS = ("me@host:~$", "$")
MEANWHILE = ["a line that was typed meanwhile was run too: no exit status is told"]


@pytest.mark.parametrize(
    "rows",
    [
        [],
        ["output"],
        ["output", "me@host:~$"],
        ["-bash: x: command not found"],
        ["output", "bash: !x: event not found"],  # only its first line is the shell's own
    ],
)
def test_it_is_that_of_what_was_sent(rows):
    notes: list[str] = []
    assert own_status(3, rows, "me@host:~$ ", PROMPTS, notes) == 3
    assert own_status(0, rows, "me@host:~$ ", PROMPTS, notes) == 0
    assert own_status(None, rows, "me@host:~$ ", PROMPTS, notes) is None
    assert notes == []


@pytest.mark.parametrize(
    "row",
    [
        '!prod": event not found',
        "bash: !x: event not found",
        "-bash: !x: event not found",
        "zsh: event not found: x",
        "zsh: parse error near `)'",
    ],
)
def test_a_line_that_was_not_run_has_none(row):
    notes: list[str] = []
    assert own_status(3, [row], "me@host:~$ ", PROMPTS, notes) is None
    assert notes == []


@pytest.mark.parametrize("rows", [["me@host:~$ ls"], ["output", "me@host:/src$ ls -l", "a", "b"]])
def test_a_persons_line_takes_it_away(rows):
    notes: list[str] = []
    assert own_status(3, rows, "me@host:~$ ", PROMPTS, notes) is None
    assert notes == MEANWHILE
    assert own_status(3, rows, "me@host:~$ ", (), []) == 3, "nobody else can have run anything"
    notes = []
    assert own_status(None, rows, "me@host:~$ ", PROMPTS, notes) is None
    assert notes == []


def test_behind_a_prompt_so_short_that_output_begins_so_it_is_taken_away_without_a_word():
    notes: list[str] = []
    assert own_status(3, ["output", "$ make"], "$ ", PROMPTS, notes) is None
    assert notes == []


def test_a_line_that_is_only_half_typed_does_not():
    left = "me@host:~$ ls"
    assert own_status(3, ["output", left], left, PROMPTS, []) == 3
    assert own_status(3, [left, left], left, PROMPTS, []) is None


@pytest.mark.parametrize(
    ("sent", "edited", "status"),
    [
        ("!!", "echo one", None),
        ("echo !$", "echo one", None),
        ("^one^two", "echo two", None),
        ("!!", "", 3),
        ("echo 2^3", "typed ahead", 3),
        ("sleep 1", "typed ahead", 3),
    ],
)
def test_what_the_line_editor_holds_for_another_enter_has_none(sent, edited, status):
    assert own_status(3, [], "$ ", PROMPTS, [], sent, edited) == status
