"""What is known of a process, and what was started, found by its environment."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from python.helpers.tmux.evidence.kernel import process
from tests.conftest import poll
from tests.support.killed import kill_all
from tests.support.run import run


def group_alive(group: int) -> bool:
    """Whether a process of the group runs."""
    every = (process.read(pid) for pid in process.all_pids())
    return any(one is not None and one.group == group and not one.ended for one in every)


@pytest.fixture
def start() -> Iterator[Callable]:
    """Call it with a shell script: a process group of its own, which has said its first word."""
    started = []

    def run(script: str, **variables: str) -> subprocess.Popen:
        child = subprocess.Popen(
            ["sh", "-c", script],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, **variables},
        )
        started.append(child)
        child.stdout.readline()
        return child

    yield run
    for child in started:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        child.stdout.close()


def is_alone(found: process.Process | None, pid: int) -> bool:
    return found is not None and (found.pid, found.group) == (pid, pid)


def test_a_process_is_read_as_it_is(start):
    child = start("echo up; sleep 60; :")
    found = process.read(child.pid)
    assert is_alone(found, child.pid)
    assert (found.name, found.parent, found.threads, found.tty) == ("sh", os.getpid(), 1, "")
    assert not found.ended
    assert process.read(2**22 + 1) is None


@pytest.mark.parametrize("name", ["a b", "a) S 1 (b", "(", ")", "é"])
def test_a_name_may_hold_anything(tmp_path, name):
    (tmp_path / name).symlink_to("/bin/sleep")
    with subprocess.Popen([tmp_path / name, "60"]) as child:
        poll(lambda: process.read(child.pid).name == name)
        assert process.read(child.pid).parent == os.getpid()
        child.kill()


def test_a_process_that_waits_to_be_collected_is_not_alive(start):
    child = start("echo up")
    poll(lambda: process.read(child.pid).ended)
    assert process.exists(child.pid)
    assert not process.alive(child.pid)
    assert not group_alive(child.pid)


def test_a_group_lives_as_long_as_any_of_it(start):
    """A launcher ends, what it has launched goes on."""
    child = start("sleep 60 & echo up")
    poll(lambda: process.read(child.pid).ended)
    assert group_alive(child.pid)
    os.killpg(child.pid, signal.SIGKILL)
    poll(lambda: not group_alive(child.pid))


def test_processes_are_found_by_their_environment_in_whatever_session(start):
    mark = secrets.token_hex(8)
    child = start("setsid sleep 60 & echo up; sleep 60", MARK=mark)
    tag = f"MARK={mark}".encode()
    found = poll(lambda: len(found := process.carrying(tag)) == 3 and found)
    assert child.pid in found
    assert not process.carrying(f"MARK={mark[:-1]}".encode())  # the beginning of a value
    kill_all(lambda: process.carrying(tag))
    assert not process.carrying(tag)


def test_a_large_environment_is_read_whole(start):
    mark = secrets.token_hex(8)
    more = {f"FILL{number}": "x" * 100_000 for number in range(3)}
    child = start("echo up; exec sleep 60", **more, ZMARK=mark)
    poll(lambda: process.carrying(f"ZMARK={mark}".encode()) == {child.pid})  # none while it execs


def test_our_own_process_does_not_carry_what_it_has_given_away():
    mark = secrets.token_hex(8)
    code = "from python.helpers.tmux.evidence.kernel.process import carrying; "
    code += f"print(carrying(b'MARK={mark}'))"
    environment = {**os.environ, "MARK": mark}
    done = run(sys.executable, "-c", code, env=environment)
    assert done.stdout.strip() == "set()", done.stderr


def test_waiting_for_an_end_distinguishes_it_from_a_timeout():
    sleeper = subprocess.Popen(["sleep", "2"])
    assert process.await_end(sleeper.pid, 0.01) is False
    assert process.await_end(sleeper.pid, 30) is True
    assert process.await_end(sleeper.pid, 30) is None, "it had ended and was not reaped"
    sleeper.wait()
    assert process.await_end(sleeper.pid, 30) is None, "there is no such process"
    assert process.await_end(None, 30) is None


def test_without_pidfd_nothing_is_awaited(monkeypatch):
    monkeypatch.delattr(os, "pidfd_open")
    assert process.await_end(os.getpid(), 30) is None
