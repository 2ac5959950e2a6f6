"""A password is neither stored nor shown, in whatever parts it is typed."""

import re

import pytest

from tests.conftest import poll
from tests.support.answer import is_verdict
from tests.support.terminal import Terminal

SECRET = "Zq9xWv7Kp3"


def everything_shown(room: Terminal) -> str:
    """Everything that the pane, the server and the tool show now."""
    name = f"={room.name}:"
    options = (("-p", "-t", name), ("-w", "-t", name), ("-t", name), ("-g",), ("-s",))
    kept = [room.tmux("show-options", *words) for words in options]
    kept += [room.buffers(), room.tmux("show-environment", "-g"), room.call("list")]
    kept += [room.call("read"), room.call("read", new=True), room.call("wait_ready", timeout=2)]
    return "\n".join([*kept, room.tmux("show-messages")])


@pytest.mark.parametrize("room", ["fish"], indirect=True)
def test_a_persons_text_is_not_kept_as_part_of_a_prompt(room):
    """A prompt without a usual sign, seen for the first time with text behind it."""
    prompt = "function fish_prompt; echo -n 'at home '; end"
    room.person(f"{prompt}; tmux set -pu @tmux_tool_prompts", "Enter")
    poll(lambda: room.screen().rstrip().endswith("at home"), what="the new prompt")
    room.person(SECRET)
    room.see(SECRET)
    answer = room.call("run", text="echo mine", timeout=5)
    assert "cannot determine whether someone has typed here" in answer, answer
    assert SECRET not in room.tmux("show-options", "-p", "-t", f"={room.name}:")


HIDDEN = [
    ("bash", "read -s -p 'Password: ' x; echo"), ("zsh", "read -s 'x?Password: '; echo"), ("bash", "read -s x"),
    ("dash", "stty -echo; printf 'Code: '; read x; stty echo"), ("fish", "read -s -P 'Password: ' x; echo"),
    ("bash", "/usr/bin/python3.11 -c 'import getpass; getpass.getpass()'"), ("bash", "ask 'PIN: ' 0 hidden")]
HOW = ["send", "in parts", "keys", "send at once"]
PAIRS = [(shell, how, asks) for how, (shell, asks) in zip(HOW * 2, HIDDEN, strict=False)]


@pytest.mark.parametrize("room, how, asks", PAIRS, indirect=["room"])
def test_a_password_is_in_no_answer(room, how, asks):
    secret, answers = SECRET, []
    room.attach()  # only who is attached can be shown tmux's log of messages
    if how == "send at once":
        room.send(asks)
        poll(lambda: room.wait(timeout=5).startswith("needs"), what="the question")
    else:
        answers.append(room.run(asks + "; sleep 0.3"))
        assert answers[0].startswith("needs"), answers
    if how == "in parts":
        answers += [room.call("send", text=secret, enter=False), everything_shown(room)]
        answers.append(room.keys("Enter"))
    elif how == "keys":
        answers.append(room.call("send", text=secret[:-1], enter=False))
        answers.append(room.keys([secret[-1], "Enter"]))
    else:
        answers.append(room.ask(secret))
    answers += [room.wait(), everything_shown(room), room.run("echo done"), everything_shown(room)]
    assert secret[:-1] not in "\n".join(answers), answers
    is_verdict(answers[-2], "ready (shell)")


@pytest.mark.parametrize("asks", ["read -s -p 'Password: ' x; echo", "read -s x"])
def test_the_length_of_a_password_is_not_revealed(room, asks):
    """Two passwords of different lengths: the answers are the same."""
    def answers(secret: str) -> list[str]:
        heard = [room.run(asks), room.ask(secret), room.wait(), room.run("echo done")]
        return [re.sub(r"\d+\.\d+s", "", one) for one in heard]

    assert answers("abc") == answers("abcdefghijklmnop" * 3)


def test_an_answer_is_not_output_and_is_kept_nowhere(room):
    assert room.run("printf 'Token: '; read t; echo done").first.startswith("needs input")
    answer = room.ask(SECRET)
    room.attach()
    is_verdict(answer, "ready (shell)")
    assert answer.body == "done" and SECRET not in everything_shown(room).replace(f"Token: {SECRET}", "")
