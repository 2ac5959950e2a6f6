"""OpenCode 2.0.4 and newer 2.x. It has no say over a TUI: another conversation is another TUI."""

import json
import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..tmux.base import process
from .http_wire import BEGIN_LIMIT, NEWEST, NOTHING, HttpWire, News
from .prompt import Prompt
from .reply import OpenCodeError, OpenCodeTurnFailed, Status
from .turn import Facts, Turn

LOAD_LIMIT = 4.0  # seconds for a list to load: OpenCode loads them late
NONE = "-"  # leaves a field of a form out
NOBODY = "global"  # whose form it is if an MCP server asks
_RENAMED = {"bash": "shell", "task": "subagent"}  # permissions, since line 1
_TEXTS = ("string", "multiselect")  # the types of a form's field that take words
_OWN_TABLE = "select 1 from sqlite_master where name = 'session_v2'"
_FIRST = (
    "this first start of OpenCode 2 would change {} for good: older ones could not go on with "
    "their conversations any more. The next call does it. To keep both, first "
    "`export OPENCODE_DB=FILE` where it runs"
)


class Wire2(HttpWire):
    """Its turns are executions of a conversation, which take what is in its inbox."""

    OLDEST = (2, 0, 4)  # the versions before it had another API
    HEALTH = "/api/info"
    EVENTS = "/api/event"
    SESSIONS = "/api/session"
    PASSWORD = "OPENCODE_PASSWORD"
    DECISION = "decision"
    RULES = "permissions"
    RULE = "action resource effect"
    FILE = "uri name mime"

    @classmethod
    def warning(cls) -> str:
        """Line 1's database is taken over, and line 1 then fails on it."""
        data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        path = Path(data, "opencode", os.environ.get("OPENCODE_DB") or "opencode.db")
        said = Path(f"{path}.before-2")

        with suppress(sqlite3.Error):  # there is none
            where = f"{path.as_uri()}?mode=ro&immutable=1"
            with closing(sqlite3.connect(where, uri=True)) as database:
                fresh = not database.execute(_OWN_TABLE).fetchone()

            if fresh and not said.exists():
                said.write_text(_FIRST)
                return _FIRST.format(path)

        return ""

    @classmethod
    def serve(cls) -> list[str]:
        """Those of a server alone."""
        # It ends with its stdin, and hides the password from what it starts.
        return [*super().serve(), "--stdio"]

    # the TUI

    def tui_words(self) -> list[str]:
        return ["--server", self.address, "-s", self.session, self.directory]

    def quit_tui(self, pid: int) -> None:
        os.kill(pid, signal.SIGHUP)  # unlike after SIGTERM it says farewell

    # the conversation

    def begin(self) -> None:
        self.session = self.call(
            "/api/session",
            {"location": {"directory": self.directory}, self.RULES: self.ruled()},
            BEGIN_LIMIT,
        )["data"]["id"]

    def _here(self, path: str, body: Facts | None = None) -> Any:
        return self.call(f"/api/session/{self.session}{path}", body)

    @property
    def _place(self) -> str:
        """The directory, as a query takes it; the conversation may have been moved to another."""
        here = self.about(self.session)["location"]["directory"]
        return f"location%5Bdirectory%5D={quote(here, '')}"

    def ready(self, id: str, prompt: Prompt) -> Callable[[], str]:
        if prompt.command:
            raise OpenCodeError(
                "OpenCode 2 does not tell which prompt a command has made",
                f"ask the user to type /{prompt.command}, or send its words as a prompt",
            )

        files = self.files(prompt)
        self.permit()
        now = self.about(self.session)  # agent and model belong to the conversation

        if prompt.agent and prompt.agent != now.get("agent"):
            self.must_know("agent", prompt.agent)
            self._here("/agent", {"agent": prompt.agent})

        has = now.get("model") or {}
        if prompt.model and prompt.model != f"{has.get('providerID')}/{has.get('id')}":
            self.must_know("model", prompt.model)
            provider, _, name = prompt.model.partition("/")
            self._here("/model", {"model": {"providerID": provider, "id": name}})

        body = {"id": id, "text": prompt.text, "files": files, "delivery": "queue"}
        return partial(self.send, "prompt", body)

    def known(self, kind: str) -> list[str]:
        found: list[Facts] = []

        def loaded() -> bool:
            found[:] = self.call(f"/api/{kind}?{self._place}")["data"]
            return bool(found)

        process.until(loaded, LOAD_LIMIT)
        if kind == "model":
            return [f"{one['providerID']}/{one['id']}" for one in found]
        return [one["id"] for one in found]

    def ruled(self) -> list[Facts]:
        return [
            {**rule, "action": _RENAMED.get(rule["action"], rule["action"])}
            for rule in super().ruled()
        ]

    def messages(self, every: bool = False) -> list[Facts]:
        # What waits, as line 1 has it; first, so that what is delivered meanwhile is not missed.
        waiting = self._listed(f"/api/session/{self.session}/inbox")
        found = [{**one, **one["payload"]} for one in waiting[::-1]]
        query = f"order=desc&limit={NEWEST}"

        while query:
            page = self._here(f"/message?{query}")
            found += page["data"]
            query = ""
            # There is a next one even at the end.
            if every and page["data"] and page["cursor"].get("next"):
                query = f"cursor={quote(page['cursor']['next'], '')}"

        return _worded(found[::-1])

    def changes(self, turn: Turn) -> list[Facts]:
        # The server adds what came of those that were steered in.
        return self._here(f"/diff?from={turn.prompts[0]['id']}")["data"]

    # its state

    def status(self) -> Status:
        running = self.call("/api/session/active")["data"]

        paths = [f"/api/session/{one}/{kind}" for one in running for kind in ("permission", "form")]
        # Subagents in the background do not run like these; MCP servers ask for no conversation.

        place = self._place
        paths += [f"/api/permission/request?{place}", f"/api/session/{NOBODY}/form?{place}"]
        for path in paths:
            for request in self._listed(path):
                return self._needs(request)

        if self.session not in running:
            return Status("idle")

        for newest in self._here("/message?order=desc&limit=1")["data"]:
            # It is there while the next attempt is due.
            if retry := newest.get("retry"):
                return Status(
                    "retrying", attempt=retry["attempt"], message=retry["error"]["message"]
                )

        return Status("busy")

    def _listed(self, path: str) -> list[Facts]:
        """What is there that is for whoever holds this conversation."""
        with suppress(OpenCodeTurnFailed):  # older ones do not know it
            return [one for one in self.call(path)["data"] if self.is_part(one["sessionID"])]
        return []

    def is_part(self, session: str | None) -> bool:
        return session == NOBODY or super().is_part(session)

    def _needs(self, request: Facts) -> Status:
        """The state, with `request` in the words of line 1."""
        if "action" not in request:
            asked = [_question(field) for field in request.get("fields") or [request]]
            return Status("needs answer", request={**request, "questions": asked})

        worded = {
            **request,
            "permission": request["action"],
            "patterns": request.get("resources"),
            "metadata": {**(request.get("metadata") or {}), **self.command(request)},
        }
        return Status("needs permission", request=worded)

    def answers(self, request: Facts, labels: list[list[str]]) -> Facts:
        given = {}

        for field, chosen in zip(request["questions"], labels, strict=True):
            if chosen != [NONE]:
                given[field["key"]] = _value(field, chosen)
        return {"answer": given}

    def reply(self, request: Facts, body: Facts | None) -> None:
        kind = "permission" if "permission" in request else "form"
        path = f"/api/session/{request['sessionID']}/{kind}/{request['id']}"

        if body is None:
            self.call(f"{path}?{self._place}", method="DELETE")
        else:
            self.call(f"{path}/reply?{self._place}", body)

    def stop(self, prompt: str) -> None:
        with suppress(OpenCodeTurnFailed):  # the turn has begun, or all was deleted
            self._here("/interrupt", {})
            self.call(f"/api/session/{self.session}/inbox/{prompt}", method="DELETE")

    def news_of(self, event: Facts) -> News:
        match event.get("type"), event.get("data"):
            case (
                "session.text.delta",
                {"assistantMessageID": id, "ordinal": at, "delta": more},
            ):
                return "more", f"{id}/{at}", more

            case (
                "session.execution.failed",
                {"sessionID": session, "error": {"message": said}},
            ):
                return "look", session, said

        return NOTHING


def _worded(messages: list[Facts]) -> list[Facts]:
    """The messages in the words of line 1. Here an answer does not say what it answers: it is
    the last prompt before it, while the conversation has not idled."""
    worded = list[Facts]()
    parent = ""
    for one in messages:
        kind = one["type"]
        facts = {**one, "role": kind}

        if kind == "user":
            parent = one["id"]
            facts["parts"] = [{**one, "type": "text"}]
        elif kind == "assistant":
            facts["parentID"] = parent
            facts["parts"] = _parts(one)
            if error := one.get("error"):
                facts["error"] = {"name": error["type"], "data": error}
        elif kind == "idle":
            # What a subagent in the background has to say later is whoever's it was.
            parent = f"after {parent.removeprefix('after ')}"
            facts["reason"] = (one.get("error") or {}).get("message") or ""
        else:
            continue

        worded.append(facts)

    return worded


def _parts(message: Facts) -> list[Facts]:
    """Its parts, with the ids that news have of texts."""
    parts = list[Facts]()
    texts = count()

    for one in message["content"]:
        if one["type"] == "text":
            parts.append({**one, "id": f"{message['id']}/{next(texts)}"})
        else:
            parts.append(one)

    return parts


def _question(field: Facts) -> Facts:
    """A form's field as a question of line 1, with what kind of answer it takes: JSON's true, 3 or
    0.5 where it is not text. A form without fields is a page that the user is to go to."""
    words = [field.get("description") or field.get("title") or field["key"]]
    if field.get("type") not in _TEXTS:
        words.append(f"({field.get('type', 'page')})")

    # A field may count only where another one has a value.
    if when := field.get("when"):
        words.append(f"({NONE!r} unless {when['key']} {when['op']} {when['value']!r})")

    if field.get("url"):
        words.append(field["url"])
    return {"type": "", **field, "question": " ".join(words)}


def _value(field: Facts, labels: list[str]) -> Any:
    """What a form's field takes for these labels."""
    values = {one["label"]: one["value"] for one in field.get("options") or []}
    chosen = [values.get(label, label) for label in labels]
    if field["type"] == "multiselect":
        return chosen

    # What is no JSON goes as it is: the server says what it wants.
    with suppress(ValueError):
        if field["type"] != "string":
            return json.loads(chosen[0])

    return ", ".join(chosen)
