"""The exact channel: prompts go in over OpenCode's API, and answers, states and questions come out."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from . import turns
from .api import Api, HttpError, is_own_port
from .reply import OpenCodeError, OpenCodeTurnFailed, Status
from .turns import Message, Turn

TAKEN_LIMIT = 5.0  # seconds until a prompt must show up in the conversation
INTERRUPTED_LIMIT = 5.0  # seconds until an interrupted turn must have ended
QUIT_LIMIT = 2.0  # seconds for an exit to be heard, before a signal says it
NEWEST = 30  # messages: enough but for very long turns
DEEPEST = 8  # a subagent's subagent's …; deeper does not happen
EVERY = 0.02  # seconds between two looks at what changes at once


class HttpChannel(Api):
    """One conversation over the API of the OpenCode that is process group `group`."""

    name = "http"

    def __init__(
        self, api: Api, group: int, session: str | None, model: str | None, agent: str | None
    ):
        super().__init__(api.port, api.password)
        self.group, self.session = group, session
        self._choice: dict[str, Any] = {"agent": agent} if agent else {}
        if model:
            provider, _, name = model.partition("/")
            self._choice["model"] = {"providerID": provider, "modelID": name}

    def begin(self, session: str | None) -> None:
        self._check_choice()
        if session:
            self._show(session)
        self.session = session

    def _check_choice(self) -> None:
        """Raises where model or agent is not configured: OpenCode says so on its screen only."""
        model, agent = self._choice.get("model"), self._choice.get("agent")
        if model:
            providers = self.get("/config/providers")["providers"]
            known = {provider["id"]: provider["models"] for provider in providers}
            if model["modelID"] not in known.get(model["providerID"], {}):
                names = [f"{provider}/{name}" for provider in known for name in known[provider]]
                raise OpenCodeError(
                    f"no model {model['providerID']}/{model['modelID']} is configured",
                    f"There are: {', '.join(names[:20])}",
                )
        if agent and agent not in (names := [one["name"] for one in self.get("/agent")]):
            raise OpenCodeError(f"OpenCode has no agent {agent}", f"There are: {', '.join(names)}")

    def _show(self, session: str) -> None:
        self.get(f"/session/{session}")  # the screen would take a dead id without a word
        self.post("/tui/select-session", sessionID=session)

    def leave(self) -> None:
        self._command("session.new")
        self.session = None

    def _command(self, name: str) -> None:
        self.post("/tui/publish", type="tui.command.execute", properties={"command": name})

    # sending

    def turn(self, prompt: str) -> Turn:
        return Turn(prompt=turns.prompt_key(prompt), at=time.time())

    def prepare(self, unsent: Turn | None) -> None:
        if not is_own_port(self.port, self.group):
            raise HttpError("what listens on the port of OpenCode's API is not OpenCode")
        if not self.session:
            self.session = self.post("/session")["id"]
        self._show(self.session)

    def submit(self, prompt: str, turn: Turn) -> Turn:
        before = {message["info"]["id"] for message in self._newest(4)}
        parts = [{"type": "text", "text": prompt}]
        self.post(f"/session/{self.session}/prompt_async", parts=parts, **self._choice)
        deadline = time.monotonic() + TAKEN_LIMIT
        while time.monotonic() < deadline:
            for message in self._newest(4):
                if message["info"]["id"] not in before and turn.is_in(message):
                    return replace(turn, id=message["info"]["id"])
            time.sleep(EVERY)
        raise OpenCodeTurnFailed("OpenCode did not take the prompt; its screen may say why")

    def _newest(self, limit: int = 0) -> list[Message]:
        """The conversation's last messages, all for 0."""
        query = f"?limit={limit}" if limit else ""
        return self.get(f"/session/{self.session}/message{query}")

    # what it does

    def status(self) -> Status:
        state = self.get("/session/status").get(self.session) or {"type": "idle"}
        if state["type"] == "idle":
            return Status("idle")
        if state["type"] == "retry":
            return Status(
                "retrying",
                attempt=state["attempt"],
                message=state["message"],
                next=state["next"] / 1000,
            )
        for path, word in (("/permission", "needs permission"), ("/question", "needs answer")):
            for request in self.get(path):
                if self._is_own(request["sessionID"]):
                    return Status(word, request=request)
        return Status("busy")

    def _is_own(self, session: str | None) -> bool:
        """Whether it is this conversation, or one that a subagent holds for it."""
        for _ in range(DEEPEST):
            if not session or session == self.session:
                break
            session = self.get(f"/session/{session}").get("parentID")
        return bool(session) and session == self.session

    def messages(self, turn: Turn) -> list[Message]:
        if not self.session:
            return []
        return turns.since(turn, self._newest(NEWEST)) or turns.since(turn, self._newest())

    # answering, ending

    def answer(self, status: Status, choices: list[list[str]], message: str | None) -> None:
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
        # What it waits for is refused first: an abort alone leaves the question on the screen.
        while (status := self.status()).request:
            self.answer(status, [["reject"]], None)
        if status != "idle" and self.session:
            self.post(f"/session/{self.session}/abort")
        deadline = time.monotonic() + INTERRUPTED_LIMIT
        while self.status() != "idle":
            if time.monotonic() > deadline:
                raise OpenCodeError(
                    "the turn did not end when interrupted", "exit() ends OpenCode itself"
                )
            time.sleep(EVERY)

    def quit(self) -> None:
        self.deadline = time.monotonic() + QUIT_LIMIT
        self._command("app.exit")
