"""The command line: its dispatch, how it ends, and what the doctor says about a machine."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from python.helpers.tmux.arguments import ACTIONS, check
from python.helpers.tmux.base.settings import BadValue, Settings
from python.helpers.tmux_cli import doctor
from python.helpers.tmux_cli.command import EXAMPLES
from tests.conftest import poll
from tests.host import host_tree
from tests.support import denied
from tests.support.run import ROOT, TMUX_TOOL, run
from tests.support.tables import Tables
from tests.support.terminal import SHELLS

TABLES = Tables(__file__)

FINDINGS = ("host", "tmux", "session", "kernel", "line editor", "OpenCode")


# Dispatch


def test_help_names_every_command_and_every_action_with_an_example():
    shown = host_tree.tmux_tool("--help")
    assert shown.returncode == 0
    for name in ("demo", "opencode", "view", "install", "uninstall", "doctor", "why", "mcp", *ACTIONS):
        assert re.search(rf"^  (?:tmux-tool )?{name}\b", shown.stdout, flags=re.M), name
    examples = [json.loads(line) for line in EXAMPLES.splitlines()]
    assert [check(example)[0] for example in examples] == list(ACTIONS)
    without = host_tree.tmux_tool()
    assert (without.returncode, without.stdout) == (2, shown.stdout)


def test_an_older_python_is_an_error_that_says_what_is_needed():
    older = f"import runpy, sys; sys.version_info = (3, 10); runpy.run_path({str(TMUX_TOOL)!r})"
    done = run(sys.executable, "-c", older)
    assert done.returncode == 1 and not done.stdout
    assert re.fullmatch(r"tmux-tool needs Python 3\.11 or newer; this is \S+\n", done.stderr)


@TABLES.rows("words, says")
def test_a_wrong_command_line_is_an_error_that_says_what_is_right(words, says):
    done = host_tree.tmux_tool(*words)
    assert done.returncode == 1 and done.stderr == ""
    assert done.stdout.startswith("error: ") and says in done.stdout


def test_a_call_comes_from_stdin_so_that_a_password_is_no_argument(terminal):
    done = run(sys.executable, TMUX_TOOL, "-", input=json.dumps({"action": "run", "text": "echo from stdin"}))
    assert done.returncode == 0 and done.stdout.endswith("\nfrom stdin\n"), done
    done = run(sys.executable, TMUX_TOOL, "-", input="no call")
    assert done.returncode == 1 and done.stdout.startswith("error: not a call: ")


def test_why_tells_what_is_seen_and_which_rules_decide_and_no_text(terminal):
    terminal.person.type("echo private")
    terminal.see("echo private")
    told = host_tree.tmux_tool("why").stdout
    for begins in ("screen: id %", "kernel: name ", "waiter: pid ", "terminal: ", "record: number "):
        assert re.search(f"^{begins}", told, re.MULTILINE), told
    assert re.search(r"^whose turn: .*, by the rule '.*'; asked: ", told, re.MULTILINE), told
    assert re.search(r"^run: refused: ", told, re.MULTILINE) and "private" not in told, told


@TABLES.rows("words")
def test_a_reader_that_leaves_early_is_not_our_error(words, terminal):
    """`tmux-tool … | head -1`: here no one reads at all."""
    reader, writer = os.pipe()
    os.close(reader)
    streams = {"capture_output": False, "stdout": writer, "stderr": subprocess.PIPE}
    done = run(sys.executable, TMUX_TOOL, *words, **streams)
    os.close(writer)
    assert done.stderr == "" and done.returncode == 141


FULL = "error: standard output: No space left on device; what was asked for may have been done: see it with read\n"


@pytest.mark.parametrize(
    "where, right", [(">&-", "error: standard output is closed; nothing was done\n"), (">/dev/full", FULL)])
def test_an_output_that_takes_nothing_is_told_in_one_line(bare, where, right):
    done = run("sh", "-c", f'"$0" "$1" "$2" {where}', sys.executable, TMUX_TOOL, json.dumps({"action": "list"}))
    assert (done.stderr, done.returncode) == (right, 1)


def test_a_person_stops_it_and_the_program_goes_on(terminal):
    call = json.dumps({"action": "run", "text": "echo be''gun; sleep 60"})
    with subprocess.Popen([sys.executable, TMUX_TOOL, call], stdout=subprocess.PIPE) as process:
        terminal.see("begun")
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=30)[0].decode()
    assert told == "error: stopped by C-c; what runs in the pane goes on\n"
    assert process.returncode == 1
    poll(lambda: terminal.fact("pane_current_command") == "sleep")


# The demo


@pytest.mark.parametrize("shell", SHELLS)
def test_the_demo_is_right_in_every_shell(bare, monkeypatch, shell):
    found = shutil.which(shell)
    if not found:
        pytest.skip(f"not installed: {shell}")
    (bare.server.home / ".zshrc").touch()  # else zsh asks what to write there
    monkeypatch.setenv("SHELL", found)
    monkeypatch.delenv("OPENCODE_BIN", raising=False)
    done = run(TMUX_TOOL, "demo", timeout=120)
    assert done.returncode == 0 and "not right" not in done.stdout, done.stdout


@pytest.mark.thorough
def test_the_demo_fails_where_an_answer_is_not_what_it_shows(bare, tmp_path):
    demo = tmp_path / "demo"
    shutil.copytree(ROOT, demo, ignore=shutil.ignore_patterns(".*", "bench", "real", "view"))
    steps = demo / "tests/demo.toml"
    steps.write_text(steps.read_text().replace("you said y$", "you said n$"))
    done = run(demo / "usr/bin/tmux-tool", "demo", timeout=120)
    assert done.returncode == 1 and "this is not right: expected" in done.stdout, done.stdout


def test_the_demo_says_why_it_cannot_begin_and_is_not_installed(bare, monkeypatch, tmp_path):
    monkeypatch.setenv("TMUX_TOOL_WIDTH", "wide")
    done = host_tree.tmux_tool("demo")
    assert done.returncode == 1 and "(TMUX_TOOL_WIDTH): got 'wide'" in done.stdout
    monkeypatch.delenv("TMUX_TOOL_WIDTH")
    bare.start("vi -u NONE")
    done = host_tree.tmux_tool("demo")
    assert done.returncode == 1 and "no prompt in the session `shared`" in done.stdout
    host_tree.build(tmp_path, "root")
    host_tree.install(tmp_path)
    done = host_tree.tmux_tool("demo", command=tmp_path / host_tree.COMMAND["root"])
    assert done.returncode == 1 and "not a call" in done.stdout


# The doctor


def findings(root, **more) -> dict[str, tuple[str, str]]:
    """What it is about -> (ok or do, the text and the command to copy, a line each)."""
    done = host_tree.tmux_tool("doctor", root, **more)
    assert done.stderr == "", done.stderr
    assert len(done.stdout.splitlines()) <= 24
    found: dict[str, tuple[str, str]] = {}
    about = ""
    for line in done.stdout.splitlines()[1:]:
        if line.startswith("  "):
            found[about] = (found[about][0], f"{found[about][1]}\n{line.strip()}")
        else:
            about = line[4:17].strip()
            found[about] = (line[:2], line[17:])
    assert done.returncode == (0 if all(mark == "ok" for mark, _ in found.values()) else 1)
    return found


@pytest.fixture
def path(bare, monkeypatch):
    """The first folder of PATH."""
    monkeypatch.delenv("OPENCODE_BIN", raising=False)
    return bare.server.bin


def script(place: Path, *lines: str) -> None:
    place.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    place.chmod(0o755)


def test_the_doctor_leaves_nothing_and_touches_no_session(bare, tmp_path):
    home = Path(os.environ["HOME"])
    before = sorted(home.rglob("*"))
    found = findings(tmp_path / "nowhere")
    assert tuple(found) == FINDINGS
    assert found["session"][1].startswith("shared is not there yet")
    assert found["host"][0] == "ok"
    assert not list(bare.folder.glob("tmux-tool-*"))
    assert sorted(home.rglob("*")) == before
    assert bare.tmux("list-sessions", check=False) == ""

    def gone():
        return f"{bare.folder}/tmux-tool-" not in subprocess.getoutput("ps -eo args")

    poll(gone, what="the sample server ends")


def test_a_session_is_shown_with_who_is_attached_and_how_to_watch_it(terminal, tmp_path):
    mark, text = findings(tmp_path)["session"]
    assert mark == "ok" and text.startswith("shared, nobody attached; to watch it:\n")
    socket = terminal.tmux("display-message", "-p", "#{socket_path}").strip()
    assert text.endswith(f"tmux -S {socket} attach -t shared")
    with terminal.attached_program():
        terminal.attach()
        assert findings(tmp_path)["session"][1].startswith("shared, 1 attached; ")


def test_a_wrong_setting_is_reported(bare, tmp_path, monkeypatch):
    """Also one that was saved in the host's page."""
    gear = tmp_path / "usr/plugins/tmux_tool/config.json"
    gear.parent.mkdir(parents=True)
    wrong = {b'{"width": "abc"}': "setting width (TMUX_TOOL_WIDTH): got 'abc'", b"{": f"{gear}: Expecting"}
    with pytest.raises(TypeError) as why:  # Python 3.14 words it in another way
        dict([1])
    wrong |= {b"[1]": f"{gear}: {why.value}", b'"\xff"': f"{gear}: 'utf-8' codec"}
    for text, says in wrong.items():
        gear.write_bytes(text)
        with pytest.raises(BadValue, match=f"^{re.escape(says)}"):
            doctor._settings(gear)
    assert findings(tmp_path)["settings"][1].startswith(says)
    gear.unlink()
    monkeypatch.setenv("TMUX_TOOL_WIDTH", "wide")
    assert findings(tmp_path)["settings"][1].startswith("setting width (TMUX_TOOL_WIDTH): got 'wide'")


def test_the_shell_that_tmux_starts_is_tried(bare, path, tmp_path, monkeypatch):
    for name, about in {"nologin": "shell", "dash": "line editor"}.items():
        script(path / name, "exit 1" if name == "nologin" else "exec /bin/dash -i")
        monkeypatch.setenv("SHELL", str(path / name))
        found = findings(tmp_path / "nowhere")
        assert about in found, found
        mark, text = found[about]
        assert mark == "do" and text.startswith(str(path / name))
        assert text.endswith("export SHELL=/bin/bash")


def test_a_slow_profile_is_no_closed_memory_and_one_that_never_ends_is_told(bare, path, tmp_path, monkeypatch):
    """As pyenv's rehash, which waits for a lock."""
    script(path / "slow", "sleep 2; exec bash --norc")
    monkeypatch.setenv("SHELL", str(path / "slow"))
    found = findings(tmp_path / "nowhere")
    assert found["shell"][0] == "ok" and "its profile is slow" in found["shell"][1]
    assert found["line editor"][0] == "ok", found
    script(path / "stuck", "sleep 1000")
    monkeypatch.setenv("SHELL", str(path / "stuck"))
    for name in ("TMUX_TMPDIR", "TMUX", "HISTFILE", "fish_history"):
        monkeypatch.setenv(name, os.environ.get(name, ""))  # it is set back
    monkeypatch.setattr(doctor, "_FIRST_PROMPT", 1.0)
    about, fine, text, command = next(doctor._evidence(Settings()))
    assert (about, fine, command) == ("shell", False, f"{path / 'stuck'} -lix")
    assert "has no prompt after" in text


def test_a_missing_tmux_an_old_one_no_socket_and_a_server_that_refuses_are_reported(bare, tmp_path, path, monkeypatch):
    found = findings(tmp_path, env=os.environ | {"PATH": str(tmp_path)})
    assert found["tmux"][0] == "do" and "\n" in found["tmux"][1]
    assert found["tmux"][1].endswith("apt-get install -y tmux")
    script(path / "tmux", "echo tmux 2.9a")
    assert findings(tmp_path)["tmux"][0] == "do"
    script(path / "tmux", '[ "$2" = -V ] && echo tmux 3.3a && exit', "echo denied >&2; exit 1")
    found = findings(tmp_path)
    assert found["tmux"] == ("do", "tmux: denied") and "session" not in found
    monkeypatch.setenv("TMUX_TMPDIR", "/nonexistent")
    mark, text = findings(tmp_path)["tmux"]
    assert mark == "do" and "TMUX_TMPDIR is /nonexistent" in text
    assert text.endswith("\nunset TMUX_TMPDIR")
    for said in ("no server running", "can't find it"):
        script(path / "tmux", f'echo "{said}" >&2; exit 1')
        assert host_tree.tmux_tool('{"action": "read"}').stdout == f"error: tmux: {said}\n"


def test_from_inside_a_clients_sandbox_the_command_line_says_what_to_do_instead(bare, path):
    script(path / "tmux", 'echo "error connecting to /tmp/tmux-0/default (Operation not permitted)" >&2; exit 1')
    done = host_tree.tmux_tool('{"action": "read"}')
    assert done.returncode == 1
    first, second = done.stdout.splitlines()
    assert first.endswith("(Operation not permitted)") and second.startswith("this shell is in a sandbox")


def test_what_the_kernel_denies_is_reported_with_the_remedy(bare, tmp_path):
    """As under Yama: the files are denied before the command line starts."""
    found = findings(tmp_path, env=os.environ | {denied.VARIABLE: denied.YAMA, "PYTHONPATH": str(denied.WORLD)})
    assert found["kernel"][0] == "do" and found["line editor"][0] == "do", found
    assert "sysctl kernel.yama.ptrace_scope=0" in found["kernel"][1]
    assert "no exit status is known" in found["line editor"][1]


@pytest.mark.parametrize("layout", host_tree.LAYOUTS)
def test_how_it_is_installed_is_reported(layout, bare, tmp_path):
    root = tmp_path / "a0"
    host_tree.build(root, layout)

    def says(mark: str, text: str) -> bool:
        """Without tmux the other checks are quick."""
        found = findings(root, env=os.environ | {"PATH": "/nonexistent"})["host"]
        return found[0] == mark and text in found[1]

    advice = f"to repair it:\ntmux-tool install {root} "
    assert says("do", f"not installed in {root}; to install it:\ntmux-tool install {root} ")
    host_tree.copy_by_hand(root)
    assert says("do", advice)
    host_tree.install(root)
    assert says("ok", f"installed in {root}/usr/")
    if layout == "root":
        (root / "usr/plugins/tmux_tool/.toggle-0").write_text("")
        assert says("do", "switched off")
        (root / "usr/plugins/tmux_tool/.toggle-0").unlink()
    (root / host_tree.TOOL[layout]).unlink()
    assert says("do", advice)


@TABLES.rows("answer, mark, says")
def test_opencodes_version_decides_whether_it_can_be_used(answer, mark, says, bare, path, tmp_path):
    script(path / "tmux", "exit 1")  # the other checks are quick then
    script(path / "opencode", "mkdir $HOME/.made", answer)
    found = findings(tmp_path)["OpenCode"]
    assert found[0] == mark and says in found[1]
    assert not Path(os.environ["HOME"], ".made").exists()


def test_an_opencode_that_cannot_be_executed_is_reported(bare, path, tmp_path):
    script(path / "tmux", "exit 1")
    script(path / "opencode", "")
    (path / "opencode").write_text("#!/no/such/interpreter\n")
    mark, says = findings(tmp_path)["OpenCode"][:2]
    assert mark == "do" and "opencode --version failed" in says
