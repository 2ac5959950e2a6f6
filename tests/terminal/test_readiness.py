"""Whose turn is it, in real terminals: every situation ends in the contract's word, and none before the truth, which the
program itself writes down. How quick the answers are is the benchmark's business."""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.support.house import (
    LIMIT,
    PY311,
    PY313,
    SHELLS,
    Room,
    beside_each_other,
    everywhere,
    house,
    in_shells,
    installed,
    is_verdict,
    poll,
    side_by_side,
)

__all__ = ["house"]
TWO_LINES = {
    "bash": r"PS1='\n┌ \w\n❯ '",
    "zsh": "PROMPT=$'\\n┌ %~\\n❯ '; RPROMPT='%T'",
    "fish": "function fish_prompt; echo; echo '┌ '(prompt_pwd); echo -n '❯ '; end; "
    "function fish_right_prompt; date; end",
    "dash": "PS1='❯ '",
}
UNLISTED = {  # prompts without any of the usual signs, or with signs that mean something else elsewhere
    "bash": [
        "PS1=''",
        "PS1='go! '",
        "PS1='me@there '",
        "PS1='100% '",
        "PS1='done. '",
        r"PS1='\t | '",
        "PS1='» '",
    ],
    "zsh": [
        "PROMPT=''",
        "PROMPT='go! '",
        "PROMPT='%B100%%%b '",
        "PROMPT='done. '",
        "PROMPT='%# '; RPROMPT='<right'",
    ],
    "fish": [
        "function fish_prompt; end",
        "function fish_prompt; echo -n 'go! '; end",
        "function fish_prompt; echo '100% '; end",
    ],
    "dash": ["PS1=''", "PS1='go! '", "PS1='100% '", "PS1='Name: '"],
}


# The nine scenarios of facts/peers.md, in the four shells at once

NINE = {
    "sleep3": "work silent 3",
    "pause2": "work pause 2.2",
    "yn": "ask 'Continue? [y/N] ' 1",
    "pw": "ask 'Password: ' 1 hidden",
    "build": "work bar 3",
    "look": "work 'copied 100%' 3",
}


def test_nine_scenarios(house):
    def repl(room: Room) -> None:
        is_verdict(room.ask(f"{PY311} -q"), "ready (prompt matched)")
        room.ends(
            f"import time; time.sleep(3); exec(open('{room.house.bin / 'stamp'}').read())",
            "ready (prompt matched)",
        )

    def fancy(room: Room) -> None:
        room.ask(TWO_LINES[room.shell])
        room.ends("work silent 3", "ready (shell)")

    def tui(room: Room) -> None:
        room.file("long", "".join(f"line {n}\n" for n in range(200)))
        answer = room.ask("sleep 1; less long")
        is_verdict(answer, "needs key", "less")
        assert "line 20" in answer.body
        assert room.call("keys", keys="q").startswith("pressed q")
        is_verdict(room.wait(), "ready (shell)")

    longer = {one.__name__: one for one in (repl, fancy, tui)}
    words = {"yn": ("needs input", "Continue? [y/N]"), "pw": ("needs password", "Password:")}

    def scenario(room: Room, name: str) -> None:
        if name in longer:
            longer[name](room)
        else:
            room.ends(NINE[name], *words.get(name, ("ready (shell)", None)))

    everywhere(house, scenario, [*NINE, *longer])


# Never early: not on silence, not on what looks like a prompt or a question


def test_program_at_work_is_not_ready(house):
    everywhere(
        house,
        lambda room, kind: room.ends(f"work {kind} 1.2", "ready (shell)"),
        ["silent", "burn", "accept", "child", "lines", "raw"],
    )


LOOK_LIKE_PROMPTS = [
    "57%",
    "100%",
    "total 5$",
    "user@host:~$ ",
    "root@box:/# ",
    "bash-5.2$ ",
    "❯ ",
    "➜  src ",
    "> ",
    ">>> ",
    "... ",
    "(gdb) ",
    "In [1]: ",
    "sqlite> ",
    "Continue? [y/N] ",
    "Password: ",
    "Are you sure? (yes/no) ",
    "--More--",
    "(END)",
    ":",
    "quote> ",
    "λ ",
    "$",
    "#",
]


def test_output_that_looks_like_a_prompt_is_not_one(house):
    everywhere(
        house,
        lambda room, text: room.ends(f"work '{text}' 0.7", "ready (shell)"),
        LOOK_LIKE_PROMPTS,
        each=8,
    )


def test_shell_computing_in_its_own_loop_is_not_ready(house):
    loops = {"fish": "for i in (seq 60000); test $i -gt 0; end; stamp"}
    in_shells(
        house,
        lambda room: room.ends(
            loops.get(room.shell, "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; stamp"),
            "ready (shell)",
        ),
    )


def test_old_prompt_that_still_stands_is_not_the_next_one(house):
    def again(room: Room) -> None:
        for _ in range(8):
            room.ends("stamp", "ready (shell)")
            room.ends("clear; work silent 0.05", "ready (shell)")
            room.ends("work silent 0.05; clear", "ready (shell)")

    in_shells(house, again)


def test_shell_that_has_not_read_its_input_is_not_ready(house):
    """Stopped by a signal it shows its old prompt for ever, with the text unread: no better stale prompt can be made."""

    def stopped(room: Room) -> None:
        shell = int(
            Path(f"/proc/{room.fact('pane_pid')}/task/{room.fact('pane_pid')}/children")
            .read_text()
            .split()[0]
        )
        os.kill(shell, signal.SIGSTOP)
        poll(
            lambda: Path(f"/proc/{shell}/stat").read_text().rpartition(")")[2].split()[0] == "T",
            what="a stopped shell",
        )
        try:
            sent = room.send("stamp")
            assert f"; not read yet: {room.shell} runs in the foreground" in sent.first
            answer = room.wait(timeout=1.5)
            assert answer.startswith(
                f"wait_ready timed out after 1.5s: still running {room.shell}, silent for "
            ), answer
        finally:
            os.kill(shell, signal.SIGCONT)
        answer = room.wait()
        room.not_early(answer)
        is_verdict(answer, "ready (shell)")

    def beside(shell: str) -> None:  # tmux itself wakes a stopped child of its own
        with house.room(shell, start=f"sh -c '{SHELLS[shell]}; true'") as room:
            stopped(room)

    side_by_side(SHELLS, beside)


def test_own_text_is_not_taken_for_a_prompt(house):
    everywhere(
        house,
        lambda room, text: room.ends(f"work silent 0.6 '{text}'", "ready (shell)"),
        ["Continue? [y/N]", "user@host:~$ ", ">", "Password:", "❯"],
        each=2,
    )


def test_between_the_lines_of_a_pasted_script_nobody_waits(house):
    script = "\n".join(
        [
            "work silent 0.4",
            "echo one",
            "work silent 0.4",
            "echo two",
            "rm -f $TRUTH",
            "work silent 0.5",
        ]
    )
    in_shells(house, lambda room: room.ends(script, "ready (shell)"))


def test_typed_ahead_lines_count_as_not_done(house):
    def ahead(room: Room) -> None:
        room.send("sleep 0.7")
        sent = Room.call(room, "send", text="sleep 0.4; stamp")
        assert sent.startswith(
            f"sent to {room.name}; not read yet: sleep runs in the foreground"
        ), sent
        answer = room.wait()
        room.not_early(answer)
        is_verdict(answer, "ready (shell)")

    in_shells(house, ahead)


def test_pipelines_and_chains_end_with_their_last_process(house):
    everywhere(
        house,
        lambda room, command: room.ends(command, "ready (shell)"),
        [
            "work silent 0.8 | cat",
            "true && work lines 0.6",
            "false || work silent 0.6",
            "echo 'a b' | work burn 0.6",
        ],
    )
    in_shells(
        house,
        lambda room: room.ends("work silent 0.8 | (cat; cat)", "ready (shell)"),
        ["bash", "zsh", "dash"],
    )


def test_pipeline_whose_reader_outlives_the_writer(house):
    in_shells(
        house, lambda room: room.ends("echo x | sh -c 'cat; work silent 0.8'", "ready (shell)")
    )


def test_the_limit_says_what_runs_and_how_long_it_is_silent(house):
    def limit(room: Room) -> None:
        room.send("sleep 60")
        answer = room.wait(timeout=1)
        head, _, silent = answer.first.removesuffix("s").rpartition(", silent for ")
        assert head == "wait_ready timed out after 1.0s: still running sleep", answer
        assert 0 <= float(silent) <= LIMIT

    in_shells(house, limit)


def test_silence_is_counted_from_the_last_output_and_not_from_the_last_look(terminal, tmp_path):
    truth = tmp_path / "truth"
    code = (
        f"import time; time.sleep(1.3); print('x', flush=True); open({str(truth)!r}, 'w').write(str(time.monotonic())); "
        "time.sleep(600)"
    )
    for _ in range(5):  # a machine that stands still for a moment makes it less, never more
        answer = terminal.call("run", text=f"{sys.executable} -c {shlex.quote(code)}", timeout=2.4)
        real = time.monotonic() - float(truth.read_text())
        silent = float(answer.split("\n")[0].removesuffix("s").rpartition("silent for ")[2])
        assert silent < real + 0.1
        terminal.call("interrupt")
        if silent > real - 0.4:
            return
    pytest.fail(f"silent for {real:.1f}s, told {silent}")


# Prompts that nobody listed


def test_prompts_that_nobody_listed(house):
    def prompt(room: Room, setting: str) -> None:
        room.ends(f"{setting}; stamp", "ready (shell)")
        for _ in range(2):
            room.ends("work silent 0.3", "ready (shell)")
        room.ends("work 'no line break' 0.2", "ready (shell)")

    beside_each_other(
        house,
        prompt,
        {f"{shell} {text}": text for shell, texts in UNLISTED.items() for text in texts},
    )


def test_two_line_prompts(house):
    def two(room: Room) -> None:
        room.ends(TWO_LINES[room.shell] + "; stamp", "ready (shell)")
        room.ends("cd /; work silent 0.3", "ready (shell)")

    in_shells(house, two)


SLOW_PROMPTS = [
    ("bash", "PROMPT_COMMAND='work silent 0.5'"),
    ("bash", "PS1='$(work silent 0.5)\\$ '"),
    ("zsh", "precmd() { work silent 0.5 }"),
    ("zsh", "setopt promptsubst; PROMPT='$(work silent 0.5)%# '"),
    ("fish", "function fish_prompt; work silent 0.5; echo '> '; end"),
    ("bash", "git init -q .; PS1='$(git branch --show-current; work silent 0.3)> '"),
]


def test_prompt_that_takes_its_time_is_waited_for(house):
    def slow(room: Room, setting: str) -> None:
        room.ends(setting, "ready (shell)")
        room.ends("true", "ready (shell)")
        room.ends("echo hello", "ready (shell)")

    beside_each_other(
        house, slow, {f"{shell} {setting}": setting for shell, setting in SLOW_PROMPTS}
    )


def test_prompt_that_looks_like_a_question_is_ready_by_prompt_pattern(house):
    with house.room("bash") as room:
        room.send("PS1='Name: '")
        is_verdict(room.wait(prompt_pattern=r"^Name:\s*$"), "ready (pattern)")


# Beside the prompt: background jobs, stopped jobs, shells in shells


def test_background_job_that_prints_over_the_prompt(house):
    def job(room: Room) -> None:
        text = "sh -c 'sleep 0.6; echo job output; stamp' &"
        is_verdict(room.ask(text), "ready (shell)")
        poll(room.truth.exists, what="the job's end")
        room.see("job output")
        is_verdict(room.wait(), "ready (shell)")
        room.ends("work silent 0.3", "ready (shell)")

    in_shells(house, job)


def test_background_job_that_keeps_printing_does_not_hide_the_prompt_for_ever(house):
    def job(room: Room) -> None:
        room.ask("sh -c 'while echo tick; do sleep 0.3; done' &")
        room.ends("work silent 0.5", "ready (shell)")

    in_shells(house, job)


def test_stopped_job_gives_the_prompt_back(house):
    def stop(room: Room) -> None:
        room.send("work silent 60")
        answer = room.wait(timeout=0.5)
        assert answer.startswith("wait_ready timed out after 0.5s: still running work, "), answer
        assert room.call("keys", keys="C-z").startswith("pressed C-z")
        is_verdict(room.wait(), "ready (shell)")
        assert not room.truth.exists()
        room.send("fg")
        assert room.wait(timeout=0.5).startswith(
            "wait_ready timed out after 0.5s: still running work, "
        )
        is_verdict(room.call("interrupt"), "ready (shell)")

    in_shells(house, stop)


def test_shell_in_a_shell(house):
    def nested(room: Room, inner: str) -> None:
        is_verdict(room.ask(inner), "ready (shell)")
        room.ends("work silent 0.4", "ready (shell)")
        is_verdict(room.ask("exit"), "ready (shell)")
        room.ends("work silent 0.2", "ready (shell)")

    everywhere(
        house,
        nested,
        [
            "bash --norc",
            "zsh -f",
            "fish --no-config",
            "dash",
            "sh",
            "sh -c 'bash --norc; true'",
            "env PS1='in> ' bash --norc",
        ],
    )


def test_shell_started_by_another_program_than_a_shell(house):
    with house.room(start="sh -c 'bash --norc --noprofile; true'") as room:
        room.ends("work silent 0.3", "ready (shell)")
    with house.room(
        start=f"{PY311} -c \"import subprocess; subprocess.run(['bash', '--norc', '--noprofile'])\""
    ) as room:
        room.ends("work silent 0.3", "ready (shell)")


def test_bash_without_its_line_editor(house):
    with house.room(start="bash --norc --noprofile --noediting") as room:
        room.ends("work silent 0.4", "ready (shell)")
        is_verdict(room.ask("read -p 'Name: ' x"), "needs input", "Name:")
        is_verdict(room.ask("me"), "ready (shell)")


# The rest of a command

UNFINISHED = {
    "bash": [
        "echo 'abc",
        "cat <<EOF",
        "for i in 1 2",
        "echo a |",
        "echo \\",
        "if true; then",
        "f() {",
    ],
    "zsh": [
        "echo 'abc",
        "cat <<EOF",
        "for i in 1 2",
        "echo a |",
        "echo \\",
        "if true; then",
        "f() {",
        'echo "a',
        "echo $(",
        "a=(",
    ],
    "fish": ["echo 'abc", "for i in 1 2", "begin", "echo a |", "echo \\", "if true"],
    "dash": ["echo 'abc", "cat <<EOF", "for i in 1 2", "echo a |", "echo \\", "if true; then"],
}


def test_shell_that_wants_the_rest_of_a_command(house):
    def unfinished(room: Room, text: str) -> None:
        is_verdict(room.ask(text), "unfinished")
        is_verdict(room.call("interrupt"), "ready (shell)")
        room.ends("work silent 0.2", "ready (shell)")

    beside_each_other(
        house,
        unfinished,
        {f"{shell} {text}": text for shell, texts in UNFINISHED.items() for text in texts},
    )


def test_unfinished_command_can_be_finished(house):
    def finish(room: Room) -> None:
        is_verdict(
            room.ask("echo 'first"), "unfinished", ">" if room.shell in ("bash", "dash") else None
        )
        is_verdict(room.ask("second"), "unfinished")
        room.ends("third'; work silent 0.4", "ready (shell)")
        assert "second\nthird" in room.screen()

    in_shells(house, finish)


def test_heredoc_line_by_line(house):
    def lines(room: Room) -> None:
        is_verdict(room.ask("cat <<EOF; work silent 0.3"), "unfinished")
        is_verdict(room.ask("hello $"), "unfinished")
        room.ends("EOF", "ready (shell)")

    in_shells(house, lines, ["bash", "zsh", "dash"])


# Questions: the question is quoted

QUESTIONS = [
    "Continue? [y/N] ",
    "Do you want to continue? [Y/n] ",
    "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
    "Amount in $ ",
    "Name: ",
    "Enter your choice > ",
    "Choose (1-3) ",
    "? ",
    "Ihr Name：",
    "price 100% ",
    "a prompt $",
    "x",
]


def test_question_of_a_program(house):
    def asks(room: Room, question: str) -> None:
        room.ends(f"ask '{question}' 0.4", "needs input", question.strip())
        is_verdict(room.ask("an answer"), "ready (shell)")

    everywhere(house, asks, QUESTIONS, each=4)


READS = {
    "bash": [
        ("read -p 'Name: ' x", "Name:"),
        ("read -p 'Amount in $ ' x", "Amount in $"),
        ("read -e -p 'Edit: ' x", "Edit:"),
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


def test_question_of_the_shell_itself(house):
    beside_each_other(
        house,
        lambda room, case: is_verdict(room.ask(case[0]), "needs input", case[1]),
        {f"{shell} {case[0]}": case for shell, cases in READS.items() for case in cases},
    )


def test_question_then_answer_then_ready(house):
    def dialogue(room: Room) -> None:
        room.ends("ask 'First? ' 0.2; ask 'Second? ' 0.3; work silent 0.4", "needs input", "First?")
        answer = room.ends("one", "needs input", "Second?")
        assert answer.body.splitlines()[0] == "got one", answer
        room.ends("two", "ready (shell)")

    in_shells(house, dialogue)


def test_same_question_again_is_a_new_one(house):
    def thrice(room: Room) -> None:
        room.ends(
            "ask 'Sure? '; sleep 0.5; ask 'Sure? '; sleep 0.5; ask 'Sure? '", "needs input", "Sure?"
        )
        room.ends("no", "needs input", "Sure?")
        room.ends("yes", "needs input", "Sure?")
        is_verdict(room.ask("y"), "ready (shell)")

    in_shells(house, thrice)


def test_empty_answer_to_a_question(house):
    def enter(room: Room) -> None:
        room.ask("ask 'Default [5]: '; work silent 0.4")
        room.ends("", "ready (shell)")

    in_shells(house, enter)


def test_programs_that_ask(house):
    def rm(room: Room) -> None:
        room.file("kept", "")
        assert "kept" in room.ask("rm -i kept").first

    def python(room: Room) -> None:
        is_verdict(room.ask(f"{PY311} -c \"input('Your name? ')\""), "needs input", "Your name?")

    def nothing_asked(room: Room) -> None:
        answer = room.ask("cat")
        is_verdict(answer, "needs input")
        assert "cat" in answer.first and "nothing is asked" in answer.first, answer

    def background_reader(room: Room) -> None:
        is_verdict(room.ask("sh -c '(sleep 60)& cat'"), "needs input")

    def git_add(room: Room) -> None:
        room.file("a", "1\n")
        room.ask(
            "git init -q . && git add a && git -c user.name=x -c user.email=x@y commit -qm x && echo 2 >> a"
        )
        answer = room.ask("git add -p")
        is_verdict(answer, "needs input")
        assert "Stage this hunk [" in answer.first, answer

    def wc(room: Room) -> None:
        is_verdict(room.ask("wc -l"), "needs input")

    def ssh_keygen(room: Room) -> None:
        answer = room.ask("ssh-keygen -t ed25519")
        is_verdict(answer, "needs input")
        assert "Enter file in which to save the key (" in answer.first, answer
        answer = room.ask("./key")
        is_verdict(answer, "needs password")
        assert answer.first.endswith("Enter passphrase (empty for no passphrase):"), answer
        is_verdict(room.ask("hunter22"), "needs password", "Enter same passphrase again:")
        is_verdict(room.ask("hunter22"), "ready (shell)")
        assert (room.folder / "key").exists()

    def bc(room: Room) -> None:
        is_verdict(room.ask("bc -q"), "needs input")
        answer = room.ask("6*7")
        is_verdict(answer, "needs input")
        assert "42" in answer

    def readline_without_prompt(room: Room) -> None:
        is_verdict(room.ask(f"{PY311} -c 'import readline; input()'"), "needs input")

    beside_each_other(
        house,
        lambda room, asks: asks(room),
        {
            one.__name__: one
            for one in (
                rm,
                python,
                nothing_asked,
                background_reader,
                git_add,
                wc,
                ssh_keygen,
                bc,
                readline_without_prompt,
            )
        },
    )


# Passwords


def test_password_of_a_program(house):
    in_shells(
        house, lambda room: room.ends("ask 'Password: ' 0.4 hidden", "needs password", "Password:")
    )


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


def test_passwords_are_told_from_questions(house):
    beside_each_other(
        house,
        lambda room, case: is_verdict(room.ask(case[0]), "needs password", case[1]),
        {f"{shell} {text}": (text, question) for shell, text, question in HIDDEN},
    )


def test_wrong_password_is_asked_for_again(house):
    def twice(room: Room) -> None:
        room.ends(
            "ask 'Password: ' 0.2 hidden; sleep 0.5; ask 'Password: ' 0 hidden",
            "needs password",
            "Password:",
        )
        room.ends("wrong", "needs password", "Password:")
        is_verdict(room.ask("right"), "ready (shell)")

    in_shells(house, twice)


def test_git_over_https_asks_for_name_and_password(house):
    server = subprocess.Popen(
        [
            sys.executable,
            "-c",
            (
                "import http.server\nclass H(http.server.BaseHTTPRequestHandler):\n    def do_GET(s):\n        s.send_response(401)\n"
                "        s.send_header('WWW-Authenticate', 'Basic realm=x'); s.end_headers()\n    log_message = lambda *a: None\n"
                "s = http.server.HTTPServer(('127.0.0.1', 0), H); print(s.server_port, flush=True); s.serve_forever()"
            ),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        with house.room("bash", environment={"GIT_TERMINAL_PROMPT": "1"}) as room:
            is_verdict(room.ask(f"git clone {url}/x.git"), "needs input", f"Username for '{url}':")
            is_verdict(
                room.ask("me"), "needs password", f"Password for '{url.replace('//', '//me@')}':"
            )
            is_verdict(room.ask("secret"), "ready (shell)")
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


# One key: pagers, menus, "press any key"

PAGERS = {
    "less long": "line 5",
    "less -X long": "line 5",
    "cat long | less": "line 5",
    "more long": "line 5",
    "less +G long": "(END)",
    "less -FX long": "line 5",
    "cat long | more": "line 5",
}


def paged(room: Room, text: str, shows: str) -> None:
    room.file("long", "".join(f"line {n}\n" for n in range(300)))
    answer = room.ask(text)
    is_verdict(answer, "needs key")
    program = answer.first.rpartition(": ")[2]
    assert (
        program == ("more" if "more" in text else "less") or program == "pager" and text == "man ls"
    ), answer
    assert shows in answer.body, answer
    room.call("keys", keys="q")
    is_verdict(room.wait(), "ready (shell)")


def test_pagers(house):
    beside_each_other(
        house, lambda room, text: paged(room, text, PAGERS[text]), {text: text for text in PAGERS}
    )


def test_manual_page(house):
    if subprocess.run(["man", "-w", "ls"], capture_output=True).returncode:
        pytest.skip("no manual pages are installed")
    with house.room("bash") as room:
        paged(room, "man ls", "LS(1)")  # Debian starts less as `pager`


def test_git_log_without_the_alternate_screen(house):
    with house.room("bash") as room:
        room.ask(
            "git init -q . && git config user.name x && git config user.email x@y && "
            "for i in $(seq 30); do git commit -q --allow-empty -m c$i; done"
        )
        for answer in (room.ask("git log"), room.call("keys", keys="Space") and room.wait()):
            is_verdict(answer, "needs key")
            assert answer.first.endswith((": less", ": pager")), answer
        room.call("keys", keys="q")
        is_verdict(room.wait(), "ready (shell)")


def test_pager_at_its_search_line(house):
    with house.room("bash") as room:
        room.file("long", "".join(f"line {n}\n" for n in range(300)))
        room.ask("less long")
        room.call("keys", keys=["/", "2", "5", "0"])
        is_verdict(room.wait(), "needs key", "less")
        room.call("keys", keys="Enter")
        answer = room.wait()
        is_verdict(answer, "needs key", "less")
        assert "line 250" in answer.body


ONE_KEY = [
    ("bash", "read -n1 -p 'Key? ' x"),
    ("bash", "read -s -n1 x"),
    ("bash", "read -s -n1 -p 'Press any key ' x"),
    ("bash", "read -n1 -t 20 x"),
    ("zsh", "read -k1 x"),
    ("zsh", "read -k1 'x?Press a key'"),
    ("fish", "onekey ''"),
    ("bash", "onekey 'Press any key to continue . . .'"),
    ("dash", "onekey '-- press --'"),
]


def test_one_key_is_wanted(house):
    def key(room: Room, text: str) -> None:
        is_verdict(
            room.ask(text), "needs key", "onekey" if text.startswith("onekey") else room.shell
        )
        room.call("keys", keys="x")
        is_verdict(room.wait(), "ready (shell)")

    beside_each_other(house, key, {f"{shell} {text}": text for shell, text in ONE_KEY})


def test_dialogs_want_a_key(house):
    def dialog(room: Room, text: str) -> None:
        is_verdict(room.ask(text), "needs key", text.split()[0])
        room.call("keys", keys="Enter")
        is_verdict(room.wait(), "ready (shell)")

    beside_each_other(
        house,
        dialog,
        {
            text: text
            for text in (
                "dialog --yesno 'Install it?' 8 40",
                "dialog --menu Choose 12 40 3 a first b second",
                "dialog --inputbox Name 8 40",
                "dialog --msgbox hello 8 40",
                "whiptail --yesno 'Install it?' 8 40",
                "whiptail --menu Choose 12 40 3 a first b second",
            )
        },
    )


# REPLs: at the prompt, at a continuation, computing

SLEEPS = "import time, subprocess; time.sleep(0.7); x = subprocess.run(['stamp'])"
NODE = "require('child_process').execSync"
REPLS = {  # start, a line that computes and then stamps, a line to be continued, its end, what leads out, evidence
    "python": (
        f"{PY311} -q",
        SLEEPS.replace("x = ", ""),
        "for i in (1, 2):",
        "    pass\n\n",
        "exit()",
        "prompt matched",
    ),
    "new python": (
        f"{PY313} -q" if PY313 else "",
        SLEEPS,
        "x = (1,",
        "2)",
        "exit()",
        "prompt matched",
    ),
    "python without readline": (
        f"{PY311} -q -S -c \"import code, sys; code.interact('')\"",
        SLEEPS,
        "x = (1,",
        "2)",
        "raise SystemExit",
        "prompt matched",
    ),
    "node": (
        "node",
        f"{NODE}('work silent 0.7').length",
        "function f() {",
        "}",
        ".exit",
        "prompt matched; screen only",
    ),
    "sqlite3": ("sqlite3", ".shell work silent 0.7", "select", "1;", ".quit", "prompt matched"),
    "gdb": ("gdb -q", "shell work silent 0.7", None, None, "quit", "prompt matched"),
    "bash over script": (
        "script -q /dev/null -c 'bash --norc --noprofile'",
        "work silent 0.7",
        "echo 'a",
        "b'",
        "exit",
        "prompt matched; screen only",
    ),
}


def test_repl(house):
    def repl(room: Room, name: str) -> None:
        start, computes, begins, ends, leave, evidence = REPLS[name]
        is_verdict(room.ask(start), f"ready ({evidence})")
        for _ in range(2):
            room.ends(computes, f"ready ({evidence})")
        if begins:
            is_verdict(room.ask(begins), "unfinished")
            is_verdict(room.ask(ends), f"ready ({evidence})")
            room.ends(computes, f"ready ({evidence})")
        is_verdict(room.ask(leave), "ready (shell)")

    def ipython(room: Room) -> None:
        is_verdict(room.ask("ipython --no-banner --colors=NoColor"), "ready (prompt matched)")
        room.ends("!work silent 0.7", "ready (prompt matched)")
        is_verdict(room.ask("for i in (1, 2):"), "unfinished")

    def busy_node(text: str) -> Callable[[Room], None]:
        """It keeps the terminal raw while it computes."""

        def computes(room: Room) -> None:
            room.ask("node")
            room.ends(
                f"{text}; {NODE}('stamp').length",
                "ready (prompt matched; screen only: node hides its state)",
            )

        return computes

    cases = {name: partial(repl, name=name) for name in REPLS} | {
        "ipython": ipython,
        "node in a loop": busy_node("t = Date.now(); while (Date.now() - t < 1500)"),
        "node in an await": busy_node("await new Promise(r => setTimeout(r, 1500))"),
        "node in a loop behind a printed prompt": busy_node(
            "t = Date.now(); process.stdout.write('5$ '); while (Date.now() - t < 2800)"
        ),
    }
    there = installed({name: REPLS[name][0] if name in REPLS else name for name in cases})
    beside_each_other(
        house, lambda room, name: cases[name](room), {f"in {name}": name for name in there}
    )


def test_python_repl_asks_with_input(house):
    with house.room("bash") as room:
        room.ask(f"{PY311} -q")
        is_verdict(room.ask("x = input('Your name? ')"), "needs input", "Your name?")
        is_verdict(room.ask("me"), "ready (prompt matched)")
        is_verdict(
            room.ask("import getpass; x = getpass.getpass('Token: ')"), "needs password", "Token:"
        )
        is_verdict(room.ask("abc"), "ready (prompt matched)")
        room.ends(
            "import time, subprocess; time.sleep(0.5); print('>>> ', end='', flush=True); time.sleep(0.5); "
            "subprocess.run(['stamp'])",
            "ready (prompt matched)",
        )


# Full screens are never called ready

FULL_SCREENS = {
    "vim -u NONE file": [":", "q", "!", "Enter"],
    "top": ["q"],
    "htop": ["q"],
    "watch -n 1 date": ["C-c"],
}


def test_full_screen_programs_are_quiet(house):
    def full(room: Room, text: str) -> None:
        is_verdict(room.ask(text), "quiet", f"{text.split()[0]} (full screen)")
        room.call("keys", keys=FULL_SCREENS[text])
        is_verdict(room.wait(), "ready (shell)")

    beside_each_other(
        house, full, {text: text for text in installed({text: text for text in FULL_SCREENS})}
    )


# Where the kernel is blind: a terminal in the terminal, as with ssh

INNER = "script -q /dev/null -c 'bash --norc --noprofile'"


SCREEN_ONLY = "ready (prompt matched; screen only)"


def test_blind_silence_and_lookalikes_are_not_readiness_and_other_waits_are_told(house):
    def ends(text: str) -> Callable[[Room], None]:
        def inside(room: Room) -> None:
            is_verdict(room.ask(INNER), SCREEN_ONLY)
            room.ends("true; stamp", SCREEN_ONLY)
            room.ends(text, SCREEN_ONLY)

        return inside

    def questions_and_passwords(room: Room) -> None:
        room.ask(INNER)
        room.ends("ask 'Continue? [y/N] ' 0.5", "needs input", "Continue? [y/N]")
        is_verdict(room.ask("y"), SCREEN_ONLY)
        room.ends('ask "me@host\'s password: " 0.5 hidden', "needs password", "me@host's password:")
        is_verdict(room.ask("geheim"), SCREEN_ONLY)
        assert "geheim" not in room.call("read")

    def limit(room: Room) -> None:
        room.ask(INNER)
        room.send("sleep 30")
        assert room.wait(timeout=3).startswith(
            "wait_ready timed out after 3.0s: still running script, silent for "
        )

    def full_screen(room: Room) -> None:
        room.ask(INNER)
        is_verdict(room.ask("vim -u NONE file"), "quiet", "script (full screen)")

    def start_without_a_known_prompt(room: Room) -> None:
        is_verdict(room.ask("script -q /dev/null -c 'echo connected; sleep 30'"), "quiet", "script")

    texts = (
        "work silent 3",
        "clear; work silent 2.5",
        "work 'user@host:~$ ' 0.4",
        "work '100%' 1.5",
        "work '5$ ' 2.6",
        "work '> ' 1",
    )
    others = (questions_and_passwords, limit, full_screen, start_without_a_known_prompt)
    beside_each_other(
        house,
        lambda room, inside: inside(room),
        {text: ends(text) for text in texts} | {one.__name__: one for one in others},
    )


# The caller's patterns


def test_until_is_matched_in_output_and_not_in_the_echo(house):
    def serve(room: Room, pattern: str) -> None:
        answer = room.ends(
            "work silent 0.5; echo 'Listening on' 8080; sleep 30 # Listening on 9999; on 8080",
            "matched",
            "Listening on 8080",
            until=pattern,
        )
        assert "Listening on 8080" in answer.body

    everywhere(house, serve, ["Listening on", r"^Listening on \d+", r"on 80\d0$"])


def test_until_is_matched_though_the_rows_moved_in_between(house):
    """A server that clears the screen first, and one in a terminal whose history is just becoming full."""

    def serve(room: Room, before: str) -> None:
        room.run("seq 3000" if before.startswith("seq") else "seq 100")
        answer = room.ends(
            f"{before}; work silent 0.3; echo Listen''ing on 8080; sleep 30",
            "matched",
            "Listening on 8080",
            until="Listening on",
            timeout=8,
        )
        assert "Listening on 8080" in answer.body

    everywhere(
        house,
        serve,
        [
            "clear",
            r"printf '\033[H\033[2J\033[3J'",
            r"printf '\033c'",
            "seq 150",
            "seq 300",
            "seq 2500",
        ],
    )


def test_until_does_not_match_what_was_there_before(house):
    def old(room: Room) -> None:
        room.ask("echo 'build ok'")
        room.ends(
            "work silent 0.7; echo build ''ok; sleep 30", "matched", "build ok", until="build ok"
        )

    in_shells(house, old)


def test_until_that_never_comes_ends_with_the_prompt(house):
    in_shells(house, lambda room: room.ends("work silent 0.5", "ready (shell)", until="never"))


def test_until_matches_what_has_scrolled_away(house):
    def scrolled(room: Room) -> None:
        room.ends(
            "work silent 0.3; echo the wor''d; seq 200; sleep 30",
            "matched",
            "the word",
            until="the word",
        )

    in_shells(house, scrolled)


def test_until_in_a_long_command_that_wraps(house):
    padding = "x" * 200
    in_shells(
        house,
        lambda room: room.ends(
            f"true {padding} needle; work silent 0.5; echo nee''dle; sleep 30",
            "matched",
            "needle",
            until="needle",
        ),
    )


def test_prompt_pattern_of_a_program_with_its_own_prompt(house):
    def engine(room: Room, pattern: str) -> None:
        for text in ("engine 'cmd] ' 0.8", "status", "again"):
            room.ends(text, "ready (pattern)", prompt_pattern=pattern)

    everywhere(house, engine, [r"cmd\]$", r"cmd\]", r"cmd\] $", r"^cmd\]\s*$"], ["bash"])


def test_prompt_pattern_is_looked_for_on_the_last_line_only(house):
    """In one write: for a moment between two it would be the last line."""
    in_shells(
        house,
        lambda room: room.ends(
            "printf 'cmd] \\nnext\\n'; work silent 0.6", "ready (shell)", prompt_pattern=r"^cmd\]"
        ),
    )


def test_catastrophic_pattern_is_an_error_and_no_hang(house):
    def catastrophic(room: Room, argument: str) -> None:
        room.send("printf 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'; sleep 30")
        room.see("aaaaa!")
        began = time.monotonic()
        answer = room.wait(**{argument: "(a+)+$"})
        assert answer.startswith(f"error: {argument} takes longer than "), answer
        assert time.monotonic() - began < LIMIT

    everywhere(house, catastrophic, ["until", "prompt_pattern"], ["bash"])


def test_invalid_pattern_is_an_error_and_nothing_is_typed(house):
    with house.room("bash") as room:
        for action in ({"action": "wait_ready"}, {"action": "run", "text": "stamp"}):
            for argument in ("until", "prompt_pattern"):
                before = room.screen()
                answer = room.call(**action, **{argument: "(unclosed"})
                assert answer.startswith(f"error: {argument} is not a regular expression: "), answer
                assert room.screen() == before


# Random programs with a known end

LOOKALIKES = [
    "user@host:~$ ",
    "100%",
    "> ",
    ">>> ",
    "$ ",
    "Continue? [y/N] ",
    "Password: ",
    "total 5$",
    "❯ ",
    "(gdb) ",
    "... ",
    "Name: ",
    "# ",
    "\x1b[1m~/src\x1b[0m % ",
    "\r  57%",
    "\x1b[2J\x1b[H$ ",
    "日本語> ",
    "--More--",
    ":",
    "bash-5.2# ",
    "room$ ",
]
RANDOM = int(os.environ.get("READINESS_RANDOM", "60"))  # commands, over the four shells
SEED = int(os.environ.get("READINESS_SEED", "20261"))


def random_steps(dice: random.Random) -> list[tuple[str, object]]:
    steps: list[tuple[str, object]] = []
    for _ in range(dice.randint(1, 6)):
        kind = dice.choice(["say", "part", "part", "pause", "pause", "burn"])
        text = dice.choice(LOOKALIKES) if dice.random() < 0.7 else "x" * dice.randint(1, 300)
        seconds = round(dice.choice([0.01, 0.05, 0.2, 0.5]) * dice.random() * 2, 3)
        steps.append((kind, seconds if kind in ("pause", "burn") else text))
    return steps


def random_command(dice: random.Random, room: Room, number: int) -> tuple[str, str, str | None]:
    """A command line, the verdict that its end deserves, and the question."""

    def play(steps) -> str:
        return f"player {room.file(f'p{number}-{dice.random()}', json.dumps(steps)).name}"

    steps = random_steps(dice)
    ending = dice.choice(["exit", "exit", "exit", "ask", "hide"])
    if ending != "exit":
        question = dice.choice(["Really? ", "Name: ", "$ ", "Amount in € "])
        word = {"ask": "needs input", "hide": "needs password"}[ending]
        return play([*steps, ("say", ""), (ending, question)]), word, question.strip()
    shape = dice.choice(
        [
            "{}",
            "{}",
            "echo start; {}",
            "{} | cat",
            "clear; {}",
            "true && {}",
            "sleep 0.SS; {}",
            "sh -c '{}'",
        ]
    )
    return (
        shape.replace("SS", f"{dice.randint(0, 30):02d}").replace("{}", play(steps)),
        "ready (shell)",
        None,
    )


def test_random_programs_are_never_called_early(house):
    def play(room: Room, part: int) -> None:
        dice = random.Random(f"{SEED} {room.shell} {part}")
        for number in range(RANDOM // len(SHELLS) // 3):
            text, word, question = random_command(dice, room, number)
            try:
                room.ends(text, word, question)
                if question:
                    is_verdict(room.ask("answer"), "ready (shell)")
            except AssertionError as problem:
                played = [path.read_text() for path in room.folder.glob(f"p{number}-*")]
                raise AssertionError(
                    f"{room.shell}, seed {SEED}, number {number}: {text}\n{played}\n{problem}"
                ) from None

    everywhere(house, play, range(3))
