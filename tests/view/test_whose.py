"""Text typed in a view is the person's: whole answers to the agent's calls meanwhile."""

import re

from tests.support.terminal import SIGN
from tests.view.test_feed import blank, page  # noqa: F401  (fixtures)

SECRET = "correct horse"


def settled(answer: str) -> str:
    return re.sub(r" after \d+\.\d\ds", "", answer)


def test_a_half_typed_line_is_not_touched(terminal, page):  # noqa: F811
    page.type(("text", "git commit -m 'half"))
    page.see("half")
    answer = terminal.call("run", text="echo no")
    assert answer.startswith("error: ") and "git commit -m 'half" in answer
    assert answer.endswith("nothing was typed")
    assert "echo no" not in terminal.screen()


def test_a_question_answered_there(terminal, page):  # noqa: F811
    asked = terminal.call("run", text="read -p 'Continue? [y/N] ' x; echo got $x")
    assert settled(asked).startswith("needs input: Continue? [y/N]")
    page.line("y")
    page.see("\ngot y")
    answer = terminal.call("wait_ready")
    assert settled(answer).startswith("ready (shell)") and answer.endswith("\ngot y")


def test_a_password_typed_there_is_in_no_answer(terminal, page):  # noqa: F811
    answers = [terminal.call("run", text="read -s -p 'Password: ' x; echo; echo ${#x} characters")]
    assert settled(answers[0]).startswith("needs password: Password:")
    page.line(SECRET)
    page.see("13 characters")
    answers += [terminal.call("wait_ready"), terminal.call("read"), terminal.call("list")]
    assert settled(answers[1]).startswith("ready (shell)")
    assert not [answer for answer in answers if SECRET in answer]


def test_type_ahead_while_the_agents_command_runs(terminal, page):  # noqa: F811
    terminal.call("send", text="sleep 1", timeout=0)
    page.type(("text", "mine"))
    assert terminal.call("wait_ready").startswith("ready")
    page.see(f"{SIGN} mine")
    answer = terminal.call("run", text="echo no")
    assert answer.startswith("error: ") and "mine" in answer
