"""OpenCode 1's HTTP API on loopback: the part that this package uses. A client for OpenCode 2 would
be a file beside this one with the same methods, chosen by server.must_fit()."""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.parse import quote

from .record import same
from .reply import (
    OpenCodeError,
    OpenCodeStartFailed,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Patience,
    Status,
)

REQUEST_LIMIT = 6.0  # seconds for a request, which takes milliseconds: progress is due every 8
BEGIN_LIMIT = 60.0  # seconds for a conversation to begin: OpenCode may load everything then
ACCEPT_LIMIT = 2.0  # seconds for the server to accept the request that the TUI should end
NEWEST = 30  # messages: enough, except for very long turns
MOST_QUOTED = 500  # characters of OpenCode's own words in an error
BROKEN = (OSError, ValueError, HTTPException)  # how a request can fail

Facts = dict[str, Any]  # as the API words them


@dataclass
class Api:
    """The server on `port` that takes `password`, and its conversation `session`. Every method may
    raise OpenCodeTurnFailed if the server refuses, OpenCodeTimedOut if it does not answer (the
    request may have arrived all the same), or what `must_live()` raises if it has ended. A GET that
    gets no answer is repeated while `patience` lasts."""

    port: int
    password: str
    patience: Patience
    must_live: Callable[[], object]
    session: str = ""

    def call(self, path: str, body: Facts | None = None, limit: float = REQUEST_LIMIT) -> Any:
        """The decoded answer to a GET, or to a POST of `body`; None if it is empty."""
        while True:
            try:
                with self._answer(path, body, limit) as answer:
                    said = answer.read()
                if answer.status >= 400:
                    reason = f"OpenCode answers {answer.status}: {said.decode()[:MOST_QUOTED]}"
                    raise OpenCodeTurnFailed(reason, "see status; reset() begins a new one")
                return json.loads(said or "null")
            except BROKEN as problem:
                self.must_live()
                if body is not None or not self.patience.left:
                    reason = f"OpenCode's server did not answer: {problem}"
                    raise OpenCodeTimedOut(reason, "The machine may be busy: try again") from None
            self.patience.pause("waits for OpenCode's server")

    def events(self) -> Iterator[Facts]:
        """The events from now on, until the server ends. May raise one of BROKEN."""
        with self._answer("/event", None, None) as answer:
            for line in answer:
                if line.startswith(b"data:"):
                    yield json.loads(line[5:])

    def _answer(self, path: str, body: Facts | None, limit: float | None) -> HTTPResponse:
        token = base64.b64encode(f"opencode:{self.password}".encode()).decode()
        headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}
        method, data = ("GET", None) if body is None else ("POST", json.dumps(body))
        connection = HTTPConnection("127.0.0.1", self.port, timeout=limit)
        connection.request(method, path, data, {**headers, "Connection": "close"})
        return connection.getresponse()

    def must_be_up(self) -> None:
        """Returns once it answers, and only to its password. Raises OpenCodeStartFailed."""
        self.call("/global/health")
        with suppress(OpenCodeTurnFailed):
            replace(self, password="").call("/global/health")
            raise OpenCodeStartFailed("OpenCode's API is open to every user of this machine")

    def show(self) -> None:
        with suppress(OpenCodeTimedOut):  # the server is late: the next prompt shows it
            self.call("/tui/select-session", {"sessionID": self.session})

    def quit_tui(self) -> None:
        body = {"type": "tui.command.execute", "properties": {"command": "app.exit"}}
        self.call("/tui/publish", body, ACCEPT_LIMIT)

    def begin(self) -> None:
        """Begins a new conversation."""
        self.session = self.call("/session", {}, BEGIN_LIMIT)["id"]

    def go_to(self, session: str, directory: str) -> bool:
        """Goes to that conversation if it is about that directory; returns whether it is there."""
        with suppress(OpenCodeTurnFailed):  # there is none
            if same(self.call(f"/session/{quote(session, '')}")["directory"], directory):
                self.session = session
        return self.session == session

    def must_know(self, model: str | None, agent: str | None) -> None:
        """Raises OpenCodeStartFailed if one is unknown; OpenCode itself would not report it."""
        providers = self.call("/config/providers")["providers"] if model else []
        models = [f"{each['id']}/{name}" for each in providers for name in each["models"]]
        agents = [each["name"] for each in self.call("/agent")] if agent else []
        for kind, wanted, known in (("model", model, models), ("agent", agent, agents)):
            if wanted and wanted not in known:
                listed = f"There are: {', '.join(known)[:MOST_QUOTED]}"
                raise OpenCodeStartFailed(f"OpenCode has no {kind} {wanted}", listed)

    def settings(self, model: str | None, agent: str | None) -> Facts:
        """The model and agent that a prompt must name; None means those of the last prompt. Raises
        OpenCodeStartFailed as must_know() does."""
        self.must_know(model, agent)
        last = self.since("user", "role")[:1]
        known = ("agent", "model", "variant")
        settings = {name: info[name] for info in last for name in known if info.get(name)}
        if agent:
            settings["agent"] = agent
        if model:
            provider, _, name = model.partition("/")
            settings["model"] = {"providerID": provider, "modelID": name}
        return settings

    def prompt(self, id: str, text: str, settings: Facts) -> None:
        body = {"messageID": id, "parts": [{"type": "text", "text": text}], **settings}
        with suppress(OpenCodeTimedOut):  # it may have arrived: the wait finds out
            self.call(f"/session/{self.session}/prompt_async", body)

    def since(self, value: str, name: str = "id") -> list[Facts]:
        """The messages from the last one with this fact on; [] if none has it."""
        for limit in (f"?limit={NEWEST}", ""):
            with suppress(OpenCodeTurnFailed):  # the conversation was deleted
                said = self.call(f"/session/{self.session}/message{limit}")
                messages = [{**one["info"], "parts": one["parts"]} for one in said]
                found = [i for i, one in enumerate(messages) if one[name] == value]
                if found or len(messages) < NEWEST:
                    return messages[found[-1] :] if found else []
        return []

    def status(self) -> Status:
        state = self.call("/session/status").get(self.session)
        if not state or state["type"] == "idle":
            return Status("idle")
        if state["type"] == "retry":
            return Status("retrying", attempt=state["attempt"], message=state["message"])
        for path, word in (("/permission", "needs permission"), ("/question", "needs answer")):
            for request in self.call(path):
                if self._is_part(request["sessionID"]):
                    return Status(word, request=self._with_command(request))
        return Status("busy")

    def _is_part(self, session: str | None) -> bool:
        """Whether `session` is this conversation, or one that a subagent holds for it."""
        while session and session != self.session:
            session = self.call(f"/session/{session}").get("parentID")
        return bool(session)

    def _with_command(self, request: Facts) -> Facts:
        """`request` with its command: up to 1.15 only the tool call has that."""
        if request.get("metadata") or not (tool := request.get("tool")):
            return request
        message = self.call(f"/session/{request['sessionID']}/message/{tool['messageID']}")
        asks = [part for part in message["parts"] if part.get("callID") == tool["callID"]]
        asked = asks[0]["state"].get("input") or {} if asks else {}
        return {**request, "metadata": {"command": asked.get("command") or asked.get("filePath")}}

    def answer(self, request: Facts, choices: Sequence[Any], message: str = "") -> None:
        """As OpenCodeSession.answer(). Raises OpenCodeError if the choices do not fit."""
        word, id = choices[0] if choices else None, request["id"]
        if "permission" in request:
            if word not in ("once", "always", "reject") or len(choices) > 1:
                reason = f"{choices!r} does not answer a permission"
                raise OpenCodeError(reason, 'it is one of "once", "always", "reject"')
            self.call(f"/permission/{id}/reply", {"reply": word, "message": message})
        elif word == "reject":
            self.call(f"/question/{id}/reject", {})
        else:
            labels = labels_of(choices, len(request["questions"]))
            self.call(f"/question/{id}/reply", {"answers": labels})

    def abort(self) -> None:
        """Refuses open requests first: an abort alone leaves them on the screen."""
        while request := self.status().request:
            self.answer(request, ["reject"])
        self.call(f"/session/{self.session}/abort", {})


def labels_of(choices: Sequence[Any], count: int) -> list[list[str]]:
    """A list of labels for each of `count` questions."""
    labels = [[choice] if isinstance(choice, str) else choice for choice in choices]
    if count == 1:
        labels = [[label for several in labels for label in several]]
    if len(labels) != count or not all(labels):
        reason = f"{choices!r} answers {len(labels)} of {count} questions"
        raise OpenCodeError(reason, "an answer is a label or a list of labels")
    return labels
