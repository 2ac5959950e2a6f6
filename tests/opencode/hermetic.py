"""A home of its own for an OpenCode under test (or in the demo): environment, configuration, and
where the binary is.

As a program, for a shell: `eval "$(python3 hermetic.py DIR BASE_URL)"` exports all of it.
"""

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
    _be_without_the_plugins_library(root / "config/opencode")
    return env


def _be_without_the_plugins_library(folder):
    """In a home where it finds none, OpenCode loads the library of those who write plugins from
    npm behind its first turns: 31 MB, 7 s of CPU. It believes a lock file that names it."""
    (folder / "node_modules").mkdir(parents=True, exist_ok=True)
    lock = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
    (folder / "package-lock.json").write_text(json.dumps(lock))


class Desk:
    """One hermetic home with a project, a tmux server of its own and the session `shared`,
    160x50."""

    def __init__(self, model, binary, **config):
        self.root = Path(
            tempfile.mkdtemp(prefix="oc-", dir="/tmp")
        )  # short: a socket's path has a limit
        self.project = self.root / "project"
        self.project.mkdir()
        self.before = dict(os.environ)
        for name in (
            "TMUX",
            "TMUX_PANE",
            "OPENCODE_SERVER_PASSWORD",
            "OPENCODE_BIN",
            "XDG_RUNTIME_DIR",
        ):
            os.environ.pop(name, None)
        (self.root / "bin").mkdir()
        if binary:
            (self.root / "bin" / "opencode").symlink_to(os.path.realpath(binary))
        os.environ.update(
            environment(self.root / "home", model.url, **config),
            TMUX_TMPDIR=str(self.root),
            LANG="C.UTF-8",
            PATH=f"{self.root / 'bin'}:{os.environ['PATH']}",
            TMPDIR=str(self.root),
            PS1="$ ",
        )
        subprocess.run(
            [
                "tmux",
                "-u",
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-s",
                "shared",
                "-x",
                "160",
                "-y",
                "50",
                "-c",
                str(self.root),
                "bash --norc --noprofile",
            ],
            check=True,
        )

    def tmux(self, *words):
        return subprocess.run(
            ["tmux", "-u", *words], check=True, capture_output=True, text=True
        ).stdout

    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", "=shared:")

    def press(self, *keys):
        """The person presses keys."""
        self.tmux("send-keys", "-t", "=shared:", *keys)

    def abort(self):
        """The person presses Escape until the turn ends, slowly: two at once are one Alt-Escape."""

        def ended():
            self.press("Escape")
            time.sleep(0.5)
            return "interrupt" not in self.screen().replace("interrupted", "")

        self.until(ended)

    def type(self, text):
        """The person types."""
        self.tmux("send-keys", "-t", "=shared:", "-l", text)

    def options(self):
        """What is left on the pane by an OpenCode session."""
        rows = self.tmux("show-options", "-p", "-t", "=shared:").splitlines()
        return [row for row in rows if row.startswith("@opencode")]

    def record(self):
        return json.loads(self.tmux("show-options", "-pqv", "-t", "=shared:", "@opencode_record"))

    def is_clean(self):
        """No process, no option of the pane, the shell's own screen with its prompt."""
        screen = self.screen().rstrip()
        return not self.processes() and not self.options() and screen.endswith(("$", "#"))

    def until(self, true, seconds=15):
        end = time.monotonic() + seconds
        while not (got := true()) and time.monotonic() < end:
            time.sleep(0.03)
        assert got, self.screen()
        return got

    def processes(self):
        """Processes that live in this home: OpenCode and what its tools started."""
        found, mark = {}, f"HOME={self.root / 'home'}".encode()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    found[int(pid)] = (
                        Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
                    )
            except OSError:
                pass
        return {pid: line for pid, line in found.items() if "opencode" in line or "sleep" in line}

    def close(self):
        shells = subprocess.run(
            ["tmux", "list-panes", "-a", "-F", "/proc/#{pane_pid}"], capture_output=True, text=True
        )
        subprocess.run(["tmux", "kill-server"], capture_output=True)
        end = time.monotonic() + 5  # a shell that ends still writes its history into this home
        while (
            self.processes() or any(map(os.path.exists, shells.stdout.split()))
        ) and time.monotonic() < end:
            time.sleep(0.05)
        for pid, line in self.processes().items():
            print("left over:", pid, line)
            os.kill(pid, 9)
        os.environ.clear()
        os.environ.update(self.before)
        shutil.rmtree(self.root, ignore_errors=True)


if __name__ == "__main__":
    for key, value in environment(sys.argv[1], sys.argv[2]).items():
        print(f"export {key}={shlex.quote(value)}")
