"""One OpenCode turn without a terminal: `opencode run`, bounded in time whatever the version hangs on."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .opencode_reply import (
    OpenCodeError,
    OpenCodeNotInstalled,
    OpenCodePermissionNeeded,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Reply,
    add_up,
)

END_LIMIT = 2.0  # seconds between SIGTERM and SIGKILL: OpenCode ends within 0.4
ERROR_LIMIT = 5.0  # seconds to end by itself after an error event: some versions print it and stay


def opencode_run(
    prompt: str,
    session_id: str | None = None,
    directory: str | None = None,
    model: str | None = None,
    agent: str | None = None,
    timeout: float = 300,
) -> Reply:
    """One turn. `session_id` of an earlier Reply gives it that memory; `directory` is the project, default the current
    one; `timeout` in seconds is for all of it.

    Raises OpenCodeNotInstalled, OpenCodeTurnFailed (also for an empty answer), OpenCodePermissionNeeded (nobody can be
    asked here, so OpenCode refused it), OpenCodeTimedOut: then every process it started has been ended.
    """
    if not prompt.strip():
        raise OpenCodeError("the prompt is empty")
    binary = os.environ.get("OPENCODE_BIN") or shutil.which("opencode")
    if not binary or not shutil.which(binary):
        raise OpenCodeNotInstalled("opencode is not installed")
    flags = flags_of(session_id, model, agent)
    began, place, mark = time.monotonic(), os.path.abspath(directory or "."), secrets.token_hex(16)
    env, tag = (
        {**os.environ, "PWD": place, "OPENCODE_RUN_TAG": mark},
        f"OPENCODE_RUN_TAG={mark}".encode(),
    )
    # Files, not pipes: an open stdin hangs OpenCode, and a child that outlives it would hold a pipe open for us.
    with (
        tempfile.TemporaryFile() as said,
        tempfile.TemporaryFile() as errors,
        tempfile.TemporaryFile() as asked,
    ):
        asked.write(prompt.encode())
        asked.seek(0)
        try:
            run = subprocess.Popen(
                [binary, "run", "--format", "json", *flags],
                stdin=asked,
                stdout=said,
                stderr=errors,
                cwd=place,
                env=env,
                start_new_session=True,
            )
        except OSError as problem:
            raise OpenCodeError(f"opencode could not be started: {problem}") from None
        finished = False
        try:
            finished = _finished(run, began + timeout, said)
        finally:  # also when the caller is interrupted
            if not finished:
                end_all(carrying(tag) | {run.pid}, lambda: carrying(tag))
                run.wait()
        said.seek(0)
        errors.seek(0)
        reply = _reply(
            said.read(),
            errors.read().decode("utf-8", "replace"),
            run.returncode if finished else None,
            timeout,
            session_id,
        )
    return replace(reply, duration=time.monotonic() - began)


def flags_of(session_id: str | None, model: str | None, agent: str | None) -> list[str]:
    """The command-line flags of what is given."""
    given = (("-s", session_id), ("-m", model), ("--agent", agent))
    return [word for flag, value in given if value for word in (flag, value)]


def _finished(run: subprocess.Popen[bytes], deadline: float, said: Any) -> bool:
    """Waits for the end. False: time is up, or it printed an error and stays."""
    failed = None
    while (now := time.monotonic()) < deadline and (failed is None or now < failed + ERROR_LIMIT):
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(min(0.25, max(0.0, deadline - now)))
            return True
        if failed is None and b'{"type":"error"' in os.pread(said.fileno(), 1 << 24, 0):
            failed = now
    return False


def _reply(
    said: bytes, errors: str, code: int | None, timeout: float, session: str | None
) -> Reply:
    """What the run came to, from its JSON lines; `code` is None where it had to be ended."""
    text: dict[str, list[str]] = {}
    finish, cost, failed, refused = "", 0.0, "", False
    steps: list[dict[str, Any]] = []
    for line in said.decode("utf-8", "replace").splitlines():
        try:
            event = json.loads(line)
            kind, part = event["type"], event.get("part") or {}
        except (ValueError, TypeError, KeyError):
            continue  # a stray line of an older version
        session = event.get("sessionID") or session
        if kind == "text":
            text.setdefault(part.get("messageID", ""), []).append(part["text"])
        elif kind == "tool_use":
            refused = refused or "rejected permission" in str(
                (part.get("state") or {}).get("error")
            )
        elif kind == "step_finish":
            finish, cost = part.get("reason") or finish, cost + (part.get("cost") or 0)
            steps.append(part.get("tokens") or {})
        elif kind == "error":
            failed = str(
                (event["error"].get("data") or {}).get("message") or event["error"].get("name")
            )
    answer = next(("\n\n".join(parts) for parts in reversed(text.values()) if any(parts)), "")
    words = " ".join(errors.split())[-500:]
    if failed or code:
        raise OpenCodeTurnFailed(
            f"opencode run failed: {failed or words or f'exit status {code}'}", text=answer
        )
    if code is None:
        raise OpenCodeTimedOut(
            f"opencode run was ended after {timeout:g} s"
            + (f"; it said: {words}" if words else ""),
            text=answer,
            session_id=session,
        )
    asked = [line for line in errors.splitlines() if "permission requested:" in line]
    if refused or asked:
        wanted = (asked[-1] if asked else "permission requested: ?").partition(
            "permission requested:"
        )[2]
        tool, _, what = wanted.partition("; auto-reject")[0].strip().partition(" ")
        raise OpenCodePermissionNeeded(
            {"permission": tool, "patterns": [what.strip("()")]},
            "A run cannot ask: use OpenCodeSession, or allow it in OpenCode's configuration",
        )
    if not answer:
        raise OpenCodeTurnFailed(f"OpenCode gave an empty answer (finish: {finish or 'unknown'})")
    return Reply(answer, finish or "unknown", session, add_up(steps), cost, 0.0, "run")


def carrying(tag: bytes) -> set[int]:
    """Processes whose environment has `tag` (Linux): all that a run started, whatever session they moved to."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else []):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
            if tag in file.read() and int(pid) != os.getpid():
                found.add(int(pid))
    return found


def end_all(first: set[int], rest: Callable[[], set[int]]) -> None:
    """SIGTERM to `first`, then SIGKILL to whatever `rest()` still finds, until it finds nothing (a few rounds)."""
    _signal(first, signal.SIGTERM)
    deadline = time.monotonic() + END_LIMIT
    while time.monotonic() < deadline and any(map(_alive, first)):
        time.sleep(0.02)
    for _ in range(5):
        if not (left := rest() | set(filter(_alive, first))):
            return
        _signal(left, signal.SIGKILL)
        time.sleep(0.05)


def _signal(pids: set[int], which: int) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, which)


def _alive(pid: int) -> bool:
    """Running; a zombie that nobody has waited for yet does not count."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False
    except (OSError, IndexError):
        return True
