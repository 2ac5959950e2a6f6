"""Where /proc is not mounted, or hides processes: what runs cannot be told, and the answer says so."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNSHARE = ["unshare", "--mount", "sh", "-c"]


def without_proc(command: str) -> subprocess.CompletedProcess:
    return subprocess.run([*UNSHARE, f"mount -t tmpfs none /proc && {command}"], capture_output=True, text=True)


@pytest.mark.skipif(without_proc("true").returncode != 0, reason="no mount may be made here")
def test_a_living_shell_is_not_said_to_have_ended(terminal):
    call = json.dumps({"action": "run", "text": "echo hi"})
    done = without_proc(shlex.join([sys.executable, str(ROOT / "usr/bin/tmux-tool"), call]))
    assert done.stdout.startswith("error: cannot tell what runs in shared: /proc does not show"), done
    assert "echo hi" not in terminal.screen()
