"""`tmux-tool demo`: real calls in a real session, each shown with its answer."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/opencode")]

from hermetic import environment  # type: ignore[import-not-found] # noqa: E402

from python.helpers.opencode_cli import OpenCodeError, OpenCodeSession  # noqa: E402
from python.helpers.tmux.actions import Call  # noqa: E402
from python.helpers.tmux.base.client import TmuxError  # noqa: E402
from tests.support.fake_model import FakeModel  # noqa: E402

INSTALL = "npm install -g opencode-ai@1"
_DEMO = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())["STEPS"]


def demo() -> int:
    if not shutil.which("tmux") and not _install_tmux():
        print("error: tmux is missing and could not be installed; install it and try again")
        return 1
    first = Call().answer({"action": "wait_ready", "timeout": 5})
    if first.word != "ready":
        print(f"error: no prompt in the session `shared`: {first.first}")
        return 1
    print("Watch it from another terminal:  tmux attach -t shared\n")
    failed = 0
    for title, call, begins in _DEMO:
        print(f"# {title}\n" if title else "", end="")
        print(f"> {json.dumps(call)}")
        answer = Call().answer(call)
        print(answer.text, flush=True)
        if not re.match(begins, answer.text):
            failed += 1
            print(f"(this is not right: expected {begins!r})")
        print()
    if binary := os.environ.get("OPENCODE_BIN") or shutil.which("opencode"):
        failed += _opencode_demo(binary)
    else:
        print(f"# OpenCode is missing ({INSTALL}): its two turns are left out\n")
    print(f"The session stays: tmux attach -t shared{' (some steps failed)' if failed else ''}")
    return int(bool(failed))


def _opencode_demo(binary: str) -> int:
    """Two turns in a folder and a home of their own, so nothing of the user's is changed or paid for;
    a scripted model on loopback answers."""
    with tempfile.TemporaryDirectory(prefix="tmux-tool-demo-") as place, ExitStack() as running:
        project = Path(place) / "project"
        project.mkdir()
        print("# Two turns with OpenCode; a scripted model answers")
        launcher = _launcher(Path(place), binary, running)
        session = OpenCodeSession(str(project), command=launcher)
        try:
            for prompt in ("Please remember the number 4711.", "What number was it?"):
                print(f"> session.send({prompt!r})\n{session.send(prompt, progress=True)}\n")
            print(f"> session.exit()\n{session.exit()}\n")
            return 0
        except (OpenCodeError, TmuxError) as problem:
            print(f"error: {problem}\n")
            session.exit()
            return 1


def _launcher(place: Path, binary: str, running: ExitStack) -> str:
    """A script that starts OpenCode with the scripted model, which runs until `running` ends."""
    model = running.enter_context(FakeModel())
    exports = [f"export {k}='{v}'" for k, v in environment(place / "home", model.url).items()]
    launcher = place / "opencode"
    launcher.write_text("\n".join(["#!/bin/sh", *exports, f"exec '{os.path.realpath(binary)}' \"$@\""]) + "\n")
    launcher.chmod(0o755)
    return str(launcher)


def _install_tmux() -> bool:
    root = [] if os.geteuid() == 0 else ["sudo"]
    if not shutil.which("apt-get") or root and not shutil.which("sudo"):
        return False
    print("tmux is missing: installing it with apt-get ...")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for step in (["update"], ["install", "-y", "tmux"]):
        done = subprocess.run([*root, "apt-get", *step, "-qq"], stdout=subprocess.DEVNULL, env=environment)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(demo())
