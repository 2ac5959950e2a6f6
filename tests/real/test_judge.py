"""The judge itself: it must be able to find an answer wrong."""

from __future__ import annotations

import pytest

from tests.support.tables import Tables

from .judge import Finding, Seen, is_right, judge
from .table import run

TABLES = Tables(__file__)


def seen(answer: str, **more) -> Seen:
    plain = {"began": 0.0, "ended": 1.0, "before": "", "after": "$", "later": "$", "changed": 0.9}
    return Seen(**{"answer": answer, "gap": 0.1, "truth": None, "denied": False, **plain, **more})


@TABLES.rows("expected, first, denied, right")
def test_first_line_is_compared_with_what_is_expected(expected, first, denied, right):
    assert is_right(expected, first, denied) is right


@pytest.mark.parametrize(
    ("step", "answer", "more", "finding"),
    [
        (run("x", takes=2), "ready (shell) after 1.00s", {}, Finding.EARLY),
        (run("x", truth=True), "ready (shell) after 1.00s", {}, Finding.EARLY),
        (run("x", truth=True), "ready (shell) after 1.00s", {"truth": 1.2}, Finding.EARLY),
        (run("x", truth=True), "ready (shell) after 1.00s", {"truth": 0.9}, Finding.RIGHT),
        (run("x"), "ready (shell) after 1.00s", {"later": "$ more"}, Finding.EARLY),
        (run("x"), "ready (shell) after 9.00s", {"ended": 9.0}, Finding.SLOW),
        (run("x"), "run timed out after 9.0s: still running x", {"ended": 9.0}, Finding.LATE),
        (run("x", body="a"), "ready (shell) after 1.00s\na", {}, Finding.RIGHT),
        (run("x", body="a"), "ready (shell) after 1.00s\nnote: n\na", {}, Finding.RIGHT),
        (run("x", body="a"), "ready (shell) after 1.00s\na\nb", {}, Finding.WRONG),
        (run("x", has="zz"), "ready (shell) after 1.00s\nb", {}, Finding.WRONG),
        (run("x", lacks="b"), "ready (shell) after 1.00s\nb", {}, Finding.WRONG),
        (run("x", "needs input: Go?"), "needs input after 1.00s: Go?\nGo?", {}, Finding.WRONG),
        (run("x", "error: …", untouched=True), "error: no", {"before": "other"}, Finding.WRONG),
    ],
)
def test_an_answer_is_judged(step, answer, more, finding):
    assert judge(step, seen(answer, **more))[0] is finding
