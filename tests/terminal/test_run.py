"""`run`: one call types, waits and gives back the new output alone, exactly; `interrupt`; and secrets, which stay secret."""

from __future__ import annotations

import os
import re
import signal
import subprocess

import pytest

from tests.support.house import (
    PY311,
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
    "zsh": "PROMPT=$'\\n┌ %~\\n❯ '; RPROMPT='right'",
    "fish": "function fish_prompt; echo; echo '┌ '(prompt_pwd); echo -n '❯ '; end; "
    "function fish_right_prompt; echo right; end",
    "dash": "PS1=$(printf '┌\\n❯ ')",
}


def gives(
    room: Room, text: str, body: str, word: str = "ready (shell)", detail: str | None = None, **more
) -> None:
    """Running `text` gives exactly `body` (blank lines at its end apart: a screen does not keep them)."""
    answer = room.run(text, **more)
    is_verdict(answer, word, detail)
    got = "\n".join(line.rstrip() for line in answer.body.rstrip().split("\n"))
    assert got == body.rstrip(), (
        f"{room.shell}: run {text!r}\n--- gave\n{answer.body}\n--- instead of\n{body}\n"
        f"--- on the screen\n{room.screen()}"
    )


BODIES = {
    "one line": ("echo hi", "hi"),
    "nothing": ("true", ""),
    "several lines": ("printf 'a\\nb\\n\\nc\\n'", "a\nb\n\nc"),
    "no final line break": ("printf 'no end'", "no end"),
    "no final line break after lines": ("printf 'a\\nno end'", "a\nno end"),
    "no final line break, a full row": (f"printf '{'r' * 120}'", "r" * 120),
    "a wrapped line": (f"printf '{'w%.0s' * 1}{'abcdefghij' * 50}\\n' ''", "w" + "abcdefghij" * 50),
    "one cell less than the screen": (f"echo {'n' * 119}", "n" * 119),
    "as wide as the screen": (f"echo {'n' * 120}", "n" * 120),
    "one cell more than the screen": (f"echo {'n' * 121}", "n" * 121),
    "a command that wraps": (f"echo short; : {'padding ' * 30}", "short"),
    "more than the screen": ("seq 1 100", "\n".join(map(str, range(1, 101)))),
    "wide characters": ("echo 日本語 漢字かな交じり文", "日本語 漢字かな交じり文"),
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
    "blank lines first": ("printf '\\n\\nafter\\n'", "\n\nafter"),
    "output like the prompt": ("echo '$ '; echo 'bash-5.2# ls'; echo '> '", "$\nbash-5.2# ls\n>"),
    "output like the command": ("echo echo hi", "echo hi"),
    "output equal to the command": ("echo 'echo me' | cat", "echo me"),
    "quotes and signs": ("echo 'a;b' \"c|d\" '#{x} $(y)' '\\;'", "a;b c|d #{x} $(y) \\;"),
    "clear first": ("clear; echo after", "after"),
    "clear in the middle": ("echo before; clear; echo after", "after"),
    "clear alone": ("clear", ""),
    "clear without clearing the history": (
        "printf 'kept\\n\\033[H\\033[2Jafter\\n'",
        "kept\nafter",
    ),
    "work that takes a while": ("echo start; work silent 0.5; echo end", "start\nend"),
}


@pytest.mark.parametrize("shell", SHELLS)
def test_body_is_the_output_and_nothing_else(house, shell):
    def one(name: str) -> None:
        text, body = BODIES[name]
        with house.room(shell) as room:
            for _ in range(2):  # the first command in a terminal, and one that has others above it
                gives(room, text, body)

    side_by_side(BODIES, one)


def test_the_same_command_again_gives_the_same(house):
    def again(room: Room) -> None:
        for number in range(12):
            gives(room, "echo same", "same")
            gives(room, f"echo {number}; seq 3", f"{number}\n1\n2\n3")

    in_shells(house, again)


def test_screen_that_scrolls_away_below(house):
    """Many commands on a low screen: each begins on its last row."""

    def low(room: Room) -> None:
        for number in range(6):
            gives(
                room, f"seq {number} {number + 11}", "\n".join(map(str, range(number, number + 12)))
            )
            gives(room, "printf 'x\\ny'", "x\ny")

    in_shells(house, low, size=(60, 8))


def test_more_than_the_history_holds(house):
    """What is left is the end; how much is lost is said."""
    for (
        shell
    ) in SHELLS:  # one after the other: the count comes from what the server has read for all panes
        with house.room(shell) as room:
            for _ in range(2):
                answer = room.run("seq 1 6000")
                is_verdict(answer, "ready (shell)")
                lines = answer.body.splitlines()
                says = r"\[(?:at most )?about \d+ lines scrolled out of tmux's history \(limit 2000\) and are lost\]"
                assert re.fullmatch(says, lines[0]), lines[0]
                assert 3000 < int(re.search(r"about (\d+)", lines[0])[1]) < 5000, lines[0]
                kept = [int(line) for line in lines[1:] if line.isdigit()]
                assert kept[-1] == 6000 and kept == list(range(kept[0], 6001)), (kept[0], kept[-1])
                assert kept[0] > 6000 - 2100
            gives(room, "echo next", "next")


def test_more_than_an_answer_holds(house):
    with house.room("bash") as room:
        answer = room.run("for i in $(seq 1500); do echo line $i of many; done")
        assert len(answer) <= 16_000, len(answer)
        assert (
            answer.body.splitlines()[0] == "line 1 of many"
            and answer.body.splitlines()[-1] == "line 1500 of many"
        )
        note = re.search(
            r"\n\[… (\d+) characters \((\d+) lines\) left out; [^\]]*\]\n", answer.body
        )
        shown = len(answer.body.splitlines()) - 1
        assert note and int(note[2]) + shown == 1500, (note and note[0], shown)


def test_prompts_of_two_lines(house):
    def two(room: Room) -> None:
        room.ask(TWO_LINES[room.shell])
        for number in range(3):
            gives(room, "echo hi", "hi")
            gives(room, "true", "")
            gives(room, "printf 'no end'", "no end")
            gives(room, f"mkdir d{number}; cd d{number}", "")
            gives(room, "seq 40", "\n".join(map(str, range(1, 41))))
            gives(room, "clear; echo after", "after")

    in_shells(house, two)


PROMPTS = [
    "PS1=''",
    "PS1='go! '",
    "PS1='100% '",
    r"PS1='\w\n\$ '",
    r"PS1='[\t] \u@\h:\w\$ '",
    r"PS1='\[\e]0;title\a\]\[\e[32m\]\u\[\e[0m\] ➜ '",
]


def test_prompts_nobody_listed(house):
    def prompt(room: Room, setting: str) -> None:
        room.ask(setting)
        for _ in range(2):
            gives(room, "echo hi", "hi")
            gives(room, "printf 'no end'", "no end")
            gives(room, "printf 'a\\nb\\n'", "a\nb")

    everywhere(house, prompt, PROMPTS, ["bash"])


def test_texts_of_several_lines(house):
    def lines(room: Room) -> None:
        loop = (
            "for i in 1 2 3\necho number $i\nend"
            if room.shell == "fish"
            else "for i in 1 2 3\ndo\necho number $i\ndone"
        )
        gives(room, loop, "number 1\nnumber 2\nnumber 3")
        gives(room, "echo 'first\nsecond'", "first\nsecond")
        if room.shell != "fish":
            gives(room, "cat <<EOF\nhello $((1+1))\n  indented\nEOF", "hello 2\n  indented")
            gives(room, "greet() {\n  echo hello $1\n}\ngreet you", "hello you")
        gives(room, "echo a \\\n  b", "a b")
        gives(room, "echo x |\ncat", "x")

    in_shells(house, lines)


def test_pasted_script_runs_whole(house):
    """Several commands in one text: in shells with bracketed paste the outputs stand together."""

    def script(room: Room) -> None:
        gives(room, "echo one\nwork silent 0.3\necho two", "one\ntwo")

    in_shells(house, script, ["bash", "zsh"])


def test_pasted_script_in_a_shell_without_bracketed_paste(house):
    def line_by_line(room: Room) -> None:
        answer = room.run("echo one >> log\nwork silent 0.3\necho two >> log")
        assert (room.folder / "log").read_text() == "one\ntwo\n", answer
        room.not_early(answer)
        is_verdict(answer, "ready (shell)")

    in_shells(
        house, line_by_line, ["dash", "fish"]
    )  # fish without its configuration does not ask for it either


def test_long_texts(house):
    def long(room: Room) -> None:
        numbers = list(range(300))
        gives(room, "echo " + " ".join(map(str, numbers)) + " | wc -w", "300")
        if room.shell not in ("dash", "fish"):
            gives(
                room,
                "\n".join(["sh -c '", *(f"echo {n}" for n in range(20)), "'"]),
                "\n".join(map(str, range(20))),
            )

    in_shells(house, long)


def test_in_a_shell_inside_a_shell(house):
    def nested(room: Room) -> None:
        is_verdict(room.run("bash --norc"), "ready (shell)")
        gives(room, "echo inside", "inside")
        gives(room, "printf 'no end'", "no end")
        is_verdict(room.run("exit"), "ready (shell)")
        gives(room, "echo outside", "outside")

    in_shells(house, nested)


REPLS = {
    "python": (
        f"{PY311} -q",
        [
            ("2+3", "5"),
            ("print('a\\nb')", "a\nb"),
            ("x = 1", ""),
            ("'x' * 300", "'" + "x" * 300 + "'"),
            ("for i in range(3):\n    print(i)\n", "0\n1\n2"),
            ("print('no end', end='')", "no end"),
        ],
        "exit()",
    ),
    "node": (
        "node",
        [("1+2", "3"), ("console.log('hi')", "hi\nundefined"), ("'a'.repeat(3)", "'aaa'")],
        ".exit",
    ),
    "sqlite3": (
        "sqlite3",
        [
            ("select 1, 'two';", "1|two"),
            ("create table t(a);", ""),
            ("select 1 union select 2;", "1\n2"),
        ],
        ".quit",
    ),
    "gdb": ("gdb -q", [("print 6*7", "$1 = 42"), ("echo hi\\n", "hi")], "quit"),
}


def test_in_a_repl(house):
    def repl(room: Room, name: str) -> None:
        start, lines, leave = REPLS[name]
        is_verdict(room.run(start), "ready (prompt matched)")
        for text, body in lines:
            gives(room, text, body, "ready (prompt matched)")
        is_verdict(room.run(leave), "ready (shell)")
        gives(room, "echo back", "back")

    everywhere(
        house, repl, installed({name: start for name, (start, *_) in REPLS.items()}), ["bash"]
    )


def test_over_a_terminal_in_the_terminal(house):
    with house.room("bash") as room:
        is_verdict(
            room.run("script -q /dev/null -c 'bash --norc --noprofile'"),
            "ready (prompt matched; screen only)",
        )
        gives(room, "echo inside", "inside", "ready (prompt matched; screen only)")
        gives(
            room, "seq 50", "\n".join(map(str, range(1, 51))), "ready (prompt matched; screen only)"
        )
        gives(room, "work silent 2.5; echo done", "done", "ready (prompt matched; screen only)")
        room.not_early(room.call("read"))


# What `run` will not do


def test_refused_while_something_else_is_in_front(house):
    def busy(room: Room) -> None:
        room.send("sleep 60")
        room.see("sleep 60")
        poll(lambda: room.fact("pane_current_command") == "sleep")
        before = room.screen()
        answer = room.call("run", text="echo no", timeout=5)
        assert answer.startswith(f"error: sleep is in front in {room.name}"), answer
        assert room.screen() == before

    in_shells(house, busy)


def test_refused_where_no_command_is_wanted(house):
    def refused(room: Room, case: tuple[str, str]) -> None:
        start, names = case
        room.ask(start)
        before = room.screen()
        answer = room.call("run", text="echo no", timeout=5)
        assert answer.startswith("error: ") and names in answer.first, answer
        assert room.screen() == before

    everywhere(
        house,
        refused,
        [
            ("read -p 'Sure? ' x", "needs input"),
            ("read -s x", "needs password"),
            ("less /etc/passwd", "needs key"),
            ("vim -u NONE x", "vim"),
            ("echo 'open", "unfinished"),
            ("cat", "cat"),
        ],
        ["bash"],
    )


def test_refused_at_a_persons_half_typed_line(house):
    def half(room: Room, keys: tuple[str, ...]) -> None:
        room.ask("true")
        room.person("rm -rf preci", *keys)
        room.see("rm -rf preci")
        for action in ("run", "send"):
            answer = room.call(action, text="echo no")
            assert answer.startswith(
                "error: a half-typed line stands at the prompt: 'rm -rf preci'"
            ), answer
        assert "echo no" not in room.screen()
        is_verdict(room.call("interrupt"), "ready (shell)")
        gives(room, "echo yes", "yes")

    everywhere(house, half, [(), ("C-a",), ("Left", "Left")], ["bash", "zsh", "fish"])


def test_own_half_typed_line_may_be_finished(house):
    def own(room: Room) -> None:
        room.ask("true")
        room.send("echo fin", enter=False)
        room.see("echo fin")
        room.send("ished")
        is_verdict(room.wait(), "ready (shell)")
        assert "\nfinished\n" in room.screen()

    in_shells(house, own, ["bash", "zsh", "fish"])


# Commands that do not simply end


def test_command_that_asks_inside(house):
    def asks(room: Room) -> None:
        answer = room.run("echo before; ask 'Sure? [y/N] ' 0.3; echo after")
        room.not_early(answer)
        is_verdict(answer, "needs input", "Sure? [y/N]")
        assert answer.body.splitlines() == ["before", "Sure? [y/N]"], answer
        answer = room.ask("y")
        is_verdict(answer, "ready (shell)")
        assert "got y\nafter" in answer.body, answer

    in_shells(house, asks)


def test_command_that_does_not_end_in_time(house):
    def slow(room: Room) -> None:
        answer = room.call("run", text="echo first; sleep 60", timeout=1)
        assert re.match(
            r"\S+ timed out after 1\.0s: still running sleep, silent for \d+\.\ds\n", answer
        ), answer
        assert answer.body == "first", answer
        is_verdict(room.call("interrupt"), "ready (shell)")

    in_shells(house, slow)


def test_command_that_serves_for_ever(house):
    def serves(room: Room) -> None:
        answer = room.run(
            "echo starting; work silent 0.3; echo Listening on 8080; sleep 60", until="Listening on"
        )
        room.not_early(answer)
        is_verdict(answer, "matched", "Listening on 8080")
        assert answer.body == "starting\nListening on 8080", answer

    in_shells(house, serves)


def test_command_that_opens_a_pager(house):
    with house.room("bash") as room:
        is_verdict(room.run("seq 500 | less"), "needs key", "less")


def test_command_that_is_not_finished(house):
    def unfinished(room: Room) -> None:
        is_verdict(room.run("echo 'abc"), "unfinished")
        is_verdict(room.ask("def'"), "ready (shell)")
        assert "abc\ndef" in room.screen()

    in_shells(house, unfinished)


def test_shell_that_ends(house):
    for how in ("exit", "exec true", "kill -9 $$"):
        with house.room("bash") as room:
            assert room.run(how).startswith(f"gone: {room.name}"), how


def test_shell_that_becomes_another(house):
    with house.room("bash") as room:
        is_verdict(room.run("exec zsh -f"), "ready (shell)")
        gives(room, "echo zsh now", "zsh now")


def test_background_job_in_a_command(house):
    with house.room("bash") as room:
        answer = room.run("sleep 30 & echo started")
        is_verdict(answer, "ready (shell)")
        assert re.fullmatch(r"\[1\] \d+\nstarted", answer.body), answer


# interrupt


def test_interrupt_ends_what_runs(house):
    def stop(room: Room, text: str) -> None:
        room.send(text)
        room.wait(timeout=0.4)
        is_verdict(room.call("interrupt"), "ready (shell)")
        gives(room, "echo free", "free")

    everywhere(
        house,
        stop,
        ["sleep 60", "work burn 60", "ask 'Sure? '", "echo 'half", "sleep 60 | cat"],
        each=2,
    )


def test_interrupt_clears_a_half_typed_line(house):
    def half(room: Room) -> None:
        room.ask("true")
        room.person("rm -rf preci")
        room.see("rm -rf preci")
        is_verdict(room.call("interrupt"), "ready (shell)")
        gives(room, "echo clean", "clean")

    in_shells(house, half)


def test_interrupt_at_an_empty_prompt(house):
    def empty(room: Room) -> None:
        is_verdict(room.call("interrupt"), "ready (shell)")
        gives(room, "echo fine", "fine")

    in_shells(house, empty)


def test_interrupt_in_a_repl_that_computes(house):
    with house.room("bash") as room:
        room.ask(f"{PY311} -q")
        room.send("while True: pass")
        room.call("keys", keys="Enter")
        assert room.wait(timeout=0.5).startswith("wait_ready timed out")
        answer = room.call("interrupt")
        is_verdict(answer, "ready (prompt matched)")
        assert "KeyboardInterrupt" in answer
        gives(room, "1+1", "2", "ready (prompt matched)")


def test_interrupt_names_the_program_that_does_not_stop(house):
    def stubborn(room: Room) -> None:
        room.send("stubborn")
        room.see("working")
        answer = room.call("interrupt")
        assert " timed out after 2.0s: still running stubborn, silent for " in answer.first, answer
        assert answer.splitlines()[1].startswith(
            "stubborn did not give the prompt back on C-c; nothing more was done."
        ), answer
        assert room.wait(timeout=0.3).startswith(
            "wait_ready timed out after 0.3s: still running stubborn, "
        )

    in_shells(house, stubborn)


def test_interrupt_in_a_full_screen_changes_nothing_on_its_own(house):
    def full(room: Room, case: tuple[str, str]) -> None:
        start, word = case
        room.ask(start)
        answer = room.call("interrupt")
        assert answer.startswith((word, "wait_ready timed out")), answer
        assert f"{start.split()[0]} did not give the prompt back on C-c" in answer

    everywhere(
        house, full, [("less /etc/passwd", "needs key"), ("vim -u NONE x", "quiet")], ["bash"]
    )


def test_interrupt_while_a_person_is_scrolled_back(house):
    def back(room: Room) -> None:
        room.send("seq 200; sleep 60")
        room.see("200")
        room.tmux("copy-mode", "-t", f"={room.name}:")
        room.tmux("send-keys", "-t", f"={room.name}:", "-X", "-N", "5", "scroll-up")
        place = room.fact("scroll_position")
        is_verdict(room.call("interrupt"), "ready (shell)")
        assert room.fact("pane_in_mode") == "1" and room.fact("scroll_position") == place

    in_shells(house, back)


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


@pytest.mark.parametrize("how", ["send", "in parts", "keys", "send at once"])
def test_a_password_is_never_told(house, how):
    def hidden(room: Room, case: tuple[str, str]) -> None:
        secret = f"{room.name.upper()}{SECRET}"  # each room its own: what one could tell of another is not looked for here
        heard = []
        if how == "send at once":
            room.send(case[1])
            poll(lambda: room.wait(timeout=5).startswith("needs"), what="the question")
        else:
            heard.append(room.run(case[1] + ("; sleep 0.3")))
            assert heard[0].startswith("needs"), heard
        if how == "in parts":
            heard += [
                room.call("send", text=secret, enter=False),
                told(room),
                room.call("keys", keys="Enter"),
            ]
        elif how == "keys":
            heard += [
                room.call("send", text=secret[:-1], enter=False),
                room.call("keys", keys=[secret[-1], "Enter"]),
            ]
        else:
            heard.append(room.call("send", text=secret))
        heard += [room.wait(), told(room), room.run("echo done"), told(room)]
        everything = "\n".join(heard)
        assert secret[:-1] not in everything, everything
        is_verdict(heard[-2], "ready (shell)")

    beside_each_other(house, hidden, {f"{shell} {asks}": (shell, asks) for shell, asks in HIDDEN})


def test_a_password_in_a_blind_terminal_is_never_told(house):
    with house.room("bash") as room:
        room.ask("script -q /dev/null -c 'bash --norc --noprofile'")
        heard = [room.ask('ask "me@host\'s password: " 0.2 hidden')]
        is_verdict(heard[0], "needs password")
        heard += [
            room.call("send", text=SECRET),
            room.wait(),
            told(room),
            room.run("echo done"),
            told(room),
        ]
        assert SECRET not in "\n".join(heard)


def test_the_length_of_a_password_is_not_told(house):
    """Two passwords of different lengths: the answers are the same."""

    def answers(secret: str) -> list[str]:
        with house.room("bash") as room:
            heard = [
                room.run("read -s -p 'Password: ' x; echo"),
                room.call("send", text=secret),
                room.wait(),
                room.run("echo done"),
            ]
            return [re.sub(r"\d+\.\d+s|room\d+", "", one) for one in heard]

    assert answers("abc") == answers("abcdefghijklmnop" * 3)


def test_signal_that_kills_the_program_in_front_gives_the_prompt(house):
    def killed(room: Room) -> None:
        room.send("sleep 60")
        poll(lambda: room.fact("pane_current_command") == "sleep")
        shell = room.fact("pane_pid")
        child = subprocess.run(
            ["pgrep", "-P", shell], capture_output=True, text=True
        ).stdout.split()[0]
        os.kill(int(child), signal.SIGKILL)
        is_verdict(room.wait(), "ready (shell)")

    in_shells(house, killed)
