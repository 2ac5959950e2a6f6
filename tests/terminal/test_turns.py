"""A turn goes on where it was open: not in another pane, not in a new session, not at another
question, not behind text of the agent's own. And what an answer has not shown is not lost."""

from __future__ import annotations

import os
import re
import resource
import shlex
import shutil
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from python.helpers.tmux.actions import Call
from python.helpers.tmux.evidence.kernel.probe import probe
from python.helpers.tmux.terminal.client import Kind, TmuxError
from tests.conftest import poll
from tests.support.denied import denied
from tests.support.house import MEMORY_IS_CLOSED, PY311
from tests.support.tables import Tables

TABLES = Tables(__file__)

GO_ON = TABLES["GO_ON"]


@pytest.fixture
def password(terminal):
    """A password is asked for in %0, and the person has gone to another window."""
    answer = terminal.call("run", text="read -s -p 'Password: ' p; echo")
    assert answer.startswith("needs password"), answer
    terminal.tmux("new-window", "-t", "=shared:", "bash --norc --noprofile")
    poll(lambda: terminal.screen().strip(), what="a prompt in the new window")
    return terminal


@pytest.mark.parametrize("action", GO_ON)
def test_nothing_that_goes_on_with_a_turn_is_done_in_the_pane_the_person_looks_at_now(
    password, action
):
    answer = password.call(action, **GO_ON[action])
    assert answer.startswith("error: the last answer was about %0, where a turn is open"), answer
    assert "pane '%0' or pane '%1'; nothing was typed" in answer
    assert "hunter2" not in password.screen()
    answer = password.call("send", text="hunter2", pane="%0")
    assert answer.startswith("ready"), answer
    answer = password.call("send", text="echo here")
    assert re.fullmatch(
        r"ready .*\nnote: this is about %1, which the person looks at now\nhere", answer
    )


def test_a_command_is_run_where_the_person_looks_though_a_turn_is_open_elsewhere(password):
    answer = password.call("run", text="echo here")
    assert answer.endswith("note: this is about %1, which the person looks at now\nhere"), answer


@pytest.mark.parametrize("action", GO_ON)
def test_what_goes_on_with_a_turn_in_a_pane_that_is_gone_is_told_so_once(password, action):
    password.tmux("kill-pane", "-t", "%0")
    answer = password.call(action, **GO_ON[action])
    assert answer.startswith("gone: the pane %0 has ended"), answer
    assert password.call("send", text="echo here").endswith("\nhere")


def test_a_new_session_is_made_where_no_turn_was_open(terminal):
    assert terminal.call("run", text="true").startswith("ready")
    terminal.tmux("kill-session", "-t", "=shared")
    answer = terminal.call("send", text="echo here")
    assert "note: session shared did not exist" in answer and answer.endswith("\nhere"), answer


ASKS = """for i in 1 2; do read -p "Step $i? " x; echo "$i=$x"; done; read -s -p 'Password: ' p"""


def test_an_answer_does_not_land_on_the_next_question(terminal):
    assert "Step 1?" in terminal.call("run", text=ASKS)
    terminal.person("no", "Enter")
    terminal.see("Step 2?")
    answer = terminal.call("send", text="yes")
    assert answer.startswith("error: the question is no longer there"), answer
    assert "yes" not in terminal.screen()
    assert "needs input" in terminal.call("wait_ready")
    assert "needs password" in terminal.call("send", text="yes")
    terminal.see("2=yes")


def test_an_answer_does_not_land_on_a_password_that_came_after_the_question(terminal):
    assert "Step 2?" in terminal.call("run", text=ASKS.replace("1 2", "2"))
    terminal.person("no", "Enter")
    terminal.see("Password:")
    assert terminal.call("send", text="yes").startswith("error: the question is no longer there")
    assert "needs password" in terminal.call("wait_ready")


def test_an_answer_is_not_typed_ahead_where_the_question_was_answered(terminal):
    answer = terminal.call("run", text="read -p 'Keep? ' x; sleep 1; read -p 'Delete all? ' x")
    assert "Keep?" in answer
    terminal.person("no", "Enter")
    terminal.see("Keep? no")
    assert terminal.call("send", text="yes").startswith("error: the question is no longer there")
    assert "Delete all?" in terminal.call("wait_ready")
    assert "yes" not in terminal.screen()


def test_the_default_of_a_question_is_nobodys_half_typed_line(terminal):
    if MEMORY_IS_CLOSED:
        pytest.skip("what a question's line holds is not to be told here")
    ask = "read -e -p 'Name: ' -i default x; echo \"got $x\""
    terminal.call("run", text="true")
    assert terminal.call("run", text=ask).startswith("needs input")
    assert terminal.call("send", text=" more").endswith("\ngot default more")
    assert terminal.call("run", text=ask).startswith("needs input")
    terminal.person("s")
    terminal.see("defaults")
    assert "half-typed line is at the question: 'defaults'" in terminal.call("send", text="more")


READERS = {
    "cat": "cat",
    "head": "head -1",
    "bc": "bc -q",
    "readline": f"{PY311} -c 'import readline; print(input())'",
    "no sign of a question": f"{PY311} -c 'import readline; print(input(\"number of items \"))'",
}


@pytest.fixture(params=["readable", "yama"])
def world(request):
    with denied() if request.param == "yama" else nullcontext():
        yield request.param


@pytest.fixture(params=[f"{name}, {('readable', 'yama')[n % 2]}" for n, name in enumerate(READERS)])
def reads(request):
    """Readers of a line and the two worlds take turns."""
    name, world = request.param.split(", ")
    if name == "bc" and not shutil.which("bc"):
        pytest.skip("bc is not here")
    with denied() if world == "yama" else nullcontext():
        yield READERS[name]


def test_a_persons_line_where_nothing_is_asked_is_not_appended_to(terminal, reads):
    assert terminal.call("run", text=reads).startswith("needs input")
    terminal.person("42")
    terminal.see("42")
    for action in ("wait_ready", "read"):
        note = "note: a half-typed line is at the question, not yours: '42'"
        assert note in terminal.call(action)
    assert "half-typed line is at the question: '42'" in terminal.call("send", text="7")
    terminal.person("", "C-u")
    poll(lambda: "42" not in terminal.screen(), what="an empty line")
    assert re.search(r"\b7$", terminal.call("send", text="7"))


def test_the_agents_own_line_where_nothing_is_asked_is_its_own(terminal, reads):
    assert terminal.call("run", text=reads).startswith("needs input")
    terminal.call("keys", keys="4 2")
    terminal.see("42")
    note = "note: a half-typed line is at the prompt, your own: '423'"
    terminal.call("keys", keys="3")
    assert note in terminal.call("read")
    assert "somebody" not in terminal.call("wait_ready")
    assert "needs input" in terminal.call("run", text="9")
    terminal.call("send", text="1", enter=False)
    terminal.see("4231")
    answer = terminal.call("send", text="5")
    assert re.search(r"(?:\n|: )42315$", answer) and answer.count("42315") == 1, answer


REPLS = {"python": f"{PY311} -q", "node": "node", "gdb": "gdb -q"}


@pytest.mark.parametrize("name", REPLS)
def test_keys_at_a_programs_prompt_leave_it_at_its_prompt(terminal, name, world):
    if name != "python" and not shutil.which(name):
        pytest.skip(f"{name} is not here")
    assert terminal.call("run", text=REPLS[name]).startswith("ready (prompt matched)")
    for keys, line in (("1 2", "12"), ("3", "123"), ("BSpace", "12")):
        answer = terminal.call("keys", keys=keys)
        assert re.fullmatch(
            r"ready \(prompt matched\) after [\d.]+s: .*\n"
            rf"note: a half-typed line is at the prompt, your own: '{line}'\n.*",
            answer,
        ), answer
    assert terminal.call("run", text="7").startswith("error: a half-typed line, your own, is")
    assert terminal.call("keys", keys="Enter").startswith("ready (prompt matched)")
    terminal.person("45")
    terminal.see(" 45")
    answer = terminal.call("wait_ready")
    assert "ready (prompt matched)" in answer and "prompt, not yours: '45'\n" in answer, answer


def test_where_a_line_stood_before_the_first_call_it_cannot_be_told(bare, reads):
    bare.start()
    bare.person(reads, "Enter")
    pid, tty = int(bare.fact("pane_pid")), bare.fact("pane_tty")
    poll(lambda: (now := probe(pid, tty)).name != "bash" and now.waiter, what="a reader")
    bare.person("42")
    bare.see("\n42" if "items" not in reads else "items 42")
    answer = bare.call("send", text="7")
    note = "note: cannot determine whether someone has typed here: '"
    assert note in answer or "error: a half-typed line is at " in answer, answer


OWN = {
    "sent without Enter": ("send", {"text": "rm -f x", "enter": False}, "rm -f x"),
    "a key for a pager that had ended": ("keys", {"keys": "q"}, "q"),
    "an older command": ("keys", {"keys": "Up"}, "echo old"),
}


@pytest.mark.parametrize("name", OWN)
def test_a_command_is_not_typed_behind_the_agents_own_half_typed_line(terminal, name):
    action, arguments, line = OWN[name]
    assert terminal.call("run", text="echo old").endswith("\nold")
    terminal.call(action, **arguments)
    poll(lambda: terminal.screen().rstrip().endswith(line), what=line)
    answer = terminal.call("run", text="echo new")
    assert answer.startswith(f"error: a half-typed line, your own, is at the prompt: {line!r}")
    assert "new" not in terminal.screen()
    assert terminal.call("keys", keys="C-c").startswith("ready")
    assert terminal.call("run", text="echo new").endswith("\nnew")


# until


def test_until_does_not_match_again_what_an_answer_has_told_of(terminal):
    loop = "for i in 1 2 3; do echo compiled $i; sleep 1; done"
    assert "matched" in terminal.call("run", text=loop, until="compiled")
    answer = terminal.call("wait_ready", until="compiled")
    assert re.fullmatch(r"matched after .*: compiled 2(?:\n.*)*", answer), answer


def test_until_matches_what_a_time_out_has_shown_too(terminal):
    assert "timed out" in terminal.call("run", text="echo LISTENING; sleep 60", timeout=0.5)
    assert "matched" in terminal.call("wait_ready", until="LISTENING")


BUSY = {
    "prints all the time": "import time\nfor i in range(10**6): print('line', i); time.sleep(.002)",
    "computes": "print('line 20', flush=True)\nwhile True: pass",
}


@pytest.mark.parametrize("name", BUSY)
def test_until_counts_while_the_program_is_never_still(terminal, tmp_path, name):
    (tmp_path / "busy.py").write_text(BUSY[name])
    answer = terminal.call("run", text=f"python3 {tmp_path}/busy.py", until="line 20$", timeout=1.5)
    assert re.match(r"matched after \d\.\d\ds: line 20(?:\n|$)", answer), answer
    terminal.call("interrupt")


# what no answer has shown


def test_one_line_of_a_background_job_is_noted(terminal):
    terminal.call("run", text="(sleep 0.5; echo CRASH''ED) & true")
    terminal.see("CRASHED")
    answer = terminal.call("run", text="echo after")
    assert "note: someone worked here since the last answer, or a program printed" in answer
    assert "CRASHED" in terminal.call("read")


def test_a_job_that_prints_over_the_prompt_leaves_no_prompt_in_a_body(terminal, world):
    def job(line: str) -> None:
        assert terminal.call("run", text=f"(sleep 0.3; echo {line}'') &").startswith("ready")
        terminal.see(f"# {line}\n")

    terminal.call("run", text="set +m; PS1='bash# '")
    job("one")
    assert terminal.call("wait_ready").partition("\n")[2] == "one"
    assert terminal.call("run", text="echo after").partition("\n")[2] == "after"
    job("two")
    assert terminal.call("send", text="echo after").partition("\n")[2] == "two\nafter"
    job("three")
    assert terminal.call("read", new=True).partition("\n")[2] == "three"
    assert terminal.call("keys", keys="Enter").partition("\n")[2] == "(nothing new)"
    assert terminal.call("run", text="PS1=").startswith("ready")
    assert terminal.call("run", text="echo 'bash#'").partition("\n")[2] == "bash#"


def test_a_line_without_its_end_is_shown_once(terminal):
    answer = terminal.call("run", text="printf '%0110d' 7; sleep 60", timeout=0.5)
    assert "7" in answer
    assert terminal.call("wait_ready", timeout=0.3).endswith("\n(nothing new)")
    assert terminal.call("wait_ready", timeout=0.4).endswith("\n(nothing new)")


@pytest.mark.parametrize("shell, columns", [("bash --norc --noprofile", 60), ("zsh -f", 30)])
def test_a_prompt_that_wraps_is_in_no_body(bare, tmp_path, shell, columns):
    if MEMORY_IS_CLOSED:
        pytest.skip("what the prompt is, is not to be told here")
    deep = tmp_path / ("deep" * 20)
    deep.mkdir()
    sign = "%d" if shell.startswith("zsh") else r"\w"
    bare.start(f"cd {deep}; PS1='root@vm:{sign}# ' exec {shell}", size=(columns, 30))
    bare.ready()
    for text, output in (("printf abc", "abc"), ("echo hello", "hello"), ("echo hello", "hello")):
        answer = bare.call("run", text=text)
        assert re.fullmatch(rf"ready \(shell\) after .*\n{output}", answer), answer


ROW_THAT_CHANGES = {  # a branch, as git would tell it, and how a theme shows a command's failure
    "branch": r"[\w] ($(cat /tmp/$$.branch 2>/dev/null))\n$ ",
    "branch and a blank row": r"\n\W on $(cat /tmp/$$.branch 2>/dev/null)\n❯ ",
    "status": r"┌ me in \w$(e=$?; test $e = 0 || echo \" ✗ $e\")\n└─▶ ",
}


@pytest.mark.skipif(MEMORY_IS_CLOSED, reason="only the line editor's memory tells such a row")
@pytest.mark.parametrize("name", ROW_THAT_CHANGES)
def test_an_upper_row_of_a_prompt_that_changes_is_in_no_body(bare, tmp_path, name):
    prompt = shlex.quote(ROW_THAT_CHANGES[name].replace("/tmp/$$", str(tmp_path / "now")))
    (tmp_path / "deep").mkdir()
    bare.start(f"cd {tmp_path}; PS1={prompt} exec bash --norc --noprofile")
    bare.ready()
    for text, output in {
        f"echo main > {tmp_path}/now.branch": "(no output)",
        "printf 'a\\nno end'; false": "a\nno end",
        "cd deep": "(no output)",
        f"echo other > {tmp_path}/now.branch; echo hi": "hi",
        f"rm {tmp_path}/now.branch; (exit 3)": "(no output)",
        "pwd": f"{tmp_path}/deep",
        "PS1='$ '; pwd": f"{tmp_path}/deep",
    }.items():
        answer = bare.call("run", text=text)
        assert answer.startswith("ready (shell)") and answer.partition("\n")[2] == output, text


@pytest.mark.parametrize("world", ["readable", "yama"])
def test_lines_that_are_alike_before_a_prompt_of_one_row_stay(bare, tmp_path, world):
    with denied() if world == "yama" else nullcontext():
        bare.start(f"cd {tmp_path}; PS1='$ ' exec bash --norc --noprofile")
        bare.ready()
        for number in range(4):
            answer = bare.call("run", text=f"echo $PWD: {number} built")
            assert answer.endswith(f"\n{tmp_path}: {number} built"), answer


def test_an_error_has_its_notes(terminal):
    terminal.call("run", text="true")
    terminal.tmux("new-window", "-t", "=shared:", "sleep 60")
    answer = terminal.call("run", text="echo hi")
    assert answer.startswith("error: sleep is in front")
    assert "\nnote: this is about %1, which the person looks at now" in answer


@pytest.mark.parametrize("command", ['echo "deploy!prod"', "echo !nothing-like-it"])
def test_the_exit_status_of_a_line_that_the_shell_did_not_run_is_not_told(terminal, command):
    answer = terminal.call("run", text=command)
    assert re.fullmatch(r"ready \(shell\) after \d+\.\d\ds\n.*event not found", answer), answer


@pytest.mark.parametrize("shell", ["bash --norc", "zsh -f"])
def test_the_exit_status_of_a_line_that_is_held_for_another_enter_is_not_told(bare, shell):
    """`histverify` puts what `!!` means into the line editor, and runs nothing."""
    bare.start(shell)
    bare.ready()
    bare.call("run", text="shopt -s histverify || setopt histverify")
    bare.call("run", text="echo one")
    answer = bare.call("run", text="!!")
    assert re.match(r"ready \(shell\) after \d+\.\d\ds\nnote: a half-typed line is at", answer), (
        answer
    )
    assert bare.call("keys", keys="Enter").endswith("\none")


def test_no_search_outlives_its_call(terminal):
    def children() -> list[str]:
        tasks = Path("/proc/self/task").iterdir()
        return [pid for task in tasks for pid in (task / "children").read_text().split()]

    before = children()
    for number in range(3):
        terminal.call("run", text=f"true {number}", timeout=0, until="x", prompt_pattern="y")
        terminal.ready()
    assert children() == before


def test_the_pager_of_completions_is_no_prompt(terminal):
    if MEMORY_IS_CLOSED:
        pytest.skip("the line editor's state is not to be read here")
    assert "Display all" in terminal.call("keys", keys="Tab Tab")
    terminal.call("send", text="y", enter=False)
    terminal.see("--More--")
    assert terminal.call("wait_ready").startswith("needs key")
    assert terminal.call("keys", keys="q").startswith("ready")


def test_a_password_in_keys_is_kept_nowhere(terminal):
    ask = "stty -echo -icanon; printf 'Password: '; head -c 9 >/dev/null; stty sane"
    assert terminal.call("run", text=ask).startswith("needs password")
    assert terminal.call("keys", keys="s e c r 3 t", timeout=0) == "pressed keys in shared"
    kept = terminal.tmux("show-options", "-p", "-t", "=shared:")
    assert "r3t" not in kept and "secr" not in kept, kept
    terminal.call("interrupt")


def test_a_directory_whose_name_has_a_line_break_does_not_shift_what_is_known(terminal, tmp_path):
    (tmp_path / "a\n:b").mkdir()
    assert terminal.call("run", text=f"cd {tmp_path}/$'a\\n:b'").startswith("ready")
    assert "opened by the agent" not in terminal.call("list")
    assert terminal.call("run", text="echo hi").endswith("\nhi")


def test_a_run_in_a_pane_whose_program_has_ended_says_how_to_start_it_anew(terminal):
    terminal.tmux("set-option", "-g", "remain-on-exit", "on")
    terminal.call("send", text="exit 3", timeout=2)
    began = time.monotonic()
    assert "respawn-pane" in Call().perform({"action": "run", "text": "true"})
    assert time.monotonic() - began < 0.9  # it is told at once: nobody will come


def test_a_call_from_a_directory_that_was_removed_makes_the_session_at_home(bare, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    here = os.getcwd()
    os.chdir(gone)
    try:
        gone.rmdir()
        answer = bare.call("run", text="pwd")
    finally:
        os.chdir(here)
    assert answer.startswith("ready") and answer.endswith(f"\n{os.environ['HOME']}"), answer


def test_a_pane_that_ends_while_they_are_listed_is_one_row(terminal, monkeypatch):
    def gone(watch):
        raise TmuxError("can't find pane: %0", kind=Kind.NO_TARGET)

    monkeypatch.setattr("python.helpers.tmux.listing.whose_turn", gone)
    assert terminal.call("list") == "1 pane, nobody attached\nshared:0.0 (%0): can't find pane: %0"


def test_a_pipeline_in_front_of_many_background_jobs_is_seen(terminal):
    terminal.call("run", text="for i in $(seq 70); do sleep 1000 & done 2>/dev/null")
    answer = terminal.call("run", text="seq 1000 | less", timeout=8)
    assert answer.startswith("needs key"), answer
    terminal.call("keys", keys="q")
    terminal.call("run", text="kill $(jobs -p)")


def test_until_in_a_process_with_more_than_a_thousand_open_files(terminal):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2000:
        pytest.skip("so many files may not be opened here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (2000, hard))
    files = [os.open("/dev/null", os.O_RDONLY) for _ in range(1100)]
    try:
        answer = terminal.call("run", text="echo done; sleep 60", until="done")
    finally:
        for file in files:
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert answer.startswith("matched"), answer


@pytest.mark.parametrize("lines", [5_000_000, 5_000_000_000])
def test_more_lines_than_tmux_can_count_are_all_there_are(terminal, lines):
    terminal.call("run", text="seq 100")
    shown = terminal.call("read", lines=lines).split("\n")
    assert shown[-101:-1] == [str(number) for number in range(1, 101)], shown[:3]


@pytest.mark.parametrize("count", [79, 80, 81, 350])
def test_the_mark_of_zsh_for_output_without_a_line_break_is_in_no_body(bare, count):
    bare.start("zsh -f", size=(80, 30))
    bare.ready()
    answer = bare.call("run", text=f"printf 'x%.0s' {{1..{count}}}")
    assert answer.partition("\n")[2] == "x" * count, answer


@pytest.mark.parametrize("shell", ["bash --norc --noprofile", "zsh -f", "fish --no-config"])
def test_output_is_told_where_a_program_has_left_the_echo_off(bare, shell):
    bare.start(shell)
    bare.ready()
    assert bare.call("run", text="echo old").endswith("\nold")
    bare.call("run", text="stty -echo")
    for text, output in (("echo new", "new"), ("echo new2", "new2"), ("seq 2", "1\n2")):
        answer = bare.call("run", text=text)
        assert answer.partition("\n")[2] == output, answer


# Under Yama a shell's words alone tell that it is at its prompt, and not asking in a script.
WITH_OPTIONS = TABLES["WITH_OPTIONS"]


@pytest.mark.parametrize(
    "shell, world", [*zip(WITH_OPTIONS, ["readable", "yama"] * 3, strict=True)]
)
def test_a_shell_with_options_is_at_its_prompt_and_a_persons_line_is_seen(bare, shell, world):
    with denied() if world == "yama" else nullcontext():
        bare.start(f"PS1='me@host:/x# ' exec {shell}")
        bare.see("me@host:/x#")
        bare.person("ls -la /tm")
        bare.see("ls -la /tm")
        for action in ("run", "send"):
            answer = bare.call(action, text="echo agent")
            assert answer.startswith("error: a half-typed line is at the prompt: 'ls -la /tm'")
        bare.person("", "C-u")
        poll(lambda: "ls" not in bare.screen(), what="an empty prompt")
        assert bare.call("run", text="echo hi").endswith("\nhi")
