"""One OpenCode turn without a terminal."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator

from .api import Api
from .program import FOLDER
from .reply import (
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Progress,
    Reply,
    error_of,
    must_be_text,
    seconds_of,
)
from .turn import new_id
from .wait import Wait

LOOK_EVERY = 0.1  # seconds
NOBODY = "Nobody can be asked in a run: use OpenCodeSession, or allow it in OpenCode's settings"


def opencode_run(
    prompt: str,
    session_id: str | None = None,
    directory: str | None = None,
    model: str | None = None,
    agent: str | None = None,
    timeout: float = 300,
    progress: bool = True,
) -> Reply:
    """One turn. `session_id` of an earlier Reply gives it that memory; `directory` is the project,
    default the current one; `timeout` in seconds is for all of it. A line of progress is printed
    for every 8 s unless `progress` is false.

    Raises OpenCodeNotInstalled, OpenCodeStartFailed, OpenCodeTurnFailed (also for an empty answer),
    OpenCodePermissionNeeded and OpenCodeQuestionAsked (nobody can be asked here),
    OpenCodeTimedOut. Every process that it started has ended then.
    """
    must_be_text(prompt)
    report, place = Progress(progress), os.path.abspath(directory or ".")
    began, limit = time.monotonic(), seconds_of(timeout)
    session = session_id
    with _serving(place) as server:
        try:
            api = _api(server, began + limit, report)
            if session and not api.holds(session, place):
                raise OpenCodeTurnFailed(f"OpenCode knows no conversation {session} of {place}")
            session, id = session or api.begin(), new_id(time.time())
            api.prompt(session, id, prompt, model, agent)
            wait = Wait(api, session, id, lambda: _must_run(server), stopped=False)
            reply = wait.reply(began + limit, report)
        except (OpenCodePermissionNeeded, OpenCodeQuestionAsked) as needed:
            needed.hint = NOBODY
            raise
        except OpenCodeTimedOut as late:
            late.reason, late.hint = f"ended after {limit:g} s: {late.reason}", "Give it more time"
            late.session_id = session
            raise
    if not reply.text:
        raise OpenCodeTurnFailed(f"OpenCode gave an empty answer (finish: {reply.finish})")
    return reply


@contextlib.contextmanager
def _serving(directory: str) -> Iterator[subprocess.Popen[bytes]]:
    """The program of pane.py without a pane: it ends with its stdin, and so with this process."""
    pipe = subprocess.PIPE
    words = [sys.executable, str(FOLDER), directory]
    with subprocess.Popen(
        words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True
    ) as server:
        try:
            yield server
        finally:
            server.terminate()  # Popen waits for its end


def _api(server: subprocess.Popen[bytes], deadline: float, report: Progress) -> Api:
    assert server.stdout
    while not select.select([server.stdout], [], [], LOOK_EVERY)[0]:
        report.say("starting")
        if time.monotonic() > deadline:
            raise OpenCodeTimedOut("OpenCode was not up")
    facts = json.loads(server.stdout.readline() or "{}")
    if "port" not in facts:
        raise error_of(facts)
    return Api(facts["port"], facts["password"])


def _must_run(server: subprocess.Popen[bytes]) -> None:
    if server.poll() is not None:
        raise OpenCodeTurnFailed("OpenCode's server ended in mid-turn")
