"""`run`: one call types, waits and gives back the new output alone, exactly, and the exit status;
`interrupt`; and secrets, which stay secret."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from threading import Thread

import pytest

from tests.support.house import (
    MEMORY_IS_CLOSED,
    NO_OUTPUT,
    NOTHING,
    PY311,
    Room,
    alone,
    house,
    in_rooms,
    is_verdict,
    poll,
    trimmed,
)
from tests.support.tables import Tables

TABLES = Tables(__file__)

__all__ = ["house"]
TELLS_STATUS = ("bash", "zsh")  # shells that tell the last command's exit status


def gives(
    room: Room,
    text: str,
    body: str,
    word: str = "ready (shell)",
    detail: str | None = None,
    status: int | str | None = None,
    **more,
) -> None:
    """Running `text` gives exactly `body`, but for blank lines at its end: no screen keeps them."""
    answer = room.run(text, **more)
    is_verdict(answer, word, detail, status)
    if trimmed(answer.body) != body.rstrip():
        pytest.fail(f"{room.shell}: run {text!r}\n{answer}\n--- instead of\n{body}", pytrace=False)


BODIES = {
    "several lines": ("printf 'a\\nb\\n\\nc\\n'", "a\nb\n\nc"),
    "a wrapped line": (f"printf '{'w%.0s' * 1}{'abcdefghij' * 50}\\n' ''", "w" + "abcdefghij" * 50),
    "one cell less than the screen": (f"echo {'n' * 119}", "n" * 119),
    "as wide as the screen": (f"echo {'n' * 120}", "n" * 120),
    "one cell more than the screen": (f"echo {'n' * 121}", "n" * 121),
    "wide characters that wrap": (f"echo {'漢' * 200}", "漢" * 200),
    "other scripts": ("echo 'naïve Ελλάς Россия ä'", "naïve Ελλάς Россия ä"),
    "tabs": ("printf 'a\\tb\\tc\\n'", "a       b       c"),
    "colours": ("printf '\\033[31mred\\033[0m and \\033[1mbold\\033[0m\\n'", "red and bold"),
    "errors": (
        "ls /nowhere/at/all",
        "ls: cannot access '/nowhere/at/all': No such file or directory",
    ),
    "carriage returns": ("printf '10%%\\r50%%\\r100%% done\\n'", "100% done"),
    "leading blanks": ("printf '    indented\\n  less\\n'", "    indented\n  less"),
    "output equal to the command": ("echo 'echo me' | cat", "echo me"),
    "quotes and signs": ("echo 'a;b' \"c|d\" '#{x} $(y)' '\\;'", "a;b c|d #{x} $(y) \\;"),
    "clear in the middle": ("echo before; clear; echo after", "after"),
    "clear alone": ("clear", NO_OUTPUT),
    "clear without clearing the history": (
        "printf 'kept\\n\\033[H\\033[2Jafter\\n'",
        "kept\nafter",
    ),
    "work that takes a while": ("echo start; work silent 0.5; echo end", "start\nend"),
}


STATUSES = {"errors": 2}  # the others end with 0


@in_rooms()
def test_body_is_the_output_and_nothing_else(room):
    for name, (text, body) in BODIES.items():
        status = STATUSES.get(name, 0) if room.shell in TELLS_STATUS else ""
        gives(room, text, body, status=status)


@in_rooms()
def test_the_same_command_again_gives_the_same(room):
    for number in range(4):
        gives(room, "echo same", "same")
        gives(room, f"echo {number}; seq 3", f"{number}\n1\n2\n3")


# Exit status

COMMANDS = TABLES["COMMANDS"]


@in_rooms(shells=["bash", "zsh"])
def test_exit_status(room):
    for text, status in COMMANDS.values():
        is_verdict(room.run(text), "ready (shell)", status=status)
        is_verdict(room.wait(), "ready (shell)", status=status)
        is_verdict(room.run("true"), "ready (shell)", status=0)
        is_verdict(room.ask(text), "ready (shell)", status=status)


@in_rooms(shells=["bash", "zsh"])
def test_exit_status_after_a_question(room):
    is_verdict(room.run("ask 'Sure? '; (exit 5)"), "needs input", "Sure?")
    is_verdict(room.ask("y"), "ready (shell)", status=5)


@in_rooms(shells=["bash", "zsh"])
def test_exit_status_after_an_interrupt(room):
    room.send("sleep 60")
    room.in_front("sleep")
    is_verdict(room.interrupt(), "ready (shell)", status=130)


@in_rooms(["bash --norc", "zsh -f", "sh -c 'bash --norc; true'"], ["bash", "zsh", "fish"])
def test_exit_status_in_an_inner_shell(room, inner):
    is_verdict(room.run(inner), "ready (shell)")
    is_verdict(room.run("(exit 9)"), "ready (shell)", status=9)
    is_verdict(room.run("exit 4"), "ready (shell)", status=None if "true" in inner else 4) if (
        room.shell in TELLS_STATUS
    ) else None


@in_rooms(shells=["fish", "dash"])
def test_exit_status_that_nobody_tells_is_absent(room):
    for text in ("true", "false"):
        is_verdict(room.run(text), "ready (shell)", status="")


# Much output


def loses(room: Room) -> None:
    """Prints more than the history holds: the answer says so."""
    answer = room.run("seq 1 6000")
    is_verdict(answer, "ready (shell)")
    (note,) = answer.notes
    assert "scrolled out of tmux's history" in note and note.endswith("lost"), note
    lines = [int(line) for line in answer.body.splitlines() if line.isdigit()]
    assert lines[-1] == 6000 and lines == list(range(lines[0], 6001)), (lines[0], lines[-1])
    assert lines[0] > 6000 - 2100


@in_rooms()
def test_more_than_the_history_holds(room):
    """What is left is the end, and that the rest is lost is said."""
    for _ in range(2):
        loses(room)
    gives(room, "echo next", "next")


@alone
def test_more_than_an_answer_holds(room):
    answer = room.run("for i in $(seq 1500); do echo line $i of many; done")
    assert len(answer) <= 16_000, len(answer)
    lines = answer.body.splitlines()
    assert lines[0] == "line 1 of many" and lines[-1] == "line 1500 of many"
    note = re.search(r"\n\[… (\d+) characters \((\d+) lines\) left out; [^\]]*\]\n", answer.body)
    assert note and int(note[2]) + len(lines) - 1 == 1500, (note and note[0], len(lines))


# Prompts


CLOCKS = TABLES["CLOCKS"]


@in_rooms(CLOCKS)
def test_prompts_of_several_rows_with_a_clock(room, setting):
    """Where the shell can be asked not even the first answer holds a row of the new prompt."""
    if MEMORY_IS_CLOSED:
        room.run(setting)
    else:
        gives(room, setting, NO_OUTPUT)
    for text in ("true", "sleep 1.1"):
        gives(room, text, NO_OUTPUT)
    gives(room, "echo hi; sleep 1.1", "hi")
    gives(room, "printf 'a\\nno end'", "a\nno end")
    gives(room, "echo hi", "hi")


TALLER = {
    "bash": r"PS1='\n\w\n❯ '",
    "zsh": r"PROMPT=$'\n%~\n❯ '",
    "fish": r"function fish_prompt; printf '\n%s\n❯ ' (prompt_pwd); end",
}


@in_rooms(shells=TALLER)
def test_a_prompt_of_one_row_that_becomes_one_of_three(room):
    """Of a memory that cannot be read only the first answer may hold its rows."""
    gives(room, "echo a", "a")
    room.run(TALLER[room.shell])
    for _ in range(2):
        gives(room, "printf nonl", "nonl")
        gives(room, "true", NO_OUTPUT)


GLUED = TABLES["GLUED"]
OUTPUTS = TABLES["OUTPUTS"]


@in_rooms(GLUED, turns=True)
def test_output_without_a_line_break_is_no_prompt(room, texts):
    room.file("a", "ok")
    room.file("b", "ok")
    for text in texts:
        gives(room, text, OUTPUTS[text])
    gives(room, "echo hi", "hi")
    gives(room, texts[0], OUTPUTS[texts[0]])


@in_rooms(shells=["bash", "zsh", "dash"], ready=False)
def test_cold_an_answer_is_followed_by_output_without_a_line_break(room):
    """The only prompt that was seen is the one at which the command was typed."""
    poll(lambda: room.screen().strip(), what="a prompt")
    is_verdict(room.run("read k; printf abc"), "needs input")
    answer = room.ask("x")
    is_verdict(answer, "ready (shell)")
    assert answer.body == "abc", answer


def test_a_line_that_fish_expands_under_a_prompt_of_two_rows(house):
    """It draws the prompt anew, a row lower, and runs another text than was sent."""
    abbreviation = "abbr -a gst echo git status; function fish_prompt; echo (pwd); echo '❯ '; end"
    with house.room("fish", start=f'fish --no-config -C "{abbreviation}"') as room:
        gives(room, "echo hi", "hi")
        gives(room, "gst", "git status")
        gives(room, "gst", "git status")


@in_rooms(shells=["zsh"])
def test_what_zsh_itself_asks_takes_one_key(room):
    room.run("setopt correct")
    answer = room.run("sl")
    is_verdict(answer, "needs key", "zsh: correct 'sl' to 'ls' [nyae]?")
    is_verdict(room.keys("n"), "ready (shell)", status=127)
    room.run("touch one")
    is_verdict(room.run("rm *"), "needs key")
    answer = room.keys("n")
    is_verdict(answer, "ready (shell)", status=1)
    assert answer.body == "(nothing new)", answer


# Several lines


@in_rooms(shells=["dash", "fish"])
def test_pasted_script_in_a_shell_without_bracketed_paste(room):
    """fish without its configuration does not ask for it either."""
    answer = room.run("echo one >> log\nwork silent 0.3\necho two >> log")
    assert (room.folder / "log").read_text() == "one\ntwo\n", answer
    room.not_early(answer)
    is_verdict(answer, "ready (shell)")


# Inside


@in_rooms(["script -q /dev/null -c 'bash --norc --noprofile'"], ["bash"])
def test_over_a_terminal_in_the_terminal(room, start):
    """The inner shell is looked at itself."""
    is_verdict(room.run(start), "ready (shell)")
    gives(room, "echo inside", "inside", status=0)
    gives(room, "seq 50", "\n".join(map(str, range(1, 51))))
    gives(room, "work silent 1.5; echo done; (exit 3)", "done", status=3)
    gives(room, "printf 'no end'", "no end")


# What `run` will not do


REFUSED = TABLES["REFUSED"]


@in_rooms(REFUSED, ["bash"])
def test_refused_where_no_command_is_expected(room, case):
    start, names = case
    room.ask(start)
    before = room.screen()
    answer = room.call("run", text="echo no", timeout=5)
    assert answer.startswith("error: ") and names in answer.first, answer
    assert answer.first.endswith("nothing was typed")
    assert room.screen() == before


# Commands that do not simply end


@in_rooms()
def test_command_that_asks_inside(room):
    answer = room.run("echo before; ask 'Sure? [y/N] ' 0.3; echo after")
    room.not_early(answer)
    is_verdict(answer, "needs input", "Sure? [y/N]")
    assert answer.body == "before", answer  # the question is said once
    answer = room.ask("y")
    is_verdict(answer, "ready (shell)")
    assert answer.body == "got y\nafter", answer


@in_rooms()
def test_command_that_does_not_end_in_time(room):
    answer = room.run("echo first; sleep 60", timeout=1)
    form = r"run timed out after 1\.0s: still running sleep, silent for \d+\.\ds"
    assert re.fullmatch(form, answer.first), answer
    assert answer.body == "first", answer
    answer = room.wait(timeout=0.3)
    assert answer.first.startswith("wait_ready timed out after 0.3s: "), answer
    assert answer.body == NOTHING, answer
    is_verdict(room.interrupt(), "ready (shell)")


@in_rooms()
def test_command_that_serves_for_ever(room):
    text = "echo starting; work silent 0.3; echo Listening on 8080; sleep 60"
    answer = room.run(text, until="Listening on")
    room.not_early(answer)
    is_verdict(answer, "matched", "Listening on 8080")
    assert answer.body == "starting", answer  # what was matched is quoted above


@in_rooms(["exit", "exec true", "kill -9 $$"], ["bash"])
def test_shell_that_ends(room, how):
    assert room.run(how).startswith(f"gone: {room.name}")


@alone
def test_background_job_in_a_command(room):
    answer = room.run("sleep 30 & echo started")
    is_verdict(answer, "ready (shell)")
    assert re.fullmatch(r"\[1\] \d+\nstarted", answer.body), answer


TALL = {
    "a file": ("cat > file <<'E'\n" + "row {}\n" * 40 + "E", "(no output)"),
    "commands": ("echo {}\n" * 39 + "echo {}", "\n".join(map(str, range(40)))),
    "the last one is short": ("echo {}\n" * 40 + "true", "\n".join(map(str, range(40)))),
}


@in_rooms(TALL, ["bash", "zsh"])
def test_a_text_with_more_lines_than_the_screen_leaves_no_echo(room, case):
    """Readline shows the first ones and draws the last over another; zsh shows the last ones."""
    text, output = case
    answer = room.run(text.format(*range(40)))
    is_verdict(answer, "ready (shell)")
    assert answer.body == output, answer


@pytest.mark.skipif(MEMORY_IS_CLOSED, reason="no exit status is told here")
def meanwhile(room: Room, *typed: str) -> None:
    """The person types once the command runs that prints `go`."""
    person = room.person

    def types() -> None:
        room.see("\ngo\n")
        person(*typed)

    Thread(target=types, daemon=True).start()


@in_rooms(shells=["bash", "zsh"])
def test_a_line_that_a_person_typed_meanwhile_takes_the_exit_status_with_it(room):
    meanwhile(room, "true", "Enter")
    answer = room.run("echo go; sleep 2; false")
    is_verdict(answer, "ready (shell)")
    assert "exit status" not in answer.first, answer
    assert [note for note in answer.notes if "typed meanwhile" in note], answer


@in_rooms()
def test_a_match_in_a_commands_last_line_leaves_no_prompt(room):
    answer = room.run("sleep 0.3; echo done", until="^done$")
    assert answer.first.startswith("matched after") and answer.first.endswith(": done"), answer
    assert answer.body in ("", "done"), answer


@in_rooms()
def test_output_that_the_program_cleared_away_is_noted(room):
    answer = room.run("seq 5; clear; echo after")
    is_verdict(answer, "ready (shell)")
    assert answer.body == "after", answer
    assert [note for note in answer.notes if "cleared" in note], answer


# interrupt


@in_rooms(["sleep 60", "work burn 60", "ask 'Sure? '", "echo 'half", "sleep 60 | cat"], turns=True)
def test_interrupt_ends_what_runs(room, text):
    room.send(text)
    room.wait(timeout=0.4)
    is_verdict(room.interrupt(), "ready (shell)")
    gives(room, "echo free", "free")


@in_rooms(shells=["bash", "zsh", "fish"])
def test_interrupt_clears_the_agents_own_half_typed_line(room):
    room.send("rm -rf preci", enter=False)
    room.see("rm -rf preci")
    is_verdict(room.interrupt(), "ready (shell)")
    gives(room, "echo clean", "clean")


@alone
def test_interrupt_at_the_empty_prompt_of_a_repl_that_c_c_would_end(room):
    room.ask("lua")
    before = room.screen()
    answer = room.interrupt()
    is_verdict(answer, "ready (prompt matched)")
    assert answer.notes == ["note: lua waits at an empty prompt: no key was pressed"], answer
    assert room.screen() == before
    gives(room, "print(6 * 7)", "42", "ready (prompt matched)")


@alone
def test_interrupt_in_a_repl_that_computes(room):
    room.ask(f"{PY311} -q")
    room.send("while True: pass")
    room.keys("Enter", timeout=0.5)
    answer = room.interrupt()
    is_verdict(answer, "ready (prompt matched)")
    assert "KeyboardInterrupt" in answer.body
    gives(room, "1+1", "2", "ready (prompt matched)")


@in_rooms()
def test_interrupt_names_itself_and_the_program_that_does_not_stop(room):
    room.send("stubborn")
    room.see("working")
    answer = room.interrupt()
    form = r"interrupt timed out after 3\.0s: still running stubborn, silent for \d+\.\ds"
    assert re.fullmatch(form, answer.first), answer
    assert "stubborn did not give the prompt back on C-c" in answer.notes[0], answer
    assert room.wait(timeout=0.3).startswith("wait_ready timed out after 0.3s: still running stubb")


@in_rooms({"less": "less /etc/passwd", "vim": "vim -u NONE x"}, ["bash"])
def test_interrupt_in_a_full_screen_says_how_it_is_left(room, start):
    room.ask(start)
    answer = room.interrupt()
    is_verdict(answer, "needs key", start.split()[0])
    assert f"{start.split()[0]} did not give the prompt back on C-c" in answer.notes[0], answer


@in_rooms()
def test_interrupt_while_a_person_is_scrolled_back(room):
    room.send("seq 200; sleep 60")
    room.see("200")
    room.person.scroll_back(5)
    place = room.fact("scroll_position")
    is_verdict(room.interrupt(), "ready (shell)")
    assert room.fact("pane_in_mode") == "1" and room.fact("scroll_position") == place


@in_rooms()
def test_signal_that_kills_the_program_in_front_gives_the_prompt(room):
    room.send("sleep 60")
    room.in_front("sleep")
    shell = room.fact("pane_pid")
    done = subprocess.run(["pgrep", "-P", shell], capture_output=True, text=True)
    os.kill(int(done.stdout.split()[0]), signal.SIGKILL)
    is_verdict(room.wait(), "ready (shell)", status=137 if room.shell in TELLS_STATUS else "")


# Secrets

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


@alone
def test_a_password_in_a_blind_terminal_is_never_told(room):
    room.ask("ssh host")
    answers = [room.ask('ask "me@host\'s password: " 0.2 hidden')]
    is_verdict(answers[0], "needs password", "me@host's password:")
    answers += [room.ask(SECRET), told(room), room.run("echo done"), told(room)]
    assert SECRET not in "\n".join(answers)


@pytest.mark.parametrize("asks", ["read -s -p 'Password: ' x; echo", "read -s x"])
def test_the_length_of_a_password_is_not_told(house, asks):
    """Two passwords of different lengths: the answers are the same."""

    def answers(secret: str) -> list[str]:
        with house.room("bash") as room:
            heard = [room.run(asks), room.ask(secret), room.wait(), room.run("echo done")]
            return [re.sub(r"\d+\.\d+s|room\d+", "", one) for one in heard]

    assert answers("abc") == answers("abcdefghijklmnop" * 3)


@pytest.mark.skipif(MEMORY_IS_CLOSED, reason="no exit status is told here")
@in_rooms(shells=["bash", "zsh"])
def test_a_line_that_a_person_ran_since_a_limit_takes_the_exit_status_with_it(room):
    room.run("sleep 1; false", timeout=0.2)
    room.person("true", "Enter")
    answer = room.wait()
    is_verdict(answer, "ready (shell)")
    assert "exit status" not in answer.first, answer
    assert [note for note in answer.notes if "typed meanwhile" in note], answer


@pytest.mark.skipif(MEMORY_IS_CLOSED, reason="no exit status is told here")
@in_rooms(shells=["bash", "zsh"])
def test_a_line_that_a_person_has_only_half_typed_takes_no_exit_status(room):
    meanwhile(room, "echo half")
    answer = room.run("echo go; sleep 2; (exit 3)")
    is_verdict(answer, "ready (shell)", status=3)
    assert [note for note in answer.notes if "half-typed" in note], answer
