"""The tool works wherever it is called: under any locale, login shell and tmux.conf, in any home.
The session is the one that it makes itself."""

import json
import os
import shlex
import shutil
import subprocess
import sys

import pytest

from python.helpers.tmux.base import process
from tests.support.answer import is_verdict
from tests.support.run import TMUX_TOOL, run
from tests.support.tables import Tables
from tests.support.terminal import poll

TABLES = Tables(__file__)
TEXT = "grüße ❯ 日本 👍 & 100%"


@TABLES.rows("variables, config")
def test_surroundings(bare, monkeypatch, variables, config):
    shell = variables.get("SHELL", "/bin/sh")
    if shell.startswith("/usr") and not shutil.which(shell):
        pytest.skip(f"not installed: {shell}")
    home = bare.server.folder / "Jörg's home & more"
    home.mkdir()
    (home / ".zshrc").touch()  # else it asks a newcomer how to be set up
    (home / ".tmux.conf").write_text(config or "")
    for name, value in {**variables, "HOME": str(home)}.items():
        monkeypatch.setenv(name, value)
    before = os.umask(0o077)
    try:
        works(bare)
    finally:
        os.umask(before)


def works(bare) -> None:
    """A call of each action, a person who types, and the command line."""
    bare.ready()
    assert bare.run("printf 'one\\ntwo\\n'").body == "one\ntwo"
    is_verdict(bare.run("sh -c 'printf \"Name: \"; read n; echo $n'"), "needs input", "Name:")
    answer = bare.ask(TEXT)
    assert answer.startswith("ready (") and answer.body == TEXT, answer
    assert bare.run("seq 300 | less -X", timeout=5).startswith("needs key")
    assert bare.keys("q").startswith("ready")
    done = run(sys.executable, TMUX_TOOL, '{"action": "keys", "keys": "✓ C-c"}')
    assert done.stdout.startswith("ready (") and not done.stderr, done

    bare.tmux("split-window", "-d", "-t", "=shared:")  # another pane gets none of it
    assert bare.call("open", name="server").startswith("opened shared:server")
    assert bare.call("run", text="seq 3", pane="shared:server").endswith("\n1\n2\n3")
    assert bare.call("close", pane="shared:server") == "closed shared:server"

    bare.attach()
    if bare.fact("pane_in_mode") == "1":  # tmux shows what is wrong with the tmux.conf
        bare.person("q")
    bare.person("echo precious")
    bare.see("precious")
    assert bare.run("echo mine").startswith("error: a half-typed line is at the prompt")
    bare.person("", "Enter")
    bare.see("\nprecious")
    assert bare.wait().startswith("ready (")
    assert bare.run("echo mine").body == "mine"
    other = bare.tmux("list-panes", "-t", "=shared:", "-F", "#{pane_id}").split()[1]
    assert "mine" not in bare.tmux("capture-pane", "-p", "-t", other)


# where /proc is not mounted, or hides processes: what runs cannot be told, and the answer says so


UNSHARE = ["unshare", "--mount", "sh", "-c"]


def without_proc(command: str) -> subprocess.CompletedProcess:
    return subprocess.run([*UNSHARE, f"mount -t tmpfs none /proc && {command}"], capture_output=True, text=True)


@pytest.mark.skipif(without_proc("true").returncode != 0, reason="no mount may be made here")
def test_a_living_shell_is_not_said_to_have_ended(terminal):
    call = json.dumps({"action": "run", "text": "echo hi"})
    done = without_proc(shlex.join([sys.executable, str(TMUX_TOOL), call]))
    assert done.stdout.startswith("error: cannot tell what runs in shared: /proc does not show"), done
    assert "echo hi" not in terminal.screen()


def test_a_shell_that_the_tool_starts_where_only_those_can_be_read(bare, monkeypatch):
    """Yama, as far as the tool knows of it; tests/yama plays it on a real one."""
    monkeypatch.setattr(process, "can_be_read", lambda allows: allows)
    folder = bare.server.folder / "#(date) 'a \\;"
    folder.mkdir()
    monkeypatch.setenv("TMUX_TOOL_DIRECTORY", str(folder))
    monkeypatch.setenv("TMUX_TOOL_READABLE", "all")
    bare.call("read")
    assert bare.fact("window_name") == "bash" and bare.fact("pane_current_path") == str(folder)
    bare.ready()
    answer = bare.run("echo $0 $SHLVL; (exit 3)")
    is_verdict(answer, "ready (shell)", status=3)
    assert answer.body == "-bash 1"
    poll(lambda: bare.fact("automatic-rename") == "1", what="a name that follows")
    is_verdict(bare.run("bash --norc"), "ready (shell)", status="")
    is_verdict(bare.run("(exit 4)"), "ready (shell)", status="")
    assert bare.tmux("new-window", "-P", "-F", "#{window_name}", "-t", "=shared:") == "bash\n"
    bare.call("wait_ready", pane="shared:1")
    is_verdict(bare.call("run", text="(exit 5)", pane="shared:1"), "ready (shell)", status=5)
    assert bare.call("open", name="mine", text="(exit 6)").first.endswith("exit status 6")


def test_a_command_of_the_persons_for_new_windows_stays_theirs(bare, monkeypatch):
    (bare.server.home / ".tmux.conf").write_text("set -g default-command 'exec bash --norc --noprofile'\n")
    monkeypatch.setattr(process, "can_be_read", lambda allows: allows)
    bare.ready()
    is_verdict(bare.run("(exit 3)"), "ready (shell)", status="")
    assert bare.call("open", name="mine").startswith("opened")
    assert bare.fact("pane_start_command", "shared:mine") == '"exec bash --norc --noprofile"'
