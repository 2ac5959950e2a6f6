"""The options of a pane about the OpenCode that runs there: there is no other state.

Each fact is an option of its own, so that callers do not overwrite what others set meanwhile. The
options end with the pane; a caller that is killed loses nothing.
"""

import json
import os
from dataclasses import dataclass, fields
from typing import Any

from ..tmux import process
from ..tmux.client import TmuxError, tmux

OPTION = "@opencode_"  # begins the name of each


@dataclass(frozen=True, kw_only=True)
class Record:
    """After a person has ended OpenCode, `directory` and `session` remain."""

    pid: int = 0  # of the program in the pane
    since: int = 0  # its start time, see Process
    port: int = 0  # of its server, while prompts can be sent
    password: str = ""
    error: str = ""  # why it ended before
    hint: str = ""  # what to do then
    directory: str = ""
    session: str = ""  # id of the conversation
    prompt: str = ""  # id of the last prompt
    stopped: str = ""  # id of the prompt whose turn was interrupted
    raised: str = ""  # id of the permission or question that was last raised

    @property
    def alive(self) -> bool:
        found = process.read(self.pid)
        return found is not None and found.since == self.since and not found.ended


def same(first: str, second: str | None) -> bool:
    """Whether both are the same directory. None: any."""
    return second is None or os.path.realpath(first) == os.path.realpath(second)


def load(pane: str) -> Record:
    """The record of `pane` (its id); an empty one if the pane has gone. Raises TmuxError."""
    names = [field.name for field in fields(Record)]
    form = "\n".join(["#{pane_id}", *(f"#{{{OPTION}{name}}}" for name in names)])
    try:
        found, *texts = tmux("display-message", "-p", "-t", pane, form).split("\n")
    except TmuxError as problem:
        if not problem.gone:
            raise
        return Record()
    if found != pane:  # for a missing pane tmux prints no values, or another pane's
        return Record()
    stored = zip(names, texts, strict=False)
    return Record(**{name: json.loads(text) for name, text in stored if text})


def write(pane: str, there: Record) -> None:
    """Sets all facts anew."""
    change(pane, **vars(there))


def change(pane: str, **facts: Any) -> None:
    """Sets these facts, and unsets the empty ones. tmux reads them from its stdin: every user can
    see arguments, and one of the facts is the password."""
    lines = []
    for name, value in facts.items():
        text = json.dumps(value).replace("'", "\\u0027") if value else ""
        lines.append(f"set-option -p{'' if value else 'qu'} -t '{pane}' {OPTION}{name} '{text}'\n")
    tmux("source-file", "-", stdin="".join(lines).encode())
