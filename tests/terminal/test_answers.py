"""What an answer holds: only what no earlier answer about the pane has shown, each thing once, and
whole. One ledger for `run`, `send`, `keys`, `wait_ready`, `interrupt` and `read new`, true across
processes. Bodies are compared whole; more situations: tests/real/cases/answers.toml."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.conftest import ROOT
from tests.support.house import (
    NO_OUTPUT,
    NOTHING,
    Answer,
    Room,
    alone,
    house,
    in_rooms,
    is_verdict,
    poll,
    trimmed,
)

__all__ = ["house"]
OLD = "seq 1000 1060"  # lines that no later answer may hold
SHELL = "ready (shell)"
UNCHANGED = "(screen unchanged)"
PLAIN = ["bash", "zsh"]


def has(answer: Answer, word: str, body: str, detail: str | None = None) -> None:
    """The verdict, no note, and exactly this body."""
    is_verdict(answer, word, detail)
    assert not answer.notes, answer
    assert trimmed(answer.body) == body, f"{answer}\n--- instead of\n{body}"


def elsewhere(room: Room, action: str, **arguments) -> Answer:
    """The same call from another process."""
    code = f"import sys, json; sys.path.insert(0, {str(ROOT)!r})"
    code += "; from python.helpers.tmux.actions import Call"
    code += "; print(Call().perform(json.loads(sys.argv[1])), end='')"
    call = json.dumps({"action": action, "pane": room.name, **arguments})
    done = subprocess.run(
        [sys.executable, "-c", code, call], capture_output=True, text=True, check=True, timeout=60
    )
    return Answer(done.stdout)


def persons(room: Room, command: str, shows: str) -> None:
    """The person runs a command; it has ended, and the prompt is there."""
    room.person(command, "Enter")
    room.see(shows)
    poll(lambda: room.screen().rstrip("\n ").endswith(("$", "#", "%", ">")), what="the prompt")


# Each action says what came, without the echo and the prompt


@in_rooms()
def test_one_call_a_step(room):
    room.run(OLD)
    has(room.ask("echo one"), SHELL, "one")
    has(room.ask("true"), SHELL, NOTHING)
    has(room.run("true"), SHELL, NO_OUTPUT)
    has(room.wait(), SHELL, NOTHING)
    has(room.ask(""), SHELL, NOTHING)  # Enter alone
    has(room.ask("printf 'no end'"), SHELL, "no end")
    has(room.wait(), SHELL, NOTHING)
    has(room.ask("echo two; echo three"), SHELL, "two\nthree")
    new = room.call("read", new=True)
    assert new.first.startswith("read 0 new lines of ") and not new.body, new


@in_rooms()
def test_what_came_is_shown_by_whoever_answers_first(room):
    room.run(OLD)
    room.send("echo one; sleep 0.3; echo two")
    has(room.wait(), SHELL, "one\ntwo")
    room.send("echo three")
    room.see("\nthree")
    poll(lambda: room.screen().rstrip("\n ").endswith(("$", "#", "%", ">")), what="the prompt")
    assert room.call("read", new=True).body == "three"
    has(room.wait(), SHELL, NOTHING)


@in_rooms()
def test_output_comes_in_parts_and_each_part_once(room):
    room.run(OLD)
    answer = room.ask("echo one; sleep 2; echo two", timeout=0.7)
    assert answer.first.startswith("send timed out after 0.7s: ") and answer.body == "one", answer
    answer = room.wait(timeout=0.2)
    assert answer.first.startswith("wait_ready timed out") and answer.body == NOTHING, answer
    has(room.wait(), SHELL, "two")


@in_rooms(shells=PLAIN)
def test_right_after_a_hidden_line_without_a_word(room):
    """The cursor stays where it was, in column 0."""
    room.run(OLD)
    room.run("read -s x")
    has(room.ask("secret"), SHELL, NOTHING)


FIRST = {
    "wait_ready": ({}, NOTHING),
    "send": ({"text": "echo one"}, "one"),
    "run": ({"text": "echo one"}, "one"),
    "keys": ({"keys": "x BSpace"}, NOTHING),
    "interrupt": ({}, NOTHING),
}


@in_rooms({name: (name, *case) for name, case in FIRST.items()}, PLAIN, ready=False)
def test_cold_what_was_there_before_the_first_call_is_old(room, case):
    action, arguments, body = case
    persons(room, "echo before", "\nbefore")
    has(room.call(action, **arguments), SHELL, body)


# Full screens


@alone
def test_keys_in_a_full_screen_show_it_as_it_is_then(room):
    room.file("long", "".join(f"line {n}\n" for n in range(300)))
    room.ask("less long")
    for begins in range(29, 29 * 4, 29):
        answer = room.keys("Space")
        is_verdict(answer, "needs key", "less")
        assert answer.body.splitlines()[0] == f"line {begins}", answer
    answer = room.keys("g")
    assert answer.body.splitlines()[0] == "line 0", answer
    answer = room.keys("g")
    assert answer.body == UNCHANGED, answer


@alone
def test_a_full_screen_that_crashes(room):
    room.run(OLD)
    room.ask("echo before; vim -u NONE notes; echo after")
    subprocess.run(["pkill", "-9", "-P", room.fact("pane_pid"), "vim"], check=True)
    answer = room.wait()
    is_verdict(answer, SHELL)
    assert "1059" not in answer and "after" in answer.body, answer


@alone
def test_what_left_the_screen_before_is_not_shown_again_behind_a_program_that_redraws_it(room):
    """`top`, without an alternate screen, draws over the lines by which the place is known."""
    room.run("seq -f 'old-%g' 40")
    room.run("top -d 1", timeout=2)  # which never stands still: under Yama it is not told
    room.call("send", text="2", enter=False)  # its screen is another one from now on
    answer = room.call("keys", keys=["q"])
    is_verdict(answer, "ready (shell)", status=0)
    assert "old-" not in answer and "top -d" not in answer, answer


# The person in between, and other callers


@in_rooms(shells=PLAIN)
def test_run_shows_its_own_output_and_notes_once_that_somebody_worked_here(room):
    room.run("PS1='$ '; PROMPT='$ '")
    persons(room, "echo theirs", "\ntheirs")
    answer = room.run("echo mine")
    is_verdict(answer, SHELL)
    (note,) = answer.notes
    assert "someone worked here" in note and "read" in note, answer
    assert answer.body == "mine", answer
    has(room.run("echo mine"), SHELL, "mine")
    assert "theirs" in room.call("read")


@in_rooms(shells=PLAIN)
def test_the_ledger_is_one_for_all_processes(room):
    room.run(OLD)
    has(elsewhere(room, "send", text="echo one"), SHELL, "one")
    has(room.wait(), SHELL, NOTHING)
    room.send("echo two")
    has(elsewhere(room, "wait_ready"), SHELL, "two")
    has(room.wait(), SHELL, NOTHING)
    has(elsewhere(room, "run", text="echo three"), SHELL, "three")
    has(room.ask("echo four"), SHELL, "four")


@in_rooms(shells=PLAIN)
def test_a_plain_reading_counts_as_shown(room):
    room.send("echo one")
    room.see("\none")
    assert "one" in room.call("read").body
    has(room.wait(), SHELL, NOTHING)


@in_rooms(shells=PLAIN)
def test_what_was_typed_ahead(room):
    room.run(OLD)
    room.send("sleep 1")
    room.in_front("sleep")
    room.send("echo one")
    room.send("echo two")
    answer = room.wait()
    is_verdict(answer, SHELL)
    assert [row for row in answer.body.splitlines() if row in ("one", "two")] == ["one", "two"]
    assert "1059" not in answer, answer
    has(room.wait(), SHELL, NOTHING)


# Programs in front


@in_rooms()
def test_a_dialogue_in_as_many_calls_as_it_has_questions(room):
    asks = "; ".join(f"ask 'Question {n}? [y/n] '" for n in range(3))
    has(room.run(asks), "needs input", "", "Question 0? [y/n]")
    has(room.ask("y"), "needs input", "got y", "Question 1? [y/n]")
    has(room.ask("n"), "needs input", "got n", "Question 2? [y/n]")
    has(room.ask("maybe"), SHELL, "got maybe")
