"""What a person types while a program runs is not appended to, run or dropped by the agent; and
what programs print is not taken for it."""

from __future__ import annotations

import pytest

from tests.support.house import LIMIT, PY311, Room, alone, house, in_rooms, is_verdict, poll

__all__ = ["house"]
COUNTED = pytest.mark.skip(reason="bytes are no longer counted; who typed is tmux's to say")
REFUSAL = "error: somebody has typed ahead, and nobody has read it: "
ASKS = "import time; print('wait'); time.sleep({}); print('got', input('Delete? [y/N] '))"


def begins(room: Room, text: str) -> None:
    """It runs, and an answer has said so."""
    answer = room.call("run", text=text, timeout=0.5)
    assert answer.startswith("run timed out"), answer


def ask_late(room: Room, seconds: float) -> None:
    program = room.folder / "asks.py"
    program.write_text(ASKS.format(seconds))
    begins(room, f"{PY311} asks.py")


@COUNTED
@in_rooms()
def test_a_line_that_is_typed_while_a_program_runs_is_the_persons(room):
    begins(room, "sleep 60")
    room.person("echo per")
    room.see("echo per")
    before = room.screen()
    for call in ({"action": "send", "text": "echo mine"}, {"action": "interrupt"}):
        answer = room.call(**call)
        assert answer.startswith(f"{REFUSAL}'echo per'"), answer
        assert "ask the person" in answer.first and room.screen() == before
    answer = room.keys("C-c")
    is_verdict(answer, "ready (shell)")
    assert room.run("echo mine").body == "mine", "C-c has dropped it"


@COUNTED
@alone
def test_what_is_typed_ahead_of_a_question_is_no_part_of_the_answer(room):
    ask_late(room, 2)
    room.person("n")
    room.see("n")
    answer = room.wait()
    is_verdict(answer, "needs input", "nDelete? [y/N]")
    note = "note: somebody has typed ahead, and it waits to be read: 1 or more characters"
    assert answer.notes == [note], answer
    answer = room.call("send", text="y")
    assert answer.startswith(f"{REFUSAL}1 or more characters"), answer
    room.person("", "Enter")
    assert room.wait().body.endswith("got n")


@COUNTED
@in_rooms(shells=["dash"])
def test_what_is_typed_ahead_of_a_prompt_that_does_not_show_it_is_not_run(room):
    begins(room, "sleep 1.5; echo done")
    room.person("echo per")
    room.see("echo per")
    answer = room.wait()
    is_verdict(answer, "ready (shell)")
    assert "it waits to be read: 8 or more characters" in answer, answer
    for call in ({"action": "run", "text": "echo mine"}, {"action": "interrupt"}):
        answer = room.call(**call)
        assert answer.startswith(f"{REFUSAL}8 or more characters"), answer
    room.person("son", "Enter")
    room.see("\nperson")
    assert room.run("echo mine").body == "mine"


@COUNTED
@in_rooms(shells=["dash"])
def test_the_last_line_of_a_paste_that_does_not_end_is_not_run(room):
    """dash reads and runs the first one, and draws its prompt behind the second."""
    room.run("true")
    room.person("echo pasted\necho hidden-")
    poll(lambda: room.screen().rstrip().endswith("\n#"), what="the prompt again")
    answer = room.call("run", text="x")
    assert answer.startswith(f"{REFUSAL}12 or more characters"), answer
    answer = room.wait()
    assert answer.body.endswith("hidden-pasted"), answer
    assert "waits to be read: 12 or more characters" in answer, answer
    assert room.call("send", text="x").startswith(f"{REFUSAL}12 or more characters")
    assert "x" not in room.screen()


@in_rooms(shells=["dash"], ready=False)
def test_cold_it_is_noted_that_a_line_may_wait(room):
    room.in_front("dash")
    room.person("echo pasted\necho hidden-")
    poll(lambda: room.screen().rstrip().endswith("\n#"), what="the prompt again")
    answer = room.call("run", text="x")
    assert any("dash reads whole lines: if somebody began one" in note for note in answer.notes)
    assert not room.run("echo next").notes


@alone
def test_the_agents_own_answer_ahead_of_a_question_is_its_own(room):
    ask_late(room, 2)
    answer = room.ask("y")
    assert answer.body.endswith("got y"), answer
    assert len(answer.notes) == 1 and answer.notes[0].startswith("note: typed ahead: "), answer


PRINTS = [  # what may look like more than was written
    r"printf 'a\tb\t\tc\n'",
    r"printf '\033[31mred\033[0m \033[20Cfar\n'",
    r"printf 'one\rtwo\n'",
    r"printf 'no line break'",
    r"printf '\033[5Bbelow\n'",
    r"printf '日本語 é\n'",
    "seq 60",
    "ls -C /etc | tail -3; echo",
    "printf '%0200d\\n' 7",
    "for i in 1 2 3\ndo echo $i\ndone",
    "seq 3 | cat; (echo sub)",
    "(sleep 0.3; echo late) & sleep 0.6; echo now",
    "cat <<E\none\n\ntwo\nE",
    "clear; echo cleared",
]


@in_rooms(["once"], ["dash", "bash"])
def test_what_programs_print_is_not_taken_for_it(room, _case):
    for text in PRINTS:
        answer = room.call("run", text=text, timeout=LIMIT)
        is_verdict(answer, "ready (shell)")
        assert "typed ahead" not in answer, answer
        begins(room, f"{text}\nsleep 0.8") if "cat <<" not in text else None
        answer = room.wait()
        is_verdict(answer, "ready (shell)")
        assert "typed ahead" not in answer, answer


@in_rooms(shells=["dash"])
def test_whole_lines_that_a_person_types_are_none(room):
    room.run("true")
    for text in ("echo one", "sleep 0.2", "ls /"):
        room.person(text, "Enter")
        poll(
            lambda text=text: text in room.screen() and room.screen().rstrip().endswith("\n#"),
            what="prompt",
        )
        answer = room.wait()
        is_verdict(answer, "ready (shell)")
        assert "waits to be read" not in answer, answer
        is_verdict(room.run("echo mine"), "ready (shell)")


@alone
def test_keys_that_a_program_does_not_read_are_no_persons_line(room):
    begins(room, "sleep 60")
    room.call("keys", keys="a b", timeout=0)
    room.see("ab")
    answer = room.call("interrupt")
    is_verdict(answer, "ready (shell)", status=130)


@in_rooms(shells=["dash", "bash"])
def test_what_a_program_prints_on_behind_a_match_is_not_taken_for_it(room):
    text = "for i in $(seq 400); do echo line $i; done; echo end; sleep 60"
    for _ in range(3):
        answer = room.call("run", text=text, until=r"^line 5\d$")
        is_verdict(answer, "matched")
        room.see("\nend")
        answer = room.call("interrupt")
        assert answer.startswith("ready") and "typed ahead" not in answer, answer


@in_rooms(shells=["dash"])
def test_another_program_in_the_pane_has_counts_of_its_own(room):
    room.run("seq 3000")
    room.tmux("respawn-pane", "-k", "-t", f"={room.name}:", "dash")
    answer = room.run("echo new")
    is_verdict(answer, "ready (shell)")
    assert answer.body == "new" and "typed ahead" not in answer, answer


@in_rooms(shells=["dash"])
def test_lines_below_one_that_is_drawn_over_are_not_taken_for_it(room):
    """docker pull, npm: several bars, of which one moves on."""
    bars = "for i in 1 2 3 4 5; do echo layer $i; done"
    begins(room, bars + r"; sleep 1.2; printf '\033[4A\rdone\033[4B\r'")
    answer = room.wait()
    is_verdict(answer, "ready (shell)")
    assert "done" in answer.body and not answer.notes, answer
    is_verdict(room.run("echo next"), "ready (shell)")


@in_rooms(shells=["dash"])
def test_old_rows_below_a_prompt_that_was_moved_up_are_not_taken_for_it(room):
    room.run("seq -f 'an old line %g' 20")
    room.run("printf '\\033[H'")
    for text in ("echo a; echo b", "echo c", "printf 'd\\ne\\n'"):
        answer = room.run(text)
        is_verdict(answer, "ready (shell)")
        assert "typed ahead" not in answer and not answer.startswith("error"), answer
