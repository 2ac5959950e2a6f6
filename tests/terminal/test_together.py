"""Many callers, one terminal: threads and processes take turns, every command runs exactly once and
gives its own output; long waits and many calls cost no more than short waits and few calls."""

from __future__ import annotations

import gc
import os
import re
import threading
import time
import tracemalloc
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from python.helpers.tmux import actions
from python.helpers.tmux.actions import Call
from python.helpers.tmux.pattern import Searcher
from python.helpers.tmux.settings import Settings
from python.helpers.tmux.client import tmux
from python.helpers.tmux.pane import Pane
from python.helpers.tmux.windows import find
from python.helpers.tmux.watch import Watch
from python.helpers.tmux.answer import Word
from tests.conftest import poll
from tests.support.answer import MEMORY_IS_CLOSED, READY
from tests.support.callers import DEADLOCK, InThread, together
from tests.support.tables import Tables

CALLS = Tables(__file__)["CALLS"]  # of all kinds, with the ones that fail


def watching(target: str = "shared", **more) -> Watch:
    """A watch on a pane, as a call makes it."""
    located = find(target, Settings.load())
    return Watch(located.pane, located.view, **more)


@pytest.mark.skipif(MEMORY_IS_CLOSED, reason="it reads the line editor's memory")
def test_a_line_editor_that_is_read_before_its_prompt_is_seen_counts_once_it_is(terminal):
    watch = watching()
    terminal.person(r"PS1='$((6*7))th\n> '", "Enter")
    terminal.see("42th")
    watch.read_kernel()
    assert watch.editor is None, "the screen that was looked at does not show its prompt"
    watch.look()
    assert watch.editor and watch.editor.above == ("42th",)


@pytest.mark.parametrize("panes", [1, 8])
def test_eight_callers_run_their_commands_each_once_and_get_their_own_output(
    terminal, tmp_path, panes
):
    """8 commands each: on one pane, and each caller on eight panes in turn."""
    targets = ["shared", *(f"shared:{number}" for number in range(1, panes))]
    for target in targets[1:]:
        terminal.tmux("new-window", "-d", "-t", f"={target}", "bash --norc --noprofile")
        assert READY.match(Call().perform({"action": "wait_ready", "pane": target}))
    log = tmp_path / "log"

    def call(name: str, pane: str) -> dict:
        text = f"echo {name} | tee -a {log}; printf '{name[::-1]}\\n'"
        return {"action": "run", "text": text, "timeout": DEADLOCK, "pane": pane}

    names = [[f"caller{caller}-command{number}" for number in range(8)] for caller in range(8)]
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


def test_callers_who_send_do_not_mix_their_lines(terminal, tmp_path):
    """Into one program, typed as a line, as a block, or in keys: every line is one caller's, whole
    and once."""
    log = tmp_path / "log"
    assert Call().perform({"action": "send", "text": f"cat > {log}"}).startswith("needs input")
    lines = [
        [f"caller {caller} line {number} {'x' * 40}" for number in range(6)] for caller in range(8)
    ]
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
    assert READY.match(Call().perform({"action": "keys", "keys": "C-d"}))
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


def test_a_caller_that_waits_too_long_gets_an_error_and_nothing_is_typed(
    terminal, long_run, monkeypatch
):
    monkeypatch.setattr(actions, "TAKE_TURNS", 1.0)
    answer = terminal.call("run", text="never run", timeout=0.5)
    assert re.match(r"error: another caller has been using shared for [\d.]+s; ", answer), answer
    assert "never" not in terminal.screen() and not long_run.answers


# Long waits


class Clock:
    """A clock that only a wait's own naps move, `stretch` times as far as they ask: an hour in
    seconds."""

    def __init__(self, stretch: float = 1.0):
        self.now, self.naps, self.stretch = 1000.0, 0, stretch

    def __call__(self) -> float:
        return self.now

    def nap(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds * self.stretch
        self.naps += 1


@pytest.fixture
def asleep(terminal):
    """A pane in which `sleep` runs, and a server that does nothing by itself."""
    terminal.tmux("set-option", "-g", "automatic-rename", "off")  # its reading of /proc shows
    assert terminal.call("send", text="sleep 1000000", timeout=0) == "sent to shared"
    poll(lambda: terminal.fact("pane_current_command") == "sleep", what="sleep")


def test_a_wait_of_an_hour_ends_by_its_limit_and_memory_stays_flat(asleep):
    clock = Clock(stretch=100)
    held = {}  # bytes after half an hour, when caches have filled, and after nearly all of it

    def looked(view, seconds: float) -> None:
        for moment in (1800, 3500):
            if seconds > moment and moment not in held:
                gc.collect()  # what only waits to be collected is not held
                held[moment] = tracemalloc.get_traced_memory()[0]

    watch = watching(search=Searcher(until="never"), clock=clock, nap=clock.nap, on_look=looked)
    tracemalloc.start()
    try:
        outcome = wait(watch, 3600)
    finally:
        tracemalloc.stop()
    assert (outcome.word, outcome.detail) == (Word.TIMED_OUT, "sleep")
    assert 3600 <= outcome.seconds < 3610 and outcome.silent >= 3600
    assert held[3500] - held[1800] < 20_000, held


def test_an_old_wait_looks_at_a_silent_screen_no_more_than_its_heartbeat(asleep):
    """Two minutes, with the pauses that it really makes: what a wait costs is counted in looks and
    naps, not in time."""
    clock, looks = Clock(), []
    noted = lambda view, seconds: looks.append(seconds)  # noqa: E731
    watch = watching(clock=clock, nap=clock.nap, on_look=noted)
    outcome = wait(watch, 120)
    assert outcome.word is Word.TIMED_OUT and 120 <= outcome.seconds < 120.1
    assert 100 <= len(looks) <= 125, len(looks)
    gaps = [after - before for before, after in pairwise(looks)]
    assert max(gaps) < 1.2, "a dead server is noticed"
    assert clock.naps < 4000, clock.naps


def test_a_prompt_after_an_hour_is_seen_at_once(terminal, asleep):
    clock = Clock(stretch=100)

    def nap(seconds: float) -> None:
        clock.nap(seconds)
        if clock.now > 1000 + 3500:
            tmux("send-keys", "-t", watch.pane.id, "C-c")
            watch.nap = time.sleep  # from now on in real time
            clock.stretch = 0

    watch = watching(clock=clock, nap=nap)
    began = time.monotonic()
    ender = threading.Timer(60, lambda: setattr(watch, "nap", _give_up))
    ender.start()
    try:
        outcome = wait(watch, 3600)
    finally:
        ender.cancel()
    assert (outcome.word, outcome.evidence) == (Word.READY, Evidence.SHELL)
    assert time.monotonic() - began < 60


def test_a_turn_that_comes_with_the_last_look_is_reported(terminal, asleep):
    """Else the answer says that the command runs, above all of its output."""
    clock, ended = Clock(), []

    def looked(view, seconds: float) -> None:
        if seconds >= 5 and not ended:
            tmux("send-keys", "-t", watch.pane.id, "C-c")
            ended.append(poll(lambda: "^C\nbash" in terminal.screen(), what="a prompt"))

    watch = watching(clock=clock, nap=clock.nap, on_look=looked)
    outcome = wait(watch, 5)
    assert ended and (outcome.word, outcome.evidence) == (Word.READY, Evidence.SHELL)


def _give_up(seconds: float) -> None:
    raise AssertionError("the prompt was not seen")


def test_a_program_whose_leader_has_just_ended_keeps_its_name_and_tmux_is_not_asked(
    asleep, monkeypatch
):
    """Asking costs as much as a look, in the moment in which a prompt is about to come."""
    watch = watching()
    there = watch.kernel
    assert there.name == "sleep"
    monkeypatch.setattr(
        "python.helpers.tmux.turn.readings.probe", lambda *_: replace(there, name="")
    )
    monkeypatch.setattr(watch.pane, "command", lambda: pytest.fail("tmux was asked"))
    assert watch.read_kernel().name == "sleep"


def test_output_noticed_without_a_kernel_reading_ends_the_silence_too(asleep, monkeypatch):
    clock = Clock()
    watch = watching(clock=clock)
    clock.now += 5
    monkeypatch.setattr("python.helpers.tmux.turn.readings.bytes_read", lambda server: 10**9)
    assert watch.stale and watch.clocks.output == clock.now


def test_a_wait_that_is_stopped_by_its_nap_ends_with_that(asleep):
    """A door's own signal passes through, and the pattern's child ends with it."""

    class Away(BaseException):
        pass

    def nap(seconds: float) -> None:
        raise Away

    with pytest.raises(Away):
        wait(watching(search=Searcher(until="never"), nap=nap), 10)
    children = [(task / "children").read_text() for task in Path("/proc/self/task").iterdir()]
    assert not "".join(children)


# Many calls


def held_open() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def resident() -> int:
    """Kilobytes of memory in use."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())[1])


def test_hundreds_of_calls_leak_no_descriptor_and_no_memory(terminal):
    for call in CALLS * 4:
        Call().perform(call)
    before, memory = held_open(), resident()
    for call in CALLS * 6:
        answer = Call().perform(call)
        wrong = call.get("pane") == "nowhere" or "txet" in call
        assert answer.startswith("error: ") is wrong, call
    assert held_open() == before
    assert resident() - memory < 3_000, (memory, resident())


def test_a_pane_that_is_gone_leaks_nothing_either(terminal):
    before = None
    for _ in range(15):
        terminal.tmux("new-window", "-d", "-t", "=shared:9", "sleep 1000")
        watch = watching("shared:9", search=Searcher(until="never"))
        terminal.tmux("kill-window", "-t", "=shared:9")
        assert wait(watch, 5).word is Word.GONE
        with watch.pane.lock(1):  # there is nothing left to hold
            pass
        before = before or held_open()
    assert held_open() == before


def test_a_call_that_types_nothing_does_not_make_the_person_look_active(terminal):
    """`w` and programs that end idle sessions go by the times of the terminal."""
    tty = terminal.fact("pane_tty")
    os.utime(tty, (1000, 1000))
    for action in ("wait_ready", "read", "list"):
        terminal.call(action)
    times = os.stat(tty)
    assert (times.st_atime, times.st_mtime) == (1000, 1000)


def test_what_another_caller_shows_between_a_look_and_the_lock_is_known(terminal, monkeypatch):
    terminal.call("run", text="true")
    terminal.person("echo theirs", "Enter")
    terminal.see("\ntheirs")
    lock, others = Pane.lock, [{"action": "wait_ready"}]

    def late(pane, *arguments, **more):
        if others:
            assert "theirs" in Call().perform(others.pop())
        return lock(pane, *arguments, **more)

    monkeypatch.setattr(Pane, "lock", late)
    first, *body = terminal.call("run", text="echo mine").splitlines()
    assert READY.fullmatch(first) and body == ["mine"], (first, body)
