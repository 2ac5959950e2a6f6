"""Where it lives: a kernel with Yama, root with Docker's capabilities or an ordinary user. `tests/in_yama` plays this
in a virtual machine, and looks at the kernel's log afterwards: no line of ours is in it."""

import os
import subprocess
import sys
from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path

import pytest

from python.helpers.tmux.base.process import can_be_read
from tests.support.answer import is_verdict
from tests.support.run import TMUX_TOOL, run
from tests.support.terminal import poll

_SETTING = Path("/proc/sys/kernel/yama/ptrace_scope")
SCOPE = _SETTING.read_text().strip() if _SETTING.exists() else ""
CLOSED = SCOPE == "1" and not can_be_read(False)  # but for shells that allow it
pytestmark = [
    pytest.mark.thorough, pytest.mark.skipif(not SCOPE, reason="this kernel has no Yama: tests/in_yama has one")]
where_shells_can_allow_it = pytest.mark.skipif(not CLOSED, reason="only in ptrace_scope 1, without the capability")
elsewhere = pytest.mark.skipif(CLOSED, reason="in the other scopes")
SHELLS = {"bash": ".bashrc", "zsh": ".zshrc"}
ENDS = {
    "true": 0, "false": 1, "sh -c 'exit 42'": 42, "no-such-program": 127, "false | true": 0, "/etc": 126,
    "sleep 0.3; (exit 5)": 5, "sh -c 'kill -TERM $$'": 143, "for i in 1 2 3; do (exit $i); done": 3,
}
SOME = ["sh -c 'exit 42'", "false | true", "no-such-program"]
START = "#{pane_start_command}"
ASKS = "sh -c 'printf \"Name: \"; read n; echo $n'"


@pytest.fixture
def own(bare, request, monkeypatch):
    """No session yet: the first call makes it, with this shell."""
    shell = getattr(request, "param", "bash")
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    (Path(os.environ["HOME"]) / SHELLS[shell]).touch()  # else zsh asks a newcomer how to be set up
    monkeypatch.chdir(os.environ["HOME"])
    return bare


def told(answer: str) -> str:
    """The status that a first line tells; "" without one."""
    first = answer.partition("\n")[0].removeprefix("ready (shell) after ")
    assert first != answer.partition("\n")[0], answer
    return first.partition(", exit status ")[2]


def ask(terminal, form: str, target: str = "=shared:") -> str:
    return terminal.tmux("display-message", "-p", "-t", target, form).strip()


def statuses(terminal, texts: Iterable[str] = ENDS, **where: str) -> list[str]:
    return [told(terminal.call("run", text=text, timeout=60, **where)) for text in texts]


@where_shells_can_allow_it
@pytest.mark.parametrize("own", SHELLS, indirect=True)
def test_the_tools_own_shells_tell_every_status(own):
    assert statuses(own) == [str(status) for status in ENDS.values()]
    assert own.call("open", name="server").startswith("opened shared:server")
    assert statuses(own, SOME, pane="shared:server") == ["42", "0", "127"]
    own.tmux("respawn-pane", "-k", "-t", "=shared:server")
    own.call("wait_ready", pane="shared:server", timeout=60)
    assert told(own.call("run", text="(exit 3)", pane="shared:server")) == "3"


@where_shells_can_allow_it
def test_other_shells_tell_none_and_nothing_wrong(own):
    """One inside it, and one that the person has made."""
    own.ready()
    assert own.call("run", text="bash --norc", timeout=60).startswith("ready (")
    assert statuses(own, SOME) == ["", "", ""]
    own.call("run", text="exit", timeout=60)
    assert told(own.call("run", text="(exit 3)", timeout=60)) == "3"
    own.tmux("new-window", "-d", "-n", "theirs")
    own.call("wait_ready", pane="shared:theirs", timeout=60)
    assert told(own.call("run", text="(exit 3)", pane="shared:theirs", timeout=60)) == ""


@where_shells_can_allow_it
def test_whole_answers(own):
    own.ready()
    assert own.run("printf 'one\\ntwo\\n'").body == "one\ntwo"
    is_verdict(own.run(ASKS), "needs input", "Name:")
    is_verdict(own.call("send", text="Bob", timeout=60), "ready (shell)", status=0)
    assert own.run(ASKS, answers={"Name": "Eve"}).body == "Name: Eve\nEve"
    is_verdict(own.run("read -s -p 'Password: ' x"), "needs password", "Password:")
    assert "hunter2" not in own.call("send", text="hunter2", timeout=60)
    is_verdict(own.run("printf 'a\\nb\\n' | less"), "needs key")
    is_verdict(own.keys("q"), "ready (shell)")
    is_verdict(own.run("echo 'a"), "unfinished")
    assert own.interrupt().startswith("ready (shell)")
    assert own.run("sleep 30", timeout=1).startswith("run timed out")
    is_verdict(own.interrupt(), "ready (shell)", status=130)


@where_shells_can_allow_it
@pytest.mark.parametrize("own", SHELLS, indirect=True)
def test_a_persons_line_stays_and_an_empty_one_is_not_refused(own):
    """In first calls: nothing was learned before."""
    own.call("open", name="other")  # makes the session
    own.attach()
    own.see({"bash": "$", "zsh": "%"}[Path(os.environ["SHELL"]).name] if os.geteuid() else "#")
    own.person("echo precious")
    own.see("precious")
    answer = own.call("run", text="rm -rf nothing", timeout=5)
    assert answer.startswith("error: ") and "'echo precious'" in answer.first, answer
    assert "rm" not in own.screen()
    own.person("", "C-u")
    poll(lambda: "precious" not in own.screen().strip().split("\n")[-1], what="an empty line")
    assert told(own.call("run", text="(exit 3)", timeout=60)) == "3"


SEEN = """cat /proc/$$/environ /proc/$$/cmdline | tr '\\0' '\\n' | grep -v '^TMUX_PANE\\|^TMUX=\\|_READABLE='
export -p | grep -v 'TMUX\\| _='; printf '%s\\n' "$0" "$PWD" "$SHLVL" $(umask) "$(ps -o args=,comm=,stat=,ni= -p $$)"
grep '^Sig[BI]\\|^Groups\\|^Umask' /proc/self/status; cat /proc/$$/limits; ls /proc/self/fd; stty -a
shopt login_shell
tmux display-message -p '#{automatic-rename} #{pane_start_path} #{pane_title}'"""


def noticed(terminal, start: str = "") -> str:
    """What a person sees of a shell."""
    name = ask(terminal, "#{window_name}")
    terminal.call("wait_ready", timeout=60)
    assert ask(terminal, START).endswith(start)
    poll(lambda: ask(terminal, "#{automatic-rename}") == "1", what="a name that follows")
    script = Path(os.environ["HOME"]) / "seen.sh"
    script.write_text(SEEN)
    terminal.call("run", text=f". ./{script.name} >seen 2>&1; clear", timeout=60)
    terminal.tmux("kill-session", "-t", "=shared")
    return f"{name}\n{script.with_name('seen').read_text()}"


@where_shells_can_allow_it
@pytest.mark.parametrize("own", SHELLS, indirect=True)
def test_a_person_notices_nothing_of_it_but_the_command_that_has_started_the_pane(own, monkeypatch):
    """The name of the window is asked for at once: by itself it is the launcher's for half a second."""
    monkeypatch.setenv("LC_ALL", "C")  # in which Python would add LC_CTYPE
    monkeypatch.setenv("TMUX_TOOL_READABLE", "off")
    own.call("read")
    plain = noticed(own)
    assert plain.startswith(os.environ["SHELL"].rpartition("/")[2] + "\n")
    monkeypatch.setenv("TMUX_TOOL_READABLE", "own")
    own.call("read")
    assert not [*unified_diff(plain.split("\n"), noticed(own, "/become_shell.py").split("\n"), n=0)]


@where_shells_can_allow_it
@pytest.mark.parametrize("own", SHELLS, indirect=True)
def test_a_setting_makes_the_persons_windows_readable_too(own, monkeypatch):
    shell = os.environ["SHELL"].rpartition("/")[2]
    monkeypatch.setenv("TMUX_TOOL_READABLE", "all")
    own.ready()
    name = own.tmux("new-window", "-P", "-F", "#{window_name} #{window_index}", "-t", "=shared:").split()
    assert name == [shell, "1"]
    own.call("wait_ready", pane="shared:1", timeout=60)
    assert told(own.call("run", text="(exit 3)", pane="shared:1", timeout=60)) == "3"
    seen = own.call("run", text="echo $0 $SHLVL", pane="shared:1", timeout=60)
    assert seen.body == f"-{shell} 1"
    poll(lambda: own.fact("window_name", "shared:1") == shell, what="the window's name")
    assert own.call("open", name="mine").startswith("opened")
    assert told(own.call("run", text="(exit 4)", pane="shared:mine", timeout=60)) == "4"


@where_shells_can_allow_it
def test_where_the_person_has_chosen_what_tmux_starts_or_switched_it_off_it_is_as_ever(own, monkeypatch):
    (Path(os.environ["HOME"]) / ".tmux.conf").write_text("set -g default-command 'exec bash --norc'\n")
    own.ready()
    assert "become_shell" not in ask(own, START) and told(own.call("run", text="(exit 3)")) == ""
    own.tmux("kill-server")
    (Path(os.environ["HOME"]) / ".tmux.conf").write_text("")
    monkeypatch.setenv("TMUX_TOOL_READABLE", "off")
    own.ready()
    assert ask(own, START) == "" and told(own.call("run", text="(exit 3)")) == ""


@where_shells_can_allow_it
def test_the_session_starts_in_a_directory_of_any_name(own, monkeypatch, tmp_path):
    for number, name in enumerate(("a b;", "#(date) #{pid}'", 'x"$HOME" \\;')):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.setenv("TMUX_TOOL_DIRECTORY", str(folder))
        own.call("open", name=f"w{number}")
        assert ask(own, "#{pane_current_path}", f"=shared:w{number}") == str(folder)
        assert ask(own, "#{pane_current_path}") == str(folder)
        own.tmux("kill-server")


@where_shells_can_allow_it
def test_doctor_says_what_works_here_and_what_can_be_done_about_the_rest(own):
    done = run(sys.executable, TMUX_TOOL, "doctor", "/nonexistent", timeout=120)
    assert "ok  line editor  the prompt, typed line and exit status" in done.stdout, done
    assert "ok  kernel       only shells that the tool starts can be read" in done.stdout
    lines = [line.strip().partition("    #")[0] for line in done.stdout.split("\n") if line.startswith(" " * 17)]
    opens = "sudo sysctl kernel.yama.ptrace_scope=0"
    outside = ["docker run --cap-add SYS_PTRACE …", "cap_add: [SYS_PTRACE]", opens]
    assert lines[-3:] == outside if not os.geteuid() else lines[-1:] == [opens]
    assert ("on Docker's own machine" in done.stdout) is (not os.geteuid())
    off = run(sys.executable, TMUX_TOOL, "doctor", "/nonexistent", timeout=120,
              env={**os.environ, "TMUX_TOOL_READABLE": "off"})
    assert "do  kernel       programs are closed" in off.stdout and off.returncode == 1


@where_shells_can_allow_it
def test_nobody_tries_what_is_denied(own):
    """By the door at which both command lines would be logged, from the first moment of a pane on; in the kernel's log
    nothing but this control may be found."""
    calls = (
        '{"action": "send", "text": "echo hunter2"}', '{"action": "run", "text": "sleep 3", "timeout": 1}',
        '{"action": "interrupt"}', '{"action": "run", "text": "bash --norc"}', '{"action": "list"}',
        '{"action": "open", "name": "w", "text": "python3 -q"}', '{"action": "run", "text": "read -p Name: x"}',
        '{"action": "keys", "keys": "x C-c", "timeout": 2}')
    for call in (*calls, *calls[:2]):
        done = run(sys.executable, TMUX_TOOL, call)
        assert done.stdout and not done.stderr, done
    run(sys.executable, TMUX_TOOL, "why")
    own.tmux("new-window", "-d", "-n", "theirs")
    pid = ask(own, "#{pane_pid}", "=shared:theirs")
    control = run(sys.executable, "-c", f"open('/proc/{pid}/syscall').read()")
    assert "PermissionError" in control.stderr, control


@elsewhere
def test_in_other_scopes_the_shell_is_started_as_ever(own):
    assert statuses(own, SOME) == (["42", "0", "127"] if can_be_read(False) else ["", "", ""])
    assert ask(own, START) == ""
    subprocess.run([sys.executable, TMUX_TOOL, '{"action": "open", "name": "w", "text": "(exit 3)"}'], check=True)
    assert ask(own, START, "=shared:w") == ""
