"""OpenCode 1.2.27 and newer 1.x. turn.py reads the messages of every wire in these words."""

from contextlib import suppress
from urllib.parse import quote

from .http_wire import (
    BEGIN_LIMIT,
    NEWEST,
    NOTHING,
    Choices,
    Facts,
    HttpWire,
    News,
    doing,
    labels_of,
    permission_of,
)
from .reply import OpenCodeTimedOut, OpenCodeTurnFailed, Status


class Wire1(HttpWire):
    OLDEST = (1, 2, 27)  # its server takes a password and a prompt's id, as measured
    HEALTH = "/global/health"
    EVENTS = "/event"
    PASSWORD = "OPENCODE_SERVER_PASSWORD"

    def tui_words(self) -> list[str]:
        """The words after the program's name that show the conversation."""
        return ["attach", self.address, "--dir", self.directory, "-s", self.session]

    def quit_tui(self, pid: int) -> None:
        body = {"type": "tui.command.execute", "properties": {"command": "app.exit"}}
        self.call("/tui/publish", body)

    def show(self) -> None:
        with suppress(OpenCodeTimedOut):  # the server is late: the next prompt shows it
            self.call("/tui/select-session", {"sessionID": self.session})

    def begin(self) -> None:
        """Begins a new conversation."""
        self.session = self.call("/session", {}, BEGIN_LIMIT)["id"]

    def about(self, session: str) -> Facts:
        return self.call(f"/session/{quote(session, '')}")

    def known(self, kind: str) -> list[str]:
        if kind == "agent":
            return [each["name"] for each in self.call("/agent")]
        providers = self.call("/config/providers")["providers"]
        return [f"{each['id']}/{name}" for each in providers for name in each["models"]]

    def prompt(self, id: str, text: str, model: str | None, agent: str | None) -> None:
        """Sends it. None: as for the prompt before."""
        body: Facts = {"messageID": id, "parts": [{"type": "text", "text": text}]}
        for last in self._from("user", "role")[:1]:
            kept = ("agent", "model", "variant")
            body |= {name: last[name] for name in kept if last.get(name)}
        if agent:
            body["agent"] = agent
        if model:
            provider, _, name = model.partition("/")
            body["model"] = {"providerID": provider, "modelID": name}
        with suppress(OpenCodeTimedOut):  # it may have arrived: the wait finds out
            self.call(f"/session/{self.session}/prompt_async", body)

    def since(self, prompt: str) -> list[Facts]:
        """The messages from this prompt on; [] if it is not there."""
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
        return {**request, "metadata": doing(message["parts"], tool["callID"])}

    def answer(self, request: Facts, choices: Choices, message: str = "") -> None:
        """As OpenCodeSession.answer(). Raises OpenCodeError if the choices do not fit."""
        id = request["id"]
        if "permission" in request:
            body = {"reply": permission_of(choices), "message": message}
            self.call(f"/permission/{id}/reply", body)
        elif list(choices) == ["reject"]:
            self.call(f"/question/{id}/reject", {})
        else:
            self.call(f"/question/{id}/reply", {"answers": labels_of(choices, request)})

    def stop(self, prompt: str) -> None:
        """Ends the running turn, and takes this prompt back if none has begun."""
        self.call(f"/session/{self.session}/abort", {})

    def news_of(self, event: Facts) -> News:
        match event.get("type"), event.get("properties"):
            case "message.part.delta", {"partID": id, "field": "text", "delta": more}:
                return "more", id, more
            case "session.idle", {"sessionID": session}:
                return "idle", session, ""
            case "session.error", {"sessionID": session, "error": {"name": name, "data": data}}:
                return "failed", session, " ".join([name, *map(str, data.values())])
        return NOTHING
