"""The judge itself: it must be able to find an answer wrong."""

from __future__ import annotations

from tests.support.tables import Tables

from .judge import Finding, Seen, is_right, judge
from .table import step

TABLES = Tables(__file__)


def seen(answer: str, **more) -> Seen:
    plain = {"began": 0.0, "ended": 1.0, "before": "", "after": "$", "later": "$"}
    return Seen(**{"answer": answer, "truth": None, "denied": False, **plain, **more})


@TABLES.rows("expected, first, denied, right")
def test_first_line_is_compared_with_what_is_expected(expected, first, denied, right):
    assert is_right(expected, first, denied) is right


@TABLES.rows("right, answer, more, finding")
def test_an_answer_is_judged(right, answer, more, finding):
    assert judge(step("run", "x", **right), seen(answer, **more))[0] is Finding(finding)
