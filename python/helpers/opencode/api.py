"""OpenCode 1's HTTP API on loopback: what this package asks of it, and nothing else.

OpenCode 2 has another one. Its client would be a file beside this one with the same methods, and
server.py, which knows the version, would tell which of both is meant.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
from collections.abc import Callable, Iterator
from typing import Any

from .reply import OpenCodeError, Status

CALL_LIMIT = 10.0  # seconds for a request, which takes milliseconds on an idle machine
BEGIN_LIMIT = 60.0  # seconds for the first one about a project: OpenCode loads all it has then
QUIT_LIMIT = 2.0  # seconds for the TUI to hear that it should end
NEWEST = 30  # messages: enough but for very long turns
MOST_ERROR = 500  # characters of an error's text

Message = dict[str, Any]


class HttpError(OpenCodeError):
    """A request was answered with an error (`status` is its number), or not at all (`status` 0)."""

    status = 0


class Api:
    """The server on `port` that takes `password`. Everything may raise HttpError."""

    def __init__(self, port: int, password: str):
        self._port = port
        token = base64.b64encode(f"opencode:{password}".encode()).decode()
        self._headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}

    # requests: each has a connection of its own, which costs a millisecond and holds nothing

    def call(self, method: str, path: str, body: Any = None, limit: float = CALL_LIMIT) -> Any:
        """The decoded answer, or None where it is empty, after at most `limit` seconds."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=limit)
        try:
            data = None if body is None else json.dumps(body).encode()
            connection.request(method, path, data, self._headers)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as problem:
            reason = problem or type(problem).__name__
            raise HttpError(f"OpenCode's server did not answer: {reason}") from None
        finally:
            connection.close()
        if answer.status >= 400:
            reason = content.decode("utf-8", "replace")[:MOST_ERROR]
            raise HttpError(f"OpenCode answers {answer.status}: {reason}", status=answer.status)
        try:
            return json.loads(content) if content else None
        except ValueError:  # a path that it does not know is answered with its web page
            raise HttpError(f"OpenCode does not know {method} {path}", status=404) from None

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, **body: Any) -> Any:
        return self.call("POST", path, body)

    def health(self) -> int:
        """The status of a request that every version answers; 0: no answer came."""
        try:
            self.get("/global/health")
            return 200
        except HttpError as problem:
            return problem.status

    def events(self, opened: Callable[[http.client.HTTPConnection], object]) -> Iterator[Message]:
        """What happens from now on, for as long as the server lives or the connection that `opened`
        was given is open."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        try:
            connection.request("GET", "/event", headers=self._headers)
            opened(connection)
            for line in connection.getresponse():
                if line.startswith(b"data:"):
                    yield json.loads(line[5:])
        finally:
            connection.close()

    # conversations

    def begin(self) -> str:
        """The id of a new conversation."""
        return self.call("POST", "/session", {}, BEGIN_LIMIT)["id"]

    def holds(self, session: str, directory: str) -> bool:
        """Whether there is that conversation, and it is about that directory."""
        try:
            place = self.call("GET", f"/session/{session}", limit=BEGIN_LIMIT).get("directory")
        except HttpError as problem:
            if problem.status == 0:
                raise
            return False
        return os.path.realpath(place or directory) == os.path.realpath(directory)

    def show(self, session: str) -> None:
        """In the TUI."""
        self.post("/tui/select-session", sessionID=session)

    def quit(self) -> None:
        """Asks the TUI to end."""
        body = {"type": "tui.command.execute", "properties": {"command": "app.exit"}}
        self.call("POST", "/tui/publish", body, QUIT_LIMIT)

    def models(self) -> list[str]:
        """As "provider/model"."""
        providers = self.get("/config/providers")["providers"]
        return [f"{one['id']}/{model}" for one in providers for model in one["models"]]

    def agents(self) -> list[str]:
        return [one["name"] for one in self.get("/agent")]

    def prompt(
        self, session: str, id: str, text: str, model: str | None, agent: str | None
    ) -> None:
        """Sends a prompt, whose id the caller has made. Where model or agent is None it goes to
        that of the last prompt there."""
        last = self._last_prompt(session)
        body = {name: last[name] for name in ("agent", "model", "variant") if last.get(name)}
        if agent:
            body["agent"] = agent
        if model:
            provider, _, name = model.partition("/")
            body["model"] = {"providerID": provider, "modelID": name}
        parts = [{"type": "text", "text": text}]
        self.post(f"/session/{session}/prompt_async", messageID=id, parts=parts, **body)

    def _last_prompt(self, session: str) -> Message:
        """What is known of it; {} where there is none."""
        path = f"/session/{session}/message"
        for messages in (self.get(f"{path}?limit={NEWEST}"), self.get(path)):
            for message in reversed(messages):
                if message["info"]["role"] == "user":
                    return message["info"]
        return {}

    def since(self, session: str, prompt: str) -> list[Message]:
        """The conversation from that prompt on; [] where it is not in it."""
        path = f"/session/{session}/message"
        for messages in (self.get(f"{path}?limit={NEWEST}"), self.get(path)):
            for at, message in enumerate(messages):
                if message["info"]["id"] == prompt:
                    return messages[at:]
            if len(messages) < NEWEST:
                break
        return []

    def status(self, session: str) -> Status:
        """What that conversation does now."""
        state = self.get("/session/status").get(session) or {"type": "idle"}
        if state["type"] == "idle":
            return Status("idle")
        if state["type"] == "retry":
            return Status("retrying", attempt=state["attempt"], message=state["message"])
        for path, word in (("/permission", "needs permission"), ("/question", "needs answer")):
            for request in self.get(path):
                if self._is_part(request["sessionID"], session):
                    return Status(word, request=self._with_command(request))
        return Status("busy")

    def _is_part(self, session: str | None, whole: str) -> bool:
        """Whether it is that conversation, or one that a subagent holds for it."""
        while session and session != whole:
            session = self.get(f"/session/{session}").get("parentID")
        return bool(session)

    def _with_command(self, request: Message) -> Message:
        """Up to 1.15 only the tool that asks knows the command."""
        tool = request.get("tool")
        if request.get("metadata") or not tool:
            return request
        message = self.get(f"/session/{request['sessionID']}/message/{tool['messageID']}")
        parts = [part for part in message["parts"] if part.get("callID") == tool["callID"]]
        asked = parts[0]["state"].get("input") or {} if parts else {}
        command = asked.get("command") or asked.get("filePath") or ""
        return {**request, "metadata": {"command": command}}

    def answer(self, status: Status, choices: list[list[str]], message: str | None = None) -> None:
        """Answers what `status` asks for: a list of labels for each question."""
        request, word = status.request or {}, choices[0][0]
        path = "/permission" if status == "needs permission" else "/question"
        if status == "needs permission":
            reason = {"message": message} if message else {}
            self.post(f"{path}/{request['id']}/reply", reply=word, **reason)
        elif word == "reject":
            self.post(f"{path}/{request['id']}/reject")
        else:
            self.post(f"{path}/{request['id']}/reply", answers=choices)

    def abort(self, session: str) -> None:
        """Ends the running turn."""
        # What it waits for is refused first: an abort alone leaves the question on the screen.
        while (status := self.status(session)).request:
            self.answer(status, [["reject"]])
        if status != "idle":
            self.post(f"/session/{session}/abort")
