"""A home of its own for an OpenCode under test (or in the demo): environment, configuration, and
where the binary is.

As a program, for a shell: `eval "$(python3 hermetic.py DIR BASE_URL)"` exports all of it.
"""

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PINNED = "1.18.33"  # the version that CI installs; others are tried by hand with OPENCODE_BIN


def find_opencode():
    """The binary: $OPENCODE_BIN, PATH, then the cache folder that tests/run fills. None when there
    is none."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    cached = cache / f"tmux-tool-tests/opencode-{PINNED}/node_modules/.bin/opencode"
    return (
        os.environ.get("OPENCODE_BIN")
        or shutil.which("opencode")
        or (str(cached) if cached.exists() else None)
    )


def config(base_url, **more):
    """A configuration whose only provider is the scripted model. `more` goes in as it is
    (permission={"bash": "ask"})."""
    model = {
        "fake-1": {
            "name": "Fake One",
            "tool_call": True,
            "limit": {"context": 100000, "output": 4096},
        }
    }
    options = {"baseURL": base_url, "apiKey": "not-a-secret"}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Fake",
        "options": options,
        "models": model,
    }
    return {
        "model": "fake/fake-1",
        "small_model": "fake/fake-1",
        "provider": {"fake": provider},
        "autoupdate": False,
        **more,
    }


def environment(root, base_url, **more):
    """Variables that keep OpenCode inside `root` (made if missing) and off the network; its
    configuration is written there."""
    root = Path(root)
    env = {"HOME": str(root), "OPENCODE_CONFIG": str(root / "opencode.json")}
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        env[f"XDG_{name}_HOME"] = str(root / name.lower())
        (root / name.lower()).mkdir(parents=True, exist_ok=True)
    for name in ("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "PROJECT_CONFIG", "DEFAULT_PLUGINS"):
        env["OPENCODE_DISABLE_" + name] = "1"
    (root / "opencode.json").write_text(json.dumps(config(base_url, **more)))
    # Without it both server and TUI decode a catalogue of thousands of models: 5 of 14 s of CPU.
    env["OPENCODE_MODELS_PATH"] = str(root / "models.json")
    (root / "models.json").write_text("{}")
    _be_without_the_plugins_library(root / "config/opencode")
    return env


def _be_without_the_plugins_library(folder):
    """In a home where it finds none, OpenCode loads the library of those who write plugins from
    npm behind its first turns: 31 MB, 7 s of CPU. It believes a lock file that names it."""
    (folder / "node_modules").mkdir(parents=True, exist_ok=True)
    lock = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
    (folder / "package-lock.json").write_text(json.dumps(lock))


class Desk:
    """One hermetic home with a project, a tmux server of its own and the session `shared`, at which
    a person sits."""

    SIZE = (160, 50)

    def __init__(self, model, binary, **config):
        # short: a socket's path has a limit
        self.root = Path(tempfile.mkdtemp(prefix="oc-", dir="/tmp"))
        self.home, self.project = self.root / "home", self.root / "project"
        self.project.mkdir()
        self.before = dict(os.environ)
        for name in ("TMUX", "TMUX_PANE", "OPENCODE_SERVER_PASSWORD", "OPENCODE_BIN"):
            os.environ.pop(name, None)
        os.environ.pop("PYTHONUNBUFFERED", None)  # few people set it
        os.environ.pop("XDG_RUNTIME_DIR", None)
        (self.root / "bin").mkdir()
        if binary:
            (self.root / "bin/opencode").symlink_to(os.path.realpath(binary))
        os.environ.update(
            environment(self.home, model.url if model else "", **config),
            TMUX_TMPDIR=str(self.root),
            LANG="C.UTF-8",
            PATH=f"{self.root / 'bin'}:{os.environ['PATH']}",
            TMPDIR=str(self.root),
            PS1="$ ",
        )
        tempfile.tempdir = None  # asked for anew
        columns, rows = map(str, self.SIZE)
        new = ["new-session", "-d", "-s", "shared", "-x", columns, "-y", rows, "-c", self.root]
        self.tmux("-f", "/dev/null", *map(str, new), "bash --norc --noprofile")
        self.tmux("set-option", "-g", "status", "off")
        self._person = None

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-u", *words], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", "=shared:")

    def fact(self, name):
        return self.tmux("display-message", "-p", "-t", "=shared:", f"#{{{name}}}").strip()

    @property
    def person(self):
        """Who is attached to the session from the first key on."""
        if self._person is None:
            from tests.support.person import Person

            self._person = Person("shared", self.SIZE, ["tmux", "-u"], os.environ)
        return self._person

    def type(self, text, *keys):
        """The person types text and presses keys, such as "Enter", once the text is on the
        screen."""
        self.person.type(text)
        if keys:
            self.see(text)
            self.person.press(*keys)

    def see(self, text):
        self.until(lambda: text in self.screen())

    def program(self, *lines):
        """Puts a shell script called opencode in front of the PATH. It is of a version that can be
        used, and no server."""
        path = self.root / "bin/opencode"
        path.unlink(missing_ok=True)
        version = '[ "$1" = --version ] && { echo 1.18.33; exit; }'
        path.write_text("\n".join(["#!/bin/sh", version, *lines, ""]))
        path.chmod(0o755)

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
        end = time.monotonic() + seconds
        while not (got := true()) and time.monotonic() < end:
            time.sleep(0.03)
        assert got, self.screen()
        return got

    def processes(self):
        """All that was started for OpenCode in this home, by its environment."""
        found, mark = {}, f"HOME={self.home}".encode()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                    found[int(pid)] = b" ".join(words).decode().strip()
        usual = ("tmux", "bash --norc", "setsid", sys.executable + " -c")
        return {pid: line for pid, line in found.items() if line and not line.startswith(usual)}

    def close(self):
        from python.helpers.tmux.evidence.kernel.process import alive

        if self._person:
            self._person.close()
        shells = [*map(int, self.tmux("list-panes", "-a", "-F", "#{pane_pid}").split())]
        subprocess.run(["tmux", "kill-server"], capture_output=True)
        end = time.monotonic() + 15  # a shell that ends still writes its history into this home
        while (self.processes() or any(map(alive, shells))) and time.monotonic() < end:
            time.sleep(0.05)
        left = self.processes()
        for pid in left:
            os.kill(pid, 9)
        os.environ.clear()
        os.environ.update(self.before)
        shutil.rmtree(self.root, ignore_errors=True)
        assert not left, left


if __name__ == "__main__":
    for key, value in environment(sys.argv[1], sys.argv[2]).items():
        print(f"export {key}={shlex.quote(value)}")
