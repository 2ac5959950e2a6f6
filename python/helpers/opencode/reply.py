"""What an OpenCode turn can come to: a Reply, a Status word, or one of a small family of errors."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

INSTALL = "npm install -g opencode-ai"
PROGRESS = 8.0  # seconds between lines of progress: code runners end on 15 s of silence


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One finished turn; `str(reply)` is the text, or says that there is none.

    `finish`: "stop", "length" (the model's limit), "aborted" (by the person, or interrupt()),
    "rejected" (a permission or question was refused and that ended it), or the provider's own word.
    `tokens`: input, output, reasoning, cache_read, cache_write, total; all steps, no subagents.
    `cost`: US dollars. `duration`: seconds. `note`: whose prompt is answered here too.
    """

    text: str
    finish: str = "stop"
    session_id: str | None = None
    tokens: dict[str, int] = field(default_factory=dict)
    cost: float = 0.0
    duration: float = 0.0
    note: str = ""

    def __str__(self) -> str:
        return self.text or f"({self.finish}: no text)"


def add_up(steps: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Reply.tokens of the steps' tokens as OpenCode words them."""
    total = dict.fromkeys(("input", "output", "reasoning", "cache_read", "cache_write"), 0)
    for step in steps:
        cache = {f"cache_{key}": count for key, count in (step.get("cache") or {}).items()}
        for key in total:
            total[key] += int({**step, **cache}.get(key) or 0)
    return {**total, "total": sum(total.values())}


class Status(str):
    """One of: idle, busy, retrying, needs permission, needs answer, gone. A str that carries what
    else is known: `attempt`, `message`; `request` while it needs somebody."""

    attempt: int | None = None
    message: str = ""
    request: dict[str, Any] | None = None

    def __new__(cls, word: str, **facts: Any) -> Self:
        self = super().__new__(cls, word)
        self.__dict__.update(facts)
        return self

    @property
    def description(self) -> str:
        """The word with its facts, for a line of progress."""
        attempt = f", attempt {self.attempt}" if self.attempt else ""
        return f"{self}{attempt}{': ' if self.message else ''}{self.message}"


class OpenCodeError(RuntimeError):
    """Anything that kept OpenCode from answering: `reason`, and `hint`, which says what to do."""

    advice = ""

    def __init__(self, reason: str, hint: str = "", **facts: Any):
        self.reason, self.hint = reason, hint or self.advice
        self.__dict__.update(facts)
        super().__init__(reason)

    def __str__(self) -> str:
        return f"{self.reason}. {self.hint}" if self.hint else self.reason


class OpenCodeNotInstalled(OpenCodeError):
    """No opencode is found."""

    advice = f"Install it with `{INSTALL}`, or name the binary in $OPENCODE_BIN"


class OpenCodeStartFailed(OpenCodeError):
    """It did not come up, or cannot run in this pane: OpenCode's own words if it gave any."""


class OpenCodeTurnFailed(OpenCodeError):
    """The turn ended with an error, or was never begun. `text`: what came before it."""

    text = ""


class OpenCodePermissionNeeded(OpenCodeError):
    """A tool wants permission: `tool`, `command` (or ""), `patterns`."""

    advice = 'answer("once"), answer("always") or answer("reject"), then wait()'

    def __init__(self, request: dict[str, Any], hint: str = ""):
        facts = request.get("metadata") or {}
        self.tool: str = request.get("permission") or "?"
        self.patterns: list[str] = request.get("patterns") or []
        self.command = str(facts.get("command") or facts.get("filepath") or "")
        what = self.command or ", ".join(self.patterns)
        reason = f"OpenCode needs permission for {self.tool}: {what}"
        super().__init__(reason, hint, request=request)


class OpenCodeQuestionAsked(OpenCodeError):
    """The model asks: `questions`; `question` and `options` (labels) of the first."""

    advice = 'answer(LABEL, …) or answer("reject"), then wait()'

    def __init__(self, request: dict[str, Any]):
        self.questions: list[dict[str, Any]] = request.get("questions") or [{}]
        labels = [[o["label"] for o in one.get("options") or []] for one in self.questions]
        texts = [one.get("question", "") for one in self.questions]
        self.question, self.options = texts[0], labels[0]
        asked = "; ".join(f"{text} {some}" for text, some in zip(texts, labels, strict=True))
        super().__init__(f"OpenCode asks: {asked}", request=request)


class OpenCodeTimedOut(OpenCodeError):
    """The limit passed and the turn goes on: `text` is what came of it so far, `status` what it
    does. After opencode_run no turn goes on: all that it started has been ended."""

    text = ""
    status: Status | None = None
    session_id: str | None = None


class OpenCodeGone(OpenCodeError):
    """None runs: it ended, or its pane did. `session_id`: what start(resume=…) takes."""

    def __init__(self, session_id: str | None = None):
        self.session_id = session_id
        resume = f"resume={session_id!r}" if session_id else ""
        super().__init__("OpenCode is not running", f"start({resume}) goes on")


class Progress:
    """Lines of progress for a caller that gives up on silence: one for every PROGRESS seconds."""

    def __init__(self, wanted: bool):
        self._wanted = wanted
        self._began = self._last = time.monotonic()

    def say(self, what: str) -> None:
        """Prints what is being done, if the last line is long enough ago."""
        now = time.monotonic()
        if now - self._last >= PROGRESS:
            self._last = now
            self.tell(f"{what}, {now - self._began:.0f} s")

    def tell(self, what: str) -> None:
        if self._wanted:
            print(f"opencode: {what}", flush=True)


def must_be_text(prompt: object) -> None:
    """Raises OpenCodeError where that cannot be a prompt."""
    if not isinstance(prompt, str):
        raise OpenCodeError(f"the prompt is {prompt!r:.80}", "it is a string")
    if not prompt.strip():
        raise OpenCodeError("the prompt is empty")


def seconds_of(timeout: Any) -> float:
    """That as a number of seconds. Raises OpenCodeError where it is none."""
    if isinstance(timeout, int | float) and timeout >= 0:
        return timeout
    raise OpenCodeError(f"timeout is {timeout!r:.80}", "it is a number of seconds, 0 or more: 100")


def labels_of(choices: tuple[Any, ...], count: int) -> list[list[str]]:
    """A list of labels for each of `count` questions, from a label or a list of them for each."""
    labels = [list(one) if isinstance(one, list | tuple) else [one] for one in choices]
    if count == 1:
        labels = [[label for several in labels for label in several]]
    if not all(several and all(isinstance(one, str) for one in several) for several in labels):
        raise OpenCodeError(f"{choices!r} is no answer", "an answer is a label or a list of labels")
    if len(labels) != count and labels[:1] != [["reject"]]:
        raise OpenCodeError(f"there are {count} questions and {len(labels)} answers")
    return labels


def facts_of(problem: Exception) -> dict[str, str]:
    """An error on its way to another process: see error_of."""
    reason, hint = getattr(problem, "reason", str(problem)), getattr(problem, "hint", "")
    return {"error": type(problem).__name__, "reason": reason, "hint": hint}


def error_of(facts: Mapping[str, Any]) -> OpenCodeError:
    """The error whose facts_of() these are."""
    missing = facts.get("error") == OpenCodeNotInstalled.__name__
    kind = OpenCodeNotInstalled if missing else OpenCodeStartFailed
    return kind(facts.get("reason") or "OpenCode did not start", facts.get("hint") or "")
