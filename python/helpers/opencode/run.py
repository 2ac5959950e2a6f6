"""One OpenCode turn without a terminal: `opencode run`, bounded in time whatever it hangs on."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field, replace
from typing import IO, Any

from ..tmux import process
from .reply import (
    OpenCodeError,
    OpenCodeNotInstalled,
    OpenCodePermissionNeeded,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Reply,
    add_up,
)

ERROR_LIMIT = 5.0  # seconds to end by itself after an error event: some versions print it and stay
EVERY = 0.25  # seconds between two looks at what was printed
TAG = "OPENCODE_RUN_TAG"  # environment variable that all it starts carries
MOST_OUTPUT = 1 << 24  # bytes that are searched for an error
ASKS = "permission requested:"  # "! permission requested: bash (rm x); auto-rejecting"


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
    if not prompt.strip():
        raise OpenCodeError("the prompt is empty")
    binary = os.environ.get("OPENCODE_BIN") or shutil.which("opencode")
    if not binary or not shutil.which(binary):
        raise OpenCodeNotInstalled("opencode is not installed")
    words = [binary, "run", "--format", "json", *flags_of(session_id, model, agent)]
    place, began = os.path.abspath(directory or "."), time.monotonic()
    # Files, not pipes: an open stdin hangs OpenCode, and a child that outlives it would hold a pipe.
    with (
        tempfile.TemporaryFile() as stdin,
        tempfile.TemporaryFile() as stdout,
        tempfile.TemporaryFile() as stderr,
    ):
        stdin.write(prompt.encode())
        stdin.seek(0)
        code = _ran(words, place, (stdin, stdout, stderr), began + timeout)
        stdout.seek(0)
        stderr.seek(0)
        errors = stderr.read().decode("utf-8", "replace")
        output = _Output.of(stdout.read().decode("utf-8", "replace"), session_id)
    return replace(_reply(output, errors, code, timeout), duration=time.monotonic() - began)


def flags_of(session_id: str | None, model: str | None, agent: str | None) -> list[str]:
    """The command-line flags of what is not None."""
    flags = (("-s", session_id), ("-m", model), ("--agent", agent))
    return [word for flag, value in flags if value for word in (flag, value)]


def _ran(words: list[str], place: str, files: tuple[IO[bytes], ...], deadline: float) -> int | None:
    """The exit status; None where it had to be ended, and all that it started with it."""
    mark = secrets.token_hex(16)
    stdin, stdout, stderr = files
    try:
        run = subprocess.Popen(
            words,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=place,
            env={**os.environ, "PWD": place, TAG: mark},
            start_new_session=True,
        )
    except OSError as problem:
        raise OpenCodeError(f"opencode could not be started: {problem}") from None
    try:
        _finish(run, deadline, stdout)
        return run.poll()
    finally:  # also when the caller is interrupted
        if run.poll() is None:
            tag = f"{TAG}={mark}".encode()
            process.end_processes(process.carrying(tag) | {run.pid}, lambda: process.carrying(tag))
            run.wait()


def _finish(run: subprocess.Popen[bytes], deadline: float, stdout: IO[bytes]) -> None:
    """Waits for the end, until time is up or it has printed an error and stays."""
    failed = None
    while (now := time.monotonic()) < deadline and (failed is None or now < failed + ERROR_LIMIT):
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(min(EVERY, max(0.0, deadline - now)))
            return
        if failed is None and b'{"type":"error"' in os.pread(stdout.fileno(), MOST_OUTPUT, 0):
            failed = now


@dataclass(slots=True, kw_only=True)
class _Output:
    """What a run's JSON lines add up to."""

    session: str | None
    text: dict[str, list[str]] = field(default_factory=dict)  # by message
    steps: list[dict[str, Any]] = field(default_factory=list)
    finish: str = ""
    cost: float = 0.0
    error: str = ""
    refused: bool = False

    @classmethod
    def of(cls, output: str, session: str | None) -> _Output:
        result = cls(session=session)
        for line in output.splitlines():
            with contextlib.suppress(
                ValueError, TypeError, KeyError
            ):  # an older version's stray line
                result._add(json.loads(line))
        return result

    def _add(self, event: dict[str, Any]) -> None:
        kind, part = event["type"], event.get("part") or {}
        self.session = event.get("sessionID") or self.session
        if kind == "text":
            self.text.setdefault(part.get("messageID", ""), []).append(part["text"])
        elif kind == "tool_use":
            error = str((part.get("state") or {}).get("error"))
            self.refused = self.refused or "rejected permission" in error
        elif kind == "step_finish":
            self.finish = part.get("reason") or self.finish
            self.cost += part.get("cost") or 0
            self.steps.append(part.get("tokens") or {})
        elif kind == "error":
            error = event["error"]
            self.error = str((error.get("data") or {}).get("message") or error.get("name"))

    @property
    def answer(self) -> str:
        return next(
            ("\n\n".join(parts) for parts in reversed(self.text.values()) if any(parts)), ""
        )


def _reply(output: _Output, errors: str, code: int | None, timeout: float) -> Reply:
    """What the run came to; `code` is None where it had to be ended."""
    answer, words = output.answer, " ".join(errors.split())[-500:]
    if output.error or code:
        reason = output.error or words or f"exit status {code}"
        raise OpenCodeTurnFailed(f"opencode run failed: {reason}", text=answer)
    if code is None:
        reason = f"opencode run was ended after {timeout:g} s" + (f": {words}" if words else "")
        raise OpenCodeTimedOut(reason, text=answer, session_id=output.session)
    asked = [line.partition(ASKS)[2] for line in errors.splitlines() if ASKS in line]
    if output.refused or asked:
        request = (asked or ["?"])[-1].partition("; auto-reject")[0].strip()
        tool, _, what = request.partition(" ")
        raise OpenCodePermissionNeeded(
            {"permission": tool, "patterns": [what.strip("()")]},
            "A run cannot ask: use OpenCodeSession, or allow it in OpenCode's configuration",
        )
    if not answer:
        finish = output.finish or "unknown"
        raise OpenCodeTurnFailed(f"OpenCode gave an empty answer (finish: {finish})")
    return Reply(
        text=answer,
        finish=output.finish or "unknown",
        session_id=output.session,
        tokens=add_up(output.steps),
        cost=output.cost,
        channel="run",
    )
