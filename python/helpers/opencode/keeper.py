"""The keeper of a server: a program without a terminal, which its owner starts (server.py).

It starts `opencode serve`, prints where that is as JSON, and closes its stdout when the server has
ended. When its stdin ends, and so with its owner, it ends all that was started, removes its files
and, where the owner was killed, what that has left in its pane.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from functools import partial

from ..tmux.terminal.client import TmuxError
from . import record
from .api import Api
from .pane import mend, until_one_ends
from .reply import INSTALL, OpenCodeError, OpenCodeStartFailed
from .server import TAG, end_with, sweep

OLDEST = (1, 2, 27)  # the first whose server takes a password and a prompt's id, as measured
FIRST_OTHER = (2,)  # its server has another API
VERSION_LIMIT = 60.0  # seconds for `opencode --version`; it takes 0.5 on an idle machine
ANSWER_LIMIT = 100.0  # seconds until the server must answer; 2 are usual
LOOK_EVERY = 0.05  # seconds between two questions whether it answers
MOST_QUOTED = 500  # characters of what OpenCode printed


def main(arguments: list[str]) -> int:
    directory, program, pane, owner = arguments
    signal.signal(signal.SIGTERM, lambda *_: None)  # its end is that of its stdin
    os.mkdir(os.environ["BUN_TMPDIR"], 0o700)
    try:
        must_fit(program)
        server, port = _start(program, directory)
        print(json.dumps({"port": port}), flush=True)
        until_one_ends(0, os.pidfd_open(server.pid))
    except OpenCodeError as problem:
        print(json.dumps({"error": str(problem)}), flush=True)
    finally:
        os.close(1)
        in_order = os.read(0, 1)
        sweep(os.environ[TAG])
        shutil.rmtree(os.environ["BUN_TMPDIR"], ignore_errors=True)
        if pane and not in_order:
            with contextlib.suppress(TmuxError, OSError):  # the pane has gone
                _clear(pane, int(owner))
    return 0


def must_fit(program: str) -> None:
    """Raises OpenCodeStartFailed where `program` is an OpenCode that cannot be used, or none."""
    words, quiet, limit = [program, "--version"], subprocess.DEVNULL, VERSION_LIMIT
    try:
        done = subprocess.run(words, stdin=quiet, capture_output=True, text=True, timeout=limit)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise OpenCodeStartFailed(f"{program} --version failed: {problem}") from None
    said = (done.stdout or done.stderr).strip()
    version = tuple(map(int, re.findall(r"\d+", said)[:3]))  # 1.18.33
    if len(version) < 3:
        reason = f"its --version prints {said[-300:]!r}"
    elif version >= FIRST_OTHER:
        reason = f"OpenCode {said} (@opencode/cli) has another API than 1.x (opencode-ai)"
    elif version < OLDEST:
        reason = f"OpenCode {said} is older than {'.'.join(map(str, OLDEST))}"
    else:
        return
    raise OpenCodeStartFailed(f"{program}: {reason}", f"{INSTALL} installs one that works")


def _start(program: str, directory: str) -> tuple[subprocess.Popen[bytes], int]:
    """The server, which answers to its password alone, and its port."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    words = [program, "serve", "--port", str(port), "--hostname", "127.0.0.1"]
    with tempfile.TemporaryFile() as printed:
        server = subprocess.Popen(
            words,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            preexec_fn=partial(end_with, os.getpid()),
        )
        api = Api(port, os.environ["OPENCODE_SERVER_PASSWORD"])
        limit = time.monotonic() + ANSWER_LIMIT
        while api.answers() != 200:
            if server.poll() is not None or time.monotonic() > limit:
                printed.seek(0)
                said = " ".join(printed.read().decode("utf-8", "replace").split())
                raise OpenCodeStartFailed(f"OpenCode did not start: {said[-MOST_QUOTED:]}")
            if select.select([0], [], [], LOOK_EVERY)[0]:
                raise OpenCodeStartFailed("its owner has ended")
    if Api(port, "").answers() != 401:
        raise OpenCodeStartFailed("OpenCode's API is open to every user of this machine")
    return server, port


def _clear(pane: str, owner: int) -> None:
    """Nothing that the killed owner has written is left on the pane, and its shell's screen is
    back, unless another one runs there by now."""
    there, _ = record.load(pane)
    if there is None or there.pid == owner:
        record.clear(pane)
        mend(pane)
