"""OpenCode 1.2.27 and newer 1.x."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from .http_wire import BEGIN_LIMIT, NEWEST, HttpWire
from .reply import OpenCodeTimedOut, OpenCodeTurnFailed, Status
from .wire import LOOK, Facts, News, labels_of, permission_of

ACCEPT_LIMIT = 2.0  # seconds for the server to accept the request that the TUI should end
# Events that are a reason to look; after the first one no other is missed.
_LOOKS = ("server.connected", "permission.asked", "question.asked")


class Wire1(HttpWire):
    OLDEST = (1, 2, 27)  # its server takes a password and a prompt's id, as measured
    HEALTH = "/global/health"
    EVENTS = "/event"

    @classmethod
    def variables(cls, password: str) -> dict[str, str]:
        return {"OPENCODE_SERVER_PASSWORD": password, "OPENCODE_SERVER_USERNAME": "opencode"}

    def tui_words(self) -> list[str]:
        return ["attach", self.address, "--dir", self.directory, "-s", self.session]

    def quit_tui(self, pid: int) -> None:
        body = {"type": "tui.command.execute", "properties": {"command": "app.exit"}}
        self.call("/tui/publish", body, ACCEPT_LIMIT)

    def show(self) -> None:
        with suppress(OpenCodeTimedOut):  # the server is late: the next prompt shows it
            self.call("/tui/select-session", {"sessionID": self.session})

    def begin(self) -> None:
        self.session = self.call("/session", {}, BEGIN_LIMIT)["id"]

    def about(self, session: str) -> Facts:
        return self.call(f"/session/{quote(session, '')}")

    def models(self) -> list[str]:
        providers = self.call("/config/providers")["providers"]
        return [f"{each['id']}/{name}" for each in providers for name in each["models"]]

    def agents(self) -> list[str]:
        return [each["name"] for each in self.call("/agent")]

    def settings(self, model: str | None, agent: str | None) -> Facts:
        self.must_know(model, agent)
        last = self._from("user", "role")[:1]
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

    def since(self, prompt: str) -> list[Facts]:
        return self._from(prompt, "id")

    def _from(self, value: str, name: str) -> list[Facts]:
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
                if self.is_part(request["sessionID"]):
                    return Status(word, request=self._with_command(request))
        return Status("busy")

    def _with_command(self, request: Facts) -> Facts:
        """`request` with its command: up to 1.15 only the tool call has that."""
        if request.get("metadata") or not (tool := request.get("tool")):
            return request
        message = self.call(f"/session/{request['sessionID']}/message/{tool['messageID']}")
        asks = [part for part in message["parts"] if part.get("callID") == tool["callID"]]
        asked = asks[0]["state"].get("input") or {} if asks else {}
        return {**request, "metadata": {"command": asked.get("command") or asked.get("filePath")}}

    def answer(self, request: Facts, choices: Sequence[Any], message: str = "") -> None:
        id = request["id"]
        if "permission" in request:
            body = {"reply": permission_of(choices), "message": message}
            self.call(f"/permission/{id}/reply", body)
        elif list(choices) == ["reject"]:
            self.call(f"/question/{id}/reject", {})
        else:
            labels = labels_of(choices, len(request["questions"]))
            self.call(f"/question/{id}/reply", {"answers": labels})

    def stop(self, prompt: str) -> None:
        self.call(f"/session/{self.session}/abort", {})

    def news_of(self, event: Facts) -> News | None:
        match event.get("type"), event.get("properties"):
            case "message.part.delta", {"partID": id, "field": "text", "delta": more}:
                return "more", id, more
            case "message.part.updated", {"part": {"id": id, "text": str(text)}}:
                return "text", id, text
            case "session.idle", {"sessionID": session}:
                return "idle", session, ""
            case "session.error", {"sessionID": session, "error": {"name": name, "data": data}}:
                words = [name, *map(str, data.values())]
                return "failed", session, data.get("message") or " ".join(words)
            case kind, _ if kind in _LOOKS:
                return LOOK
        return None
