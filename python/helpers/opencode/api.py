"""OpenCode 1's HTTP API on loopback: what this package asks of it, and nothing else.

OpenCode 2 has another one. Its client would be a file beside this one with the same methods, and
program.py, which knows the version, would tell which of both is meant.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
from collections.abc import Callable, Iterator
from typing import Any

from .reply import OpenCodeError, Status

CALL_LIMIT = 12.0  # seconds for a request, which takes milliseconds: code runners wait 15
BEGIN_LIMIT = 60.0  # seconds for the first one about a project: OpenCode loads all it has then
QUIT_LIMIT = 2.0  # seconds for the server to take the word that the TUI should end
NEWEST = 30  # messages: enough but for very long turns
MOST_ERROR = 500  # characters of an error's text

Facts = dict[str, Any]  # as the API words them


class HttpError(OpenCodeError):
    """A request was answered with an error (`status` is its number), or not at all (`status` 0)."""

    status = 0


class Api:
    """The server on `port` that takes `password`. Everything may raise HttpError."""

    limit = CALL_LIMIT

    def __init__(self, port: int, password: str):
        self._port = port
        token = base64.b64encode(f"opencode:{password}".encode()).decode()
        self._headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}

    # requests: each has a connection of its own, which costs a millisecond and holds nothing

    def call(self, method: str, path: str, body: Any = None, limit: float | None = None) -> Any:
        """The decoded answer, or None where it is empty, after at most `limit` seconds."""
        limit = limit or self.limit
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=limit)
        try:
            data = None if body is None else json.dumps(body).encode()
            connection.request(method, path, data, self._headers)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as problem:
            reason = problem or type(problem).__name__
            hint = "The machine may be busy: try again"
            raise HttpError(f"OpenCode's server did not answer: {reason}", hint) from None
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

    def events(self, opened: Callable[[http.client.HTTPConnection], object]) -> Iterator[Facts]:
        """What happens from now on, for as long as the server lives and the connection that
        `opened` was given is open. May raise OSError or HTTPException."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        connection.request("GET", "/event", headers=self._headers)
        opened(connection)
        for line in connection.getresponse():
            if line.startswith(b"data:"):
                yield json.loads(line[5:])

    def answers(self) -> int:
        """The status of a request that every version answers; 0: no answer came."""
        try:
            self.get("/global/health")
            return 200
        except HttpError as problem:
            return problem.status

    # the TUI

    def show(self, session: str) -> None:
        self.post("/tui/select-session", sessionID=session)

    def quit(self) -> None:
        """Asks the TUI to end."""
        body = {"type": "tui.command.execute", "properties": {"command": "app.exit"}}
        self.call("POST", "/tui/publish", body, QUIT_LIMIT)

    # conversations

    def begin(self) -> str:
        """The id of a new conversation."""
        return self.call("POST", "/session", {}, BEGIN_LIMIT)["id"]

    def holds(self, session: str, directory: str) -> bool:
        """Whether there is that conversation, and it is about that directory."""
        try:
            facts = self.call("GET", f"/session/{session}", limit=BEGIN_LIMIT)
        except HttpError as problem:
            if problem.status == 0:
                raise
            return False
        return os.path.realpath(facts["directory"]) == os.path.realpath(directory)

    def models(self) -> list[str]:
        """As "provider/model"."""
        providers = self.get("/config/providers")["providers"]
        return [f"{one['id']}/{model}" for one in providers for model in one["models"]]

    def agents(self) -> list[str]:
        return [one["name"] for one in self.get("/agent")]

    def prompt(
        self, session: str, id: str, text: str, model: str | None, agent: str | None
    ) -> None:
        """Sends a prompt whose id the caller has made, to that model and agent. Where one is None
        it is that of the last prompt there."""
        newest = reversed(self._messages(session))
        last: Facts = next((one["info"] for one in newest if one["info"]["role"] == "user"), {})
        body = {name: last[name] for name in ("agent", "model", "variant") if last.get(name)}
        if agent:
            body["agent"] = agent
        if model:
            provider, _, name = model.partition("/")
            body["model"] = {"providerID": provider, "modelID": name}
        parts = [{"type": "text", "text": text}]
        self.post(f"/session/{session}/prompt_async", messageID=id, parts=parts, **body)

    def since(self, session: str, prompt: str) -> list[Facts]:
        """The messages from that prompt on; [] where it is not in the conversation."""
        messages = self._messages(session, prompt)
        ids = [message["info"]["id"] for message in messages]
        return messages[ids.index(prompt) :] if prompt in ids else []

    def _messages(self, session: str, id: str = "") -> list[Facts]:
        """The newest, or all where the message `id`, or any prompt, is not among those."""
        path = f"/session/{session}/message"
        newest = self.get(f"{path}?limit={NEWEST}")
        found = (id in (one["info"]["id"], "") and one["info"]["role"] == "user" for one in newest)
        return newest if len(newest) < NEWEST or any(found) else self.get(path)

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

    def _with_command(self, request: Facts) -> Facts:
        """Up to 1.15 only the tool that asks knows the command."""
        if request.get("metadata") or not (tool := request.get("tool")):
            return request
        message = self.get(f"/session/{request['sessionID']}/message/{tool['messageID']}")
        asks = [part for part in message["parts"] if part.get("callID") == tool["callID"]]
        asked = asks[0]["state"].get("input") or {} if asks else {}
        return {**request, "metadata": {"command": asked.get("command") or asked.get("filePath")}}

    def answer(self, status: Status, choices: list[list[str]], message: str | None = None) -> None:
        """Answers what `status` asks for: a list of labels for each question."""
        request, word = status.request or {}, choices[0][0]
        if status == "needs permission":
            reason = {"message": message} if message else {}
            self.post(f"/permission/{request['id']}/reply", reply=word, **reason)
        elif word == "reject":
            self.post(f"/question/{request['id']}/reject")
        else:
            self.post(f"/question/{request['id']}/reply", answers=choices)

    def abort(self, session: str) -> None:
        """Ends the running turn."""
        # What it waits for is refused first: an abort alone leaves the question on the screen.
        while (status := self.status(session)).request:
            self.answer(status, [["reject"]])
        if status != "idle":
            self.post(f"/session/{session}/abort")
