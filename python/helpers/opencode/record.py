"""What a pane option says about the OpenCode that runs there: there is no other state.

tmux forgets it with the pane, and a killed caller loses nothing of it.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..tmux.evidence.kernel import process
from ..tmux.terminal.client import GONE, TmuxError, tmux

OPTION = "@opencode"


@dataclass(frozen=True, kw_only=True)
class Record:
    """`pid` of the program in the pane, and `since`, as Process has it; `port` and `password` of
    its server, while prompts can be sent; `error`: why they cannot.

    `session`: the conversation, about `directory`, and all that is left of one that a person has
    ended. `prompt`: the id of its last one; `stopped`: that was interrupted; `told`: the id of what
    it asked, as a caller has heard."""

    pid: int = 0
    since: int = 0
    port: int = 0
    password: str = ""
    error: str = ""
    directory: str = ""
    session: str = ""
    prompt: str = ""
    stopped: bool = False
    told: str = ""

    @property
    def alive(self) -> bool:
        found = process.read(self.pid)
        return found is not None and found.since == self.since and not found.ended

    @property
    def is_up(self) -> bool:
        return bool(self.port) and self.alive


def same(one: str, other: str | None) -> bool:
    """Whether they are one directory. None: any."""
    return other is None or os.path.realpath(one) == os.path.realpath(other)


def load(pane: str) -> Record:
    """What the option of `pane` (its id) says: nothing where that has gone. Raises TmuxError."""
    form = f"#{{pane_id}} #{{{OPTION}}}"
    try:
        found, _, text = tmux("display-message", "-p", "-t", pane, form).partition(" ")
    except TmuxError as problem:
        if problem.kind not in GONE:
            raise
        return Record()
    with suppress(ValueError, TypeError):  # none, or of another edition
        if found == pane:  # tmux prints what it has of no pane, or of another
            return Record(**json.loads(text))
    return Record()


def write(pane: str, there: Record) -> None:
    """Sets the option; an empty record unsets it.

    tmux reads it from its stdin: every user sees arguments, and the password is in it."""
    text = "" if there == Record() else json.dumps(asdict(there)).replace("'", "\\u0027")
    line = f"set-option -p{'' if text else 'qu'} -t '{pane}' {OPTION} '{text}'\n"
    tmux("source-file", "-", stdin=line.encode())


def change(pane: str, **facts: Any) -> Record:
    there = replace(load(pane), **facts)
    write(pane, there)
    return there
