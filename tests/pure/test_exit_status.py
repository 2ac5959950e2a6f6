"""Whose exit status it is: that of what was sent, or another command's, which is not told."""

from __future__ import annotations

import pytest

from python.helpers.tmux.report.exit_status import own_status

PROMPTS = ("$",)
ANOTHER = "a line that was typed meanwhile may have run too: no exit status is told"
# name: the new rows, what is left of the cursor, the known prompts, what was sent, what the line
# editor holds; the status and the notes that are told of a status 1
STATUS = {
    "its own": (["out"], "$ ", PROMPTS, "ls", "", 1, []),
    "without output": ([], "$ ", PROMPTS, "ls", "", 1, []),
    "someone has run a line": (["out", "$ cd", "$"], "$ ", PROMPTS, "ls", "", None, [ANOTHER]),
    "nobody can have run one": (["out", "$ cd", "$"], "$ ", (), "ls", "", 1, []),
    "a line is half typed": (["out", "$ cd"], "$ cd", PROMPTS, "ls", "cd", 1, []),
    "one was run, one is half typed": (
        ["$ cd", "$ ls"], "$ ls", PROMPTS, "ls", "ls", None, [ANOTHER]
    ),
    "bash refuses it": (["bash: !x: event not found", "$"], "$ ", PROMPTS, "!x", "", None, []),
    "a login shell refuses it": (["-bash: !x: event not found"], "$ ", (), "!x", "", None, []),
    "zsh refuses it": (["zsh: parse error near `)'"], "% ", (), ")", "", None, []),
    "a program says so": (["out", "zsh: parse error"], "$ ", PROMPTS, "cat", "", 1, []),
    "it is held for another Enter": ([], "$ ls", PROMPTS, "!!", "ls", None, []),
    "a substitution is held": ([], "$ ls", PROMPTS, "^a^b", "ls", None, []),
    "a line without an expansion is held": ([], "$ ls", PROMPTS, "ls", "ls", 1, []),
}  # fmt: skip


@pytest.mark.parametrize("name", STATUS)
def test_whose_exit_status_it_is(name):
    rows, left, prompts, sent, held, status, told = STATUS[name]
    notes: list[str] = []
    assert own_status(1, rows, left, prompts, notes, sent, held) == status
    assert notes == told


def test_where_no_status_is_known_none_is_missed():
    notes: list[str] = []
    assert own_status(None, ["$ cd", "$"], "$ ", PROMPTS, notes) is None
    assert notes == ["a line that was typed meanwhile may have run too"]
