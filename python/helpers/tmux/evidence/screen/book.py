"""The prompts that are known on a pane. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress

from .prompts import LONGEST
from .upper_rows import ALIKE, TALLEST

_PROGRAMS = 4  # programs whose prompts are remembered on a pane
_PROMPTS = 4  # prompts of each
_MOST_BYTES = 8000  # of a book: tmux takes at most 16 KB in one message


class Book:
    """The prompts known on a pane, by the process that shows them, the newest first. `stored`: a
    text from `dumps`; any other text makes an empty book."""

    def __init__(self, stored: str = ""):
        self._by: dict[str, tuple[list[str], list[str] | None]] = {}
        with suppress(ValueError, TypeError, AttributeError):
            for pid, (prompts, upper) in json.loads(stored or "{}").items():
                self._by[pid] = (_texts(prompts), upper and _texts(upper))

    def dumps(self) -> str:
        """The book as text for an option of the pane, "" if empty. The oldest entries are dropped
        if it is too long for one message to tmux."""
        by = dict(self._by)
        while len((text := json.dumps(by, ensure_ascii=False)).encode()) > _MOST_BYTES:
            del by[next(iter(by))]
        return text if by else ""

    def of(self, pid: int | None) -> tuple[str, ...]:
        """The prompts of process `pid`."""
        return tuple(self._known(pid)[0])

    def upper(self, pid: int | None, prompt: str) -> list[str] | None:
        """The rows of its `prompt` above the last one; None if they are unknown, also because no
        prompt of that kind was seen before."""
        prompts, upper = self._known(pid)
        return upper if any(known[:ALIKE] == prompt[:ALIKE] for known in prompts) else None

    def learn(self, pid: int | None, prompt: str) -> None:
        """Adds `prompt` (its last row, without trailing spaces; "" is a prompt too). The upper rows
        of another kind of prompt do not apply to it."""
        prompts, _ = self._known(pid)
        if len(prompt) <= LONGEST and prompts[:1] != [prompt]:
            upper = self.upper(pid, prompt)
            others = [known for known in prompts if known != prompt]
            self._store(pid, [prompt, *others][:_PROMPTS], upper)

    def learn_upper(self, pid: int | None, rows: Sequence[str]) -> None:
        """Adds the rows of its prompt above the last one."""
        prompts, upper = self._known(pid)
        if list(rows) != upper:
            self._store(pid, prompts, [row[:LONGEST] for row in rows[-TALLEST:]])

    def _known(self, pid: int | None) -> tuple[list[str], list[str] | None]:
        return self._by.get(str(pid), ([], None))

    def _store(self, pid: int | None, prompts: list[str], upper: list[str] | None) -> None:
        self._by.pop(str(pid), None)
        self._by[str(pid)] = (prompts, upper)
        for oldest in list(self._by)[:-_PROGRAMS]:
            del self._by[oldest]


def _texts(rows: list[object]) -> list[str]:
    return [str(row) for row in rows]
