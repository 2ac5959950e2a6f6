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
from collections.abc import Iterator
from dataclasses import replace
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
        output, errors = (file.read().decode("utf-8", "replace") for file in (stdout, stderr))
    reply = _reply(output, errors, code, timeout, session_id)
    return replace(reply, duration=time.monotonic() - began)


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


def _reply(
    output: str, errors: str, code: int | None, timeout: float, session: str | None
) -> Reply:
    """What the run came to, from its JSON lines; `code` is None where it had to be ended."""
    events = list(_events(output))
    session = next((event["sessionID"] for event in events if event.get("sessionID")), session)
    answer, words = _answer(events), " ".join(errors.split())[-500:]
    if failed := [event["error"] for event in events if event["type"] == "error"] or code:
        error = failed[-1] if isinstance(failed, list) else {}
        reason = (error.get("data") or {}).get("message") or error.get("name") or words
        reason = f"opencode run failed: {reason or f'exit status {code}'}"
        raise OpenCodeTurnFailed(reason, text=answer)
    if code is None:
        reason = f"opencode run was ended after {timeout:g} s" + (f": {words}" if words else "")
        raise OpenCodeTimedOut(reason, text=answer, session_id=session)
    if request := _refused(events, errors):
        tool, _, what = request.partition(" ")
        raise OpenCodePermissionNeeded(
            {"permission": tool, "patterns": [what.strip("()")]},
            "A run cannot ask: use OpenCodeSession, or allow it in OpenCode's configuration",
        )
    steps = [event.get("part") or {} for event in events if event["type"] == "step_finish"]
    finish = steps[-1].get("reason") if steps else None
    if not answer:
        raise OpenCodeTurnFailed(f"OpenCode gave an empty answer (finish: {finish or 'unknown'})")
    return Reply(
        text=answer,
        finish=finish or "unknown",
        session_id=session,
        tokens=add_up(step.get("tokens") or {} for step in steps),
        cost=float(sum(step.get("cost") or 0 for step in steps)),
        channel="run",
    )


def _events(output: str) -> Iterator[dict[str, Any]]:
    for line in output.splitlines():
        with contextlib.suppress(ValueError):  # an older version's stray line
            event = json.loads(line)
            if isinstance(event, dict) and "type" in event:
                yield event


def _answer(events: list[dict[str, Any]]) -> str:
    """The text of the last message that has any."""
    texts: dict[str, list[str]] = {}
    for event in events:
        if event["type"] == "text":
            texts.setdefault(event["part"].get("messageID", ""), []).append(event["part"]["text"])
    return next(("\n\n".join(parts) for parts in reversed(texts.values()) if any(parts)), "")


def _refused(events: list[dict[str, Any]], errors: str) -> str:
    """The tool that was refused and what for; "" where none was."""
    for line in reversed(errors.splitlines()):
        if ASKS in line:
            return line.partition(ASKS)[2].partition("; auto-reject")[0].strip()
    tools = [event["part"].get("state") or {} for event in events if event["type"] == "tool_use"]
    return "?" if any("rejected permission" in str(state.get("error")) for state in tools) else ""
