"""What is remembered on a pane between two calls, whoever makes them: the last sending, known prompts. Pure but for time."""

from __future__ import annotations

import json
import re
import time
from dataclasses import asdict, dataclass, fields

from .probe import Probe
from .verdict import draft, shape
from .view import View

_KEPT = 3000  # bytes of JSON for each remembered text: tmux takes at most 16 KB in one message
_GRACE = 1.0  # seconds after which unread-free input counts as taken, also where the program threw it away (getpass)
_PROGRAMS = 4  # programs whose prompts are remembered on a pane
_PROMPTS = 4  # prompts of each
_LONGEST = 400  # characters of a prompt


@dataclass(slots=True)
class Mark:
    """The moment of the last sending. `text` is None where it must not be kept (a password) or was keys."""

    pid: int  # the pane's own process then: another one means it was respawned
    at: float  # time.time(), seconds
    foreground: int | None
    subject: int  # the process that waited, else the leader
    awake: int  # its CPU nanoseconds
    taken: int | None  # bytes it had ever read
    size: int  # bytes sent; 0 for keys
    left: str  # text left of the cursor
    prompt: bool  # a prompt stood there: `left` is one
    expected: bool  # one stood there, or a command that began at one goes on: a prompt will be back
    text: str | None
    previous: str | None  # what was sent with Enter before that
    enter: bool
    own: str | None  # the agent's half-typed line, None where there is none
    half: int  # bytes of the line that has not been ended yet
    full: bool  # the full (alternate) screen was shown
    printed: int | None  # bytes the server had ever read
    row: int = 0  # the cursor's, from the oldest row of the history; tmux fills it in as it types
    history: int = 0  # rows above the screen then

    def as_dict(self) -> dict:
        return {
            key: _cut(value) if isinstance(value, str) else value
            for key, value in asdict(self).items()
        }

    @classmethod
    def load(cls, text: str, row: str, view: View) -> Mark | None:
        """The pane's mark, or None where there is none or its program is not the one that was typed to."""
        try:
            known = {one.name for one in fields(cls)}
            mark = cls(**{key: value for key, value in json.loads(text).items() if key in known})
            history, _, y = row.partition(":")
            mark.history, mark.row = int(history), int(history) + int(y)
        except (ValueError, TypeError, AttributeError):
            return None
        return mark if mark.pid == view.pid else None

    def was_taken(self, kernel: Probe, moved: bool) -> bool:
        """Has what was sent been read? This ends the stale prompt: before it, nothing on the screen counts."""
        if kernel.unread:
            return False
        if kernel.blind:
            return moved
        if kernel.subject != self.subject:
            return True
        if self.size and self.taken is not None and kernel.taken is not None:
            read = kernel.taken - self.taken >= self.size
        else:
            read = kernel.awake > self.awake
        return read or time.time() - self.at > _GRACE


def _cut(text: str) -> str:
    while len(json.dumps(text)) > _KEPT:
        text = text[: len(text) // 2]
    return text


def make(
    view: View,
    kernel: Probe,
    printed: int | None,
    text: str | None,
    enter: bool,
    *,
    prompt: bool,
    expected: bool = False,
    own: str | None,
    size: int,
    half: int = 0,
    previous: str | None = None,
) -> Mark:
    """The mark for what is about to be typed into what is seen now."""
    return Mark(
        view.pid,
        time.time(),
        kernel.foreground,
        kernel.subject,
        kernel.awake,
        kernel.taken,
        size,
        view.left,
        prompt,
        prompt or expected,
        text,
        previous,
        enter,
        own,
        half,
        view.alternate,
        printed,
    )


class Prompts:
    """Prompts by the process that shows them."""

    def __init__(self, stored: str = ""):
        try:
            self._by: dict[str, list[list[str]]] = dict(
                json.loads(stored)
            )  # pid -> [prompts, upper rows]
        except ValueError:
            self._by = {}

    def of(self, pid: int | None) -> tuple[str, ...]:
        return tuple(self._by.get(str(pid), [[]])[0])

    def upper(self, pid: int | None) -> list[str]:
        """The rows of a prompt of several rows above its last one; [] where none are known."""
        return self._by.get(str(pid), [[], []])[1]

    def learn_upper(self, pid: int | None, rows: list[str]) -> str:
        """Remember those rows; the value to store."""
        return self._store(pid, list(self.of(pid)), [row[:_LONGEST] for row in rows])

    def begins(self, left: str, mark: Mark | None, pid: int | None) -> int | None:
        """Where in `left` the prompt begins, which may stand behind output without a final newline; None where no prompt
        is recognised. `(venv) $ ` behind a known `$ ` is a new prompt when it stood there before another command too."""
        left, known = left.rstrip(), [one.rstrip() for one in self.of(pid)]
        if left in known:
            return 0
        before = mark.left.rstrip() if mark and mark.prompt else ""
        if mark and before == left != "" and mark.text != mark.previous:
            return 0
        if before and not any(before.endswith(one) for one in known):
            known.append(before)
        if ends := [one for one in known if left.endswith(one)]:
            return len(left) - max(map(len, ends))
        found = (re.search(rf"(?:{shape(one)})$", left) for one in known if one)
        return next((match.start() for match in found if match), None)

    def learn(self, pid: int | None, left: str, mark: Mark | None) -> str | None:
        """Remember the prompt in `left`, and the one that stood there before; the value to store, or None where nothing is
        new. One that merely goes on after a known prompt is somebody's half-typed line."""
        known = list(self.of(pid))
        if (
            mark and mark.prompt and not mark.left.strip()
        ):  # a shell without a prompt: what stands there is output
            return self._store(pid, [""], []) if not known and not left.strip() else None
        stood = [mark.left] if mark and mark.prompt and mark.foreground == pid and not known else []
        for one in [*stood, left]:
            if (
                one.strip()
                and len(one) <= _LONGEST
                and one not in known
                and not any(draft(one, (old,)) for old in known)
                and self.begins(one, mark if one == left else None, pid) in (None, 0)
            ):
                known.insert(0, one)
        if known == list(self.of(pid)):
            return None
        return self._store(pid, known[:_PROMPTS], self.upper(pid))

    def _store(self, pid: int | None, known: list[str], upper: list[str]) -> str:
        others = [(key, value) for key, value in self._by.items() if key != str(pid)]
        self._by = dict(others[1 - _PROGRAMS :]) | {str(pid): [known, upper]}
        return json.dumps(self._by)
