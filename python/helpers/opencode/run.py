"""One OpenCode turn without a terminal: `opencode run`, bounded in time whatever it hangs on."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import replace
from functools import partial
from typing import IO

from ..tmux.evidence.kernel import process
from . import turns
from .database import Database
from .reply import (
    OpenCodeError,
    OpenCodeNotInstalled,
    OpenCodePermissionNeeded,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Reply,
    must_be_text,
    seconds_of,
)
from .turns import Message, Turn

EVERY = 0.25  # seconds between two looks
TAG = "OPENCODE_RUN_TAG"  # environment variable that all it starts carries
MOST_QUOTED = 500  # characters of what it printed
_prctl = getattr(ctypes.CDLL(None), "prctl", None)  # Linux has it
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)
_SESSION = re.compile(r'"sessionID":"(ses_\w+)"')  # in each line that it prints


def opencode_run(
    prompt: str,
    session_id: str | None = None,
    directory: str | None = None,
    model: str | None = None,
    agent: str | None = None,
    timeout: float = 300,
) -> Reply:
    """One turn. `session_id` of an earlier Reply gives it that memory; `directory` is the project,
    default the current one; `timeout` in seconds is for all of it. Nothing is printed meanwhile.

    Raises OpenCodeNotInstalled, OpenCodeTurnFailed (also for an empty answer),
    OpenCodePermissionNeeded (nobody can be asked here, so OpenCode refused it), OpenCodeTimedOut:
    then every process it started has been ended.
    """
    must_be_text(prompt)
    limit = seconds_of(timeout)
    words = [program(), "run", "--format", "json", *flags_of(session_id, model, agent)]
    turn, began = Turn(prompt=turns.prompt_key(prompt), at=time.time()), time.monotonic()
    # Files, not pipes: an open stdin hangs OpenCode, and a child may outlive it with a pipe.
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as printed:
        stdin.write(prompt.encode())
        stdin.seek(0)
        place = os.path.abspath(directory or ".")
        database, code = _ran(words, place, (stdin, printed), began + limit)
        printed.seek(0)
        output = printed.read().decode("utf-8", "replace")
    session = match[1] if (match := _SESSION.search(output)) else session_id
    if code is None:
        reason = f"opencode run was ended after {timeout:g} s"
        raise OpenCodeTimedOut(reason, session_id=session)
    stored = database.messages(session, turn) if database and session else []
    reply = _reply(turns.since(turn, stored))
    if reply is None or code:
        words_printed = " ".join(output.split())[-MOST_QUOTED:] or f"exit status {code}"
        raise OpenCodeTurnFailed(f"opencode run failed: {words_printed}")
    if not reply.text:
        raise OpenCodeTurnFailed(f"OpenCode gave an empty answer (finish: {reply.finish})")
    return replace(reply, session_id=session, channel="run", duration=time.monotonic() - began)


def program(command: str = "") -> str:
    """The absolute path, as it is started in another directory, of `command` or the usual one.
    Raises OpenCodeNotInstalled."""
    name = command or usual_command()
    if not (path := shutil.which(name)):
        raise OpenCodeNotInstalled(f"{name} is not installed")
    return os.path.abspath(path)


def usual_command() -> str:
    return os.environ.get("OPENCODE_BIN") or "opencode"


def _reply(messages: list[Message]) -> Reply | None:
    """None where no turn began: what was printed says why. Raises OpenCodePermissionNeeded."""
    reply = turns.reply_of(messages, turns.STEP_LIMIT) if messages else None  # no step follows
    if tool := turns.refused_tool(messages):
        hint = "A run cannot ask: use OpenCodeSession, or allow it in OpenCode's configuration"
        raise OpenCodePermissionNeeded(turns.request_of(tool), hint)
    return reply


def flags_of(
    session_id: str | None = None, model: str | None = None, agent: str | None = None
) -> list[str]:
    """The command-line flags of what is not None."""
    flags = (("-s", session_id), ("-m", model), ("--agent", agent))
    return [word for flag, value in flags if value for word in (flag, value)]


def _own_session() -> None:
    """A session of its own, which on Linux ends when the caller is killed."""
    os.setsid()
    if _prctl:
        _prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)


def _ran(
    words: list[str], place: str, files: tuple[IO[bytes], IO[bytes]], deadline: float
) -> tuple[Database | None, int | None]:
    """The database that it used, and its exit status; None where it had to be ended, and all that
    it started with it."""
    (stdin, out), tag, database = files, secrets.token_hex(16), None
    env = {**os.environ, "PWD": place, TAG: tag}
    try:
        run = subprocess.Popen(
            words, stdin=stdin, stdout=out, stderr=out, cwd=place, env=env, preexec_fn=_own_session
        )
    except OSError as problem:
        raise OpenCodeError(f"opencode could not be started: {problem}") from None
    try:
        while run.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OpenCodeError):  # not open yet
                database = database or Database(run.pid)
            time.sleep(EVERY)
        return database, run.poll()
    finally:  # also when the caller is interrupted
        if run.poll() is None:
            carrying = partial(process.carrying, f"{TAG}={tag}".encode())
            process.end_processes(carrying() | {run.pid}, carrying)
            run.wait()
