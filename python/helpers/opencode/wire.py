"""What every wire offers, and what is the same in all: see the package's first page. turn.py reads
the messages of all in the words of line 1."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

from .record import same
from .reply import OpenCodeError, OpenCodeStartFailed, OpenCodeTurnFailed, Patience, Status

MOST_QUOTED = 500  # characters of OpenCode's own words in an error
PERMISSIONS = ("once", "always", "reject")

Facts = dict[str, Any]  # as a wire words them
# "look": something may have changed; "idle": this conversation idles; "failed": a turn of it has,
# for this reason; "text" and "more": the text of this part, or what follows it. With the id of the
# conversation or part, and the text.
News = tuple[str, str, str]
LOOK: News = ("look", "", "")


@dataclass
class Wire(ABC):
    """The server at `address` that takes `password`, and its conversation `session` about
    `directory`. Every method may raise OpenCodeTurnFailed if the server refuses, OpenCodeTimedOut
    if it does not answer (the request may have arrived all the same), or what `must_live()` raises
    if it has ended. A question that gets no answer is repeated while `patience` lasts."""

    address: str
    password: str
    patience: Patience
    must_live: Callable[[], object]
    session: str = ""
    directory: str = ""

    OLDEST: ClassVar[tuple[int, ...]]  # the first version of this line that can be used
    FOLLOWS: ClassVar[bool] = True  # the TUI can be told which conversation to show

    @classmethod
    def changes(cls) -> str:
        """The file that the line's first start here would change for good; "" if none."""
        return ""

    @classmethod
    @abstractmethod
    def serve(cls) -> list[str]:
        """The words after the program's name that start the server, which then says its address."""

    @classmethod
    @abstractmethod
    def variables(cls, password: str) -> dict[str, str]:
        """The environment in which server and TUI know the password."""

    @abstractmethod
    def must_be_up(self) -> None:
        """Returns once it answers, and only to its password. Raises OpenCodeStartFailed."""

    @abstractmethod
    def tui_words(self) -> list[str]:
        """The words after the program's name that show the conversation."""

    @abstractmethod
    def quit_tui(self, pid: int) -> None: ...

    def show(self) -> None:
        """Has the TUI show the conversation, if it follows."""
        raise NotImplementedError

    def title(self) -> str:
        """The conversation's title, as the TUI gives it to its terminal; "" if it has none."""
        return ""

    @abstractmethod
    def begin(self) -> None:
        """Begins a new conversation."""

    @abstractmethod
    def about(self, session: str) -> Facts:
        """About this conversation: `directory`, `parentID` and more."""

    @abstractmethod
    def models(self) -> list[str]: ...

    @abstractmethod
    def agents(self) -> list[str]: ...

    @abstractmethod
    def settings(self, model: str | None, agent: str | None) -> Facts:
        """What prompt() needs to have this model and agent; None means those of the last prompt.
        Raises OpenCodeStartFailed as must_know() does."""

    @abstractmethod
    def prompt(self, id: str, text: str, settings: Facts) -> None: ...

    @abstractmethod
    def since(self, prompt: str) -> list[Facts]:
        """The messages from this prompt on; [] if it is not there."""

    @abstractmethod
    def status(self) -> Status: ...

    @abstractmethod
    def answer(self, request: Facts, choices: Sequence[Any], message: str = "") -> None:
        """As OpenCodeSession.answer(). Raises OpenCodeError if the choices do not fit."""

    @abstractmethod
    def news(self) -> Iterator[News]:
        """What happens from now on, the first of it at once, until the server ends."""

    @abstractmethod
    def stop(self, prompt: str) -> None:
        """Ends the running turn, and takes this prompt back if none has begun."""

    def must_know(self, model: str | None, agent: str | None) -> None:
        """Raises OpenCodeStartFailed if one is unknown; OpenCode itself would report it late."""
        models, agents = self.models() if model else [], self.agents() if agent else []
        for kind, wanted, known in (("model", model, models), ("agent", agent, agents)):
            if wanted and wanted not in known:
                listed = f"There are: {', '.join(known)[:MOST_QUOTED]}"
                raise OpenCodeStartFailed(f"OpenCode has no {kind} {wanted}", listed)

    def go_to(self, session: str) -> bool:
        """Goes to that conversation if it is about the directory; returns whether it is there."""
        with suppress(OpenCodeTurnFailed):  # there is none
            if same(self.about(session)["directory"], self.directory):
                self.session = session
        return self.session == session

    def is_part(self, session: str | None) -> bool:
        """Whether `session` is this conversation, or one that a subagent holds for it."""
        while session and session != self.session:
            session = self.about(session).get("parentID")
        return bool(session)

    def abort(self, prompt: str) -> None:
        """As stop(). Refuses open requests first: else they would stay on the screen."""
        while request := self.status().request:
            self.answer(request, ["reject"])
        self.stop(prompt)


def permission_of(choices: Sequence[Any]) -> str:
    if len(choices) == 1 and choices[0] in PERMISSIONS:
        return str(choices[0])
    reason = f"{choices!r} does not answer a permission"
    raise OpenCodeError(reason, 'it is one of "once", "always", "reject"')


def labels_of(choices: Sequence[Any], count: int) -> list[list[str]]:
    """A list of labels for each of `count` questions."""
    labels = [[choice] if isinstance(choice, str) else choice for choice in choices]
    if count == 1:
        labels = [[label for several in labels for label in several]]
    if len(labels) != count or not all(labels):
        reason = f"{choices!r} answers {len(labels)} of {count} questions"
        raise OpenCodeError(reason, "an answer is a label or a list of labels")
    return labels
