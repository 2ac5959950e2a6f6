"""Many callers, one terminal: threads and processes take turns, every command runs exactly once and
gives its own output; many calls cost no more than few."""

import os
import re
import time
from collections import Counter
from pathlib import Path

import pytest

from python.helpers.tmux.actions import Call
from python.helpers.tmux.base import client, process
from python.helpers.tmux.base.settings import Settings
from python.helpers.tmux.facts.kernel import probe
from python.helpers.tmux.facts.look import MOST_ABOVE
from python.helpers.tmux.facts.pane import TYPING, Pane, find
from python.helpers.tmux.facts.pattern import Searcher
from python.helpers.tmux.told.report import Report
from python.helpers.tmux.turn.watch import Watch
from python.helpers.tmux.typed.typing import type_text
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


def test_an_interrupt_waits_until_another_caller_has_typed(terminal):
    """C-c in the middle of `echo one` would leave `cho one` to be entered; a call that waits is passed."""
    terminal.run("sleep 60", timeout=0.3)
    with find("shared", Settings.load()).lock(1.0, time.sleep, TYPING):
        caller = InThread([{"action": "interrupt"}])
        caller.start()
        time.sleep(0.5)
        assert terminal.fact("pane_current_command") == "sleep"
    caller.finish(time.monotonic() + DEADLOCK)
    assert caller.answers[0].startswith("ready")


def test_what_a_call_leaves_is_stored_before_another_caller_may_act(terminal, monkeypatch):
    order, unlink = [], os.unlink
    monkeypatch.setattr(Pane, "end", lambda _: order.append("stored"))
    monkeypatch.setattr(os, "unlink", lambda path, **more: order.append(str(path)[-2:]) or unlink(path, **more))
    assert terminal.run("true").startswith("ready")
    assert order.index("stored") < order.index("%0")  # the file that is the pane's lock


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


def test_a_caller_that_waits_too_long_gets_an_error_and_nothing_is_typed(terminal, long_run, monkeypatch):
    monkeypatch.setattr("python.helpers.tmux.actions._TAKE_TURNS", 0.5)
    answer = terminal.call("run", text="never run", timeout=0.5)
    assert re.match(r"error: another caller has been using shared for [\d.]+s; ", answer), answer
    assert "never" not in terminal.screen() and not long_run.answers


# Many calls, panes, rows, patterns, jobs: a call costs no more than what it tells of


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


def test_tmux_keeps_nothing_of_a_call_but_its_record(terminal):
    """Before 3.7 `if-shell` never frees what it has parsed: 9 kB a call."""
    terminal.tmux("set-option", "-s", "message-limit", "10")  # its log of commands, which is bounded
    pane = find(None, Settings())
    status = Path(f"/proc/{terminal.fact('pid')}/smaps_rollup")

    def grown(times: int) -> int:
        before = int(re.search(r"Private_Dirty:\s+(\d+)", status.read_text())[1])
        for _ in range(times):
            pane.store("1 " + "x" * 1700)
            assert not pane.type("x", "0")
        return int(re.search(r"Private_Dirty:\s+(\d+)", status.read_text())[1]) - before

    grown(50)
    assert grown(100) < 100, "kB in 100 calls"
    assert terminal.tmux("show-hooks", "-p", "-t", "=shared:") == terminal.buffers() == ""
    assert re.findall(r"(?m)^\S+", terminal.tmux("show-options", "-p", "-t", "=shared:")) == ["@tmux_tool"]


def test_a_call_that_types_nothing_does_not_make_the_person_look_active(terminal):
    """`w` and programs that end idle sessions go by the times of the terminal."""
    tty = terminal.fact("pane_tty")
    os.utime(tty, (1000, 1000))
    for action in ("wait_ready", "read", "list"):
        terminal.call(action)
    times = os.stat(tty)
    assert (times.st_atime, times.st_mtime) == (1000, 1000)


@pytest.fixture
def tmux_calls(monkeypatch):
    calls: list[list[str]] = []
    start = client._start
    monkeypatch.setattr(client, "_start", lambda words, *files: calls.append(words) or start(words, *files))
    return calls


def listed(terminal, tmux_calls) -> tuple[str, int]:
    """The answer, once all shells rest, and how many calls of tmux it took."""
    poll(lambda: "running" not in terminal.call("list"), what="prompts")
    tmux_calls.clear()
    return terminal.call("list"), len(tmux_calls)


def test_a_list_of_many_panes_takes_no_more_calls_of_tmux(terminal, tmux_calls):
    _, calls_of_one = listed(terminal, tmux_calls)
    for _ in range(12):
        terminal.tmux("new-window", "-d", "-t", "shared:", "sh")
    answer, calls = listed(terminal, tmux_calls)
    assert answer.startswith("13 panes") and answer.count("\n") == 13
    assert answer.count("ready (shell)") == 13
    assert calls == calls_of_one > 0


def test_of_a_long_history_only_the_end_is_looked_at(bare):
    bare.start(history=MOST_ABOVE * 5)
    bare.ready()
    answer = bare.call("run", text=f"seq {MOST_ABOVE * 2}", timeout=60)
    assert answer.startswith("ready (shell)") and answer.endswith(f"\n{MOST_ABOVE * 2}")
    assert f"note: only the last {MOST_ABOVE} rows are looked at; what came before them is left out" in answer
    assert bare.call("run", text="seq 3").endswith("\n1\n2\n3")


@pytest.mark.thorough
def test_slow_patterns_share_one_budget_and_the_answer_names_what_was_left_out(terminal):
    slow = {f"(a+)+{number}$": "n" for number in range(24)}
    question = "a" * 60 + "b? "
    answer = terminal.call("run", text=f"read -p '{question}' x", timeout=60, answers={**slow, "b": "y"})
    assert answer.startswith("needs input after")
    assert "note: argument 'answers': '(a+)+0$' takes too long to search, and was left out" in answer
    assert "note: argument 'answers': '(a+)+23$' takes too long to search, and was left out" in answer


def test_of_many_jobs_only_the_youngest_are_read(terminal, monkeypatch):
    jobs = 150
    terminal.call("run", text=f"for i in $(seq {jobs}); do sleep 1000 & done", timeout=60)
    shell = int(terminal.fact("pane_pid"))
    poll(lambda: len(process.children(process.read(shell))) == jobs, what="the jobs")
    read: list[int] = []
    real = process.read
    monkeypatch.setattr(process, "read", lambda pid: read.append(pid) or real(pid))
    found = probe(shell)
    assert found.subject == shell and found.waiter
    assert len(read) < jobs / 2
