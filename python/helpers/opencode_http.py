"""A conversation over OpenCode's API: prompts go in and answers, states and questions come out exactly."""

from __future__ import annotations

import math
import re
import time
from typing import Any

from .opencode_api import Api
from .opencode_reply import OpenCodeError, OpenCodeTurnFailed, Reply, Status, add_up

BEGIN_LIMIT = 5.0  # seconds until a prompt that was taken must show up, and then until its turn must have begun
ERROR_LIMIT = 1.0  # seconds of that where an error was heard already
QUIT_LIMIT = 2.0  # seconds for an exit to be heard, before a signal says it
REFUSED = re.compile(r"rejected permission|dismissed this question", re.IGNORECASE)


class HttpChannel:
    """One conversation over the API. A turn is known by the id of its user message."""

    name = "http"

    def __init__(self, api: Api, session: str | None, model: str | None, agent: str | None):
        self.api, self.session = api, session
        self._choice: dict[str, Any] = {"agent": agent} if agent else {}
        if model:
            provider, _, name = model.partition("/")
            self._choice["model"] = {"providerID": provider, "modelID": name}
        self._idle_since: float | None = None

    def check(self) -> None:
        """Raises OpenCodeError where the model or agent is not configured: OpenCode would only say so on its screen."""
        wanted, agent = self._choice.get("model"), self._choice.get("agent")
        if wanted:
            there = {p["id"]: p["models"] for p in self.api.get("/config/providers")["providers"]}
            if wanted["modelID"] not in there.get(wanted["providerID"], {}):
                own = [f"{p}/{m}" for p, models in there.items() for m in models][:20]
                raise OpenCodeError(
                    f"no model {wanted['providerID']}/{wanted['modelID']} is configured",
                    f"There are: {', '.join(own)}",
                )
        if agent and agent not in (names := [a["name"] for a in self.api.get("/agent")]):
            raise OpenCodeError(f"OpenCode has no agent {agent}", f"There are: {', '.join(names)}")

    def show(self, session: str | None) -> None:
        """Puts a conversation (None: the home screen) before the person."""
        if session:
            self.api.get(f"/session/{session}")  # the screen would take a dead id without a word
            self.api.post("/tui/select-session", sessionID=session)
        else:
            self.command("session.new")
        self.session = session

    def command(self, name: str) -> None:
        self.api.post("/tui/publish", type="tui.command.execute", properties={"command": name})

    def submit(self, prompt: str) -> str:
        """Delivers the prompt exactly and returns the turn it began (or was queued for)."""
        if not self.session:
            self.session = self.api.post("/session")["id"]
        self.show(self.session)
        before = {m["info"]["id"] for m in self._messages(4)}
        self.api.ring(0)  # listen first, so that the end of an instant answer is heard
        self.api.error = ""
        self.api.growing.clear()
        self.api.post(
            f"/session/{self.session}/prompt_async",
            parts=[{"type": "text", "text": prompt}],
            **self._choice,
        )
        deadline = time.monotonic() + BEGIN_LIMIT
        while time.monotonic() < deadline:
            for message in self._messages(4):
                identity = message["info"]["id"]
                if identity not in before and prompt in [
                    part.get("text") for part in message["parts"]
                ]:
                    self._idle_since = None
                    return identity
            self.api.ring(0.02)
        raise OpenCodeTurnFailed(
            f"OpenCode did not take the prompt: {self.api.error or 'no reason given'}"
        )

    def _messages(self, limit: int = 0) -> list[dict[str, Any]]:
        return self.api.get(
            f"/session/{self.session}/message" + (f"?limit={limit}" if limit else "")
        )

    def status(self) -> Status:
        """What the conversation does now; subagents count as its own."""
        state = self.api.get("/session/status").get(self.session) or {"type": "idle"}
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
            for request in self.api.get(path):
                if self._ours(request["sessionID"]):
                    return Status(word, request=request)
        return Status("busy")

    def _ours(self, session: str | None) -> bool:
        for _ in range(8):  # a subagent's subagent's …; deeper does not happen
            if not session or session == self.session:
                break
            session = self.api.get(f"/session/{session}").get("parentID")
        return bool(session) and session == self.session

    def tool(self) -> str:
        """The tool that runs now, with its title, or ""."""
        for message in reversed(self._messages(2)):
            for part in message["parts"]:
                if part["type"] == "tool" and part["state"]["status"] == "running":
                    said = (
                        part["state"].get("title")
                        or part["state"].get("input", {}).get("command")
                        or ""
                    )
                    return f"{part['tool']} {said}".strip()[:80]
        return ""

    def look(self, turn: str | None) -> tuple[Status, Reply | None]:
        """The state, and the Reply once the turn is over. Raises OpenCodeTurnFailed for a turn that ended in an error."""
        status = self.status()
        self._idle_since = None if status != "idle" else self._idle_since or time.monotonic()
        reply = self._over(turn) if status == "idle" else None
        if reply and reply.finish == "tool-calls" and (again := self.status()) != "idle":
            return again, None  # the first step ended between two questions: the turn goes on
        return status, reply

    def so_far(self, turn: str | None) -> str:
        """All text of the turn up to now."""
        parts = [p for m in self._turn(turn)[1] for p in m["parts"] if p["type"] == "text"]
        return "\n\n".join(
            filter(None, (p["text"] or self.api.growing.get(p["id"], "") for p in parts))
        )

    def _turn(self, turn: str | None) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The user message (None: the newest) and the answers to it: its own, or shared with what was queued."""
        for limit in (30, 0):  # the newest are enough but for very long turns
            messages = self._messages(limit)
            at = [
                i
                for i, m in enumerate(messages)
                if m["info"]["role"] == "user" and turn in (None, m["info"]["id"])
            ]
            if at:
                break
        else:
            raise OpenCodeError("there is no turn to wait for", "send() or submit() a prompt first")
        asked = messages[at[-1]]
        since = [m for m in messages[at[-1] + 1 :] if m["info"]["role"] == "assistant"]
        own = [m for m in since if m["info"].get("parentID") == asked["info"]["id"]]
        # A prompt queued in mid-turn takes the turn over: the answer to both then hangs on the later one.
        return asked, own if own and own[-1]["info"].get("finish") != "tool-calls" else since

    def _over(self, turn: str | None) -> Reply | None:
        asked, answers = self._turn(turn)
        if not answers or not all(m["info"]["time"].get("completed") for m in answers):
            idle = time.monotonic() - (
                self._idle_since or time.monotonic()
            )  # not yet busy, or never: then that is said
            if idle < (ERROR_LIMIT if self.api.error and not answers else BEGIN_LIMIT):
                return None
            why = self.api.error or "it was aborted, or its model is missing"
            raise OpenCodeTurnFailed(f"OpenCode took the prompt and began no turn: {why}")
        last = answers[-1]["info"]
        text = next(filter(None, map(_text, reversed(answers))), "")
        error, finish = (
            last.get("error") or {},
            last.get("finish") or "aborted",
        )  # aborted while retrying: neither
        if error.get("name") == "MessageAbortedError":
            finish = "aborted"
        elif error.get("name") == "MessageOutputLengthError":
            finish = "length"
        elif error:
            said = (error.get("data") or {}).get("message") or error.get("name")
            raise OpenCodeTurnFailed(f"the turn failed: {said}", text=text, error=error)
        elif finish == "tool-calls" and any(
            REFUSED.search(p["state"].get("error") or "")
            for p in answers[-1]["parts"]
            if p["type"] == "tool"
        ):
            finish = "rejected"
        seconds = (last["time"]["completed"] - asked["info"]["time"]["created"]) / 1000
        cost = float(sum(m["info"].get("cost") or 0 for m in answers))
        return Reply(
            text,
            finish,
            self.session,
            add_up(m["info"].get("tokens") or {} for m in answers),
            cost,
            seconds,
        )

    def hurry(self, deadline: float | None) -> None:
        """No request may last longer than `deadline` (time.monotonic())."""
        self.api.deadline = math.inf if deadline is None else deadline

    def pause(self, seconds: float) -> None:
        self.api.ring(min(seconds, 1.0))

    def answer(self, status: Status, choices: list[list[str]], message: str | None) -> None:
        request, path = (
            status.request or {},
            "/permission" if status == "needs permission" else "/question",
        )
        word = choices[0][0]
        if status == "needs permission":
            self.api.post(
                f"{path}/{request['id']}/reply",
                reply=word,
                **({"message": message} if message else {}),
            )
        elif word == "reject":
            self.api.post(f"{path}/{request['id']}/reject")
        else:
            self.api.post(f"{path}/{request['id']}/reply", answers=choices)

    def interrupt(self) -> None:
        """Ends the turn. What it waits for is refused first: an abort alone leaves the question standing."""
        while (status := self.status()).request:
            self.answer(status, [["reject"]], None)
        if status != "idle" and self.session:
            self.api.post(f"/session/{self.session}/abort")
        deadline = time.monotonic() + BEGIN_LIMIT
        while self.status() != "idle":
            if time.monotonic() > deadline:
                raise OpenCodeError(
                    "the turn did not end when interrupted", "exit() ends OpenCode itself"
                )
            self.api.ring(0.02)

    def quit(self) -> None:
        self.api.hush()
        self.hurry(time.monotonic() + QUIT_LIMIT)
        self.command("app.exit")


def _text(message: dict[str, Any]) -> str:
    parts = (p["text"] for p in message["parts"] if p["type"] == "text" and not p.get("synthetic"))
    return "\n\n".join(filter(None, parts))
