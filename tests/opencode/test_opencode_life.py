"""Starting, finding again and ending OpenCode, and everything that can be in the way."""

import os
import random
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from hermetic import ROOT, Desk

from python.helpers.opencode import launch
from python.helpers.opencode.http_channel import HttpChannel
from python.helpers.opencode.instance import Instance
from python.helpers.opencode_cli import (
    OpenCodeError,
    OpenCodeGone,
    OpenCodeNotInstalled,
    OpenCodeSession,
    OpenCodeStartFailed,
    OpenCodeTurnFailed,
    opencode_run,
)
from python.helpers.tmux_cli.conversation import conversation


@pytest.fixture
def bare(model):
    """A desk whose PATH has no opencode."""
    here = Desk(model, None)
    yield here
    here.close()


def script(desk, text):
    """Puts a program called opencode in front of the PATH."""
    path = desk.root / "bin" / "opencode"
    path.unlink(missing_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_exit_leaves_the_prompt_and_no_process_and_resume_goes_on(desk):
    session = OpenCodeSession(str(desk.project)).start()
    assert session.status == "idle" and session.session_id is None
    session.turn("Please remember the number 31.")
    identity = session.session_id
    assert session.exit() == identity == session.exit()
    assert session.status == "gone"
    assert desk.is_clean()
    with pytest.raises(OpenCodeGone, match=identity):
        session.send("hello?")
    again = OpenCodeSession(str(desk.project)).start(resume=identity)
    assert again.session_id == identity and again.turn("What number?") == "The number is 31."
    # and from here: the person ends it in the middle of a turn
    again.submit("FAKE:slow n=200 delay=0.05")
    desk.until(lambda: again.status == "busy")
    desk.press("C-c")
    with pytest.raises(OpenCodeGone) as caught:
        again.wait()
    assert caught.value.session_id == identity
    assert again.status == "gone" and again.exit() == identity and not desk.options()


@pytest.mark.thorough
def test_a_stopped_opencode_is_bounded_and_is_ended(model, binary):
    desk = Desk(model, binary, permission={"bash": "allow"})
    try:
        session = OpenCodeSession(str(desk.project)).start()
        session.submit("FAKE:bash sleep 271")
        desk.until(lambda: any("sleep 271" in line for line in desk.processes().values()))
        os.killpg(desk.record()["group"], signal.SIGSTOP)
        began = time.monotonic()
        with pytest.raises(OpenCodeError):
            session.wait(timeout=1)
        session.exit()
        assert time.monotonic() - began < 60
        desk.until(lambda: not desk.processes(), 5)
        assert not desk.options()
        assert (
            desk.tmux("display-message", "-p", "-t", "=shared:", "#{alternate_on}").strip() == "0"
        )
        desk.until(lambda: desk.screen().rstrip()[-1] in "$#")
    finally:
        desk.close()


def test_not_installed_says_how_to_install(bare):
    began = time.monotonic()
    with pytest.raises(OpenCodeNotInstalled, match="npm install"):
        OpenCodeSession(str(bare.project)).start()
    assert time.monotonic() - began < 30 and not bare.options()


def test_a_command_that_is_not_there(desk):
    with pytest.raises(OpenCodeNotInstalled):
        OpenCodeSession(str(desk.project), command="/nowhere/opencode").start()


@pytest.mark.thorough
def test_a_dead_id_is_a_clear_error(desk):
    with pytest.raises(OpenCodeStartFailed, match=r"[Ss]ession not found"):
        OpenCodeSession(str(desk.project)).start(resume="ses_000000000000dead0000000000")
    assert not desk.options()


def test_a_broken_configuration_is_told_in_opencodes_words(desk):
    with open(os.environ["OPENCODE_CONFIG"], "w") as file:
        file.write('{"model": 5, "nonsense": true}')
    with pytest.raises(OpenCodeStartFailed, match=r"opencode\.json|[Cc]onfig|nonsense"):
        OpenCodeSession(str(desk.project)).start()
    assert not desk.processes() and not desk.options()


def test_a_missing_directory_and_wrong_arguments(bare):
    with pytest.raises(OpenCodeStartFailed, match="no directory"):
        OpenCodeSession(str(bare.project / "nowhere")).start()
    with pytest.raises(ValueError, match="provider/model"):
        OpenCodeSession(model="gpt")
    with pytest.raises(ValueError, match="channel"):
        OpenCodeSession(channel="telepathy")


def test_another_program_in_front_is_refused_by_name(bare):
    bare.tmux("send-keys", "-t", "=shared:", "sleep 60", "Enter")
    bare.until(
        lambda: (
            "sleep"
            in bare.tmux("display-message", "-p", "-t", "=shared:", "#{pane_current_command}")
        )
    )
    with pytest.raises(OpenCodeStartFailed, match="sleep is in front"):
        OpenCodeSession(str(bare.project)).start()
    assert "opencode" not in bare.screen()


def test_a_persons_half_typed_line_is_not_touched(bare):
    bare.tmux("send-keys", "-t", "=shared:", "rm -rf ")
    bare.until(lambda: "rm -rf" in bare.screen())
    with pytest.raises(OpenCodeStartFailed, match="half-typed"):
        OpenCodeSession(str(bare.project)).start()
    assert "opencode" not in bare.screen()


def test_a_program_of_the_callers_directory_is_started_from_wherever_the_shell_is(
    bare, monkeypatch, capsys
):
    place = bare.root / "callers"
    place.mkdir()
    script(bare, 'echo "Error: this is $0"; exit 1')
    (bare.root / "bin" / "opencode").rename(place / "mine")
    monkeypatch.chdir(place)
    with pytest.raises(OpenCodeStartFailed, match=f"Error: this is {place}/mine"):
        OpenCodeSession(str(bare.project), command="./mine").start()
    assert capsys.readouterr().out.count("is started") == 1
    with pytest.raises(OpenCodeTurnFailed, match=f"Error: this is {place}/mine"):
        monkeypatch.setenv("OPENCODE_BIN", "./mine")
        opencode_run("hello", directory=str(bare.project))


REFUSES = """
[ -n "$OPENCODE_SERVER_PASSWORD" ] || { echo "Error: started again"; exit 1; }
%s
echo "Error: 401 Unauthorized"; exit 1
"""


@pytest.mark.parametrize("query", ["]11;?\\007", "[6n", "[c", "[>q"])
@pytest.mark.parametrize(
    "shell",
    [
        "bash --norc",
        pytest.param("zsh -f", marks=pytest.mark.thorough),
        pytest.param("fish --no-config", marks=pytest.mark.thorough),
        pytest.param("dash", marks=pytest.mark.thorough),
    ],
)
def test_a_terminals_answers_to_one_that_has_ended_are_not_in_the_way(bare, shell, query):
    if not shutil.which(shell.split()[0]):
        pytest.skip(f"{shell} is not installed")
    bare.tmux("set-option", "-g", "window-style", "bg=black")  # else 3.3a knows no colour to tell
    bare.tmux("respawn-pane", "-k", "-t", "=shared:", shell)
    script(bare, REFUSES % f"printf '\\033{query}'; sleep 0.2")
    with pytest.raises(OpenCodeStartFailed, match="Error: started again"):
        OpenCodeSession(str(bare.project)).start()


def test_what_the_person_types_while_it_starts_stays_where_it_is(bare):
    script(bare, REFUSES % "tmux send-keys -t =shared: -l 'rm -rf precious'; sleep 0.2")
    with pytest.raises(OpenCodeStartFailed, match=r"half-typed line .*rm -rf precious"):
        OpenCodeSession(str(bare.project)).start()
    assert bare.screen().rstrip().endswith("rm -rf precious") and not bare.options()


def begun_by_a_killed_caller(desk):
    """A start whose caller was killed before OpenCode was up."""
    code = CALLER.format(root=str(ROOT), project=str(desk.project), channel="http")
    caller = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    desk.until(lambda: desk.options() and desk.record()["group"])
    caller.kill()
    caller.wait()
    caller.stdout.close()


def test_a_killed_callers_start_that_comes_to_nothing_is_ended_and_begun_anew(bare, monkeypatch):
    script(bare, "exec sleep 100")
    begun_by_a_killed_caller(bare)
    monkeypatch.setattr(launch, "START_LIMIT", 2.0)
    script(bare, 'echo "Error: started again"; exit 1')
    with pytest.raises(OpenCodeStartFailed, match="Error: started again"):
        OpenCodeSession(str(bare.project)).start()
    assert not bare.processes() and not bare.options()


def test_a_killed_callers_run_ends_with_it(bare):
    script(bare, "exec sleep 100")
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    code += "from python.helpers.opencode_cli import opencode_run; opencode_run('hello')"
    caller = subprocess.Popen([sys.executable, "-c", code])
    bare.until(lambda: "sleep 100 " in bare.processes().values())
    caller.kill()
    caller.wait()
    bare.until(lambda: not bare.processes(), 5)


HUNG = """
trap '' TERM INT HUP
exec 9> "$HOME/opencode.db"
stty raw -echo
printf '\\033[?1049h\\033[H\\n  ┃\\r\\n  ┃\\r\\n  ┃\\r\\n  ┃  Build\\r\\n'
printf '  ╹▀▀▀\\r\\n  ctrl+p commands\\033[3;6H'
while :; do sleep 1; done
"""


def test_the_end_of_an_opencode_that_takes_nothing_is_bounded(bare):
    script(bare, HUNG)
    session = OpenCodeSession(str(bare.project), channel="screen").start()
    began = time.monotonic()
    session.exit()
    assert time.monotonic() - began < 10
    bare.until(bare.is_clean)


def test_the_pane_is_the_one_of_the_settings(bare, monkeypatch, capsys):
    script(bare, 'echo "Error: started"; exit 1')
    bare.tmux("rename-session", "-t", "=shared:", "work")
    monkeypatch.setenv("TMUX_TOOL_SESSION", "work")
    with pytest.raises(OpenCodeStartFailed, match="Error: started"):
        OpenCodeSession(str(bare.project)).start()
    monkeypatch.setenv("TMUX_TOOL_WIDTH", "abc")
    with pytest.raises(OpenCodeError, match="TMUX_TOOL_WIDTH: got 'abc'"):
        OpenCodeSession(str(bare.project)).start()
    assert conversation(["hi"]) == 1
    assert capsys.readouterr().out.startswith("error: TMUX_TOOL_WIDTH")


@pytest.mark.parametrize("words", [["--exit"], ["--answer", "once"]])
def test_from_the_command_line_none_is_started_to_be_ended_or_answered(bare, words, capsys):
    script(bare, "touch started")
    assert conversation(words) == 1
    assert capsys.readouterr().out.startswith("error: no OpenCode runs")
    assert not list(bare.root.rglob("started"))


@pytest.mark.parametrize(
    ("words", "status"),
    [(["--help"], 0), (["-h"], 0), (["--hlep"], 1), (["--exit", "now"], 1), (["--answer"], 1)],
    ids=str,
)
def test_no_option_is_taken_for_a_prompt(bare, words, status, capsys):
    script(bare, "touch started")
    assert conversation(words) == status
    said = capsys.readouterr().out
    assert said.startswith("error: " if status else "usage: ") and "usage: " in said
    assert not list(bare.root.rglob("started"))


@pytest.mark.thorough
def test_a_taken_port_is_the_reason(desk, monkeypatch):
    monkeypatch.setattr(launch, "START_LIMIT", 10.0)
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        monkeypatch.setattr(launch, "_free_port", lambda: stranger.getsockname()[1])
        with pytest.raises(OpenCodeStartFailed, match=r"port .* was taken"):
            OpenCodeSession(str(desk.project)).start()
        stranger.settimeout(0.1)
        heard = b""
        try:
            while True:
                heard += stranger.accept()[0].recv(4096)
        except TimeoutError:
            pass
        assert b"Authorization" not in heard  # the password went to nobody
    assert not desk.options()
    desk.until(lambda: not desk.processes(), 5)


def test_an_opencode_that_hangs_at_start_is_ended_with_a_reason(bare, monkeypatch):
    monkeypatch.setattr(launch, "START_LIMIT", 2.0)
    script(bare, "echo thinking about it; exec sleep 100")
    with pytest.raises(OpenCodeStartFailed, match="thinking about it"):
        OpenCodeSession(str(bare.project)).start()
    assert not bare.processes()


def test_a_stranger_on_a_dead_ones_port_is_not_talked_to():
    """The record says an OpenCode runs here, but what listens belongs to another process."""
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        terminal = SimpleNamespace(get_option=lambda name: "secret")
        for group, ours in ((child.pid, False), (os.getpgid(0), True)):
            instance = Instance(terminal=terminal, group=group, port=stranger.getsockname()[1])
            assert HttpChannel(instance).is_ours() is ours
    child.kill()
    child.wait()


@pytest.mark.thorough
def test_a_version_without_an_api_falls_back_to_the_screen(desk, binary):
    script(desk, f'exec {os.path.realpath(binary)} "$1"\n')  # it drops every flag
    session = OpenCodeSession(str(desk.project)).start()
    reply = session.send("FAKE:say over the screen")
    assert (reply.channel, reply.text) == ("screen", "over the screen")
    assert session.exit().startswith("ses_") and not desk.options()


@pytest.mark.parametrize("shell", ["zsh -f", "fish --no-config", "dash", "bash --norc"])
def test_every_shell_hands_the_password_over_without_showing_it(bare, shell):
    if not shutil.which(shell.split()[0]):
        pytest.skip(f"{shell} is not installed")
    script(
        bare,
        'echo "Error: $#" arguments, $(printf %s "$OPENCODE_SERVER_PASSWORD" | wc -c) secret characters; exit 1',
    )
    bare.tmux("respawn-pane", "-k", "-t", "=shared:", shell)
    with pytest.raises(OpenCodeStartFailed, match="Error: 5 arguments, 32 secret characters"):
        OpenCodeSession(str(bare.project)).start()


def test_the_password_is_in_no_argument_of_tmux_either(bare):
    """Every user of the machine sees the arguments of every process, however short it lives."""
    words, secret, tmux = bare.root / "words", bare.root / "secret", bare.root / "bin" / "tmux"
    tmux.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" >> {words}\nexec {shutil.which("tmux")} "$@"\n'
    )
    tmux.chmod(0o755)
    script(bare, f'printf %s "$OPENCODE_SERVER_PASSWORD" > {secret}; echo "Error: ended"; exit 1')
    with pytest.raises(OpenCodeStartFailed, match="Error: ended"):
        OpenCodeSession(str(bare.project)).start()
    assert "@opencode_record" in words.read_text()
    assert len(secret.read_text()) == 32 and secret.read_text() not in words.read_text()


@pytest.mark.thorough
def test_the_shared_session_is_made_where_it_is_missing(desk):
    desk.tmux(
        "set-option",
        "-g",
        "default-command",
        "bash --norc",
        ";",
        "rename-session",
        "-t",
        "=shared:",
        "other",
    )
    session = OpenCodeSession(str(desk.project)).start()
    assert session.turn("FAKE:say made") == "made"
    with pytest.raises(RuntimeError, match="no pane"):
        OpenCodeSession(pane="nowhere").start()


@pytest.mark.thorough
def test_a_pane_that_is_closed_is_an_opencode_that_is_gone(desk):
    session = OpenCodeSession(str(desk.project)).start()
    desk.tmux("new-session", "-d", "-s", "other")
    desk.tmux("kill-pane", "-t", "=shared:")
    desk.until(lambda: session.status == "gone")
    with pytest.raises(OpenCodeGone):
        session.send("hello?")
    session.exit()
    desk.until(lambda: not desk.processes())


@pytest.mark.thorough
def test_an_older_version_that_cannot_use_its_password_is_run_by_the_screen(desk, binary):
    refuses = '[ -n "$OPENCODE_SERVER_PASSWORD" ] && { echo "Error: 401 Unauthorized"; exit 1; }'
    script(desk, f'{refuses}\nexec {os.path.realpath(binary)} "$@"\n')
    session = OpenCodeSession(str(desk.project)).start()
    assert session.send("FAKE:say seen").channel == "screen"
    assert [row.split()[0] for row in desk.options()] == ["@opencode_record"]
    with pytest.raises(OpenCodeStartFailed, match="no API"):
        OpenCodeSession(channel="http").start()


@pytest.mark.thorough
def test_a_launcher_with_a_draft_in_its_input_is_ended_whole_and_leaves_its_id(desk, binary):
    """As the launchers of 1.1 to 1.14 do it: the group's leader waits for the program itself."""
    script(desk, f'{os.path.realpath(binary)} "$@"\n:\n')
    session = OpenCodeSession(str(desk.project), channel="screen").start()
    desk.type("a draft of the person's")
    desk.until(lambda: "a draft" in desk.screen())
    assert session.exit() is None
    desk.until(desk.is_clean)
    session.start().turn("FAKE:say hello")
    desk.type("another draft")
    desk.until(lambda: "another draft" in desk.screen())
    other = OpenCodeSession().start()
    assert session.exit().startswith("ses_")
    desk.until(desk.is_clean)
    with pytest.raises(OpenCodeGone) as caught:
        other.send("hello?")
    assert caught.value.session_id == session.session_id


@pytest.mark.thorough
def test_a_resumed_conversation_on_the_screen_answers_what_is_asked_now(desk):
    session = OpenCodeSession(str(desk.project), channel="screen").start()
    session.turn("Please remember the number 31.")
    identity = session.exit()
    again = OpenCodeSession(str(desk.project), channel="screen").start(resume=identity)
    assert again.session_id == identity and again.turn("What number?") == "The number is 31."
    assert again.exit() == identity
    # The person's history has what the person typed and nothing else.
    desk.type("history")
    desk.press("Enter")
    desk.until(lambda: "history" in desk.screen())
    assert "tmux show" not in desk.screen().rpartition("opencode -s")[2].partition("\n")[2]


@pytest.mark.thorough
def test_the_opencode_that_only_the_caller_finds_is_started_and_named(
    bare, binary, monkeypatch, capsys
):
    place = bare.root / "callers"
    place.mkdir()
    (place / "opencode").symlink_to(os.path.realpath(binary))
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{place}")
    session = OpenCodeSession(str(bare.project), channel="screen").start()
    assert f"so {place}/opencode is started" in capsys.readouterr().out
    assert session.turn("FAKE:say found") == "found"
    session.exit()


def test_a_long_start_prints_progress(bare, monkeypatch, capsys):
    monkeypatch.setattr(launch, "START_LIMIT", 2.0)
    monkeypatch.setattr("python.helpers.opencode.reply.PROGRESS", 0.3)
    script(bare, "exec sleep 100")
    for progress in (True, False):
        with pytest.raises(OpenCodeStartFailed):
            OpenCodeSession(str(bare.project)).start(progress=progress)
        assert ("opencode: starting" in capsys.readouterr().out) is progress


@pytest.mark.parametrize("keys", [[], ["Home"], ["Left"]], ids=["at its end", "Home", "Left"])
def test_a_persons_half_typed_line_is_not_run_wherever_its_cursor_is(bare, keys):
    bare.type("; touch ran.txt")
    bare.press(*keys) if keys else None
    bare.until(lambda: "ran.txt" in bare.screen())
    with pytest.raises(OpenCodeStartFailed, match="half-typed"):
        OpenCodeSession(str(bare.project)).start()
    assert "eval" not in bare.screen() and not bare.options()


CALLER = """
import sys; sys.path.insert(0, {root!r})
from python.helpers.opencode_cli import OpenCodeSession
session = OpenCodeSession({project!r}, channel={channel!r}, timeout=30)
print("start", flush=True); session.start()
print("send", flush=True); session.send("FAKE:slow n=10 delay=0.03")
print("exit", flush=True); session.exit()
print("end", flush=True)
"""
KILLS = int(os.environ.get("FUZZ", "0"))
MOMENTS = [("screen", "send", 0.0, 0.3), ("http", "start", 0.0, 3.0), ("http", "exit", 0.0, 0.3)]
MOMENTS += [
    (channel, word, 0.0, latest)
    for _ in range(KILLS // 6 + 1 if KILLS else 0)
    for channel in ("http", "screen")
    for word, latest in (("start", 5.0), ("send", 0.6), ("exit", 0.5))
]


@pytest.mark.timeout(180)
@pytest.mark.thorough
@pytest.mark.parametrize(
    "moment", range(len(MOMENTS)), ids=lambda i: f"{i}-" + "-".join(MOMENTS[i][:2])
)
def test_a_killed_caller_leaves_nothing_that_the_next_start_does_not_put_right(desk, moment):
    channel, word, first, last = MOMENTS[moment]
    code = CALLER.format(root=str(ROOT), project=str(desk.project), channel=channel)
    caller = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    while caller.stdout.readline().strip() not in (word, ""):
        pass
    time.sleep(random.uniform(first, last))
    caller.kill()
    caller.wait()
    caller.stdout.close()
    session = OpenCodeSession(str(desk.project), channel=channel, timeout=30).start()
    assert session.turn("FAKE:say after the kill") == "after the kill"
    assert session.exit().startswith("ses_")
    desk.until(desk.is_clean)
