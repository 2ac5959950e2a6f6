"""One OpenCode turn without a terminal."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from .api import Api
from .program import FOLDER, find
from .record import Turn
from .reply import (
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeStartFailed,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Progress,
    Reply,
    must_be_text,
    seconds_of,
)
from .turn import new_id
from .wait import wait

LOOK_EVERY = 0.1  # seconds
NOBODY = "Nobody can be asked in a run: use OpenCodeSession, or allow it in OpenCode's settings"
LATE = "The run was ended: give it more time"


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
    deadline = time.monotonic() + seconds_of(timeout)
    session = session_id
    try:
        with _serving(place, deadline, report) as (api, must_live):
            if session and not api.holds(session, place):
                raise OpenCodeTurnFailed(f"OpenCode knows no conversation {session} of {place}")
            session = session or api.begin()
            turn = Turn(session=session, prompt=new_id(time.time()))
            api.prompt(session, turn.prompt, prompt, model, agent)
            reply = wait(api, turn, deadline, report, must_live)
    except (OpenCodePermissionNeeded, OpenCodeQuestionAsked) as needed:
        needed.hint = NOBODY
        raise
    except OpenCodeTimedOut as late:
        late.hint, late.session_id = LATE, session
        raise
    if not reply.text:
        raise OpenCodeTurnFailed(f"OpenCode gave an empty answer (finish: {reply.finish})")
    return reply


@contextlib.contextmanager
def _serving(
    directory: str, deadline: float, report: Progress
) -> Iterator[tuple[Api, Callable[[], None]]]:
    """A server that the program of pane.py keeps without a pane: it ends with its stdin, and so
    with this process."""
    words, pipe = [sys.executable, str(FOLDER), directory, find()], subprocess.PIPE
    with subprocess.Popen(
        words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True
    ) as keeper:
        try:
            assert keeper.stdout
            while not select.select([keeper.stdout], [], [], LOOK_EVERY)[0]:
                report.say("starting")
                if time.monotonic() > deadline:
                    raise OpenCodeTimedOut("OpenCode was not up in time")
            facts = json.loads(keeper.stdout.readline() or "{}")
            if "port" not in facts:
                raise OpenCodeStartFailed(facts.get("error") or "OpenCode did not start")

            def must_live() -> None:
                if keeper.poll() is not None:
                    raise OpenCodeTurnFailed("OpenCode's server ended in mid-turn")

            yield Api(facts["port"], facts["password"]), must_live
        finally:
            keeper.terminate()  # leaving the block waits for its end
