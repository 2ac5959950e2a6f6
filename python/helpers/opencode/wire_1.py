"""OpenCode 1.2.27 and newer 1.x. turn.py reads the messages of every wire in these words."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from .http_wire import BEGIN_LIMIT, NEWEST, NOTHING, HttpWire, News
from .prompt import Prompt
from .reply import OpenCodeTimedOut, Status
from .turn import Facts, Turn

_KEPT = ("agent", "model", "variant")  # what a prompt without them has of the one that answered
COMPACT = "compact"  # the TUI's own command, which the server calls otherwise
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
    RULES = "permission"
    RULE = "permission pattern action"
    FILE = "url filename mime"

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
        self.session = self.call("/session", {self.RULES: self.ruled()}, BEGIN_LIMIT)["id"]

    def ready(self, id: str, prompt: Prompt) -> Callable[[], str]:
        before = self._answered()
        body = {name: before[name] for name in _KEPT if before.get(name)}

        if prompt.agent:
            self.must_know("agent", prompt.agent)
            body["agent"] = prompt.agent

        if prompt.model:
            provider, _, name = prompt.model.partition("/")
            body["model"] = {"providerID": provider, "modelID": name}

        if body.get("model") != before.get("model") or not before:  # one that answered is known
            self.must_know("model", prompt.model)

        if prompt.command == COMPACT:
            return partial(self._compact, body.get("model") or {})

        files = [{"type": "file", **one} for one in self.files(prompt)]
        self.permit()
        body["messageID"] = id
        if not prompt.command:
            body["parts"] = [{"type": "text", "text": prompt.text}, *files]
            return partial(self.send, "prompt_async", body)

        self.must_know("command", prompt.command)
        body |= {"command": prompt.command, "arguments": prompt.text, "parts": files}
        if model := body.get("model"):
            body["model"] = f"{model['providerID']}/{model['modelID']}"
        return partial(self.send, "command", body)

    def _compact(self, model: Facts) -> str:
        self.send("summarize", model)
        # Its prompt has an id of OpenCode's own.
        prompts = [one["id"] for one in self.messages() if one["role"] == "user"]
        return str(prompts[-1])

    def known(self, kind: str) -> list[str]:
        if kind == "model":
            providers = self.call("/config/providers")["providers"]
            return [f"{one['id']}/{model}" for one in providers for model in one["models"]]

        return [one["name"] for one in self.call(f"/{kind}")]

    def _answered(self) -> Facts:
        """The newest prompt that was answered: what fails with one would fail with the next."""
        for every in (False, True):  # the last turn may have very many steps
            said = self.messages(every)
            done = {one.get("parentID") for one in said if not one.get("error")}
            for one in reversed(said):
                if one["id"] in done:
                    return one
        return {}

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
