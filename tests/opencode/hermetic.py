"""A home of its own for an OpenCode under test (or in the demo): environment, configuration, and
where the binary is."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.killed import carrying
from tests.support.late import Late
from tests.support.terminal import Server, Terminal, poll

ROOT = Path(__file__).resolve().parents[2]
PINNED = "1.18.33"  # the version that CI installs; others are tried by hand with OPENCODE_BIN
DOUBLE = str(Path(__file__).with_name("double_2.py"))  # the stand-in for OpenCode 2
CONFIG = Path(__file__).with_name("opencode.json")


def find_opencode():
    """The binary: $OPENCODE_BIN, PATH, the folder that tests/run fills; None when there is none."""
    cache = Path(os.environ.get("TMUX_TOOL_TEST_CACHE") or ROOT / ".cache")
    cached = cache / f"opencode-{PINNED}/node_modules/.bin/opencode"
    return os.environ.get("OPENCODE_BIN") or shutil.which("opencode") or (str(cached) if cached.exists() else None)


def environment(root, base_url, **more):
    """Variables that keep OpenCode inside `root` (made if missing) and off the network. Its
    configuration is written there: opencode.json, whose only provider is the scripted model, and
    `more` as it is (permission={"bash": "ask"})."""
    root = Path(root)
    env = {"HOME": str(root), "OPENCODE_CONFIG": str(root / "opencode.json")}
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        env[f"XDG_{name}_HOME"] = str(root / name.lower())
        (root / name.lower()).mkdir(parents=True, exist_ok=True)
    for name in ("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "PROJECT_CONFIG", "DEFAULT_PLUGINS"):
        env["OPENCODE_DISABLE_" + name] = "1"
    # One that is started by hand reaches the model, and its server, past a proxy of the machine's.
    env |= dict.fromkeys(["no_proxy", "NO_PROXY"], "127.0.0.1,localhost")
    config = json.loads(CONFIG.read_text().replace("BASE_URL", base_url)) | more
    (root / "opencode.json").write_text(json.dumps(config))
    # Without it both server and TUI decode a catalogue of thousands of models: 5 of 14 s of CPU.
    env["OPENCODE_MODELS_PATH"] = str(root / "models.json")
    (root / "models.json").write_text("{}")
    # where 2 looks if it does not know $OPENCODE_CONFIG
    (root / "config/opencode").mkdir(parents=True, exist_ok=True)
    shutil.copy(root / "opencode.json", root / "config/opencode")
    _be_without_the_plugins_library(root / "config/opencode")
    return env


def _be_without_the_plugins_library(folder):
    """In a home where it finds none, OpenCode loads the library of those who write plugins from
    npm behind its first turns: 31 MB, 7 s of CPU. It believes a lock file that names it."""
    (folder / "node_modules").mkdir(parents=True, exist_ok=True)
    lock = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
    (folder / "package-lock.json").write_text(json.dumps(lock))


class Desk(Terminal):
    """One hermetic home with a project, a tmux server and the session `shared`, at which a person sits."""
    def __init__(self, fake, binary, **config):
        super().__init__(Server())
        self.root = self.folder = self.server.folder
        self.home, self.project = self.root / "home", self.root / "project"
        self.project.mkdir()
        (self.root / "bin").mkdir()
        if binary:
            (self.root / "bin/opencode").symlink_to(os.path.realpath(binary))
        unset = ("OPENCODE_SERVER_PASSWORD", "OPENCODE_PASSWORD", "OPENCODE_BIN", "OPENCODE_DB")
        self.server.variables |= {
            **dict.fromkeys([*unset, "PYTHONUNBUFFERED", "XDG_RUNTIME_DIR"]),
            **environment(self.home, fake.url if fake else "", **config),
            "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}",
            "TMPDIR": str(self.root),
            "PS1": "$ ",
        }
        self.server.__enter__()
        tempfile.tempdir = None  # asked for anew
        self.start(size=(160, 50), folder=self.root)

    def type(self, text, *keys):
        """The person types text, and presses keys ("Enter") once it is on the screen."""
        self.person.type(text)
        if keys:
            self.see(text)
            self.person.press(*keys)

    def see(self, text):
        self.until(lambda: text in self.screen())  # OpenCode takes long to start

    def program(self, *lines, version='[ "$1" = --version ] && { echo 1.18.33; exit; }'):
        """Puts a shell script called opencode in front of the PATH. It is of a version that can be
        used, and no server."""
        path = self.root / "bin/opencode"
        path.unlink(missing_ok=True)
        path.write_text("\n".join(["#!/bin/sh", version, *lines, ""]))
        path.chmod(0o755)

    def keeps_files(self):
        """Makes the project one of git's: OpenCode tells what a turn did to its files."""
        commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first", "--allow-empty"]
        for words in (["init", "-q"], commit):
            subprocess.run(["git", "-C", str(self.project), *words], check=True)

    def options(self):
        """What is left on the pane by an OpenCodeSession."""
        rows = self.tmux("show-options", "-p", "-t", "=shared:").splitlines()
        return [row for row in rows if row.startswith("@opencode")]

    def record(self):
        """What the pane says of its OpenCode; {} where there is none."""
        from python.helpers.opencode.record import Record, load
        there = load(self.fact("pane_id"))
        return {} if there == Record() else vars(there)

    def is_clean(self):
        """No process, no option of the pane, no file, the shell's own screen with its prompt."""
        left = self.processes() or self.options() or [*self.root.glob("opencode-*")]
        return not left and self.screen().rstrip().endswith(("$", "#"))

    def until(self, true, seconds=60):
        try:
            return poll(true, seconds)
        except Late:
            raise Late(self.screen()) from None

    def processes(self):
        """All that was started for OpenCode in this home, by its environment."""
        found = {}
        for pid in carrying(f"HOME={self.home}"):
            with contextlib.suppress(OSError):  # it has just ended
                words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().strip("\0").split("\0")
                # Whatever path and loader it is started with, it is tmux.
                if "tmux" not in map(os.path.basename, words):
                    found[pid] = " ".join(words)
        usual = ("bash --norc", "setsid", sys.executable + " -c")
        return {pid: line for pid, line in found.items() if line and not line.startswith(usual)}

    def close(self):
        from python.helpers.tmux.base.process import read, until
        self.leave()
        shells = [*map(int, self.tmux("list-panes", "-a", "-F", "#{pane_pid}").split())]
        self.tmux("kill-server", check=False)
        # a shell that ends still writes its history into this home
        until(lambda: not self.processes() and not any(map(read, shells)), 15)
        left = self.processes()
        for pid in left:
            os.kill(pid, 9)
        self.server.__exit__()
        tempfile.tempdir = None
        assert not left, left
