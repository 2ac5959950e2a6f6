"""What the options of a pane say of the OpenCode that runs there: there is no other state.

tmux forgets it with the pane, and a killed caller loses nothing of it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..tmux.evidence.kernel import process
from ..tmux.terminal.client import tmux

RECORD = "@opencode"  # where its server is: written by the program in the pane
TURN = "@opencode_turn"  # the conversation and its last prompt: written by callers

# How far its life is.
STARTING, UP, ENDING, FAILED = "starting", "up", "ending", "failed"


@dataclass(frozen=True, kw_only=True)
class Record:
    """`pid` of the program in the pane, and `since`, as Process has it. `tag`: what all that it has
    started carries. `port`, `password`, `session`: once it is up; `error`: why it has failed."""

    state: str
    pid: int
    since: int
    tag: str
    directory: str
    port: int = 0
    password: str = ""
    session: str = ""
    error: str = ""

    @property
    def alive(self) -> bool:
        found = process.read(self.pid)
        return found is not None and found.since == self.since and not found.ended


@dataclass(frozen=True, kw_only=True)
class Turn:
    """`session`: the conversation. Ids: of the `prompt` that was sent last, of one that was
    `stopped`, of the permission or question that was `told` last. `directory`: where a person has
    ended the conversation."""

    session: str = ""
    prompt: str = ""
    stopped: str = ""
    told: str = ""
    directory: str = ""

    @property
    def is_stopped(self) -> bool:
        return bool(self.prompt) and self.stopped == self.prompt


def load(pane: str) -> tuple[Record | None, Turn]:
    """What the options of `pane` (its id) say. Raises TmuxError."""
    form = f"#{{{RECORD}}}\n#{{{TURN}}}"
    lines = [*tmux("display-message", "-p", "-t", pane, form).splitlines(), "", ""]
    there, turn = _read(Record, lines[0]), _read(Turn, lines[1]) or Turn()
    return there, replace(turn, session=turn.session or (there.session if there else ""))


def _read(kind: type, text: str) -> Any:
    with suppress(ValueError, TypeError):  # none, or of another edition
        return kind(**json.loads(text))
    return None


def write(pane: str, **options: Record | Turn | None) -> None:
    """Sets the options `record` and `turn`, those of them that are given, or unsets them (None).

    tmux reads it from its stdin: every user sees arguments, and the password is in the record."""
    lines = ""
    for name, value in options.items():
        option = {"record": RECORD, "turn": TURN}[name]
        text = json.dumps(asdict(value)).replace("'", "\\u0027") if value else ""
        lines += f"set-option -p{'' if text else 'qu'} -t '{pane}' {option} '{text}'\n"
    tmux("source-file", "-", stdin=lines.encode())


def clear(pane: str, tag: str = "") -> None:
    """Unsets both, if the record has that tag, where one is given."""
    there, _ = load(pane)
    if not tag or there and there.tag == tag:
        write(pane, record=None, turn=None)
