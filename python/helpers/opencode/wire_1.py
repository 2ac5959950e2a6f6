"""OpenCode 1.2.27 and newer 1.x. turn.py reads the messages of every wire in these words."""

from contextlib import suppress

from .http_wire import BEGIN_LIMIT, NEWEST, NOTHING, HttpWire, News
from .reply import OpenCodeTimedOut, OpenCodeTurnFailed, Status
from .turn import Facts, Turn

_KEPT = ("agent", "model", "variant")  # what a prompt without them has of the one before
_ASKS = {
    "/permission": "needs permission",
    "/question": "needs answer",
}


class Wire1(HttpWire):
    """Its TUI follows: it is told which conversation to show."""

    OLDEST = (1, 2, 27)  # that can be used: its server takes a password and a prompt's id
    HEALTH = "/global/health"
    EVENTS = "/event"
    SESSIONS = "/session"
    PASSWORD = "OPENCODE_SERVER_PASSWORD"
    DECISION = "reply"

    # the TUI

    def tui_words(self) -> list[str]:
        """The words after the program's name that show the conversation."""
        return ["attach", self.address, "--dir", self.directory, "-s", self.session]

    def quit_tui(self, pid: int) -> None:
        """Has it end by itself."""
        self.call(
            "/tui/publish", {"type": "tui.command.execute", "properties": {"command": "app.exit"}}
        )

    def show(self) -> bool:
        with suppress(OpenCodeTimedOut):  # the server is late: the next prompt shows it
            self.call("/tui/select-session", {"sessionID": self.session})
        return True

    # the conversation

    def begin(self) -> None:
        """Begins a new conversation."""
        self.session = self.call("/session", {}, BEGIN_LIMIT)["id"]

    def prompt(self, id: str, text: str, model: str | None, agent: str | None) -> None:
        """Sends it. None: as for the prompt before."""
        body: Facts = {"messageID": id, "parts": [{"type": "text", "text": text}]}
        for every in (False, True):  # the last turn may have very many steps
            prompts = [one for one in self.messages(every) if one["role"] == "user"]
            if prompts:
                body |= {name: prompts[-1][name] for name in _KEPT if prompts[-1].get(name)}
                break

        if agent:
            body["agent"] = agent
            known = [one["name"] for one in self.call("/agent")]
            if agent not in known:  # OpenCode itself would say nothing of it
                raise OpenCodeTurnFailed(f"OpenCode has no agent {agent}; it has {known}")

        if model:
            provider, _, name = model.partition("/")
            body["model"] = {"providerID": provider, "modelID": name}

        with suppress(OpenCodeTimedOut):  # it may have arrived: the wait finds out
            self.call(f"/session/{self.session}/prompt_async", body)

    def messages(self, every: bool = False) -> list[Facts]:
        limit = "" if every else f"?limit={NEWEST}"

        said = self.call(f"/session/{self.session}/message{limit}")
        return [{**one["info"], "parts": one["parts"]} for one in said]

    def changes(self, turn: Turn) -> list[Facts]:
        """What it did to files."""
        return turn.changes  # /session/ID/diff has the whole conversation's in 1.15

    # its state

    def status(self) -> Status:
        state = self.call("/session/status").get(self.session)
        if not state or state["type"] == "idle":
            return Status("idle")

        if state["type"] == "retry":
            return Status("retrying", attempt=state["attempt"], message=state["message"])

        for path, word in _ASKS.items():
            for request in self.call(path):
                if self.is_part(request["sessionID"]):
                    return Status(word, request=self._with_command(request))
        return Status("busy")

    def _with_command(self, request: Facts) -> Facts:
        """`request` with its command: up to 1.15 only the tool call has that."""
        if request.get("metadata"):
            return request

        return {**request, "metadata": self.command(request)}

    def reply(self, request: Facts, body: Facts | None) -> None:
        kind = "permission" if "permission" in request else "question"
        path = f"/{kind}/{request['id']}"

        if body is None:
            self.call(f"{path}/reject", {})
        else:
            self.call(f"{path}/reply", body)

    def stop(self, prompt: str) -> None:
        """Ends the running turn, and takes this prompt back if none has begun."""
        self.call(f"/session/{self.session}/abort", {})

    def news_of(self, event: Facts) -> News:
        match event.get("type"), event.get("properties"):
            case (
                "message.part.delta",
                {"partID": id, "field": "text", "delta": more},
            ):
                return "more", id, more

            case (
                "session.error",
                {"sessionID": session, "error": {"name": name, "data": data}},
            ):
                return "look", session, " ".join([name, *map(str, data.values())])

        return NOTHING
