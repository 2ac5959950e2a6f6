"""The decision alone: what stands on the screen and how the program waits -> whose turn it is."""

import pytest

from python.helpers.tmux import kernel
from python.helpers.tmux.decide import decide
from python.helpers.tmux.kernel import Kernel, Waiter
from python.helpers.tmux.look import digest
from python.helpers.tmux.process import Terminal
from python.helpers.tmux.reading import Reading
from python.helpers.tmux.state import Sent, State
from tests.pure.test_state import seen
from tests.support.tables import Tables

TABLES = Tables(__file__)
HOW = {name.lower(): getattr(kernel, name) for name in "READ SELECT SEEMS LISTEN HIDDEN POLLS WORKS".split()}
MODES = {"cooked": (True, True), "secret": (True, False), "raw": (False, False), "char": (False, True)}


def reading(screen: list[str], program: str, mode: str, how: str, more: dict) -> Reading:
    """What follows from a row of the table."""
    canonical, echo = MODES[mode]
    size = more.get("size", 0)
    known = [[program, text] for text in more.get("known", [])]
    look = {"cursor_flag": True, **more.get("look", {})}
    at = seen(screen, **look)
    state = State(prompts=known, open=more.get("open", ""))
    if "question" in more:
        state.question, state.asked = digest(more["question"]), len(more["question"])
    if more.get("prompted"):  # the last command was typed at a prompt, and has been read
        state.sent = Sent(pid=1, at=-9.0, reader=[7, 5], used=[0, 0], enter=True, at_prompt=True,
                          left=[0, 0, 0], edits=more.get("edited", False))
    facts = Kernel(
        terminal=Terminal(path="/dev/pts/9", canonical=canonical, echo=echo, unread=more.get("unread", 0)),
        foreground=5, name=program, waiter=Waiter(pid=7, how=HOW[how], size=size) if how != "works" else Waiter(),
        remote=more.get("remote", False), script=more.get("script", False), subject=more.get("subject", 7),
        cpu_ns=10, bytes_read=10,
    )
    return Reading(
        seen=at, kernel=facts, editor=None, state=state, now=0.0, untouched=more.get("untouched", True),
        still=more.get("still", 0.0), full=more.get("full", 0.0), asked=more.get("said", ""),
        pattern=more.get("pattern"), asleep=more.get("asleep", 0.0),
    )


@pytest.mark.parametrize("name", TABLES["verdicts"])
def test_verdict(name):
    screen, program, mode, how, right, *rest = TABLES["verdicts"][name]
    verdict = decide(reading(list(screen), program, mode, how, rest[0] if rest else {}))
    said = f"{verdict.word}, {verdict.evidence}" if verdict.evidence else str(verdict.word)
    assert f"{said}: {verdict.detail} @{verdict.after:g}" == right
