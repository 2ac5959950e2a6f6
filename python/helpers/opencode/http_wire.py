"""What wires over HTTP have in common: a server on loopback, with events as a stream."""

import base64
import json
import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.parse import quote

from .prompt import Prompt, Rule, mime_of
from .record import same
from .reply import (
    OpenCodeError,
    OpenCodeStartFailed,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Patience,
)
from .turn import MOST_QUOTED, Conversation, Facts, conversation_of

REQUEST_LIMIT = 4.0  # seconds for a request, which takes milliseconds: progress is due every 8
BEGIN_LIMIT = 60.0  # seconds for a conversation to begin: OpenCode may load everything then
LOOKS = 10  # at a call that asks: one that is given nothing has no more to tell
GONE = 404  # the status for what is not there
NEWEST = 30  # messages: enough, except for very long turns
HOST = "127.0.0.1"
NO_MODEL = "The user sets up a provider: `opencode auth login`, or /connect in OpenCode"
BROKEN = (OSError, ValueError, HTTPException)  # how a request can fail

# "look": something has changed in this conversation, or in some ("", and a turn has failed for this
# reason); "more": this part's text goes on so. With the id of the conversation or part, and the
# text.
News = tuple[str, str, str]
NOTHING = ("nothing", "", "")
# Events that are a reason to look; after the first one no other is missed.
_LOOKS = (
    "server.connected",
    "permission.asked",
    "question.asked",
    "form.created",
    "session.idle",
    "session.execution.succeeded",
    "session.execution.interrupted",
)


@dataclass
class HttpWire(ABC):
    """The server at `address` that takes `password`, and its conversation `session` about
    `directory`. Every method may raise OpenCodeTurnFailed if the server refuses, OpenCodeTimedOut
    if it does not answer (the request may have arrived all the same), or what `must_live()` raises
    if it has ended. A question that gets no answer is repeated while `patience` lasts."""

    address: str
    password: str
    patience: Patience
    must_live: Callable[[], object]
    session: str
    directory: str
    rules: list[Rule] = field(default_factory=list)  # of its permissions, beside the configured

    HEALTH = EVENTS = SESSIONS = ""  # paths
    # The variable in which server and TUI look for it; what the answer to a permission is called.
    PASSWORD = DECISION = ""
    # What the rules of a conversation, the parts of one, and those of a prompt's file are called.
    RULES = RULE = FILE = ""

    @classmethod
    def warning(cls) -> str:
        """What is to be said, once, before a first start. Raises OSError."""
        return ""

    @classmethod
    def serve(cls) -> list[str]:
        """The words after the program's name that start the server, which then says its address."""
        # It is free now; whether it is the server's is asked before the password is sent.
        with socket.create_server((HOST, 0)) as trial:
            return ["serve", "--port", str(trial.getsockname()[1]), "--hostname", HOST]

    def variables(self) -> dict[str, str]:
        """The environment in which server and TUI know the password, and find one another past a
        proxy."""
        past = os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or ""
        past = f"{HOST},{past}".rstrip(",")
        return {
            "NO_PROXY": past,
            "no_proxy": past,
            "OPENCODE_SERVER_USERNAME": "opencode",
            self.PASSWORD: self.password,
        }

    def show(self) -> bool:
        """Has the TUI show the conversation, if it follows; returns whether it does."""
        return False

    def about(self, session: str, path: str = "") -> Facts:
        """About a conversation: `directory` (perhaps in `location`), `parentID` and more."""
        said = self.call(f"{self.SESSIONS}/{quote(session, '')}{path}")
        return said.get("data", said)

    @abstractmethod
    def messages(self, every: bool = False) -> list[Facts]:
        """The newest NEWEST messages of the conversation, or every one, in the words of line 1."""

    @abstractmethod
    def ready(self, id: str, prompt: Prompt) -> Callable[[], str]:
        """What sends it, and returns its id if that became another one. Before that all that it
        names was found: otherwise OpenCode would say nothing of it, or fail with it for ever."""

    @abstractmethod
    def known(self, kind: str) -> list[str]:
        """The names of its models, agents or commands."""

    @abstractmethod
    def reply(self, request: Facts, body: Facts | None) -> None:
        """Answers the request; None: dismisses it."""

    @abstractmethod
    def news_of(self, event: Facts) -> News:
        """What this event says."""

    def must_be_locked(self) -> None:
        """Returns once it answers to its password alone. Raises OpenCodeStartFailed."""
        with suppress(OpenCodeTurnFailed):
            replace(self, password="").call(self.HEALTH)
            raise OpenCodeStartFailed("OpenCode's API is open to every user of this machine")

    def go_to(self, session: str) -> bool:
        """Goes to that conversation if it is about the directory; returns whether it is there."""
        with suppress(OpenCodeTurnFailed):  # there is none
            about = self.about(session)
            if same(about.get("location", about)["directory"], self.directory):
                self.session = session
        return self.session == session

    def must_know(self, kind: str, name: str | None = None) -> None:
        """Raises OpenCodeTurnFailed unless OpenCode has it; without a name, unless it has any."""
        known = self.known(kind)
        if not known:
            raise OpenCodeTurnFailed(f"OpenCode has no {kind}", NO_MODEL)
        if name and name not in known:
            has = str(known)[:MOST_QUOTED]
            raise OpenCodeTurnFailed(f"OpenCode has no {kind} {name}; it has {has}")

    def ruled(self) -> list[Facts]:
        """The rules in the server's words."""
        names = self.RULE.split()
        return [dict(zip(names, rule, strict=True)) for rule in self.rules]

    def permit(self) -> None:
        """Has the rules count in the conversation, after all others. Raises OpenCodeTurnFailed."""
        rules = self.ruled()

        def count() -> bool:
            has = self.about(self.session).get(self.RULES) or []
            return has[-len(rules) :] == rules

        if not rules or count():
            return

        self.call(f"{self.SESSIONS}/{self.session}", {self.RULES: rules}, method="PATCH")
        if not count():
            raise OpenCodeTurnFailed(
                "this OpenCode takes permissions only as a conversation begins",
                "reset() begins one",
            )

    def files(self, prompt: Prompt) -> list[Facts]:
        """Those of the prompt, as the server takes them."""
        names = self.FILE.split()
        found = prompt.paths(self.directory)
        facts = [(path.as_uri(), path.name, mime_of(path)) for path in found]
        return [dict(zip(names, one, strict=True)) for one in facts]

    def send(self, path: str, body: Facts) -> str:
        """Sends a prompt, whose id remains."""
        with suppress(OpenCodeTimedOut):  # it may have arrived: the wait finds out
            self.call(f"{self.SESSIONS}/{self.session}/{path}", body)
        return ""

    def conversation(self, prompt: str = "") -> Conversation:
        """The turns of the newest messages; of all, if this prompt, or that of the last answer, is
        none of them. Without turns if the conversation was deleted."""
        try:
            newest = self.messages()

            found = conversation_of(newest)
            ids = ["", *(one.get("id") for one in newest)]
            if found.last.known and prompt in ids:
                return found

            return conversation_of(self.messages(every=True))

        except OpenCodeTurnFailed as refused:
            # As of a prompt with a JSON schema, which OpenCode then cannot read any more.
            if refused.code != GONE:
                refused.hint = "reset() begins a new conversation"
                raise

        return Conversation()

    def answer(self, request: Facts, choices: list[Any], message: str = "") -> None:
        """As OpenCodeSession.answer(). Raises OpenCodeError if the choices do not fit."""
        body = None  # it is dismissed

        if "permission" in request:
            if choices not in (["once"], ["always"], ["reject"]):
                raise OpenCodeError(
                    f"{choices!r} answers no permission", '"once", "always" or "reject" do'
                )
            body = {self.DECISION: choices[0]}
            if message:  # an empty one might count as one, after which the turn goes on
                body["message"] = message

        elif choices != ["reject"]:
            body = self.answers(request, _labels_of(choices, request))

        self.reply(request, body)

    def answers(self, request: Facts, labels: list[list[str]]) -> Facts:
        """What the server takes as the answer to these questions."""
        return {"answers": labels}

    def command(self, request: Facts) -> Facts:
        """What the tool call for which the permission is asked would run."""
        source = request.get("tool") or request.get("source") or {}
        if not source.get("messageID"):
            return {}

        call = source.get("callID") or source.get("id")
        for _ in range(LOOKS):
            whole = self.about(request["sessionID"], f"/message/{source['messageID']}")

            for part in whole.get("parts") or whole.get("content") or []:
                given = part.get("state", {}).get("input")
                if given and call in (part.get("callID"), part.get("id")):
                    return {"command": given.get("command")}

            self.patience.pause("busy")  # 1.3 asks 0.1 s before it tells of the call

        return {}

    def is_part(self, session: str | None) -> bool:
        """Whether `session` is this conversation, or one that a subagent holds for it."""
        while session and session != self.session:
            session = self.about(session).get("parentID")
        return bool(session)

    def news(self) -> Iterator[News]:
        """What happens from now on, the first of it at once, until the server ends."""
        with suppress(*BROKEN), self._request(self.EVENTS, "GET", None, None) as answer:
            for line in answer:
                if not line.startswith(b"data:"):
                    continue
                event = json.loads(line[5:])
                if event.get("type") in _LOOKS:
                    yield "look", "", ""
                else:
                    yield self.news_of(event)

    def call(
        self, path: str, body: Facts | None = None, limit: float = REQUEST_LIMIT, method: str = ""
    ) -> Any:
        """The decoded answer to a GET, or to a POST of `body`; None if it is empty."""
        if not method:
            method = "GET" if body is None else "POST"

        while True:
            try:
                with self._request(path, method, body, limit) as answer:
                    said = answer.read()

                # OpenCode's own words.
                if answer.status >= 400:
                    raise OpenCodeTurnFailed(
                        f"OpenCode answers {answer.status}: {said.decode()[:MOST_QUOTED]}",
                        code=answer.status,
                    )
                return json.loads(said or "null")

            except BROKEN as problem:
                self.must_live()
                if method != "GET" or not self.patience.left:
                    raise OpenCodeTimedOut(
                        f"OpenCode's server did not answer: {problem}",
                        "The machine may be busy: try again",
                    ) from None

            self.patience.pause("waits for OpenCode's server")

    def _request(
        self, path: str, method: str, body: Facts | None, limit: float | None
    ) -> HTTPResponse:
        """Raises one of BROKEN."""
        # Its user is always called so.
        token = base64.b64encode(f"opencode:{self.password}".encode()).decode()
        headers = {
            "Authorization": f"Basic {token}",
            "Accept": "text/event-stream" if path == self.EVENTS else "application/json",
            "Content-Type": "application/json",
            "Connection": "close",
        }

        text = None if body is None else json.dumps(body)
        connection = HTTPConnection(self.address.removeprefix("http://"), timeout=limit)
        connection.request(method, path, text, headers)
        return connection.getresponse()


def _labels_of(choices: list[Any], request: Facts) -> list[list[str]]:
    """A list of labels for each of its questions."""
    labels = []
    for choice in choices:
        several = choice if isinstance(choice, list) else [choice]
        labels.append(list(map(str, several)))

    # One question takes them all: a list of labels without brackets.
    count = len(request["questions"])
    if count == 1:
        labels = [[label for several in labels for label in several]]

    if len(labels) != count or not all(labels):
        raise OpenCodeError(
            f"{choices!r} does not answer {count} question(s)",
            'each takes a label or words, or a list; "reject" declines',
        )
    return labels
