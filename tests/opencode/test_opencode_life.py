"""Starting, finding again and ending OpenCode, and everything that can be in the way."""

import json
import os
import shutil
import signal
import socket
import stat
import time

import pytest
from hermetic import Desk

from python.helpers import opencode_launch
from python.helpers.opencode_cli import (
    OpenCodeError,
    OpenCodeGone,
    OpenCodeNotInstalled,
    OpenCodePermissionNeeded,
    OpenCodeSession,
    OpenCodeStartFailed,
)


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


def test_exit_leaves_the_prompt_no_process_and_no_file_and_resume_goes_on(desk):
    session = OpenCodeSession(str(desk.project)).start()
    assert session.status == "idle" and session.session_id is None
    session.turn("Please remember the number 31.")
    identity = session.session_id
    assert session.exit() == identity == session.exit()
    assert session.status == "gone"
    assert (
        desk.screen().rstrip()[-1] in "$#"
        and not desk.processes()
        and not list(desk.secrets.iterdir())
    )
    assert "@opencode" not in desk.tmux("show-options", "-p", "-t", "=shared:")
    with pytest.raises(OpenCodeGone, match=identity):
        session.send("hello?")
    again = OpenCodeSession(str(desk.project)).start(resume=identity)
    assert again.session_id == identity and again.turn("What number?") == "The number is 31."
    # and from here: the person ends it in the middle of a turn
    again.submit("FAKE:slow n=200 delay=0.05")
    desk.until(lambda: "w3" in desk.screen())
    desk.tmux("send-keys", "-t", "=shared:", "C-c")
    with pytest.raises(OpenCodeGone) as caught:
        again.wait()
    assert caught.value.session_id == identity
    assert again.status == "gone" and again.exit() == identity and not list(desk.secrets.iterdir())


def test_a_stopped_opencode_is_bounded_and_is_ended(model, binary):
    desk = Desk(model, binary, permission={"bash": "allow"})
    try:
        session = OpenCodeSession(str(desk.project)).start()
        session.submit("FAKE:bash sleep 271")
        desk.until(lambda: any("sleep 271" in line for line in desk.processes().values()))
        group = json.loads(desk.tmux("show-options", "-pqv", "-t", "=shared:", "@opencode"))[
            "group"
        ]
        os.killpg(group, signal.SIGSTOP)
        began = time.monotonic()
        with pytest.raises(OpenCodeError):
            session.wait(timeout=1)
        session.exit()
        assert time.monotonic() - began < 60
        desk.until(lambda: not desk.processes(), 5)
        assert not list(desk.secrets.iterdir())
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
    assert time.monotonic() - began < 30 and not list(bare.secrets.iterdir())


def test_a_command_that_is_not_there(desk):
    with pytest.raises(OpenCodeNotInstalled):
        OpenCodeSession(str(desk.project), command="/nowhere/opencode").start()


def test_a_dead_id_is_a_clear_error(desk):
    with pytest.raises(OpenCodeStartFailed, match=r"[Ss]ession not found"):
        OpenCodeSession(str(desk.project)).start(resume="ses_000000000000dead0000000000")
    assert not list(desk.secrets.iterdir())


def test_a_broken_configuration_is_told_in_opencodes_words(desk):
    with open(os.environ["OPENCODE_CONFIG"], "w") as file:
        file.write('{"model": 5, "nonsense": true}')
    with pytest.raises(OpenCodeStartFailed, match=r"opencode\.json|[Cc]onfig|nonsense"):
        OpenCodeSession(str(desk.project)).start()
    assert not desk.processes() and not list(desk.secrets.iterdir())


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


def test_a_taken_port_is_the_reason(desk, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        monkeypatch.setattr(opencode_launch, "_free_port", lambda: stranger.getsockname()[1])
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
    assert not list(desk.secrets.iterdir())
    desk.until(lambda: not desk.processes(), 5)


def test_an_opencode_that_hangs_at_start_is_ended_with_a_reason(bare, monkeypatch):
    monkeypatch.setattr(opencode_launch, "START_LIMIT", 2.0)
    script(bare, "echo thinking about it; exec sleep 100")
    with pytest.raises(OpenCodeStartFailed, match="thinking about it"):
        OpenCodeSession(str(bare.project)).start()
    assert not bare.processes()


def test_a_stranger_on_a_dead_ones_port_is_not_talked_to(bare):
    """The record says an OpenCode runs here, but what listens belongs to another process."""
    child = os.spawnlp(os.P_NOWAIT, "setsid", "setsid", "sleep", "60")
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        place = bare.secrets / "one"
        place.mkdir()
        (place / "password").write_text("secret")
        record = {
            "group": child,
            "port": stranger.getsockname()[1],
            "place": str(place),
            "directory": str(bare.project),
        }
        bare.until(lambda: os.getpgid(child) == child)
        assert opencode_launch.api_of(record) is None
        stranger.settimeout(0.1)
        with pytest.raises(TimeoutError):
            stranger.accept()
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)


def test_a_version_without_an_api_falls_back_to_the_screen(desk, binary):
    script(desk, f'exec {os.path.realpath(binary)} "$1"\n')  # it drops every flag
    session = OpenCodeSession(str(desk.project)).start()
    reply = session.send("FAKE:say over the screen")
    assert (reply.channel, reply.text) == ("screen", "over the screen") and "rendered" in reply.note
    assert session.exit().startswith("ses_") and not list(desk.secrets.iterdir())


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


def test_permission_by_the_person_lets_the_wait_go_on(model, binary):
    desk = Desk(model, binary, permission={"bash": "ask"})
    try:
        session = OpenCodeSession(str(desk.project)).start()
        with pytest.raises(OpenCodePermissionNeeded):
            session.send("FAKE:bash echo by hand")
        desk.until(lambda: "Allow once" in desk.screen())
        desk.tmux("send-keys", "-t", "=shared:", "Enter")
        desk.until(lambda: session.status == "idle")
        assert str(session.wait()) == "TOOL SAID: by hand\n"
        desk.tmux("kill-pane", "-t", "=shared:")
        desk.until(lambda: session.status == "gone")
        session.exit()
        assert not list(desk.secrets.iterdir())
    finally:
        desk.close()


def test_an_older_version_that_cannot_use_its_password_is_run_by_the_screen(desk, binary):
    refuses = '[ -n "$OPENCODE_SERVER_PASSWORD" ] && { echo "Error: 401 Unauthorized"; exit 1; }'
    script(desk, f'{refuses}\nexec {os.path.realpath(binary)} "$@"\n')
    session = OpenCodeSession(str(desk.project)).start()
    assert session.send("FAKE:say seen").channel == "screen" and not list(desk.secrets.iterdir())
    with pytest.raises(OpenCodeStartFailed, match="no API"):
        OpenCodeSession(channel="http").start()
