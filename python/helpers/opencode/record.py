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
    """Of one that a person has ended, `directory` and `session` are left."""

    pid: int = 0  # of the program in the pane
    since: int = 0  # as Process has it
    port: int = 0  # of its server, while prompts can be sent
    password: str = ""
    error: str = ""  # why it ended before
    hint: str = ""  # what to do then
    directory: str = ""
    session: str = ""  # id of the conversation
    prompt: str = ""  # id of the one that a caller has sent last
    stopped: str = ""  # id of the prompt whose turn was interrupted
    told: str = ""  # id of the permission or question of which a caller has heard last

    @property
    def alive(self) -> bool:
        found = process.read(self.pid)
        return found is not None and found.since == self.since and not found.ended


def same(one: str, other: str | None) -> bool:
    """Whether they are one directory. None: any."""
    return other is None or os.path.realpath(one) == os.path.realpath(other)


def load(pane: str) -> Record:
    """What the options of `pane` (its id) say: nothing where that has gone. Raises TmuxError."""
    names = [field.name for field in fields(Record)]
    form = "\n".join(["#{pane_id}", *(f"#{{{OPTION}{name}}}" for name in names)])
    try:
        found, *texts = tmux("display-message", "-p", "-t", pane, form).split("\n")
    except TmuxError as problem:
        if problem.kind not in GONE:
            raise
        return Record()
    if found != pane:  # tmux prints what it has of no pane, or of another
        return Record()
    told = zip(names, texts, strict=False)
    return Record(**{name: json.loads(text) for name, text in told if text})


def write(pane: str, there: Record) -> None:
    """Sets all facts anew."""
    change(pane, **vars(there))


def change(pane: str, **facts: Any) -> None:
    """Sets these facts; one that is empty is unset. tmux reads them from its stdin: every user sees
    arguments, and one of them is the password."""
    lines = []
    for name, value in facts.items():
        text = json.dumps(value).replace("'", "\\u0027") if value else ""
        lines.append(f"set-option -p{'' if value else 'qu'} -t '{pane}' {OPTION}{name} '{text}'\n")
    tmux("source-file", "-", stdin="".join(lines).encode())
