"""What is played again: what is late, and beyond the core what is wrong and did no harm. And what a case's judge calls
late, early and wrong."""

import pytest

from tests.real.judge import Finding, Seen, judge
from tests.real.table import step
from tests.support.late import Late, Wrong, is_late, plays_again


def chained(problem: BaseException) -> BaseException:
    wrapped = AssertionError("flaky")
    wrapped.__cause__ = problem
    return wrapped


@pytest.mark.parametrize(
    "problem, late",
    [
        (Late("not within 20s"), True), (TimeoutError(), True), (chained(TimeoutError()), True),
        (ExceptionGroup("both", [Late("a screen")]), True),
        (AssertionError("run timed out after 15.0s: still running make\nassert False"), True),
        (AssertionError("ready (shell) after 0.1s\nwait_ready timed out after 0.5s"), False),
        (AssertionError("answered before the truth"), False), (KeyError("truth"), False),
        (pytest.fail.Exception("a mixture was run"), False),
        (pytest.fail.Exception("Timeout (>120.0s) from pytest-timeout."), True)])
def test_only_what_did_not_come_in_time_is_played_again(problem, late):
    assert (is_late(problem), plays_again(problem)) == (late, int(late))
    assert plays_again(Wrong("beyond the core")) == 3


def seen(answer: str, **more) -> Seen:
    facts = {"began": 1.0, "ended": 2.0, "before": "", "after": "", "later": "", "truth": None, "denied": False}
    return Seen(answer=answer, **{**facts, **more})


@pytest.mark.parametrize(
    "row, call, finding",
    [
        (["run", "make"], seen("ready (shell) after 0.4s\nmade"), Finding.RIGHT),
        (["run", "make"], seen("run timed out after 15.0s: still running make"), Finding.LATE),
        (["run", "make", "…"], seen("run timed out after 15.0s: still running make"), Finding.LATE),
        (["run", "make"], seen("error: the tmux server did not answer within 3s; it is stopped"), Finding.LATE),
        (["run", "make"], seen("needs input after 0.4s: Go?"), Finding.WRONG),
        (["run", "make"], seen("ready (shell) after 0.4s", later="more"), Finding.EARLY),
        (["run", "make", "error: …"], seen("ready (shell) after 0.4s"), Finding.HARM)])
def test_a_call_is_right_early_wrong_or_late(row, call, finding):
    assert judge(step(*row), call)[0] is finding
    assert judge(step("run", "make", "…", timeout=1), seen("run timed out after 1.0s: x"))[0] is Finding.RIGHT
    lost = judge(step("run", "make", body="made", untouched=True), seen("ready (shell) after 0.4s\nmade", after="x"))
    assert lost[0] is Finding.HARM
    rest = judge(step("run", "make", lacks="rest"), seen("ready (shell) after 0.4s\nrest"))
    assert rest[0] is Finding.HARM


def test_a_turn_before_the_truth_is_early():
    one = step("run", "make", truth=True)
    assert judge(one, seen("ready (shell) after 0.4s"))[0] is Finding.EARLY
    assert judge(one, seen("ready (shell) after 0.4s", truth=3.0))[0] is Finding.EARLY
    assert judge(one, seen("ready (shell) after 0.4s", truth=1.5))[0] is Finding.RIGHT
