"""Whose turn it is, in tests that need a signal or a clock. The situations are in
tests/real/cases/ready.toml, and real programs in the other files there."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import poll
from tests.support.answer import is_verdict
from tests.support.terminal import SHELLS


@pytest.mark.parametrize("shell", SHELLS)
def test_shell_that_has_not_read_its_input_is_not_ready(bare, shell):
    """Stopped by a signal it shows its old prompt until it continues, with the text unread: the
    stalest prompt there is. tmux itself wakes a stopped child of its own, so it is a grandchild."""
    bare.server.install()
    bare.start(f"sh -c '{SHELLS[shell]}; true'")
    bare.ready()
    first = bare.fact("pane_pid")
    pid = int(Path(f"/proc/{first}/task/{first}/children").read_text().split()[0])
    os.kill(pid, signal.SIGSTOP)
    state = Path(f"/proc/{pid}/stat")
    poll(lambda: state.read_text().rpartition(")")[2].split()[0] == "T", what="a stopped shell")
    try:
        receipt = bare.send("stamp")
        assert f"note: typed ahead: {shell} was running" in receipt
        answer = bare.wait(timeout=1.5)
        begins = f"wait_ready timed out after 1.5s: not read yet; still running {shell}, "
        assert answer.startswith(begins), answer
    finally:
        os.kill(pid, signal.SIGCONT)
    answer = bare.wait()
    bare.not_early(answer)
    is_verdict(answer, "ready (shell)")


def test_silence_is_counted_from_the_last_output_and_not_from_the_last_look(terminal, tmp_path):
    truth = tmp_path / "truth"
    code = (
        "import time; time.sleep(1.3); print('x', flush=True);"
        f" open({str(truth)!r}, 'w').write(str(time.monotonic())); time.sleep(600)"
    )
    for _ in range(5):  # a machine that stops for a moment makes it less, never more
        text = shlex.join([sys.executable, "-c", code])
        answer = terminal.call("run", text=text, timeout=2.4)
        real = time.monotonic() - float(truth.read_text())
        silent = float(answer.split("\n")[0].removesuffix("s").rpartition("silent for ")[2])
        assert silent < real + 0.1
        if silent > real - 0.4:
            break
        terminal.call("interrupt")
    else:
        pytest.fail(f"silent for {real:.1f}s, reported {silent}")
    time.sleep(2.5)
    before = time.monotonic() - float(truth.read_text())
    answer = terminal.call("wait_ready", timeout=0.3)
    after = time.monotonic() - float(truth.read_text())
    silent = float(answer.split("\n")[0].removesuffix("s").rpartition("silent for ")[2])
    assert before - 2.1 < silent < after + 0.1, answer  # of two times tmux knows the second
