"""The results of an OpenCode turn: a Reply, a Status, or one of a small family of errors."""

import time
from dataclasses import dataclass, field
from typing import Any, Self

INSTALL = "npm install -g opencode-ai"
PROGRESS = 8.0  # seconds between lines of progress: code runners end on 15 s of silence
PAUSE = 0.1  # seconds between two looks while waiting: OpenCode needs the processor


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One finished turn. `str(reply)` is the text, or says that there is none."""

    text: str
    finish: str = "stop"  # or "length", "aborted", "rejected", the provider's own word
    session_id: str | None = None
    # input, output, reasoning, cache_read, cache_write, total: of all steps, without subagents
    tokens: dict[str, int] = field(default_factory=dict)
    cost: float = 0.0  # US dollars
    duration: float = 0.0  # seconds
    note: str = ""  # the other prompt that the text also answers

    def __str__(self) -> str:
        return self.text or f"({self.finish}: no text)"


class Status(str):
    """One of: idle, busy, retrying, needs permission, needs answer, gone. A str with more facts:
    `attempt`, `message`; `request` while it needs an answer."""

    attempt: int | None = None
    message: str = ""
    request: dict[str, Any] | None = None

    def __new__(cls, word: str, **facts: Any) -> Self:
        self = super().__new__(cls, word)
        self.__dict__.update(facts)
        return self

    @property
    def description(self) -> str:
        attempt = f", attempt {self.attempt}" if self.attempt else ""
        return f"{self}{attempt}{': ' if self.message else ''}{self.message}"

    @property
    def error(self) -> "OpenCodeAsks":
        kind = OpenCodePermissionNeeded if self == "needs permission" else OpenCodeQuestionAsked
        return kind(self.request or {})


class OpenCodeError(RuntimeError):
    """OpenCode did not answer: `reason` says why, and `hint` what to do. `text`: the answer so far;
    `session_id`: the id that start(resume=…) takes."""

    hint, text = "", ""
    session_id: str | None = None

    def __init__(self, reason: str, hint: str = "", **facts: Any):
        super().__init__(reason)
        self.reason, self.hint = reason, hint or self.hint
        self.__dict__.update(facts)

    def __str__(self) -> str:
        return f"{self.reason}. {self.hint}" if self.hint else self.reason


class OpenCodeNotInstalled(OpenCodeError):
    """There is no opencode."""

    hint = f"Install it with `{INSTALL}`, or name the binary in $OPENCODE_BIN"


class OpenCodeStartFailed(OpenCodeError):
    """It did not start, cannot run in this pane, or a run's server has ended; in its words."""


class OpenCodeTurnFailed(OpenCodeError):
    """The turn ended with an error or never began, or OpenCode refused a request."""


class OpenCodeAsks(OpenCodeError):
    """The turn needs an answer. `request`: the API's own object."""

    request: dict[str, Any]


class OpenCodePermissionNeeded(OpenCodeAsks):
    """A tool needs permission: `tool`, `command` (or ""), `patterns`."""

    hint = 'answer("once"), answer("always") or answer("reject"), then wait()'

    def __init__(self, request: dict[str, Any]):
        facts = request.get("metadata") or {}
        self.tool, self.patterns = request["permission"], request.get("patterns") or []
        self.command = str(facts.get("command") or facts.get("filepath") or "")
        what = self.command or ", ".join(self.patterns)
        super().__init__(f"OpenCode needs permission for {self.tool}: {what}", request=request)


class OpenCodeQuestionAsked(OpenCodeAsks):
    """The model asks: `questions`; `question` and `options` (labels) of the first."""

    hint = 'answer(LABEL, …) or answer("reject"), then wait()'

    def __init__(self, request: dict[str, Any]):
        self.questions = request["questions"]
        labels = [[o["label"] for o in each.get("options") or []] for each in self.questions]
        texts = [each["question"] for each in self.questions]
        self.question, self.options = texts[0], labels[0]
        asked = "; ".join(map("{} {}".format, texts, labels))
        super().__init__(f"OpenCode asks: {asked}", request=request)


class OpenCodeTimedOut(OpenCodeError):
    """The limit has passed and the turn goes on, in the state `status` (opencode_run ends it); or a
    request was not answered. `text`: of an unfinished step only what came during this wait."""

    hint = "It goes on: wait() again, or interrupt()"
    status: Status | None = None


class OpenCodeGone(OpenCodeError):
    """No OpenCode runs: it has ended, or its pane has."""

    def __init__(self, session_id: str | None = None):
        how = f"resume={session_id!r}" if session_id else ""
        super().__init__("OpenCode is not running", f"start({how}) continues", session_id=session_id)


class Patience:
    """How many seconds a caller waits, and whether it wants lines of progress meanwhile."""

    def __init__(self, seconds: float, progress: bool = False):
        if not isinstance(seconds, int | float) or seconds < 0:
            reason = f"timeout is {seconds!r:.80}"
            raise OpenCodeError(reason, "it must be a number of seconds from 0 on, such as 100")
        self._progress, self._began = progress, time.monotonic()
        self._end, self._said = self._began + seconds, self._began

    @property
    def left(self) -> float:
        return max(self._end - time.monotonic(), 0)

    def say(self, what: str) -> None:
        """Prints what is being done, once every PROGRESS seconds."""
        now = time.monotonic()
        if now - self._said >= PROGRESS:
            self._said = now
            self.tell(f"{what}, {now - self._began:.0f} s")

    def pause(self, what: str, seconds: float = PAUSE) -> None:
        self.say(what)
        time.sleep(seconds)

    def tell(self, what: str) -> None:
        if self._progress:
            print(f"opencode: {what}", flush=True)


AT_ONCE = Patience(0)


def must_be_text(prompt: object) -> None:
    """Raises OpenCodeError if `prompt` cannot be one."""
    if not isinstance(prompt, str) or not prompt.strip():
        raise OpenCodeError(f"the prompt is {prompt!r:.80}", "it must be a non-empty string")
