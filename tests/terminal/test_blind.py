"""The kernel is blind: the terminal is not on this machine, but behind a stand-in for ssh. The
screen alone decides, and the answer says so. Real ssh: tests/real/cases/remote.toml."""

from __future__ import annotations

import re

from tests.conftest import poll
from tests.support.answer import is_verdict
from tests.support.pythons import PY311
from tests.terminal.test_secrets import SECRET, everything_shown

SCREEN = "ready (prompt matched)"
SEEN_LATE = [
    *("clear; work silent 2.5", "work 'user@host:~$ ' 0.4"),
    *("work '100%' 1.5", "work '5$ ' 1.8", "work '> ' 1"),
]


def test_prompts_that_follow_each_other_behind_ssh(room):
    """Each differs from the last: ready where it has the form of a prompt, or quoted."""
    is_verdict(room.ask("ssh host"), SCREEN)
    is_verdict(room.run("cd /tmp"), SCREEN)
    answer = room.run("export PS1='(venv) me@host:$ '")
    assert "(venv) me@host:$" in room.screen() and answer.startswith(("ready (", "quiet ")), answer
    is_verdict(room.run("true"), SCREEN)
    assert room.run(f"{PY311} -q").first.endswith(": >>>")  # as lua's sign for the rest does
    for text in ("6 * 7", "2 * 21"):  # learned by typing at it
        answer = room.run(text)
        assert re.fullmatch(r"ready \(prompt matched\) after .*s: >>>", answer.first), answer
        assert answer.body == "42", answer
    answer = room.run("n = input('Delete all? ')\nprint(n)\n1 + 1")  # line by line
    assert "Delete all? print" not in room.screen(), room.screen()
    assert "Delete all?" in answer.first and "last 2 lines" in answer
    room.ask("no")
    room.run("exit()")
    is_verdict(room.run("true"), SCREEN)


def test_blind_silence_and_lookalikes_are_not_readiness(room):
    is_verdict(room.ask("ssh host"), SCREEN)
    room.ends("true; stamp", SCREEN)
    for text in SEEN_LATE:
        room.ends(text, SCREEN)
    answer = room.ask("sleep 30", timeout=2)
    assert re.match(r"send timed out after [12]\.\ds: still running ssh, silent for ", answer)


def test_blind_questions_and_passwords(room):
    """A weak question is `quiet`, and answered if its pattern was given; a password is in no answer."""
    room.ask("ssh host")
    room.ends("ask 'Did it work? ' 0.5", "quiet", "Did it work?")
    room.ask("yes")
    answer = room.run("ask 'Did it work? ' 0.5; echo so", answers={"work": "yes"})
    assert answer.first.startswith("ready (prompt matched)"), answer
    assert answer.body.startswith("Did it work? yes") and answer.body.endswith("so"), answer
    room.ends("ask 'Continue? [y/N] ' 0.5", "needs input", "Continue? [y/N]")
    is_verdict(room.ask("y"), SCREEN)
    room.ends('ask "me@host\'s password: " 0.5 hidden', "needs password", "me@host's password:")
    answers = [room.ask(SECRET), everything_shown(room)]
    is_verdict(answers[0], SCREEN)
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
