"""A tool under measurement: its adapter's process, which gets one request at a time."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from tests.support.run import run

from .lane import Lane
from .peers import Mode

PEERS = Path(__file__).with_name("peers")
GRACE = 30.0  # seconds beyond the tool's own limit, before it counts as hung


@dataclass(frozen=True)
class Reply:
    """`at`: CLOCK_MONOTONIC (one clock for all processes), nanoseconds."""

    ok: bool
    value: str
    at: int


class Tool:
    """Closed at the end of `with`. Its stderr goes to a file in the lane's folder."""

    def __init__(self, lane: Lane, mode: Mode):
        self.mode = mode
        name = mode.tool.replace("-", "_").replace(" ", "_")
        adapter = PEERS / f"{name}_adapter.py"
        self.log = open(lane.folder / f"{name}.log", "a")  # noqa: SIM115
        self.process = subprocess.Popen(
            [python_for(mode.package), str(adapter), mode.name], env=lane.environment, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.log, cwd=lane.folder,
        )
        self.version = self.ask("version", limit=60).value

    def __enter__(self) -> Tool:
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait()
        self.log.close()

    def ask(self, action: str, limit: float = 20.0, **arguments) -> Reply:
        """`limit`: seconds that the tool itself has; a worker that says nothing for much longer is a failure."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps({"do": action, **arguments}) + "\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], limit + GRACE)[0]:
            raise RuntimeError(f"{self.mode.label} did not come back from {action} within {limit + GRACE:g} s")
        line = self.process.stdout.readline()
        if not line:
            tail = Path(self.log.name).read_text()[-300:]
            raise RuntimeError(f"{self.mode.label} ended: {tail}")
        return Reply(**json.loads(line))


INSTALL_LIMIT = 600  # seconds


def cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tmux-tool-bench"


def python_for(requirement: str) -> str:
    """The interpreter that has `requirement`, installed now if it was not; RuntimeError with pip's
    last words where that fails."""
    if not requirement:
        return sys.executable
    folder = cache() / requirement.replace("==", "-")
    python, stamp = folder / "bin" / "python", folder / "installed"
    version = f"{requirement} {sys.version}"
    if stamp.exists() and stamp.read_text() == version:
        return str(python)
    print(f"installing {requirement} …", flush=True)
    venv.create(folder, clear=True, with_pip=True)
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", requirement]
    done = run(*pip, timeout=INSTALL_LIMIT)
    if done.returncode:
        why = " ".join(done.stderr.split())[-300:]
        raise RuntimeError(f"{requirement} does not install: {why}")
    stamp.write_text(version)
    return str(python)
