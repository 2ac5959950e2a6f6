"""What grows: panes, a history, patterns, jobs. A call costs no more than what it tells of."""

import subprocess

import pytest

from python.helpers.tmux import process
from python.helpers.tmux.kernel import probe
from python.helpers.tmux.look import MOST_ABOVE
from tests.conftest import poll


@pytest.fixture
def tmux_calls(monkeypatch):
    calls: list[list[str]] = []
    run = subprocess.run

    def counted(command, *arguments, **named):
        if command[0] == "tmux":
            calls.append(command)
        return run(command, *arguments, **named)

    monkeypatch.setattr("python.helpers.tmux.client.subprocess.run", counted)
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
    assert calls == calls_of_one


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
