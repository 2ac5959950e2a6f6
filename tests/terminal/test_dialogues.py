"""Questions answered in one call, and those that are left to the person."""

from __future__ import annotations

import threading
import time

from tests.support.house import Room, alone, house

__all__ = ["house"]
ASKS = """read -p 'Name: ' name
read -p 'Continue? [y/N] ' go
read -s -p 'Password: ' secret
echo
echo "$name $go ${#secret}"
"""


def asks(room: Room) -> str:
    room.file("asks.sh", ASKS)
    return "bash asks.sh"


@alone
def test_a_dialogue_in_one_call_is_its_body_without_what_is_hidden(room):
    answers = {"Name": "Joe", "Continue": "y", "Password": "geheim"}
    answer = room.call("run", text=asks(room), answers=answers)
    assert answer.first.startswith("ready (shell)"), answer
    assert answer.body == "Name: Joe\nContinue? [y/N] y\nPassword:\nJoe y 6", answer


@alone
def test_a_question_without_an_answer_is_told_as_usual(room):
    answer = room.call("run", text=asks(room), answers={"Name": "Joe"})
    assert answer.first.endswith(": Continue? [y/N]") and answer.body == "Name: Joe", answer
    answer = room.call("send", text="y", answers={"Password": "abc"})
    assert answer.body == "Password:\nJoe y 3", answer


@alone
def test_a_question_that_comes_again_unchanged_is_not_answered_again(room):
    room.file("again.sh", "until [ \"$x\" = right ]; do read -p 'Code? ' x; done\n")
    answer = room.call("run", text="bash again.sh", answers={"Code": "wrong"}, timeout=5)
    assert answer.first.startswith("needs input") and answer.first.endswith(": Code?"), answer
    assert room.screen().count("Code? wrong") == 1
    assert room.call("send", text="right").startswith("ready (shell)")


@alone
def test_our_own_words_are_no_question_that_a_pattern_matches(room):
    answer = room.call("run", text="cat", answers={"cat": "typed"}, timeout=2)
    assert answer.startswith("needs input") and "typed" not in room.screen(), answer


@alone
def test_a_bad_pattern_is_an_error_before_anything_is_typed(room):
    before = room.screen()
    answer = room.call("run", text="echo hi", answers={"(": "x"})
    assert answer.startswith("error: argument 'answers'"), answer
    assert room.screen() == before


@alone
def test_the_agent_waits_until_the_person_has_typed_the_password(room):
    room.call("run", text=asks(room), answers={"Name": "Joe", "Continue": "n"})
    person = room.person

    def later() -> None:
        time.sleep(0.5)
        person("secret", "Enter")

    thread = threading.Thread(target=later)
    thread.start()
    answer = room.call("wait_ready", person=True, timeout=15)
    thread.join()
    assert answer.first.startswith("ready (shell)") and answer.body == "Joe n 6", answer


@alone
def test_at_its_limit_it_says_what_is_still_asked(room):
    assert room.run("read -p 'Sure? ' x").startswith("needs input")
    answer = room.call("wait_ready", person=True, timeout=1)
    assert answer.first.startswith("needs input") and answer.first.endswith(": Sure?"), answer


@alone
def test_a_text_is_not_sent_where_one_key_is_the_answer(room):
    assert room.run("read -rsn1 -p 'Press any key' k").startswith("needs key")
    answer = room.call("send", text="three")
    assert answer.startswith("error: ") and answer.first.endswith("nothing was typed"), answer
    assert room.keys("y").startswith("ready (shell)")
