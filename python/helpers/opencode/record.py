"""What the options of a pane say of the OpenCode that runs there: there is no other state.

tmux forgets it with the pane, and a killed caller loses nothing of it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from ..tmux.evidence.kernel import process
from ..tmux.terminal.client import GONE, TmuxError, tmux

RECORD = "@opencode_record"  # where its server is: written by the program in the pane
TURN = "@opencode_turn"  # the conversation and its last prompt: written by callers

# How far its life is.
STARTING, UP, ENDING, FAILED = "starting", "up", "ending", "failed"


@dataclass(frozen=True, kw_only=True)
class Record:
    """`pid` of the program in the pane, and `since`, as Process has it. `port`, `password`: while
    it is up; `error`: why it has failed."""

    state: str
    pid: int
    since: int
    directory: str
    port: int = 0
    password: str = ""
    error: str = ""

    @property
    def alive(self) -> bool:
        found = process.read(self.pid)
        return found is not None and found.since == self.since and not found.ended


@dataclass(frozen=True, kw_only=True)
class Turn:
    """`session`: the conversation, about `directory`. `prompt`: the id of the one that was sent
    last; `stopped`: it was interrupted; `told`: the id of what it asked, as a caller has heard."""

    session: str = ""
    directory: str = ""
    prompt: str = ""
    stopped: bool = False
    told: str = ""


def starting(pid: int, directory: str) -> Record:
    """The record of a program in the pane that has begun."""
    own = process.read(pid)
    return Record(state=STARTING, pid=pid, since=own.since if own else 0, directory=directory)


def load(pane: str) -> tuple[Record | None, Turn]:
    """What the options of `pane` (its id) say: nothing where that has gone. Raises TmuxError."""
    form = f"#{{pane_id}}\n#{{{RECORD}}}\n#{{{TURN}}}"
    try:
        found, there, turn, *_ = tmux("display-message", "-p", "-t", pane, form).split("\n")
    except TmuxError as problem:
        if problem.kind not in GONE:
            raise
        found, there, turn = "", "", ""
    if found != pane:  # tmux prints what it has of no pane, or of another
        return None, Turn()
    return _read(Record, there), _read(Turn, turn) or Turn()


def _read(kind: type, text: str) -> Any:
    with suppress(ValueError, TypeError):  # none, or of another edition
        return kind(**json.loads(text))
    return None


def write(pane: str, **options: Record | Turn | None) -> None:
    """Sets the options `record` and `turn`, those of them that are given, or unsets them (None).

    tmux reads it from its stdin: every user sees arguments, and the password is in the record."""
    lines = ""
    for name, value in options.items():
        text = json.dumps(asdict(value)).replace("'", "\\u0027") if value else ""
        lines += f"set-option -p{'' if text else 'qu'} -t '{pane}' @opencode_{name} '{text}'\n"
    tmux("source-file", "-", stdin=lines.encode())


def clear(pane: str) -> None:
    write(pane, record=None, turn=None)
