"""Many callers, one terminal: threads and processes take turns, every command runs exactly once and
gives its own output; many calls cost no more than few."""

import os
import re
import time
from collections import Counter
from pathlib import Path

import pytest

from python.helpers.tmux.actions import Call
from python.helpers.tmux.pane import find
from python.helpers.tmux.pattern import Searcher
from python.helpers.tmux.report import Report
from python.helpers.tmux.settings import Settings
from python.helpers.tmux.typing import type_text
from python.helpers.tmux.watch import Watch
from tests.conftest import poll
from tests.support.answer import READY
from tests.support.callers import DEADLOCK, InThread, together
from tests.support.tables import Tables

CALLS = Tables(__file__)["CALLS"]  # of all kinds, with the ones that fail


@pytest.mark.parametrize("panes", [1, 4])
def test_six_callers_run_their_commands_each_once_and_get_their_own_output(terminal, tmp_path, panes):
    """2 commands each: on one pane, and each caller on two of four panes."""
    targets = ["shared", *(f"shared:{number}" for number in range(1, panes))]
    for target in targets[1:]:
        terminal.tmux("new-window", "-d", "-t", f"={target}", "bash --norc --noprofile")
        assert READY.match(Call().answer({"action": "wait_ready", "pane": target}).text)
    log = tmp_path / "log"

    def call(name: str, pane: str) -> dict:
        text = f"echo {name} | tee -a {log}; printf '{name[::-1]}\\n'"
        return {"action": "run", "text": text, "timeout": DEADLOCK, "pane": pane}

    names = [[f"caller{caller}-command{number}" for number in range(2)] for caller in range(6)]
    work = [
        [call(name, targets[(caller + number) % panes]) for number, name in enumerate(own)]
        for caller, own in enumerate(names)
    ]
    for own, answers in zip(names, together(work), strict=True):
        for name, answer in zip(own, answers, strict=True):
            first, *body = answer.splitlines()
            assert READY.fullmatch(first), answer
            assert body == [name, name[::-1]], (name, answer)
    assert Counter(log.read_text().split()) == Counter(name for own in names for name in own)


def test_who_has_looked_before_another_caller_answered_types_nothing_and_keeps_its_record(terminal):
    """They took turns within the 30 ms for which a look is fresh."""
    terminal.run("true")
    pane = find("shared", Settings.load())
    watch = Watch(pane, Searcher(), time.sleep, lambda *_: None, True)
    here = watch.turn(1.0)
    assert terminal.run("echo one").startswith("ready")
    stored = pane.look().state
    assert type_text(Report("run", watch, []), here, "echo two", True) is None
    assert pane.look().state == stored and "two" not in terminal.screen()


def test_callers_who_send_do_not_mix_their_lines(terminal, tmp_path):
    """Into one program, typed as a line, as a block, or in keys: every line is one caller's, whole and once."""
    log = tmp_path / "log"
    assert Call().answer({"action": "send", "text": f"cat > {log}"}).text.startswith("needs input")
    lines = [[f"{caller}{number} x" for number in range(4)] for caller in "abcd"]
    work = [
        [
            {"action": "send", "text": line}
            if number % 2
            else {"action": "keys", "keys": [*line.replace(" ", "_"), "Enter"]}
            for number, line in enumerate(own)
        ]
        for own in lines
    ]
    for answers in together(work):
        assert all(answer.startswith("needs input after ") for answer in answers), answers
    assert READY.match(Call().answer({"action": "keys", "keys": "C-d"}).text)
    came = [line.replace("_", " ") for line in log.read_text().splitlines()]
    assert Counter(came) == Counter(line for own in lines for line in own)
    for own in lines:
        assert [line for line in came if line in own] == own  # and each caller's in order


# Turns


@pytest.fixture
def long_run(terminal):
    """Another caller's command that takes until it is interrupted."""
    caller = InThread([{"action": "run", "text": "sleep 1000", "timeout": 600}])
    caller.start()
    poll(lambda: terminal.fact("pane_current_command") == "sleep", what="sleep")
    yield caller
    terminal.tmux("kill-server", check=False)
    caller.thread.join(10)


def test_send_waits_for_anothers_run(terminal, tmp_path):
    """It is typed after the other has its answer, and not into the other's command."""
    gate, log = tmp_path / "gate", tmp_path / "log"
    command = f"until [ -e {gate} ]; do sleep 0.02; done; cat >> {log} <<< first"
    running = InThread([{"action": "run", "text": command, "timeout": 60}])
    running.start()
    poll(lambda: "until [" in terminal.screen(), what="the command")
    sending = InThread([{"action": "send", "text": f"echo second >> {log}"}])
    sending.start()
    sending.thread.join(0.5)
    assert not sending.answers and "second" not in terminal.screen()
    gate.touch()
    deadline = time.monotonic() + DEADLOCK
    running.finish(deadline)
    sending.finish(deadline)
    assert READY.match(running.answers[0]) and READY.match(sending.answers[0])
    assert log.read_text() == "first\nsecond\n"


def test_a_caller_that_waits_too_long_gets_an_error_and_nothing_is_typed(terminal, long_run):
    answer = terminal.call("run", text="never run", timeout=0.5)
    assert re.match(r"error: another caller has been using shared for [\d.]+s; ", answer), answer
    assert "never" not in terminal.screen() and not long_run.answers


# Many calls


def held_open() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def resident() -> int:
    return int(re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())[1])


def test_hundreds_of_calls_leak_no_descriptor_and_no_memory(terminal):
    for call in CALLS * 2:
        Call().answer(call)
    before, memory = held_open(), resident()
    for call in CALLS * 4:
        answer = Call().answer(call).text
        wrong = call.get("pane") == "nowhere" or "txet" in call
        assert answer.startswith("error: ") is wrong, call
    assert held_open() == before
    assert resident() - memory < 3_000, (memory, resident())


def test_a_call_that_types_nothing_does_not_make_the_person_look_active(terminal):
    """`w` and programs that end idle sessions go by the times of the terminal."""
    tty = terminal.fact("pane_tty")
    os.utime(tty, (1000, 1000))
    for action in ("wait_ready", "read", "list"):
        terminal.call(action)
    times = os.stat(tty)
    assert (times.st_atime, times.st_mtime) == (1000, 1000)
