"""What agents and people stumbled over, as whole answers: the contract's words, not today's.

Each name says what must be; the same kinds in numbers: test_bodies, test_two_typists, test_commands.
"""

from __future__ import annotations

import re

import pytest

from tests.support.answer import NOTHING, Answer
from tests.support.callers import ClosedCaller
from tests.support.house import PY313, alone, house, in_rooms
from tests.support.terminal import Terminal, poll

__all__ = ["house"]
_AFTER = re.compile(r" after \d+\.\d\ds")


def is_answer(answer: Answer, first: str, *rest: str) -> None:
    """The whole answer, but for the seconds; `…` stands for anything within the first line. That
    nothing is new may be said below it."""
    rows = answer.removesuffix(f"\n{NOTHING}").split("\n")
    form = ".*".join(map(re.escape, first.split("…")))
    assert re.fullmatch(form, _AFTER.sub("", rows[0])), f"expected {first!r}:\n{answer}"
    assert "\n".join(rows[1:]) == "\n".join(rest), f"expected {rest!r}:\n{answer}"


# What an agent is told


@alone
def test_what_is_scrolled_back_by_nothing_is_a_mode(room):
    room.person.scroll_back(0)
    assert room.call("read").notes == ["note: the person is in a mode of tmux's"]


@in_rooms(shells=["bash", "zsh", "dash"])
def test_the_echo_of_an_answer_is_no_output_and_is_kept_nowhere(room):
    """A3"""
    ask = "printf 'Token: '; read t; echo done"
    is_answer(room.run(ask), "needs input: Token:")
    is_answer(room.ask("S3cret-xyz"), "ready (shell)…", "done")
    server = room.server.tmux
    kept = [server("show-options", scope, "-t", room.pane) for scope in ("-p", "-w")]
    kept += [server("show-options", scope) for scope in ("-g", "-s")]
    kept += [room.buffers(), server("show-messages", check=False)]
    assert not any("S3cret" in text for text in kept), kept


# Wrong or late words


# The editor's memory closed


@pytest.fixture
def closed(bare):
    """The terminal of a tool that may not read other processes' memory."""
    with ClosedCaller() as caller:
        bare.perform = caller.perform
        yield bare


def begun(terminal: Terminal, command: str, prompt: str, **more) -> None:
    terminal.start(command, **more)
    poll(lambda: terminal.screen().rstrip().endswith(prompt), what=prompt)


@pytest.mark.skipif(not PY313, reason="no Python 3.13")
def test_a_program_that_prints_a_prompt_leaves_nothing_half_typed(closed):
    """W10"""
    begun(closed, f"{PY313} -q", ">>>")
    closed.call("run", text="import time; print('>>> ', end='', flush=True); time.sleep(1)")
    assert closed.call("run", text="6 * 7").body == "42"


# Bodies and typing, where a table of shapes does not reach


@alone
def test_until_matches_nothing_that_an_earlier_run_printed(room):
    """B4: with a history of 50 rows the place where the output began moves."""
    room.server.tmux("set-option", "-g", "history-limit", "50")
    with room.server.open("bash", size=(60, 10), history=50) as low:
        for _ in range(3):
            low.run("seq 40; echo serving on 8080")
        answer = low.run("seq 20; sleep 0.3; echo other", until="serving on \\d+")
        assert answer.first.startswith("ready"), answer
