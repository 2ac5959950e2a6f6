"""One OpenCode turn without a terminal."""

from __future__ import annotations

import os
import time

from .record import Record
from .reply import (
    OpenCodeAsks,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Patience,
    Reply,
    must_be_text,
)
from .server import find, serving
from .turn import new_id
from .wait import wait

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
    for every 8 s unless `progress` is false. Every process that it started has ended then. Raises
    OpenCodeNotInstalled, OpenCodeStartFailed, OpenCodeTurnFailed (also for an empty answer),
    OpenCodePermissionNeeded, OpenCodeQuestionAsked (nobody can be asked here), OpenCodeTimedOut."""
    must_be_text(prompt)
    patience, place = Patience(timeout, progress), os.path.abspath(directory or ".")
    try:
        with serving(place, find(), patience) as server:
            api = server.api
            if not session_id:
                api.begin()
            elif not api.go_to(session_id, place):
                raise OpenCodeTurnFailed(f"OpenCode knows no conversation {session_id} of {place}")
            there = Record(prompt=new_id(time.time()))
            api.prompt(there.prompt, prompt, api.settings(model, agent))
            reply = wait(api, there, patience)
    except OpenCodeAsks as needed:
        needed.hint = NOBODY
        raise
    except OpenCodeTimedOut as late:
        late.hint = LATE
        raise
    if not reply.text:
        raise OpenCodeTurnFailed(f"OpenCode gave an empty answer (finish: {reply.finish})")
    return reply
