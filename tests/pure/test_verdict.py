"""The decision alone: what stands on the screen and how the program waits -> whose turn it is."""

from python.helpers.tmux.base.rules import name_of
from python.helpers.tmux.base.words import Word
from python.helpers.tmux.turn import decide as decisions
from python.helpers.tmux.turn.decide import decide, rule_on
from python.helpers.tmux.turn.decide_screen import BY_SCREEN, FAR, IN_LINES
from python.helpers.tmux.turn.decide_shell import SHELL_BY_KEYS, SHELL_IN_LINES
from python.helpers.tmux.turn.verdict import Verdict
from tests.support.readings import reading
from tests.support.tables import Tables

TABLES = Tables(__file__)
AT_ONCE = 0.006  # seconds: what a row means that names none


@TABLES.rows("rule, screen, waits, right, more", of="verdicts")
def test_verdict(rule, screen, waits, right, more):
    verdict = decide(reading(screen, waits, more))
    said = f"{verdict.word}, {verdict.evidence}" if verdict.evidence else str(verdict.word)
    said += f": {verdict.detail}" if verdict.detail else ""
    said += f" @{verdict.after:g}" if verdict.after != AT_ONCE else ""
    assert (verdict.rule, said) == (rule, right)


def test_every_rule_has_a_row():
    by_kind = (decisions.FIRST, decisions.BY_MEMORY, decisions.FULL_SCREEN)
    by_kind += (SHELL_IN_LINES, SHELL_BY_KEYS, IN_LINES, BY_SCREEN, FAR)
    rules = {name_of(rule) for kind in by_kind for rule in kind}
    assert rules == set(TABLES["verdicts"]), "a rule that decides no row, or rows of no rule"


def test_all_rules_that_were_asked_are_told_in_order():
    ruling = rule_on(reading("Password: ", "sudo secret read"))
    assert ruling.tried == list(TABLES["asked"])
    assert ruling.rule == "echo is off"


@TABLES.rows("word, waits, asks, ready")
def test_what_a_word_means(word, waits, asks, ready):
    verdict = Verdict(word=Word(word))
    assert (bool(verdict), verdict.asks, verdict.ready) == (waits, asks, ready)
