"""Whose exit status it is: the sent command's, or another command's, which is not reported."""

from __future__ import annotations

from python.helpers.tmux.report.exit_status import own_status
from tests.support.tables import Tables

TABLES = Tables(__file__)

PROMPTS = ("$",)
ANOTHER = "a line that was typed meanwhile may have run too: no exit status is reported"


@TABLES.rows("rows, left, prompts, sent, held, is_told, another", of="STATUS")
def test_whose_exit_status_it_is(rows, left, prompts, sent, held, is_told, another):
    notes: list[str] = []
    status = own_status(1, rows, left, tuple(prompts), notes, sent, held)
    assert status == (1 if is_told else None)
    assert notes == [ANOTHER] * bool(another)


def test_an_unknown_status_is_not_reported_as_missing():
    notes: list[str] = []
    assert own_status(None, ["$ cd", "$"], "$ ", PROMPTS, notes) is None
    assert notes == ["a line that was typed meanwhile may have run too"]
