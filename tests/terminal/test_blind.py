"""The kernel is blind: the terminal is not on this machine, but behind a stand-in for ssh. The
screen alone decides, and the answer says so. Real ssh: test_remote_turns.py."""

from __future__ import annotations

import re

from tests.conftest import poll
from tests.support.answer import is_verdict
from tests.support.pythons import PY311
from tests.terminal.test_secrets import SECRET, everything_shown

SCREEN = "ready (prompt matched)"
SEEN_LATE = [
    *("work silent 3", "clear; work silent 2.5", "work 'user@host:~$ ' 0.4"),
    *("work '100%' 1.5", "work '5$ ' 1.8", "work '> ' 1"),
]


def test_prompts_that_follow_each_other_behind_ssh(room):
    """Each differs from the last: ready where it has the form of a prompt, or quoted."""
    is_verdict(room.ask("ssh host"), SCREEN)
    is_verdict(room.run("cd /tmp"), SCREEN)
    answer = room.run("export PS1='(venv) me@host:$ '")
    assert "(venv) me@host:$" in room.screen() and answer.startswith(("ready (", "quiet ")), answer
    is_verdict(room.run("true"), SCREEN)
    answer = room.run(f"{PY311} -q")
    assert room.screen().rstrip().endswith(">>>") and answer.startswith(("ready (", "quiet "))
    answer = room.run("1 + 1")  # learned by typing at it
    is_verdict(answer, SCREEN)
    assert answer.body == "2", answer
    room.run("exit()")
    is_verdict(room.run("true"), SCREEN)


def test_a_text_at_a_quiet_prompt_is_typed_line_by_line(room):
    room.ask("ssh host")
    assert room.run(f"{PY311} -q").first.endswith(": >>>")
    answer = room.run("n = input('Delete all? ')\nprint(n)\n1 + 1")
    assert "Delete all? print" not in room.screen(), room.screen()
    assert "Delete all?" in answer.first and "last 2 lines" in answer


def test_blind_silence_and_lookalikes_are_not_readiness(room):
    is_verdict(room.ask("ssh host"), SCREEN)
    room.ends("true; stamp", SCREEN)
    for text in SEEN_LATE:
        room.ends(text, SCREEN)


def test_blind_questions_and_passwords(room):
    room.ask("ssh host")
    room.ends("ask 'Continue? [y/N] ' 0.5", "needs input", "Continue? [y/N]")
    is_verdict(room.ask("y"), SCREEN)
    room.ends('ask "me@host\'s password: " 0.5 hidden', "needs password", "me@host's password:")
    is_verdict(room.ask("geheim"), SCREEN)
    assert "geheim" not in room.call("read")


def test_blind_weak_question_is_quiet_and_quoted(room):
    room.ask("ssh host")
    room.ends("ask 'Did it work? ' 0.5", "quiet", "Did it work?")


def test_blind_limit(room):
    room.ask("ssh host")
    answer = room.ask("sleep 30", timeout=3)
    assert re.match(r"send timed out after [23]\.\ds: still running ssh, silent for ", answer)


def test_a_question_behind_ssh_is_answered_if_its_pattern_was_given(room):
    room.ask("ssh host")
    answer = room.run("ask 'Did it work? ' 0.5; echo so", answers={"work": "yes"})
    assert answer.first.startswith("ready (prompt matched)"), answer
    assert answer.body.startswith("Did it work? yes") and answer.body.endswith("so"), answer


def test_a_python_prompt_behind_ssh_takes_a_command_once_it_was_quoted(room):
    """Its prompt begins as lua's sign for the rest of a command does."""
    room.ask("ssh host")
    assert room.run(f"{PY311} -q").first.endswith(": >>>")
    for text in ("6 * 7", "2 * 21"):
        answer = room.run(text)
        assert re.fullmatch(r"ready \(prompt matched\) after .*s: >>>", answer.first), answer
        assert answer.body == "42", answer


def test_a_password_in_a_blind_terminal_is_in_no_answer(room):
    room.ask("ssh host")
    answers = [room.ask('ask "me@host\'s password: " 0.2 hidden')]
    is_verdict(answers[0], "needs password", "me@host's password:")
    answers += [room.ask(SECRET), everything_shown(room)]
    answers += [room.run("echo done"), everything_shown(room)]
    assert SECRET not in "\n".join(answers)


def test_a_persons_unfinished_command_at_a_remote_prompt_is_refused_once(room):
    """Nor after C-c, which does not show what was typed since."""
    is_verdict(room.ask("ssh host"), SCREEN)
    room.ask("echo hi")
    room.call("run", text="sleep 9", timeout=0.3)
    is_verdict(room.interrupt(), SCREEN)
    room.person("echo 'precious", "Enter")
    poll(lambda: room.screen().rstrip().endswith(">"), what="the sign for a further row")
    before = room.screen()
    answer = room.run("x")
    assert answer.startswith("error: cannot determine whether someone has typed here"), answer
    assert room.screen() == before
