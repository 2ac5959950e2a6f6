"""What another process needs to find an OpenCode again, in options of its pane.

They live as long as the pane. Whoever can read them can talk to the tmux server, and so type into
the pane; a file would outlive a caller that is killed. The password is an option of its own, read
by the shell that starts OpenCode and by start().
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from ..tmux import process
from .terminal import Terminal, TmuxError
from .turns import Turn

RECORD = "@opencode_record"
PASSWORD = "@opencode_password"
TAG = "OPENCODE_PANE_TAG"  # environment variable
LAUNCH = "@opencode"  # the command that the line at the prompt evaluates: short for the person


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One OpenCode in one pane."""

    shell: int = 0  # process group of the shell that it was started at; 0: a person did
    directory: str = ""  # the project; "" where a person started it
    tag: str = ""  # in the environment of all that it starts; "" where a person started it
    group: int = 0  # its process group; 0 while it starts
    since: int = 0  # when the group's leader began, see Process.since
    port: int = 0  # of its API on loopback; 0: it has none
    session: str | None = None  # the conversation that was used last
    turn: Turn | None = None  # the prompt that was sent last
    up: bool = False  # it has come up
    ending: bool = False  # somebody has begun to end it

    @property
    def alive(self) -> bool:
        return bool(self.group) and process.group_alive(self.group, self.since or None)

    @property
    def stopped(self) -> bool:
        """The person has stopped it (C-z)."""
        leader = process.read(self.group)
        return leader is not None and leader.state == "T"

    def processes(self) -> set[int]:
        """Of all that carries its tag."""
        return process.carrying(f"{TAG}={self.tag}".encode()) if self.tag else set()

    def with_group(self, group: int) -> Self:
        leader = process.read(group)
        return replace(self, group=group, since=leader.since if leader else 0)

    def save(self, terminal: Terminal) -> Self:
        terminal.set_option(RECORD, json.dumps(asdict(self)))
        return self

    @classmethod
    def load(cls, terminal: Terminal) -> Self | None:
        """The pane's record; None where there is none, or another version's."""
        try:
            facts: dict[str, Any] | None = json.loads(terminal.get_option(RECORD) or "null")
            turn = facts and facts.pop("turn")
            return cls(**facts, turn=Turn(**turn) if turn else None) if facts else None
        except (ValueError, TypeError, KeyError, AttributeError):
            return None


def clear(terminal: Terminal) -> None:
    """Takes all of it off the pane, if the pane is still there."""
    with contextlib.suppress(TmuxError):
        for name in (RECORD, PASSWORD, LAUNCH):
            terminal.set_option(name, None)
