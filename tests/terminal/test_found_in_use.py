"""What agents and people stumbled over, as whole answers: the contract's words, not today's.

Each name says what must be; the same kinds in numbers: test_bodies, test_two_typists, test_commands.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
from pathlib import Path

import pytest

from tests.support.answer import NO_OUTPUT, NOTHING, Answer
from tests.support.callers import ClosedCaller
from tests.support.house import PY311, PY313, alone, house, in_rooms
from tests.support.terminal import Terminal, poll

__all__ = ["house"]
_AFTER = re.compile(r" after \d+\.\d\ds")
PROPOSAL = "note: it proposes '{}'; what you send follows it, keys C-u empty it"


def is_answer(answer: Answer, first: str, *rest: str) -> None:
    """The whole answer, but for the seconds; `…` stands for anything within the first line. That
    nothing is new may be said below it."""
    rows = answer.removesuffix(f"\n{NOTHING}").split("\n")
    form = ".*".join(map(re.escape, first.split("…")))
    assert re.fullmatch(form, _AFTER.sub("", rows[0])), f"expected {first!r}:\n{answer}"
    assert "\n".join(rows[1:]) == "\n".join(rest), f"expected {rest!r}:\n{answer}"


def needs(*programs: str):
    missing = [name for name in programs if not shutil.which(name)]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {' '.join(missing)}")


# What an agent is told


REPOSITORY = """git init -q; git config user.name a; git config user.email a@b
git config advice.waitingForEditor false
for n in 1 2 3; do git commit -q --allow-empty -m "number $n"; done"""


@alone
def test_what_came_before_a_full_screen_stands_above_it(room):
    """A1: the log was printed before the rebase, so it is in the answer that shows the editor."""
    room.run(REPOSITORY)
    room.run("export GIT_SEQUENCE_EDITOR='vim -u NONE -N'")
    answer = room.run("git log --format=%s && git rebase -i HEAD~2")
    assert answer.first.startswith("needs key") and answer.first.endswith(": vim"), answer
    assert answer.notes == ["note: 3 lines came before vim opened its screen"]
    rows = answer.body.split("\n")
    assert rows[:3] == ["number 3", "number 2", "number 1"], answer
    assert rows[3].startswith("pick ") and "number 2" in rows[3], answer
    left = room.ask(":q!")
    assert "number 1" not in left.body, left


@alone
def test_what_the_program_proposes_is_not_a_persons_line(room):
    """A2"""
    room.run("read -e -i /opt/acme -p 'Install where? ' place; echo \"to $place\"", timeout=1)
    answer = room.wait()
    is_answer(answer, "needs input: Install where?", PROPOSAL.format("/opt/acme"))
    is_answer(room.keys("C-u"), "needs input: Install where?")
    is_answer(room.ask("/srv"), "ready (shell)…", "to /srv")


@alone
def test_a_proposal_is_told_by_the_call_that_meets_it(room):
    answer = room.run("read -e -i /opt/acme -p 'Install where? ' place; echo \"to $place\"")
    is_answer(answer, "needs input: Install where?", PROPOSAL.format("/opt/acme"))
    is_answer(room.ask("/bin"), "ready (shell)…", "to /opt/acme/bin")


@alone
def test_an_answer_given_beforehand_is_not_put_behind_a_proposal(room):
    """It would be /opt/acme/srv; nothing typed is what the program proposes."""
    ask = "read -e -i /opt/acme -p 'Install where? ' place; echo \"to $place\""
    answer = room.run(ask, answers={"where": "/srv"})
    is_answer(answer, "needs input: Install where?", PROPOSAL.format("/opt/acme"))
    room.keys("C-u")
    is_answer(room.ask("/srv"), "ready (shell)…", "to /srv")
    accepted = room.run(ask, answers={"where": ""})
    is_answer(accepted, "ready (shell)…", "Install where? /opt/acme", "to /opt/acme")


@alone
def test_a_question_behind_ssh_is_answered_where_its_pattern_was_given(room):
    room.ask("ssh host")
    answer = room.run("ask 'Did it work? ' 0.5; echo so", answers={"work": "yes"})
    assert answer.first.startswith("ready (prompt matched)"), answer
    assert answer.body.startswith("Did it work? yes") and answer.body.endswith("so"), answer


@alone
def test_a_python_behind_ssh_is_run_at_once_it_was_quoted(room):
    """Its prompt begins as lua's sign for the rest of a command does."""
    room.ask("ssh host")
    assert room.run(f"{PY311} -q").first.endswith(": >>>")
    for text in ("6 * 7", "2 * 21"):
        is_answer(room.run(text), "ready (prompt matched): >>>", "42")


@alone
def test_what_is_scrolled_back_by_nothing_is_a_mode(room):
    room.person.scroll_back(0)
    assert room.call("read").notes == ["note: the person is in a mode of tmux's"]


@in_rooms(shells=["bash", "zsh", "dash"])
def test_the_echo_of_an_answer_is_no_output_and_is_kept_nowhere(room):
    """A3"""
    ask = "printf 'Token: '; read t; echo done"
    is_answer(room.run(ask), "needs input: Token:")
    is_answer(room.ask("S3cret-xyz"), "ready (shell)…", "done")
    server = room.server.tmux
    kept = [server("show-options", scope, "-t", room.pane) for scope in ("-p", "-w")]
    kept += [server("show-options", scope) for scope in ("-g", "-s")]
    kept += [room.buffers(), server("show-messages", check=False)]
    assert not any("S3cret" in text for text in kept), kept


@in_rooms(shells=["bash", "fish"])
def test_what_read_has_shown_is_not_new(room):
    """A4"""
    room.person("seq 100", "Enter")
    room.see("100\n")
    shown = room.call("read", lines=40)
    assert "100" in shown.body
    again = room.call("read", new=True)
    assert again.body in ("", NOTHING), again
    room.person("echo by hand", "Enter")
    room.see("\nby hand")
    assert "by hand" in room.call("read", new=True).body
    assert room.call("read", new=True).body in ("", NOTHING)


TWICE = """import signal, sys, time
presses = []
def pressed(*_):
    presses.append(1)
    if len(presses) > 1:
        sys.exit(1)
    print("press C-c again to quit", flush=True)
signal.signal(signal.SIGINT, pressed)
print("up", flush=True)
while True:
    time.sleep(1)
"""


@alone
def test_interrupt_says_how_often_it_pressed(room):
    """A5"""
    room.file("twice.py", TWICE)
    room.send(f"{PY311} twice.py")
    room.see("\nup")
    answer = room.interrupt()
    assert answer.first.startswith("ready (shell)"), answer
    assert answer.notes == ["note: C-c was pressed twice"]
    assert answer.body.split("\n")[-1].endswith("press C-c again to quit"), answer


@alone
def test_interrupt_says_nothing_of_one_press(room):
    room.send("sleep 60")
    room.in_front("sleep")
    assert room.interrupt().notes == []


def test_open_says_where_and_that_the_view_stays(terminal, tmp_path):
    """A6"""
    answer = terminal.call("open", name="web", directory=str(tmp_path))
    first = f"opened shared:web in {tmp_path}; the person's view stays at shared:0"
    assert answer.first == first, answer


def test_list_counts_panes_and_people_and_says_how_far_back(terminal):
    """A6"""
    assert terminal.call("list").first == "1 pane, nobody attached"
    terminal.call("run", text="seq 200")
    terminal.person.scroll_back(57)
    poll(lambda: terminal.fact("scroll_position") == "57", what="the place")
    listed = terminal.call("list")
    assert listed.first.startswith("1 pane, ") and "nobody" not in listed.first, listed
    assert listed.split("\n")[1].endswith("scrolled back 57 lines"), listed
    terminal.person.press("q")
    terminal.call("open", name="web")
    listed = terminal.call("list")
    assert listed.first.startswith("2 panes, "), listed
    assert listed.split("\n")[2].endswith("opened by the agent"), listed
    terminal.person.detach()
    assert terminal.call("list").first == "2 panes, nobody attached"


@pytest.mark.parametrize("python", [one for one in (PY311, PY313) if one])
def test_no_empty_row_before_a_result_of_pythons(bare, python):
    """A7"""
    bare.start(f"{python} -q")
    poll(lambda: ">>>" in bare.screen(), what="a prompt")
    assert bare.call("run", text="def f(n):\n    return n + 1\n").body == NO_OUTPUT
    assert bare.call("run", text="f(142)").body == "143"
    assert bare.call("run", text="_ + 1").body == "144"


@alone
def test_a_prompt_that_only_the_screen_shows_is_quoted(room):
    """A10: over ssh `ready` alone does not say whose prompt is back."""
    first = room.run("ssh devbox").first
    assert re.fullmatch(r"ready \((line editor|prompt matched)\) after .*s: bash-\S+[#$]", first)
    first = room.run(f"{PY311} -q").first
    assert re.fullmatch(r"(ready \((line editor|prompt matched)\)|quiet) after .*s: >>>", first)
    first = room.run("exit()").first
    assert re.fullmatch(r"ready \((line editor|prompt matched)\) after .*s: bash-\S+[#$]", first)


# Wrong or late words


SPINNER = r"""import sys, time, tty
tty.setraw(0)
sys.stdout.write("\x1b[?1049h\x1b[2J")
end, signs = time.monotonic() + 3, "⠋⠙⠹⠸⠼⠴⠦⠧"
step = 0
while time.monotonic() < end:
    step += 1
    sys.stdout.write(f"\x1b]2;{signs[step % 8]} work\x07\x1b[1;1H> say something")
    if step % 20 == 0:
        sys.stdout.write(f"\x1b[3;1HWorking {step}")
    sys.stdout.flush()
    time.sleep(0.05)
sys.stdout.write("\x1b]2;work\x07\x1b[3;1HDone at last\x1b[1;3H")
sys.stdout.flush()
open(sys.argv[1], "w").close()
sys.stdin.read(1)
"""


@alone
def test_a_full_screen_whose_title_spins_is_at_work(room):
    """W2: the screen seldom changes, the title always."""
    room.file("spin.py", SPINNER)
    answer = room.run(f"{PY311} spin.py done")
    assert (room.folder / "done").exists(), answer
    assert answer.first.startswith("needs key"), answer


@needs("lua")
@alone
def test_the_rest_of_a_command_in_lua_is_unfinished(room):
    """W3"""
    room.run("lua")
    assert room.run("for i=1,2 do").first.startswith("unfinished"), room.screen()
    assert room.ask("print(i) end").body == "1\n2"


@needs("guile")
@alone
def test_the_rest_of_a_command_in_guile_is_unfinished(room):
    """W3: without its readline module guile shows no sign for it."""
    room.run("guile")
    assert room.run("(+ 1").first.startswith("unfinished"), room.screen()
    assert room.ask("2").first.startswith("unfinished"), room.screen()
    assert room.ask("3)").body == "$1 = 6"


@needs("unbuffer")
@alone
def test_a_question_in_an_inner_terminal_hides_nothing(room):
    """W4: the outer terminal has no echo, the inner one that asks has."""
    answer = room.run("unbuffer -p sh -c 'echo -n \"Go? \"; read x; echo got $x'")
    assert answer.first.startswith(("needs input", "quiet")), answer
    assert answer.first.endswith(": Go?"), answer


QUESTIONS = [
    "Enter a value (default 5) ",
    "Enter your choice [1] ",
    "Press any key to continue . . . ",
]


@needs("node")
@in_rooms(QUESTIONS, ["bash"])
def test_what_node_asks_by_readline_wants_a_line(room, question):
    """W5"""
    room.file(
        "ask.mjs",
        "import readline from 'node:readline';\n"
        "const r = readline.createInterface({input: process.stdin, output: process.stdout});\n"
        f"r.question({question!r}, (x) => {{ console.log('got ' + x); r.close(); }});\n",
    )
    answer = room.run("node ask.mjs")
    is_answer(answer, f"needs input: {question.strip()}")
    assert room.ask("7").body == "got 7"


@needs("bc")
@in_rooms(["bc -q", "dc"], ["bash"])
def test_the_result_of_a_calculator_is_output(room, program):
    """W6"""
    if not shutil.which(program.split()[0]):
        pytest.skip("not installed")
    room.run(program, timeout=3)
    name = program.split()[0]
    waits = f"needs input: {name} reads a line; nothing is asked on the screen"
    for _ in range(2):
        is_answer(room.ask("6*7" if name == "bc" else "6 7*p"), waits, "42")


@needs("whiptail")
@alone
def test_what_stands_in_a_dialogs_field_is_not_half_typed(room):
    """W7"""
    room.run("whiptail --inputbox 'Which port?' 8 40 12; echo left $?")
    answer = room.interrupt()
    assert "half-typed" not in answer, answer


@needs("gpg")
@alone
def test_gpg_that_starts_its_agent_is_not_ready(room):
    """W8: it is silent for a second before it asks for the passphrase."""
    room.file("plain", "x")
    (room.folder / "gpg").mkdir(mode=0o700)
    answer = room.run(f"GNUPGHOME={room.folder}/gpg gpg -c --pinentry-mode loopback plain")
    assert answer.first.startswith("needs password"), answer
    room.interrupt()
    room.run(f"GNUPGHOME={room.folder}/gpg gpgconf --kill all")


@alone
def test_the_rows_of_a_killed_full_screen_are_not_the_next_commands(room):
    """W9"""
    room.file("rows", "row\n" * 50)
    room.send("vim -u NONE -N rows")
    room.see("row\n" * 20)
    shell = room.fact("pane_pid")
    (vim,) = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
    os.kill(int(vim), signal.SIGKILL)
    assert room.wait().first.startswith("ready"), room.screen()
    assert room.run("echo one").body == "one"
    assert room.run("echo two").body == "two"


# The editor's memory closed


@pytest.fixture
def closed(bare):
    """The terminal of a tool that may not read other processes' memory."""
    with ClosedCaller() as caller:
        bare.perform = caller.perform
        yield bare


def begun(terminal: Terminal, command: str, prompt: str, **more) -> None:
    terminal.start(command, **more)
    poll(lambda: terminal.screen().rstrip().endswith(prompt), what=prompt)


@pytest.mark.skipif(not PY313, reason="no Python 3.13")
def test_a_program_that_prints_a_prompt_leaves_nothing_half_typed(closed):
    """W10"""
    begun(closed, f"{PY313} -q", ">>>")
    closed.call("run", text="import time; print('>>> ', end='', flush=True); time.sleep(1)")
    assert closed.call("run", text="6 * 7").body == "42"


def test_a_plain_prompt_of_dashs_is_ready(closed):
    """W10"""
    begun(closed, "env PS1='$ ' dash", "$")
    assert closed.call("wait_ready").startswith("ready"), closed.screen()
    assert closed.call("run", text="echo hi").body == "hi"


def test_a_scripts_read_with_an_editor_is_no_prompt(closed):
    """W10"""
    begun(closed, "env PS1='$ ' bash --norc --noprofile", "$")
    closed.file("ask.sh", "read -e -p 'Name: ' x; echo got $x\n")
    answer = closed.call("run", text="bash ask.sh")
    assert answer.first.startswith(("needs input", "quiet")), answer
    assert answer.first.endswith(": Name:"), answer


def test_interrupt_of_another_users_command(closed):
    """W10"""
    begun(closed, "env PS1='$ ' bash --norc --noprofile", "$")
    closed.call("send", text="su -s /bin/sh nobody -c 'sleep 60'", timeout=0)
    poll(lambda: closed.fact("pane_current_command") in ("su", "sleep"), what="su")
    answer = closed.call("interrupt")
    assert answer.first.startswith(("ready", "quiet")), answer


@pytest.mark.parametrize("later", [False, True], ids=["the first call", "a later call"])
def test_a_persons_line_that_wraps_is_never_run(closed, later):
    """W11"""
    begun(closed, "env PS1='$ ' dash", "$", size=(40, 12))
    if later:
        closed.call("run", text="echo hi")
    closed.person("touch ran; true " + "word " * 18)

    def words() -> int:
        return closed.screen().replace("\n", "").count("word")

    poll(lambda: words() == 18, what="the person's line")
    for action in ("run", "send"):
        answer = closed.call(action, text="echo agent", timeout=2)
        assert not (closed.folder / "ran").exists(), answer
        assert "echo agent" not in closed.screen(), answer
    assert words() == 18


def test_after_a_search_that_was_left_the_prompt_is_empty(closed):
    """W11"""
    begun(closed, "env PS1='> ' zsh -f", ">")
    closed.call("run", text="echo precious")
    closed.person("", "C-r")
    closed.see("search")
    closed.person("preci", "C-c")
    poll(lambda: "search" not in closed.screen(), what="the search's end")
    for action in ("run", "send"):
        answer = closed.call(action, text="echo agent")
        assert answer.body == "agent", (answer, closed.screen())


CLOCKS = {"bash": r"PS1='[\t] ~/work\n$ '", "zsh": r"PS1=$'[%*] ~/work\n%% '"}


@in_rooms(CLOCKS, ["bash", "zsh"])
def test_enter_at_an_empty_prompt_with_a_clock_shows_nothing_new(room, setting):
    """W12"""
    if setting != CLOCKS[room.shell]:
        return
    room.run(setting)
    room.run("sleep 1.1")
    answer = room.keys("Enter")
    assert answer.first.startswith("ready") and answer.body == NOTHING, answer


# Bodies and typing, where a table of shapes does not reach


@alone
def test_until_matches_nothing_that_an_earlier_run_printed(room):
    """B4: with a history of 50 rows the place where the output began moves."""
    room.server.tmux("set-option", "-g", "history-limit", "50")
    with room.server.open("bash", size=(60, 10), history=50) as low:
        for _ in range(3):
            low.run("seq 40; echo serving on 8080")
        answer = low.run("seq 20; sleep 0.3; echo other", until="serving on \\d+")
        assert answer.first.startswith("ready"), answer


@in_rooms(shells=["dash", "bash"])
def test_half_a_word_that_a_person_typed_ahead_is_never_run_with_ours(room):
    """M6: no race; it was typed while a command ran."""
    room.send("sleep 1")
    room.in_front("sleep")
    room.person("zqword")
    poll(lambda: room.fact("pane_current_command") != "sleep", what="its end")
    answer = room.run("touch agent", timeout=3)
    assert "not found" not in room.screen(), answer
    assert (room.folder / "agent").exists() == answer.startswith("ready"), answer
    room.person("", "Enter")
    room.see("zqword")
