"""OpenCode 1's HTTP API on loopback: what this package asks of it, and nothing else. The client of
OpenCode 2's, a different one, would be a file beside this with the same methods, and server.py,
which knows the version, would choose between them."""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from .record import same
from .reply import OpenCodeError, OpenCodeStartFailed, OpenCodeTurnFailed, Patience, Status

CALL_LIMIT = 6.0  # seconds for a request, which takes milliseconds: progress is due every 8
BEGIN_LIMIT = 60.0  # seconds for a conversation to begin: OpenCode may load all it has then
ACCEPT_LIMIT = 2.0  # seconds for the server to accept the request that the TUI should end
MOST_ERROR = 500  # characters of an error's text
NEWEST = 30  # messages: enough but for very long turns
MOST_NAMES = 20  # models or agents that are listed where an unknown one is wanted

BROKEN = (OSError, ValueError, HTTPException)  # what a request can end in
_OPENER = build_opener(ProxyHandler({}))  # none of the environment's proxies: it is on loopback

Facts = dict[str, Any]  # as the API words them


class Refused(OpenCodeTurnFailed):
    """A request was answered with an error."""


class Unanswered(OpenCodeTurnFailed):
    """A request was not answered: it may have been heard all the same."""


@dataclass
class Api:
    """The server on `port` that takes `password`, and the conversation `session` of it. Everything
    may raise Refused, Unanswered, or what `must_live()` raises where the server has ended. What
    only asks is asked again, while `patience` lasts, where the server is late."""

    port: int
    password: str
    patience: Patience
    must_live: Callable[[], object]
    session: str = ""

    def call(self, path: str, body: Facts | None = None, limit: float = CALL_LIMIT) -> Any:
        """The decoded answer to a GET, or to a POST of `body`; None where it is empty."""
        while True:
            try:
                with self._answer(path, body, limit) as answer:
                    said = answer.read()
                if answer.status >= 400:
                    reason = f"OpenCode answers {answer.status}: {said.decode()[:MOST_ERROR]}"
                    raise Refused(reason)
                return json.loads(said or "null")
            except BROKEN as problem:
                self.must_live()
                if body is not None or not self.patience.left:
                    reason = f"OpenCode's server did not answer: {problem}"
                    raise Unanswered(reason, "The machine may be busy: try again") from None
            self.patience.pause("waits for OpenCode's server")

    def events(self) -> Iterator[Facts]:
        """What happens from now on, while the server lives. May raise one of BROKEN."""
        with self._answer("/event", None, None) as answer:
            for line in answer:
                if line.startswith(b"data:"):
                    yield json.loads(line[5:])

    def _answer(self, path: str, body: Facts | None, limit: float | None) -> Any:
        token = base64.b64encode(f"opencode:{self.password}".encode()).decode()
        headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"http://127.0.0.1:{self.port}{path}", data, headers)
        try:
            return _OPENER.open(request, timeout=limit)
        except HTTPError as refusal:  # it can be read like an answer
            return refusal

    def show(self) -> None:
        with suppress(Unanswered):  # of a server that is late: the next prompt shows it
            self.call("/tui/select-session", {"sessionID": self.session})

    def quit_tui(self) -> None:
        body = {"type": "tui.command.execute", "properties": {"command": "app.exit"}}
        self.call("/tui/publish", body, ACCEPT_LIMIT)

    def begin(self) -> None:
        """Goes to a new conversation."""
        self.session = self.call("/session", {}, BEGIN_LIMIT)["id"]

    def go_to(self, session: str, directory: str) -> bool:
        """Whether it now goes on with that conversation, which is about that directory."""
        try:
            facts = self.call(f"/session/{session}")
        except Refused:
            return False
        if fits := same(facts["directory"], directory):
            self.session = session
        return fits

    def must_know(self, model: str | None, agent: str | None) -> None:
        """Raises OpenCodeStartFailed; OpenCode itself would not report an unknown one."""
        providers = self.call("/config/providers")["providers"] if model else []
        models = [f"{one['id']}/{name}" for one in providers for name in one["models"]]
        agents = [one["name"] for one in self.call("/agent")] if agent else []
        for kind, wanted, known in (("model", model, models), ("agent", agent, agents)):
            if wanted and wanted not in known:
                listed = f"There are: {', '.join(known[:MOST_NAMES])}"
                raise OpenCodeStartFailed(f"OpenCode has no {kind} {wanted}", listed)

    def settings(self, model: str | None, agent: str | None) -> Facts:
        """The model and agent that a prompt must name; None stands for those of the last prompt."""
        last = self.since("user", "role")[:1]
        known = ("agent", "model", "variant")
        settings = {name: one[name] for one in last for name in known if one.get(name)}
        if agent:
            settings["agent"] = agent
        if model:
            provider, _, name = model.partition("/")
            settings["model"] = {"providerID": provider, "modelID": name}
        return settings

    def prompt(self, id: str, text: str, settings: Facts) -> None:
        body = {"messageID": id, "parts": [{"type": "text", "text": text}], **settings}
        with suppress(Unanswered):  # it may have come: the wait tells
            self.call(f"/session/{self.session}/prompt_async", body)

    def since(self, value: str, name: str = "id") -> list[Facts]:
        """The messages from the last one on that has this fact; [] where none has."""
        for limit in (f"?limit={NEWEST}", ""):
            said = self.call(f"/session/{self.session}/message{limit}")
            messages = [{**one["info"], "parts": one["parts"]} for one in said]
            found = [i for i, one in enumerate(messages) if one[name] == value]
            if found or len(messages) < NEWEST:
                break
        return messages[found[-1] :] if found else []

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
        """Whether it is the conversation, or one that a subagent holds for it."""
        while session and session != self.session:
            session = self.call(f"/session/{session}").get("parentID")
        return bool(session)

    def _with_command(self, request: Facts) -> Facts:
        """Up to 1.15 only the tool that asks knows the command."""
        if request.get("metadata") or not (tool := request.get("tool")):
            return request
        message = self.call(f"/session/{request['sessionID']}/message/{tool['messageID']}")
        asks = [part for part in message["parts"] if part.get("callID") == tool["callID"]]
        asked = asks[0]["state"].get("input") or {} if asks else {}
        return {**request, "metadata": {"command": asked.get("command") or asked.get("filePath")}}

    def answer(self, request: Facts, choices: Sequence[Any], message: str = "") -> None:
        """As OpenCodeSession.answer(). Raises OpenCodeError where the choices do not fit."""
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
        """What waits for an answer is refused first: an abort alone leaves it on the screen."""
        while (status := self.status()).request:
            self.answer(status.request, ["reject"])
        if status != "idle":
            self.call(f"/session/{self.session}/abort", {})


def labels_of(choices: Sequence[Any], count: int) -> list[list[str]]:
    """A list of labels for each of `count` questions."""
    labels = [[one] if isinstance(one, str) else one for one in choices]
    if count == 1:
        labels = [[label for one in labels for label in one]]
    if len(labels) != count or not all(labels):
        reason = f"{choices!r} answers {len(labels)} of {count} questions"
        raise OpenCodeError(reason, "an answer is a label or a list of labels")
    return labels
