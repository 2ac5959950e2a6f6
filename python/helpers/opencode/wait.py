"""One turn: the wait for it, and a whole one without a terminal."""

import os
import time
from collections import defaultdict
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread

from .api import BROKEN, Api, Facts, Unanswered
from .reply import (
    OpenCodeAsks,
    OpenCodeError,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Patience,
    Reply,
    Status,
    must_be_text,
)
from .server import serving
from .turn import new_id, reply_of, running_tool, text_so_far

SILENCE = 1.0  # seconds without an event after which it looks all the same
# Events that are a reason to look; after the first one no other is missed.
NEWS = ("server.connected", "session.error", "permission.asked", "question.asked")
MOST_SHOWN = 300  # characters of an answer's end in the text of OpenCodeTimedOut
NOBODY = "Nobody can be asked in a run: use OpenCodeSession, or allow it in OpenCode's settings"
LATE = "The run was ended: give it more time"


def wait(api: Api, prompt: str, stopped: bool = False) -> Reply:
    """The Reply to the prompt with this id; `stopped`: it was interrupted. Raises where the turn
    needs an answer, has failed, or is not over in time."""
    news, over, idle_since = SimpleQueue[bool](), Event(), 0.0
    texts = defaultdict[str, str](str)  # what came of a part, by its id
    Thread(target=_hear, args=[api, news, texts, over], daemon=True).start()
    try:
        while True:
            idle = False
            with suppress(Empty):
                idle = news.get(timeout=min(api.patience.left, SILENCE))
            try:
                status, now = Status("idle") if idle else api.status(), time.monotonic()
                if status.request:
                    raise status.error
                idle_since = (idle_since or now) if status == "idle" else 0.0
                if idle_since:
                    messages = api.since(prompt)
                    if reply := reply_of(messages, now - idle_since, stopped):
                        return reply
                    status = Status("busy")  # about to begin, or to take its next step
            except Unanswered as problem:
                status, idle_since = Status("busy", message=problem.reason), 0.0
            api.patience.say(status.description)
            if not api.patience.left:
                raise _timed_out(api, prompt, status, texts)
    finally:
        over.set()


def _hear(api: Api, news: SimpleQueue[bool], texts: dict[str, str], over: Event) -> None:
    """Tells when it is time to look, and whether the conversation idles, until the wait is `over`.
    The text of an unfinished part is told nowhere else."""
    with suppress(*BROKEN):
        for event in api.events():
            match event.get("type"), event.get("properties"):
                case _ if over.is_set():
                    return
                case "message.part.delta", {"partID": id, "field": "text", "delta": more}:
                    texts[id] += more
                case "message.part.updated", {"part": {"id": id, "text": str(text)}}:
                    texts[id] = text
                case "session.idle", {"sessionID": api.session}:
                    news.put(True)
                case kind, _ if kind in NEWS:
                    news.put(False)
    news.put(False)  # the server has ended


def _timed_out(api: Api, prompt: str, status: Status, live: dict[str, str]) -> OpenCodeTimedOut:
    messages: list[Facts] = []
    with suppress(OpenCodeError):
        messages = api.since(prompt)
    text, tool = text_so_far(messages, live), running_tool(messages)
    does = f"{status.description}, runs {tool}" if tool else status.description
    newest = f"… {text[-MOST_SHOWN:].partition(' ')[2]}" if len(text) > MOST_SHOWN else text
    shown = f"newest of {len(text):,} characters so far: {newest}" if text else "no text yet"
    reason = f"the turn is not over ({does}); {shown}"
    hint = "It goes on: wait() again, or interrupt()"
    return OpenCodeTimedOut(reason, hint, text=text, status=status, session_id=api.session)


def opencode_run(
    prompt: str,
    session_id: str | None = None,
    directory: str | None = None,
    model: str | None = None,
    agent: str | None = None,
    timeout: float = 300,
    progress: bool = True,
) -> Reply:
    """One turn without a terminal; every process that it started has ended then. `session_id` of
    an earlier Reply gives it that memory; `directory` is the project, default the current one;
    `timeout` is for all of it. Raises what send() does: nobody can be asked here."""
    must_be_text(prompt)
    patience, place = Patience(timeout, progress), os.path.abspath(directory or ".")
    try:
        with serving(place, "", patience) as (api, *_):
            id = new_id(time.time())
            if not session_id:
                api.begin()
            elif not api.go_to(session_id, place):
                raise OpenCodeTurnFailed(f"OpenCode knows no conversation {session_id} of {place}")
            api.prompt(id, prompt, api.settings(model, agent))
            reply = wait(api, id)
    except (OpenCodeAsks, OpenCodeTimedOut) as problem:
        problem.hint = LATE if isinstance(problem, OpenCodeTimedOut) else NOBODY
        raise
    if not reply.text:
        raise OpenCodeTurnFailed(f"OpenCode gave an empty answer (finish: {reply.finish})")
    return reply
