"""Whose turn is it, in real terminals: every situation ends in the contract's word, and none before
the truth, which the program itself writes down. Real programs (REPLs, pagers, dialogs, installers)
are in tests/real; how quick the answers are is the bench's business."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.support.house import (
    LIMIT,
    MEMORY_IS_CLOSED,
    NO_OUTPUT,
    PY311,
    SHELLS,
    alone,
    house,
    in_rooms,
    is_verdict,
    poll,
)
from tests.support.tables import Tables

TABLES = Tables(__file__)

__all__ = ["house"]
SCREEN = "ready (prompt matched)"
UNLISTED = TABLES["UNLISTED"]


# Never early: not on silence, not on what looks like a prompt or a question


@in_rooms()
def test_shell_computing_in_its_own_loop_is_not_ready(room):
    loop = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; stamp"
    if room.shell == "fish":
        loop = "for i in (seq 60000); test $i -gt 0; end; stamp"
    room.ends(loop, "ready (shell)")


@in_rooms()
def test_old_prompt_that_is_still_there_is_not_the_next_one(room):
    for _ in range(4):
        room.ends("stamp", "ready (shell)")
        room.ends("clear; work silent 0.05", "ready (shell)")
        room.ends("work silent 0.05; clear", "ready (shell)")


@pytest.mark.parametrize("shell", SHELLS)
def test_shell_that_has_not_read_its_input_is_not_ready(house, shell):
    """Stopped by a signal it shows its old prompt for ever, with the text unread: no better stale
    prompt can be made. tmux itself wakes a stopped child of its own, so it is a grandchild."""
    with house.room(shell, start=f"sh -c '{SHELLS[shell]}; true'") as room:
        first = room.fact("pane_pid")
        pid = int(Path(f"/proc/{first}/task/{first}/children").read_text().split()[0])
        os.kill(pid, signal.SIGSTOP)
        state = Path(f"/proc/{pid}/stat")
        poll(lambda: state.read_text().rpartition(")")[2].split()[0] == "T", what="a stopped shell")
        try:
            receipt = room.send("stamp")
            assert f"; not read yet: {shell} runs in the foreground" in receipt.first
            answer = room.wait(timeout=1.5)
            begins = f"wait_ready timed out after 1.5s: still running {shell}, silent for "
            assert answer.startswith(begins), answer
        finally:
            os.kill(pid, signal.SIGCONT)
        answer = room.wait()
        room.not_early(answer)
        is_verdict(answer, "ready (shell)")


@in_rooms(["Continue? [y/N]", "user@host:~$ ", ">", "Password:", "❯"], turns=True)
def test_own_text_is_not_taken_for_a_prompt(room, text):
    room.ends(f"work silent 0.6 '{text}'", "ready (shell)")


@in_rooms()
def test_between_the_lines_of_a_pasted_script_nobody_waits(room):
    lines = ["work silent 0.4", "echo one", "work silent 0.4", "echo two", "rm -f $TRUTH"]
    room.ends("\n".join([*lines, "work silent 0.5"]), "ready (shell)")


@in_rooms()
def test_typed_ahead_lines_count_as_not_done(room):
    room.send("sleep 0.7")
    room.in_front("sleep")
    receipt = room.send("sleep 0.4; stamp")
    begins = f"sent to {room.name}; not read yet: sleep runs in the foreground"
    assert receipt.first == begins, receipt
    assert receipt.notes == ["note: typed ahead: sleep was running"], receipt
    answer = room.wait()
    room.not_early(answer)
    is_verdict(answer, "ready (shell)")


PIPELINES = TABLES["PIPELINES"]


@in_rooms(PIPELINES, turns=True)
def test_pipelines_and_chains_end_with_their_last_process(room, command):
    room.ends(command, "ready (shell)")


@in_rooms()
def test_the_limit_says_what_runs_and_how_long_it_is_silent(room):
    answer = room.ask("sleep 60", timeout=1)
    head, _, silent = answer.first.removesuffix("s").rpartition(", silent for ")
    assert head == "send timed out after 1.0s: still running sleep", answer
    assert 0 <= float(silent) <= LIMIT


def test_silence_is_counted_from_the_last_output_and_not_from_the_last_look(terminal, tmp_path):
    truth = tmp_path / "truth"
    code = (
        "import time; time.sleep(1.3); print('x', flush=True);"
        f" open({str(truth)!r}, 'w').write(str(time.monotonic())); time.sleep(600)"
    )
    for _ in range(5):  # a machine that stops for a moment makes it less, never more
        answer = terminal.call("run", text=f"{sys.executable} -c {shlex.quote(code)}", timeout=2.4)
        real = time.monotonic() - float(truth.read_text())
        silent = float(answer.split("\n")[0].removesuffix("s").rpartition("silent for ")[2])
        assert silent < real + 0.1
        if silent > real - 0.4:
            break
        terminal.call("interrupt")
    else:
        pytest.fail(f"silent for {real:.1f}s, told {silent}")
    time.sleep(2.5)
    answer = terminal.call("wait_ready", timeout=0.3)
    real = time.monotonic() - float(truth.read_text())
    silent = float(answer.split("\n")[0].removesuffix("s").rpartition("silent for ")[2])
    assert real - 1.5 < silent < real + 0.1, (answer, real)  # tmux tells it to the second


# Prompts that nobody listed


@in_rooms({f"{shell} {text}": text for shell, texts in UNLISTED.items() for text in texts})
def test_prompts_that_nobody_listed(room, setting):
    if MEMORY_IS_CLOSED and room.shell == "dash":
        pytest.skip("a prompt without a sign is not to be told from a question of dash's here")
    room.ends(f"{setting}; stamp", "ready (shell)")
    for _ in range(2):
        room.ends("work silent 0.3", "ready (shell)")
    room.ends("work 'no line break' 0.2", "ready (shell)")


SLOW_PROMPTS = TABLES["SLOW_PROMPTS"]


@in_rooms({f"{shell} {setting}": setting for shell, setting in SLOW_PROMPTS})
def test_prompt_that_takes_its_time_is_waited_for(room, setting):
    room.ends(setting, "ready (shell)")
    room.ends("true", "ready (shell)")
    room.ends("echo hello", "ready (shell)")


@alone
def test_prompt_that_looks_like_a_question(room):
    is_verdict(room.ask("PS1='Name: '", prompt_pattern=r"^Name:\s*$"), "ready (pattern)")
    is_verdict(room.run("true"), "ready (shell)")


# Beside the prompt: background jobs, stopped jobs, shells in shells


@in_rooms()
def test_background_job_that_prints_over_the_prompt(room):
    if MEMORY_IS_CLOSED and room.shell == "dash":
        pytest.skip("a covered prompt is not to be told from a question of dash's here")
    is_verdict(room.ask("sh -c 'sleep 0.6; echo job output; stamp' &"), "ready (shell)")
    poll(room.truth.exists, what="the job's end")
    room.see("job output")
    is_verdict(room.wait(), "ready (shell)")
    room.ends("work silent 0.3", "ready (shell)")


@in_rooms()
def test_background_job_that_keeps_printing_does_not_hide_the_prompt_for_ever(room):
    if MEMORY_IS_CLOSED and room.shell == "dash":
        pytest.skip("a covered prompt is not to be told from a question of dash's here")
    room.ask("sh -c 'while echo tick; do sleep 0.3; done' &")
    room.ends("work silent 0.5", "ready (shell)")


@in_rooms()
def test_stopped_job_gives_the_prompt_back(room):
    answer = room.ask("work silent 60", timeout=0.5)
    assert answer.startswith("send timed out after 0.5s: still running work, "), answer
    is_verdict(room.keys("C-z"), "ready (shell)")
    assert not room.truth.exists()
    assert room.ask("fg", timeout=0.5).startswith("send timed out after 0.5s: still running work, ")
    is_verdict(room.interrupt(), "ready (shell)")


NESTED = TABLES["NESTED"]


@in_rooms(NESTED, turns=True)
def test_shell_in_a_shell(room, inner):
    is_verdict(room.ask(inner), "ready (shell)")
    room.ends("work silent 0.4", "ready (shell)")
    is_verdict(room.ask("exit"), "ready (shell)")
    room.ends("work silent 0.2", "ready (shell)")


STARTED_BY = {
    "a shell": "sh -c 'bash --norc --noprofile; true'",
    "python": f"{PY311} -c \"import subprocess as s; s.run(['bash', '--norc', '--noprofile'])\"",
}


@pytest.mark.parametrize("by", STARTED_BY)
def test_shell_started_by(house, by):
    with house.room(start=STARTED_BY[by]) as room:
        room.ends("work silent 0.3", "ready (shell)")


def test_bash_without_its_line_editor(house):
    with house.room(start="bash --norc --noprofile --noediting") as room:
        room.ends("work silent 0.4", "ready (shell)")
        is_verdict(room.ask("read -p 'Name: ' x"), "needs input", "Name:")
        is_verdict(room.ask("me"), "ready (shell)")


# The rest of a command

UNFINISHED = TABLES["UNFINISHED"]


@in_rooms({f"{shell} {text}": text for shell, texts in UNFINISHED.items() for text in texts})
def test_shell_that_needs_the_rest_of_a_command(room, text):
    is_verdict(room.ask(text), "unfinished")
    is_verdict(room.interrupt(), "ready (shell)")
    room.ends("work silent 0.2", "ready (shell)")


@in_rooms()
def test_unfinished_command_can_be_finished(room):
    detail = ">" if room.shell in ("bash", "dash") else None
    is_verdict(room.ask("echo 'first"), "unfinished", detail)
    is_verdict(room.ask("second"), "unfinished")
    answer = room.ends("third'; work silent 0.4", "ready (shell)")
    assert answer.body == "first\nsecond\nthird", answer


# Questions: the question is quoted

QUESTIONS = TABLES["QUESTIONS"]


@in_rooms(shells=["bash"], size=(40, 20))
def test_a_question_that_wraps_is_quoted_whole(room):
    asked = "Do you really want to remove the whole directory, and all that is below it? [y/N]"
    for reads in (f"read -p '{asked} '", f"python3 -c 'input(\"{asked} \")'"):
        is_verdict(room.run(reads), "needs input", asked)
        room.call("send", text="n")


@in_rooms(QUESTIONS, each=3, turns=True)
def test_question_of_a_program(room, question):
    answer = room.ends(f"ask '{question}' 0.4", "needs input", question.strip())
    assert not answer.body, answer  # it is said once
    answer = room.ask("an answer")
    is_verdict(answer, "ready (shell)")
    assert answer.body == "got an answer", answer


READS = {
    "bash": [
        ("read -p 'Name: ' x", "Name:"),
        ("read -p 'Amount in $ ' x", "Amount in $"),
        ("read -e -p 'Edit: ' x", "Edit:"),
        ("read -e -p 'Enter the value ' x", "Enter the value"),
        ("read -e -p 'Folder> ' x", "Folder>"),
        ("bash -c \"read -e -p 'Enter its value ' x\"", "Enter its value"),
        ("printf 'Go on? '; read x", "Go on?"),
        ("read -t 20 -p 'Quick: ' x", "Quick:"),
        ("mapfile -n 1 x", None),
        ("echo 'Which one'; read x", "Which one"),
        ("select x in a b; do break; done", "#?"),
    ],
    "zsh": [
        ("read 'x?Name: '", "Name:"),
        ("read 'x?Amount in $ '", "Amount in $"),
        ("select x in a b; do break; done", "?#"),
        ("echo 'Which one'; read x", "Which one"),
        ("x=; vared -p 'Edit: ' x", "Edit:"),
    ],
    "fish": [
        ("read -P 'Name: ' x", "Name:"),
        ("read x", "read>"),
        ("read -P 'name> ' x", "name>"),
        ("cd /; read -s -P 'token$ ' x", "token$"),
        ("bash -c 'read -p \"Amount in $ \"'", "Amount in $"),
    ],
    "dash": [
        ("printf 'Name: '; read x", "Name:"),
        ("printf 'Amount in $ '; read x", "Amount in $"),
        ("printf '5%% '; read x", "5%"),
        ("echo 'Which one'; read x", "Which one"),
        ("printf '# '; read x", "#"),
    ],
}


LIKE_A_PROMPT = "printf '# '; read x"  # a question that dash itself asks


@in_rooms({f"{shell} {case[0]}": case for shell, cases in READS.items() for case in cases})
def test_question_of_the_shell_itself(room, case):
    if MEMORY_IS_CLOSED and case[0] == LIKE_A_PROMPT:
        pytest.skip("it is not to be told from a prompt here")
    is_verdict(room.ask(case[0]), "needs input", case[1])


@in_rooms()
def test_same_question_again_is_a_new_one(room):
    asks = "ask 'Sure? '; sleep 0.5; ask 'Sure? '; sleep 0.5; ask 'Sure? '"
    room.ends(asks, "needs input", "Sure?")
    room.ends("no", "needs input", "Sure?")
    room.ends("yes", "needs input", "Sure?")
    is_verdict(room.ask("y"), "ready (shell)")


@in_rooms()
def test_empty_answer_to_a_question(room):
    room.ask("ask 'Default [5]: '; work silent 0.4")
    answer = room.ends("", "ready (shell)")
    assert answer.body == "got", answer


NOTHING_ASKED = "reads a line; nothing is asked on the screen"
ASKING = {
    "python": (f"{PY311} -c \"input('Your name? ')\"", "Your name?"),
    "cat": ("cat", f"cat {NOTHING_ASKED}"),
    "a reader in the background's group": ("sh -c '(sleep 60)& cat'", f"cat {NOTHING_ASKED}"),
    "wc": ("wc -l", f"wc {NOTHING_ASKED}"),
    "rm": ("touch kept; rm -i kept", "rm: remove regular empty file 'kept'?"),
    "readline without a prompt": (
        f"{PY311} -c 'import readline; input()'",
        f"{Path(PY311).name} {NOTHING_ASKED}",
    ),
}


@in_rooms(ASKING, ["bash"])
def test_programs_that_ask(room, case):
    is_verdict(room.ask(case[0]), "needs input", case[1])


# Passwords


@in_rooms()
def test_password_of_a_program(room):
    answer = room.ends("ask 'Password: ' 0.4 hidden", "needs password", "Password:")
    assert not answer.body, answer
    answer = room.ask("open sesame")
    is_verdict(answer, "ready (shell)")
    assert answer.body == "thank you", answer


HIDDEN = [
    ("bash", "read -s -p 'Secret word? ' x", "Secret word?"),
    ("bash", "read -s x", None),
    ("zsh", "read -s 'x?PIN: '", "PIN:"),
    ("dash", "stty -echo; printf 'Code: '; read x; stty echo", "Code:"),
    ("fish", "read -s -P 'Password: ' x", "Password:"),
    ("fish", "bash -c 'read -s -p Passphrase:'", "Passphrase:"),
    ("bash", f"{PY311} -c 'import getpass; getpass.getpass()'", "Password:"),
    ("zsh", f"{PY311} -c 'import getpass; getpass.getpass(\"Token: \")'", "Token:"),
]


@in_rooms({f"{shell} {text}": (text, question) for shell, text, question in HIDDEN})
def test_passwords_are_told_from_questions(room, case):
    is_verdict(room.ask(case[0]), "needs password", case[1])
    answer = room.ask("hunter2")
    assert "*" not in answer and "●" not in answer, answer


@in_rooms()
def test_wrong_password_is_asked_for_again(room):
    asks = "ask 'Password: ' 0.2 hidden; sleep 0.5; ask 'Password: ' 0 hidden"
    room.ends(asks, "needs password", "Password:")
    answer = room.ends("wrong", "needs password", "Password:")
    assert answer.body == "thank you", answer
    is_verdict(room.ask("right"), "ready (shell)")


# One key: pagers, menus, "press any key"


ONE_KEY = TABLES["ONE_KEY"]


@in_rooms({f"{shell} {text}": (text, detail) for shell, text, detail in ONE_KEY})
def test_one_key_is_needed(room, case):
    is_verdict(room.ask(case[0]), "needs key", case[1])
    is_verdict(room.keys("x"), "ready (shell)")


@alone
def test_a_terminals_reply_that_is_read_is_no_key(room):
    is_verdict(room.ask("cursor_asked 0.1"), "needs input", "Name:")
    is_verdict(room.ask("Bo"), "ready (shell)")


# REPLs: at the prompt, at a continuation, computing

NODE = "require('child_process').execSync"


BUSY = TABLES["BUSY"]


@in_rooms(BUSY, ["bash"])
def test_repl_that_is_busy(room, text):
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    room.ask("node")
    room.ends(f"{text}; {NODE}('stamp').length", SCREEN)


@alone
def test_python_repl_asks_with_input(room):
    room.ask(f"{PY311} -q")
    is_verdict(room.ask("x = input('Your name? ')"), "needs input", "Your name?")
    is_verdict(room.ask("me"), SCREEN)
    is_verdict(
        room.ask("import getpass; x = getpass.getpass('Token: ')"), "needs password", "Token:"
    )
    is_verdict(room.ask("abc"), SCREEN)
    room.ends(
        "import time, subprocess; time.sleep(0.5); print('>>> ', end='', flush=True);"
        " time.sleep(0.5); subprocess.run(['stamp'])",
        SCREEN,
    )


@alone
def test_prompts_that_follow_each_other_behind_ssh(room):
    """Each is another one than the last: told where it has the form of one, or quoted."""
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


# Full screens


@alone
def test_full_screen_that_never_stands_still_is_quiet(room):
    is_verdict(room.ask("watch -n 0.1 date +%N"), "quiet", "watch (full screen)")
    is_verdict(room.keys("C-c"), "ready (shell)")


# Where the kernel is blind: a terminal that is not on this machine

SEEN_LATE = TABLES["SEEN_LATE"]


@in_rooms(SEEN_LATE, ["bash"])
def test_blind_silence_and_lookalikes_are_not_readiness(room, text):
    is_verdict(room.ask("ssh host"), SCREEN)
    room.ends("true; stamp", SCREEN)
    room.ends(text, SCREEN)


@alone
def test_blind_questions_and_passwords(room):
    room.ask("ssh host")
    room.ends("ask 'Continue? [y/N] ' 0.5", "needs input", "Continue? [y/N]")
    is_verdict(room.ask("y"), SCREEN)
    room.ends('ask "me@host\'s password: " 0.5 hidden', "needs password", "me@host's password:")
    is_verdict(room.ask("geheim"), SCREEN)
    assert "geheim" not in room.call("read")


@alone
def test_blind_weak_question_is_quiet_and_quoted(room):
    room.ask("ssh host")
    room.ends("ask 'Did it work? ' 0.5", "quiet", "Did it work?")


@alone
def test_blind_limit(room):
    room.ask("ssh host")
    begins = "send timed out after 3.0s: still running ssh, silent for "
    assert room.ask("sleep 30", timeout=3).startswith(begins)


# More of the kinds that were found in use


@in_rooms()
def test_finished_definition_answers_that_nothing_came(room):
    text = "function f; echo x; end" if room.shell == "fish" else "f() { echo x; }"
    answer = room.run(text)
    is_verdict(answer, "ready (shell)")
    assert answer.body == NO_OUTPUT, answer
