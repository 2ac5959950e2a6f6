"""OpenCode 2.0.4 and newer 2.x. It has no say over a TUI: another conversation is another TUI."""

import os
import re
import signal
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .http_wire import BEGIN_LIMIT, NEWEST, HttpWire
from .reply import OpenCodeTimedOut, OpenCodeTurnFailed, Status
from .wire import LOOK, Facts, News, labels_of, permission_of

LOAD_LIMIT = 20.0  # seconds for the models and agents to be loaded after the server's start
_ENDS = tuple(f"session.execution.{how}" for how in ("succeeded", "failed", "interrupted"))
_LOOKS = ("server.connected", "permission.asked", "form.created")
_REFUSED = re.compile("declined this tool call|dismissed this question")
_NO_TURN = "OpenCode took the prompt and began no turn: there may be no model "


class Wire2(HttpWire):
    OLDEST = (2, 0, 4)  # the versions before it had another API
    FOLLOWS = False
    HEALTH = "/api/info"
    EVENTS = "/api/event"

    @classmethod
    def changes(cls) -> str:
        """Line 1's database: it is taken over, and line 1 then fails on it."""
        data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        path = Path(data, "opencode", os.environ.get("OPENCODE_DB") or "opencode.db")
        tables: set[str] = set()
        with suppress(sqlite3.Error, OSError):
            path.stat()
            with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as database:
                tables = {name for (name,) in database.execute("select name from sqlite_master")}
        return str(path) if "session" in tables and "session_v2" not in tables else ""

    @classmethod
    def serve(cls) -> list[str]:
        # It ends with its stdin, and hides the password from what it starts.
        return [*super().serve(), "--stdio"]

    @classmethod
    def variables(cls, password: str) -> dict[str, str]:
        return {"OPENCODE_PASSWORD": password}

    def tui_words(self) -> list[str]:
        return ["--server", self.address, "-s", self.session, self.directory]

    def quit_tui(self, pid: int) -> None:
        os.kill(pid, signal.SIGHUP)  # unlike after SIGTERM it says farewell

    def title(self) -> str:
        title = self.about(self.session).get("title") or ""
        return "" if title.startswith("New session - ") else title

    def begin(self) -> None:
        body = {"location": {"directory": self.directory}}
        self.session = self.call("/api/session", body, BEGIN_LIMIT)["data"]["id"]

    def _here(self, path: str, body: Facts | None = None, method: str = "") -> Any:
        return self.call(f"/api/session/{self.session}{path}", body, method=method)

    def about(self, session: str) -> Facts:
        info = self.call(f"/api/session/{quote(session, '')}")["data"]
        return {**info, "directory": info["location"]["directory"]}

    def _listed(self, what: str) -> list[Facts]:
        """What there is in the directory: OpenCode begins to load it when it is asked."""
        path = f"/api/{what}?location%5Bdirectory%5D={quote(self.directory, '')}"
        end = time.monotonic() + LOAD_LIMIT
        while not (found := self.call(path)["data"]) and time.monotonic() < end:
            self.patience.pause(f"waits for OpenCode's {what}s")
        return list(found)

    def models(self) -> list[str]:
        return [_model(each) for each in self._listed("model")]

    def agents(self) -> list[str]:
        return [each["id"] for each in self._listed("agent")]

    def settings(self, model: str | None, agent: str | None) -> Facts:
        self.must_know(model, agent)
        now = self.about(self.session)
        if agent and agent != now.get("agent"):
            self._here("/agent", {"agent": agent})
        if model and model != _model(now.get("model") or {}):
            provider, _, name = model.partition("/")
            self._here("/model", {"model": {"providerID": provider, "id": name}})
        return {}  # they belong to the conversation

    def prompt(self, id: str, text: str, settings: Facts) -> None:
        with suppress(OpenCodeTimedOut):  # it may have arrived: the wait finds out
            self._here("/prompt", {"id": id, "text": text, "delivery": "queue"})

    def since(self, prompt: str) -> list[Facts]:
        query, found = f"order=desc&limit={NEWEST}", list[Facts]()
        with suppress(OpenCodeTurnFailed):  # the conversation was deleted
            while query:
                page = self._here(f"/message?{query}")
                for message in page["data"]:
                    found.append(message)
                    if message["id"] == prompt:
                        return self._worded(found[::-1])
                more = page["cursor"].get("next") if page["data"] else None
                query = f"cursor={quote(more, '')}" if more else ""
            waiting = [one for one in self._here("/inbox")["data"] if one["id"] == prompt]
            return [self._user(prompt, one["timeCreated"]) for one in waiting]
        return []

    def _user(self, id: str, created: int, text: str = "") -> Facts:
        parts = [{"type": "text", "id": id, "text": text}]
        facts = {"id": id, "role": "user", "sessionID": self.session}
        return {**facts, "time": {"created": created}, "parts": parts}

    def _worded(self, messages: list[Facts]) -> list[Facts]:
        """The messages in the words of line 1. Here an answer does not say what it answers: it is
        the last prompt before it, and after the conversation has idled none."""
        worded, parent = list[Facts](), ""
        for one in messages:
            facts = {"role": "assistant", "parentID": parent, "sessionID": self.session}
            if one["type"] == "user":
                parent = one["id"]
                worded.append(self._user(parent, one["time"]["created"], one["text"]))
            elif one["type"] == "assistant":
                worded.append(one | facts | _ending(one) | {"parts": _parts(one)})
            elif one["type"] == "idle":
                if one["outcome"] == "failed" and worded and worded[-1]["role"] == "user":
                    model = _model(self.about(self.session).get("model") or {})
                    times = {"time": one["time"] | {"completed": one["time"]["created"]}}
                    worded.append(one | facts | times | {"error": {"name": _NO_TURN + model}})
                    worded[-1]["parts"] = []
                parent = ""
        return worded

    def status(self) -> Status:
        running = self.call("/api/session/active")["data"]
        if self.session not in running:
            return Status("idle")
        for session in filter(self.is_part, running):
            at = f"/api/session/{session}"
            for request in self.call(f"{at}/permission")["data"]:
                return Status("needs permission", request=self._permission(request))
            for request in self.call(f"{at}/form")["data"]:
                return Status("needs answer", request=_question(request))
        for newest in self._here("/message?order=desc&limit=1")["data"]:
            if retry := newest.get("retry"):
                said = retry["error"]["message"]
                return Status("retrying", attempt=retry["attempt"], message=said)
        return Status("busy")

    def _permission(self, request: Facts) -> Facts:
        """`request` in the words of line 1, with what its tool call would do."""
        asked, source = Facts(), request.get("source") or {}
        if source.get("messageID"):
            path = f"/api/session/{request['sessionID']}/message/{source['messageID']}"
            for part in self.call(path)["data"].get("content") or []:
                if part.get("id") == source.get("id"):
                    asked = part["state"].get("input") or {}
        named = asked.get("command") or asked.get("path") or asked.get("filePath")
        facts = {"permission": request["action"], "patterns": request.get("resources") or []}
        return {**request, **facts, "metadata": {"command": named}}

    def answer(self, request: Facts, choices: Sequence[Any], message: str = "") -> None:
        kind = "permission" if "permission" in request else "form"
        path = f"/api/session/{request['sessionID']}/{kind}/{request['id']}"
        if kind == "permission":
            # An empty message might count as one, after which the turn goes on.
            words = {"message": message} if message else {}
            self.call(f"{path}/reply", {"decision": permission_of(choices), **words})
        elif list(choices) == ["reject"]:
            self.call(path, method="DELETE")
        else:
            fields = request["fields"]
            labels = labels_of(choices, len(fields))
            said = {one["key"]: _value(one, all) for one, all in zip(fields, labels, strict=True)}
            self.call(f"{path}/reply", {"answer": said})

    def stop(self, prompt: str) -> None:
        with suppress(OpenCodeTurnFailed):  # the turn has begun, or all was deleted
            self._here("/interrupt", {})
            self._here(f"/inbox/{prompt}", method="DELETE")

    def news_of(self, event: Facts) -> News | None:
        match event.get("type"), event.get("data"):
            case "session.text.delta", {"assistantMessageID": id, "ordinal": at, "delta": more}:
                return "more", f"{id}/{at}", more
            case "session.text.ended", {"assistantMessageID": id, "ordinal": at, "text": text}:
                return "text", f"{id}/{at}", text
            case "session.execution.failed", {"sessionID": session, "error": {"message": said}}:
                return "failed", session, said
            case kind, {"sessionID": session} if kind in _ENDS:
                return "idle", session, ""
            case kind, _ if kind in _LOOKS:
                return LOOK
        return None


def _model(facts: Facts) -> str:
    return f"{facts['providerID']}/{facts['id']}" if facts else ""


def _parts(message: Facts) -> list[Facts]:
    parts = list[Facts]()
    for one in message["content"]:
        if one["type"] == "text":
            count = sum(part["type"] == "text" for part in parts)
            parts.append({**one, "id": f"{message['id']}/{count}"})
        elif one["type"] == "tool":
            said = (one["state"].get("error") or {}).get("message")
            parts.append({**one, "tool": one["name"], "state": {**one["state"], "error": said}})
    return parts


def _ending(message: Facts) -> Facts:
    """How it ended, in the words of line 1, where a refusal is no error."""
    if not (error := message.get("error")):
        return {}
    if error["type"] != "aborted":
        return {"error": {"name": error["type"], "data": {"message": error.get("message")}}}
    if _REFUSED.search(str(message["content"])):
        return {"error": None, "finish": "tool-calls"}
    return {"error": {"name": "MessageAbortedError"}}


def _question(form: Facts) -> Facts:
    """`form` with its fields as questions."""
    asked = [{**one, "question": one.get("description") or one["title"]} for one in form["fields"]]
    return {**form, "questions": asked}


def _value(field: Facts, labels: list[str]) -> Any:
    """What a form's field takes for these labels."""
    values = {one["label"]: one["value"] for one in field.get("options") or []}
    chosen = [values.get(label, label) for label in labels]
    return chosen if field["type"] == "multiselect" else ", ".join(chosen)
