"""What a person types while a program runs is not appended to, run or dropped by the agent; and
what programs print is not taken for it."""

from __future__ import annotations

from tests.support.house import LIMIT, PY311, Room, alone, house, in_rooms, is_verdict, poll

__all__ = ["house"]
ASKS = "import time; print('wait'); time.sleep(2); print('got', input('Delete? [y/N] '))"


def begins(room: Room, text: str) -> None:
    """It runs, and an answer has said so."""
    answer = room.call("run", text=text, timeout=0.5)
    assert answer.startswith("run timed out"), answer


def is_refused(room: Room, *actions: str) -> None:
    """Nothing is typed, and the error says so."""
    before = room.screen()
    for action in actions:
        answer = room.call(action, **({"text": "echo mine"} if action != "interrupt" else {}))
        assert answer.startswith("error: "), answer
        assert room.screen() == before


@in_rooms()
def test_a_line_that_is_typed_while_a_program_runs_is_the_persons(room):
    begins(room, "sleep 60")
    room.person("echo per")
    room.see("echo per")
    is_refused(room, "send")
    answer = room.keys("C-c")
    is_verdict(answer, "ready (shell)")
    assert room.run("echo mine").body == "mine", "C-c has dropped it"


@alone
def test_what_is_typed_ahead_of_a_question_is_no_part_of_the_answer(room):
    room.file("asks.py", ASKS)
    begins(room, f"{PY311} asks.py")
    room.person("n")
    room.see("n")
    assert room.wait().first.endswith("Delete? [y/N]")
    is_refused(room, "send")
    room.person("", "Enter")
    assert room.wait().body.endswith("got n")


@in_rooms(shells=["dash"])
def test_what_is_typed_ahead_of_a_prompt_that_does_not_show_it_is_not_run(room):
    begins(room, "sleep 1.5; echo done")
    room.person("echo per")
    room.see("echo per")
    is_verdict(room.wait(), "ready (shell)")
    is_refused(room, "run")
    room.person("son", "Enter")
    room.see("\nperson")
    assert room.run("echo mine").body == "mine"


@in_rooms(shells=["dash"])
def test_the_last_line_of_a_paste_that_does_not_end_is_noted(room):
    """dash reads and runs the first one, and draws its prompt behind the second: nothing shows
    whether that waits."""
    room.run("true")
    room.person("echo pasted\necho hidden-")
    poll(lambda: room.screen().rstrip().endswith("\n#"), what="the prompt again")
    note = "note: cannot determine whether someone has typed here before this prompt came"
    assert note in room.run("echo mine")


@alone
def test_the_agents_own_answer_ahead_of_a_question_is_its_own(room):
    room.file("asks.py", ASKS)
    begins(room, f"{PY311} asks.py")
    answer = room.ask("y")
    assert answer.body.endswith("got y"), answer


PRINTS = [  # what may look like a person's line
    r"printf 'a\tb\t\tc\n'",
    r"printf '\033[31mred\033[0m \033[20Cfar\n'",
    r"printf 'no line break'",
    r"printf '\033[5Bbelow\n'",
    "printf '%0200d\\n' 7",
    "(sleep 0.3; echo late) & sleep 0.6; echo now",
    "clear; echo cleared",
    r"for i in 1 2 3; do echo layer $i; done; printf '\033[2A\rdone\033[2B\r'",
]


@in_rooms(shells=["dash", "bash"])
def test_what_programs_print_is_not_taken_for_it(room):
    for text in PRINTS:
        is_verdict(room.call("run", text=text, timeout=LIMIT), "ready (shell)")
        begins(room, f"{text}\nsleep 0.8")
        is_verdict(room.wait(), "ready (shell)")


@in_rooms(shells=["dash"])
def test_whole_lines_that_a_person_types_are_none(room):
    room.run("true")
    for text in ("echo one", "sleep 0.2", "ls /"):
        room.person(text, "Enter")
        end = f"{text}\n"
        poll(lambda end=end: end in room.screen() and room.screen().rstrip().endswith("\n#"))
        is_verdict(room.wait(), "ready (shell)")
        is_verdict(room.run("echo mine"), "ready (shell)")


@alone
def test_keys_that_a_program_does_not_read_are_no_persons_line(room):
    begins(room, "sleep 60")
    room.call("keys", keys="a b", timeout=0)
    room.see("ab")
    is_verdict(room.interrupt(), "ready (shell)", status=130)


@in_rooms(shells=["dash"])
def test_another_program_in_the_pane_begins_anew(room):
    room.run("seq 3000")
    room.tmux("respawn-pane", "-k", "-t", f"={room.name}:", "dash")
    answer = room.run("echo new")
    is_verdict(answer, "ready (shell)")
    assert answer.body == "new", answer
