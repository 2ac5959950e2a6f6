"""What options of a pane say about the OpenCode that runs there: there is no other state.

Each fact is an option of its own: who sets one cannot undo what another caller sets meanwhile. tmux
forgets them with the pane, and a killed caller loses nothing of them.
"""

import json
import os
from dataclasses import dataclass, fields
from typing import Any

from ..tmux.evidence.kernel import process
from ..tmux.terminal.client import GONE, TmuxError, tmux

OPTION = "@opencode_"  # begins the name of each


@dataclass(frozen=True, kw_only=True)
class Record:
    """`pid` of the program in the pane, and `since`, as Process has it; `port` and `password` of
    its server, while prompts can be sent; `error`: why they cannot.

    `session`: the conversation, about `directory`, and all that is left of one that a person has
    ended. Ids of what callers did: `prompt` was sent last, `stopped` is the prompt whose turn was
    interrupted, `told` the request of which a caller has heard."""

    pid: int = 0
    since: int = 0
    port: int = 0
    password: str = ""
    error: str = ""
    directory: str = ""
    session: str = ""
    prompt: str = ""
    stopped: str = ""
    told: str = ""

    @property
    def alive(self) -> bool:
        found = process.read(self.pid)
        return found is not None and found.since == self.since and not found.ended

    @property
    def is_up(self) -> bool:
        return bool(self.port) and self.alive


NAMES = [field.name for field in fields(Record)]


def same(one: str, other: str | None) -> bool:
    """Whether they are one directory. None: any."""
    return other is None or os.path.realpath(one) == os.path.realpath(other)


def load(pane: str) -> Record:
    """What the options of `pane` (its id) say: nothing where that has gone. Raises TmuxError."""
    form = "\n".join(["#{pane_id}", *(f"#{{{OPTION}{name}}}" for name in NAMES)])
    try:
        found, *texts = tmux("display-message", "-p", "-t", pane, form).split("\n")
    except TmuxError as problem:
        if problem.kind not in GONE:
            raise
        return Record()
    if found != pane:  # tmux prints what it has of no pane, or of another
        return Record()
    told = zip(NAMES, texts, strict=False)
    return Record(**{name: json.loads(text) for name, text in told if text})


def write(pane: str, there: Record) -> None:
    """Sets all facts anew."""
    change(pane, **vars(there))


def change(pane: str, **facts: Any) -> None:
    """Sets these facts; one that is empty is unset.

    tmux reads them from its stdin: every user sees arguments, and the password is one of them."""
    lines = []
    for name, value in facts.items():
        text = json.dumps(value).replace("'", "\\u0027") if value else ""
        lines.append(f"set-option -p{'' if value else 'qu'} -t '{pane}' {OPTION}{name} '{text}'\n")
    tmux("source-file", "-", stdin="".join(lines).encode())
