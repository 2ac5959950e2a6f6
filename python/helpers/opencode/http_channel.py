"""The exact channel: prompts go in over OpenCode's HTTP API on loopback, and answers, states and
questions come out. Standard library only, no proxy, no redirect."""

from __future__ import annotations

import base64
import http.client
import json
from dataclasses import replace
from typing import Any

from ..tmux.evidence.kernel import process
from . import turns
from .database import open_paths
from .instance import PASSWORD, Instance
from .reply import OpenCodeError, OpenCodeTurnFailed, Status
from .screen import Frame
from .terminal import until
from .turns import Message, Turn

# Seconds for a request, which takes milliseconds. With a line of progress every 8 s a code runner
# that ends on 15 s of silence hears one, though OpenCode may hang.
CALL_LIMIT = 6.0
POST_LIMIT = 10.0  # seconds for what is done once in a turn, also on a loaded machine
TURN_LIMIT = 5.0  # seconds until a prompt is in the conversation, until an interrupted turn ends
QUIT_LIMIT = 2.0  # seconds for an exit to be heard, before a signal says it
NEWEST = 30  # messages: enough but for very long turns
MOST_ERROR = 500  # characters of an error's text
LISTENS = "0A"  # state of a socket in /proc/net/tcp


class HttpError(OpenCodeError):
    """A request was answered with an error (`status` is its number), or not at all (`status` 0)."""

    status = 0


class HttpChannel:
    """One conversation over the API of `instance`. Everything may raise OpenCodeError."""

    name = "http"

    def __init__(self, instance: Instance, model: str | None = None, agent: str | None = None):
        self.instance, self.port = instance, instance.port
        self.password = instance.terminal.get_option(PASSWORD) if instance.port else ""
        self._model, self._agent = model, agent
        self._choice: dict[str, Any] = {}  # of the next turn

    # requests: each has a connection of its own, which costs a millisecond and holds nothing

    def call(self, method: str, path: str, body: Any = None, limit: float = CALL_LIMIT) -> Any:
        """The decoded answer, or None where it is empty. Raises HttpError after `limit` seconds."""
        if self.instance.stopped:
            raise HttpError("OpenCode is stopped (C-z)", "fg in its pane brings it back")
        token = base64.b64encode(f"opencode:{self.password}".encode()).decode()
        headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=limit)
        try:
            data = None if body is None else json.dumps(body).encode()
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as problem:
            reason = problem or type(problem).__name__
            raise HttpError(f"OpenCode's API did not answer: {reason}") from None
        finally:
            connection.close()
        if answer.status >= 400:
            reason = content.decode("utf-8", "replace")[:MOST_ERROR]
            raise HttpError(f"OpenCode's API said {answer.status}: {reason}", status=answer.status)
        try:
            return json.loads(content) if content else None
        except ValueError:  # a path it does not know is answered with its web page
            raise HttpError(f"OpenCode's API does not know {method} {path}", status=404) from None

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, **body: Any) -> Any:
        return self.call("POST", path, body, POST_LIMIT)

    def health(self) -> int:
        """The status of a request that every version answers; 0: none came."""
        try:
            self.get("/global/health")
            return 200
        except HttpError as problem:
            return problem.status

    def is_ours(self) -> bool | None:
        """Whether what listens on the port is our OpenCode, so that no stranger gets the password.
        None: nothing listens."""
        table = b""
        while part := process.content("/proc/net/tcp", offset=len(table)):
            table += part
        rows = [line.split() for line in table.decode().splitlines()[1:]]
        own = [row[9] for row in rows if row[3] == LISTENS and row[1].endswith(f":{self.port:04X}")]
        sockets = {f"socket:[{inode}]" for inode in own}
        if not sockets:
            return None
        return not sockets.isdisjoint(open_paths(self.instance.group))

    # the conversation

    def begin(self, session: str | None) -> None:
        """Returns once prompts can be taken, in the conversation `session` if that is not None."""
        self._check_choice()
        if session:
            self._show(session)
        if session not in (None, self.instance.session):
            self.instance.session, self.instance.turn = session, None

    def _check_choice(self) -> None:
        """Raises where model or agent is not configured: OpenCode says so on its screen only."""
        if self._model and self._model not in (known := self._models()):
            hint = f"There are: {', '.join([*known][:20])}"
            raise OpenCodeError(f"no model {self._model} is configured", hint)
        if self._agent and self._agent not in (names := self._agents()):
            hint = f"There are: {', '.join(names)}"
            raise OpenCodeError(f"OpenCode has no agent {self._agent}", hint)

    def _models(self) -> dict[str, str]:
        """How the screen names each model, by "provider/model"."""
        return {
            f"{one['id']}/{id}": f"{model['name']} {one['name']}"
            for one in self.get("/config/providers")["providers"]
            for id, model in one["models"].items()
        }

    def _agents(self) -> list[str]:
        return [one["name"] for one in self.get("/agent")]

    def _chosen(self) -> dict[str, Any]:
        """Agent and model of the next turn: what was asked for, else what the screen names, where
        the person may have changed it, else what OpenCode was started with."""
        started = self.instance.started_with
        agent, model = Frame(self.instance.terminal.look()).chosen
        if self._agent:
            agent = self._agent
        else:
            agents = [name for name in self._agents() if name.casefold() == agent.casefold()]
            agent = agents[0] if agents else started.get("--agent", "")
        if self._model:
            model = self._model
        else:
            models = [id for id, name in self._models().items() if name == model]
            model = models[0] if len(models) == 1 else started.get("-m", "")
        provider, _, name = model.partition("/")
        choice: dict[str, Any] = {"agent": agent} if agent else {}
        return {**choice, "model": {"providerID": provider, "modelID": name}} if name else choice

    def _show(self, session: str) -> None:
        self.get(f"/session/{session}")  # the screen would take a dead id without a word
        self.post("/tui/select-session", sessionID=session)

    def leave(self) -> None:
        """The next prompt begins a new conversation."""
        self._command("session.new")

    def _command(self, name: str, limit: float = CALL_LIMIT) -> None:
        body = {"type": "tui.command.execute", "properties": {"command": name}}
        self.call("POST", "/tui/publish", body, limit)

    def prepare(self, prompt: str) -> None:
        """Raises where `prompt` cannot be sent now."""
        if not self.is_ours():
            raise HttpError("what listens on the port of OpenCode's API is not OpenCode")
        if not self.instance.session:
            self.instance.session = self.post("/session")["id"]
        self._choice = self._chosen()
        self._show(self.instance.session)

    def submit(self, prompt: str, turn: Turn) -> Turn:
        """Sends the prompt; `turn` with its id. Raises OpenCodeTurnFailed where nothing of it is
        left in OpenCode's input."""
        body = {"parts": [{"type": "text", "text": prompt}], **self._choice}
        self.post(f"/session/{self.instance.session}/prompt_async", **body)
        if messages := until(lambda: self.messages(turn), TURN_LIMIT):
            return replace(turn, id=messages[0]["info"]["id"])
        raise OpenCodeTurnFailed("OpenCode did not take the prompt", "its screen may say why")

    def status(self) -> Status:
        """What the conversation does now."""
        state = self.get("/session/status").get(self.instance.session) or {"type": "idle"}
        if state["type"] == "idle":
            return Status("idle")
        if state["type"] == "retry":
            return Status("retrying", attempt=state["attempt"], message=state["message"])
        for path, word in (("/permission", "needs permission"), ("/question", "needs answer")):
            for request in self.get(path):
                if self._is_own(request["sessionID"]):
                    return Status(word, request=request)
        return Status("busy")

    def _is_own(self, session: str | None) -> bool:
        """Whether it is this conversation, or one that a subagent holds for it."""
        while session and session != self.instance.session:
            session = self.get(f"/session/{session}").get("parentID")
        return bool(session)

    def messages(self, turn: Turn) -> list[Message]:
        """The conversation from that prompt on; [] where it is not in it."""
        if not self.instance.session:
            return []
        path = f"/session/{self.instance.session}/message"
        newest = self.get(f"{path}?limit={NEWEST}")
        found = turns.since(turn, newest)
        return found if found or len(newest) < NEWEST else turns.since(turn, self.get(path))

    def answer(self, status: Status, choices: list[list[str]], message: str | None) -> None:
        """Answers what `status` asks for: a list of labels for each question."""
        request, word = status.request or {}, choices[0][0]
        path = "/permission" if status == "needs permission" else "/question"
        reply = f"{path}/{request['id']}/reply"
        if status == "needs permission":
            self.post(reply, reply=word, **({"message": message} if message else {}))
        elif word == "reject":
            self.post(f"{path}/{request['id']}/reject")
        else:
            self.post(reply, answers=choices)

    def interrupt(self) -> None:
        """Ends the turn, and returns when it has ended."""
        # What it waits for is refused first: an abort alone leaves the question on the screen.
        while (status := self.status()).request:
            self.answer(status, [["reject"]], None)
        if status != "idle":
            self.post(f"/session/{self.instance.session}/abort")
        if not until(lambda: self.status() == "idle", TURN_LIMIT):
            raise OpenCodeError("the turn did not end when interrupted", "exit() ends OpenCode")

    def quit(self) -> None:
        """Asks OpenCode to end itself. Raises where it cannot be asked."""
        self._command("app.exit", QUIT_LIMIT)
