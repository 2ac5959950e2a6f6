"""A password is kept and told nowhere, in whatever parts it is typed."""

from __future__ import annotations

import re

import pytest

from tests.support.house import PY311, Room, house, in_rooms, is_verdict, poll

__all__ = ["house"]
SECRET = "Zq9xWv7Kp3"


def told(room: Room) -> str:
    """All that the pane, the server and the tool would tell somebody now."""
    name = f"={room.name}:"
    return "\n".join(
        [
            room.tmux("show-options", "-p", "-t", name),
            room.tmux("show-options", "-w", "-t", name),
            room.tmux("show-options", "-t", name),
            room.tmux("show-options", "-g"),
            room.tmux("show-options", "-s"),
            room.tmux("list-buffers", check=False),
            room.tmux("show-environment", "-g"),
            room.call("read"),
            room.call("read", new=True),
            room.call("wait_ready", timeout=2),
            room.call("list"),
        ]
    )


HIDDEN = [
    ("bash", "read -s -p 'Password: ' x; echo"),
    ("zsh", "read -s 'x?Password: '; echo"),
    ("bash", "read -s x"),
    ("dash", "stty -echo; printf 'Code: '; read x; stty echo"),
    ("fish", "read -s -P 'Password: ' x; echo"),
    ("bash", f"{PY311} -c 'import getpass; getpass.getpass()'"),
    ("bash", "ask 'PIN: ' 0 hidden"),
]


HOW = ["send", "in parts", "keys", "send at once"]
ASKED = {  # pairs
    f"{shell} {how}, {asks}": (how, asks)
    for how, (shell, asks) in zip(HOW * 2, HIDDEN, strict=False)
}


@in_rooms(ASKED)
def test_a_password_is_never_told(room, case):
    how, asks = case
    secret = f"{room.name.upper()}{SECRET}"  # each room its own: they could tell of each other
    answers = []
    if how == "send at once":
        room.send(asks)
        poll(lambda: room.wait(timeout=5).startswith("needs"), what="the question")
    else:
        answers.append(room.run(asks + "; sleep 0.3"))
        assert answers[0].startswith("needs"), answers
    if how == "in parts":
        answers += [room.call("send", text=secret, enter=False), told(room), room.keys("Enter")]
    elif how == "keys":
        answers.append(room.call("send", text=secret[:-1], enter=False))
        answers.append(room.keys([secret[-1], "Enter"]))
    else:
        answers.append(room.ask(secret))
    answers += [room.wait(), told(room), room.run("echo done"), told(room)]
    assert secret[:-1] not in "\n".join(answers), answers
    is_verdict(answers[-2], "ready (shell)")


@pytest.mark.parametrize("asks", ["read -s -p 'Password: ' x; echo", "read -s x"])
def test_the_length_of_a_password_is_not_told(house, asks):
    """Two passwords of different lengths: the answers are the same."""

    def answers(secret: str) -> list[str]:
        with house.room("bash") as room:
            heard = [room.run(asks), room.ask(secret), room.wait(), room.run("echo done")]
            return [re.sub(r"\d+\.\d+s|room\d+", "", one) for one in heard]

    assert answers("abc") == answers("abcdefghijklmnop" * 3)
