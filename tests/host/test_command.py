"""The command line: its dispatch, its ends, and what the doctor says of a machine."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from python.helpers.tmux_cli import demo
from tests.conftest import poll
from tests.host import hosts

COMMAND = hosts.REPO / "usr/bin/tmux-tool"
FINDINGS = (
    "tmux", "session", "python", "kernel", "line editor", "other users", "host", "OpenCode",
)  # fmt: skip


# Dispatch


def test_help_names_every_command_and_every_action():
    from python.helpers.tmux.arguments import ACTIONS

    done = hosts.tmux_tool("--help")
    assert done.returncode == 0
    for name in ("demo", "opencode", "install", "uninstall", "doctor", "mcp", *ACTIONS):
        assert re.search(rf"^  (?:tmux-tool )?{name}\b", done.stdout, flags=re.M), name
    assert hosts.tmux_tool().returncode == 2


@pytest.mark.parametrize(
    "words, says",
    [
        (["reed"], "not a call"),
        (["[1]"], "one JSON object"),
        (['{"action": "list"}', "more"], "one JSON object"),
        (["install", "/a", "/b"], "one folder"),
        (["install", "--help"], "one folder"),
        (["demo", "quick"], "no arguments"),
        (["mcp", "now"], "no arguments"),
        (["opencode"], "what is OpenCode to be asked"),
    ],
    ids=str,
)
def test_a_wrong_command_line_is_an_error_that_says_what_is_right(words, says):
    done = hosts.tmux_tool(*words)
    assert done.returncode == 1 and done.stderr == ""
    assert done.stdout.startswith("error: ") and says in done.stdout


@pytest.mark.parametrize(
    "words",
    [["--help"], ['{"action": "read"}'], ['{"action": "nope"}'], ["doctor"]],
    ids=lambda words: words[0][:20],
)
def test_a_reader_that_leaves_early_is_no_error_of_ours(words, terminal):
    """`tmux-tool … | head -1`: here nobody reads at all."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, COMMAND, *words], stdout=writer, stderr=subprocess.PIPE, timeout=60
    )
    os.close(writer)
    assert done.stderr == b"" and done.returncode == 141


# The demo


def test_the_demo_tells_why_it_cannot_begin(bare, monkeypatch):
    monkeypatch.setenv("TMUX_TOOL_WIDTH", "wide")
    done = hosts.tmux_tool("demo")
    assert done.returncode == 1 and done.stdout.startswith("error: TMUX_TOOL_WIDTH: got 'wide'")


@pytest.mark.parametrize(
    ("shown", "refused"),
    [("read 1 line of shared (80x24, vi in front, full screen)\n~", True),
     ("read 1 line of shared (80x24, bash in front)\n$ echo full screen", False)],
)  # fmt: skip
def test_the_demo_begins_unless_a_full_screen_is_open(monkeypatch, capsys, shown, refused):
    monkeypatch.setattr(demo.shutil, "which", lambda name: name if name == "tmux" else None)
    monkeypatch.delenv("OPENCODE_BIN", raising=False)
    monkeypatch.setattr(demo.Call, "perform", lambda self, call: shown)
    assert demo.demo() == int(refused)
    assert ("full-screen program is open" in capsys.readouterr().out) is refused


# The doctor


def findings(root, **more) -> dict[str, tuple[str, str]]:
    """What it is about -> (ok or do, the text)."""
    done = hosts.tmux_tool("doctor", root, **more)
    assert done.stderr == "", done.stderr
    assert len(done.stdout.splitlines()) <= 24
    found: dict[str, tuple[str, str]] = {}
    about = ""
    for line in done.stdout.splitlines()[1:]:
        if line.startswith("  "):
            found[about] = (found[about][0], f"{found[about][1]} {line.strip()}")
        else:
            about = line[4:17].strip()
            found[about] = (line[:2], line[17:])
    fine = all(mark == "ok" for mark, _ in found.values())
    assert done.returncode == (0 if fine else 1)
    return found


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A folder that is first on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.delenv("OPENCODE_BIN", raising=False)
    return folder


def script(place: Path, *lines: str) -> None:
    place.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    place.chmod(0o755)


def test_the_doctor_leaves_nothing_and_touches_no_session(bare, tmp_path):
    found = findings(tmp_path / "nowhere")
    assert tuple(found) == FINDINGS
    assert found["session"][1].startswith("shared is not there yet")
    assert found["host"][0] == "ok"
    assert not list(bare.folder.glob("tmux-tool-*"))
    assert not list(Path(os.environ["HOME"]).iterdir())
    assert bare.tmux("list-sessions", check=False) == ""

    def gone():
        return f"{bare.folder}/tmux-tool-" not in subprocess.getoutput("ps -eo args")

    poll(gone, what="the sample server ends")


def test_a_session_is_told_with_the_way_to_watch_it(terminal, tmp_path, monkeypatch):
    monkeypatch.setenv("TMUX_TOOL_RUN_TIMEOUT", "5")
    mark, text = findings(tmp_path)["session"]
    assert mark == "ok"
    assert text.startswith("shared: 120x30, windows: 1, people who watch: 0, server: ")
    assert "tmux attach -t shared" in text and "run_timeout=5.0" in text


def test_a_wrong_setting_is_told(bare, tmp_path, monkeypatch):
    monkeypatch.setenv("TMUX_TOOL_WIDTH", "wide")
    assert findings(tmp_path)["settings"][1].startswith("TMUX_TOOL_WIDTH: got 'wide'")


def test_where_no_socket_can_be_made_the_evidence_cannot_be_tried(bare, tmp_path, monkeypatch):
    monkeypatch.setenv("TMUX_TMPDIR", "/nonexistent")
    mark, text = findings(tmp_path)["evidence"]
    assert mark == "do" and text.startswith("cannot be tried: ")


def test_a_missing_tmux_says_how_to_install_it(bare, tmp_path):
    found = findings(tmp_path, env=os.environ | {"PATH": str(tmp_path)})
    assert found["tmux"] == ("do", found["tmux"][1])
    assert "apt-get install -y tmux" in found["tmux"][1]


def test_an_old_tmux_is_told(bare, path, tmp_path):
    script(path / "tmux", "echo tmux 2.9a")
    assert findings(tmp_path)["tmux"][0] == "do"


def test_what_the_kernel_closes_is_told_with_the_way_to_open_it(bare, tmp_path):
    """As under Yama: the files are denied before the command line starts."""
    denied = tmp_path / "denied.py"
    denied.write_text(
        "import os, re, runpy, sys\n"
        "real = os.open\n"
        "def opened(path, *more, **named):\n"
        "    if re.match(r'/proc/\\d+/(syscall|mem|stack)$', str(path)):\n"
        "        raise PermissionError(13, 'denied', path)\n"
        "    return real(path, *more, **named)\n"
        "os.open = opened\n"
        "sys.argv[:] = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, denied, COMMAND, "doctor", tmp_path], capture_output=True, text=True
    )
    assert done.stderr == ""
    for about, says in (("kernel", "ptrace_scope"), ("line editor", "no exit status is told")):
        line = next(line for line in done.stdout.splitlines() if line[4:].startswith(about))
        assert line.startswith("do"), done.stdout
        assert says in " ".join(done.stdout.split())


@pytest.mark.parametrize("layout", hosts.LAYOUTS)
def test_how_it_is_installed_is_told(layout, bare, tmp_path):
    root = tmp_path / "a0"
    hosts.build(root, layout)

    def host():
        return findings(root)["host"]

    assert host()[0] == "do" and "not installed: tmux-tool install" in host()[1]
    hosts.copy_by_hand(root)
    assert host()[0] == "do" and "copied by hand" in host()[1]
    hosts.install(root)
    mark, text = host()
    assert mark == "ok" and "files whole" in text
    assert ("as a plugin" if layout == "root" else "below usr/") in text
    if layout == "root":
        (root / "usr/plugins/tmux_tool/.toggle-0").write_text("")
        assert host()[0] == "do" and "switched off" in host()[1]
        (root / "usr/plugins/tmux_tool/.toggle-0").unlink()
    (root / hosts.TOOL[layout]).unlink()
    assert host()[0] == "do" and "1 files missing or changed" in host()[1]


@pytest.mark.parametrize(
    "answer, mark, says",
    [
        ("echo 1.18.33", "ok", "1.18.33"),
        ("echo 1.2.26", "do", "older than 1.2.27: npm install"),
        ("echo 2.0.1", "do", "(@opencode/cli) has another API"),
        ("echo broken >&2; exit 1", "do", "prints 'broken'"),
    ],
    ids=["new", "old", "second edition", "broken"],
)
def test_opencodes_version_tells_whether_it_can_be_driven(answer, mark, says, bare, path, tmp_path):
    script(path / "opencode", "mkdir $HOME/.made", answer)
    found = findings(tmp_path)["OpenCode"]
    assert found[0] == mark and says in found[1]
    assert not Path(os.environ["HOME"], ".made").exists()
