"""`read`, `list` and the way to a pane: names of any kind, the exact pane, and never a hang. What a
reading shows: tests/real/cases/reading.toml."""

import os
import re
import shlex

import pytest

from python.helpers.tmux import actions
from tests.conftest import poll
from tests.support.answer import Answer
from tests.support.callers import elsewhere
from tests.support.run import run
from tests.support.tables import Tables

TABLES = Tables(__file__)


def body(answer: str) -> list[str]:
    return Answer(answer).body.splitlines()


@pytest.fixture
def quiet_shell(bare):
    """A bash with the prompt "$ " in a screen of 80 by 24."""
    bare.start("env PS1='$ ' bash --norc --noprofile", size=(80, 24))
    bare.ready()
    return bare


def test_a_directory_with_a_strange_name_disturbs_no_reading(quiet_shell, tmp_path):
    for name in ("two\nlines", "esc\x1b[31mape", "|bar", "#{pane_id}", "-l", "ünï 👍", "a;"):
        place = tmp_path / name
        place.mkdir()
        quiet_shell.call("run", text=f"cd -- {shlex.quote(str(place))}")
        answer = quiet_shell.call("run", text="echo fine")
        assert answer.startswith("ready (") and body(answer) == ["fine"], answer
        assert body(quiet_shell.call("read"))[-3:] == ["$ echo fine", "fine", "$"], name
        listed = quiet_shell.call("list")
        assert "\x1b" not in listed and listed.count("\n") == 1


@pytest.mark.parametrize("name", ["red\x1b[31mde", "t\u202ewo", "two\nrows"], ids=repr)
def test_a_program_with_a_hostile_name_is_named_without_it(quiet_shell, tmp_path, name):
    (tmp_path / name).symlink_to("/bin/sleep")
    quiet_shell.person(f"{shlex.quote(str(tmp_path))}/{name[0]}* 1000", "Enter")
    poll(lambda: quiet_shell.fact("pane_current_command") != "bash", what="the program")
    for begins, call in {
        "read ": {"action": "read"}, "1 pane": {"action": "list"},
        "sent ": {"action": "send", "text": "x", "timeout": 0}, "error: ": {"action": "run", "text": "x"},
        "wait_ready timed out": {"action": "wait_ready", "timeout": 0.1},
    }.items():
        answer = quiet_shell.call(**call)
        assert not set("\x1b\u202e") & set(answer) and answer.startswith(begins), answer
    assert re.match(r"read \d+ lines? of shared \(80x24, .* in front\)$", quiet_shell.call("read").first)


def test_all_processes_share_one_mark_and_each_pane_has_its_own_last_reading(quiet_shell):
    quiet_shell.call("run", text="seq 1000 1060")
    assert body(elsewhere({"action": "send", "text": "echo one"})) == ["one"]
    assert body(quiet_shell.call("wait_ready")) == ["(nothing new)"]
    quiet_shell.call("send", text="echo two", timeout=0)
    assert body(elsewhere({"action": "wait_ready"})) == ["two"]
    assert body(elsewhere({"action": "run", "text": "echo three"})) == ["three"]
    assert body(quiet_shell.call("send", text="echo four")) == ["four"]
    quiet_shell.tmux("split-window", "-d", "-t", "=shared:", "echo below; sleep 1000")
    quiet_shell.see("below", "shared:0.1")
    quiet_shell.call("read", pane="shared:0.0")
    assert body(quiet_shell.call("read", new=True, pane="shared:0.1")) == ["below"]


def test_every_pane_is_listed_with_its_state_and_one_that_ends_meanwhile_is_left_out(terminal, monkeypatch):
    there = actions.panes()
    with monkeypatch.context() as patch:
        patch.setattr(actions, "panes", lambda: {"%999": "shared:9.0", **there, "%998": "shared:8.0"})
        answer = actions.Call().answer({"action": "list"})
    assert answer.first == "1 pane, nobody attached" and "ready (shell)" in answer.body[0], answer.text
    terminal.tmux("split-window", "-d", "-t", "=shared:", "-c", "/tmp", "sleep 1000")
    where = "-s other -x 90 -y 20 -c /".split()
    terminal.tmux("new-session", "-d", *where, "sh -c 'printf \"Continue? [y/N] \"; cat'")
    terminal.see("Continue?", "other:")
    poll(lambda: "needs input" in terminal.call("list"), what="cat")
    head, *rows = terminal.call("list").split("\n")
    assert head == "3 panes, nobody attached"
    asks = r"needs input \(Continue\? \[y/N\]\)"
    assert re.fullmatch(rf"other:0\.0 \(%2\) 90x20 \w+ /: {asks}", rows[0]), rows[0]
    assert re.fullmatch(r"shared:0\.0 \(%0\) 120x15 bash \S+: ready \(shell\)", rows[1]), rows[1]
    assert re.fullmatch(r"shared:0\.1 \(%1\) 120x14 sleep /tmp: running", rows[2]), rows[2]


# the exact pane


def created(directory: str) -> str:
    """The note about a session that was made."""
    return (
        f"note: session shared did not exist and was created in {directory} (detached, 160x50);"
        f" a person sees it with: tmux -S {os.environ['TMUX_TMPDIR']}/tmux-{os.getuid()}/default attach -t shared"
    )


@TABLES.rows("action")
def test_without_a_server_the_session_is_made_and_the_answer_says_so(bare, action):
    answer = bare.call(**action)
    assert not answer.startswith("error"), answer
    assert created(os.getcwd()) in answer.notes, answer
    facts = [bare.fact(name) for name in ("window_width", "window_height", "session_attached")]
    assert facts == ["160", "50", "0"]
    if "text" in action:
        bare.see("42")
    assert "did not exist" not in bare.call("read")


MISSING = """other other: shared:9 shared:0.9 shared:nowhere %99 @99 $99 =other nine; shared:0.0;
    share shared2 sh* {last} ! -t #{pane_id} ünï""".split()


def test_any_other_missing_target_lists_what_there_is(terminal):
    actions = [{"action": "read"}, {"action": "send", "text": "x"}, {"action": "keys", "keys": "x"}]
    for target in (*MISSING, "no such place", "x" * 5000, "new\nline"):
        for action in actions:
            answer = terminal.call(**action, pane=target)
            assert answer.startswith("error: ") and "shared:0.0 (%0)" in answer, answer
            assert len(answer) <= 16_000
    assert terminal.screen().strip().count("x") == 0
    assert terminal.tmux("list-sessions", "-F", "#{session_name}").split() == ["shared"]


def test_a_missing_target_without_a_server_makes_nothing_and_a_session_like_it_is_not_taken(bare):
    answer = bare.call("send", text="x", pane="work")
    assert answer.startswith("error: there is no pane 'work'") and "there are no panes" in answer
    assert run("tmux", "has-session").returncode
    bare.start("cat", session="shared-other")
    answer = bare.call("read")
    assert answer.notes == [created(os.getcwd())]
    assert "160x50" in answer.split("\n")[0]
    assert bare.tmux("list-sessions", "-F", "#{session_name}").split() == ["shared", "shared-other"]
    assert bare.screen("shared-other:").strip() == ""


def test_every_way_to_name_a_pane_and_what_the_list_names_is_a_target(terminal):
    terminal.tmux("rename-window", "-t", "=shared:0", "main")
    names = "shared shared: =shared =shared: shared:0 shared:0.0 shared:main %0 @0 $0".split()
    for number, target in enumerate([*names, None, ""]):
        answer = terminal.call("run", text=f"echo $((40+{number}))", pane=target)
        assert answer.endswith(f"\n{40 + number}"), answer
    terminal.tmux("rename-session", "-t", "=shared", "my work: éA")
    session = terminal.tmux("list-sessions", "-F", "#{session_id}:").strip()
    terminal.tmux("new-window", "-d", "-t", session, "sleep 1000")
    for row in terminal.call("list").split("\n")[1:]:
        target, id = re.match(r"(.*) \((%\d+)\)", row).groups()
        by_id, by_name = (terminal.call("read", pane=one) for one in (id, target))
        assert by_name.startswith("read ")
        assert by_id.split(" of ")[0] == by_name.split(" of ")[0]


def test_the_same_line_again_and_again_is_counted_in_a_full_history(room, tmp_path):
    """What a call that timed out has not shown, the next ones do."""
    room.run("yes '' | head -2500")
    loop = f"for i in 1 2 3; do while [ ! -e {tmp_path}/$i ]; do :; done; echo waiting; done"
    assert room.call("run", text=loop, timeout=0.2).body == "(no output)"
    for turn in (1, 2, 3):
        (tmp_path / str(turn)).touch()
        poll(lambda seen=turn: room.screen().count("\nwaiting") == seen, what="the line")
        assert room.call("wait_ready", timeout=0.3).body == "waiting"
