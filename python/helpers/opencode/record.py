"""The options of a pane about the OpenCode that runs there: there is no other state.

Each fact is an option of its own, so that callers do not overwrite what others set meanwhile. The
options end with the pane; a caller that is killed loses nothing. The password is not one of them:
tmux keeps a log of what is set, so it is in a file that only this user can read.
"""

import json
import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ..tmux.base import process
from ..tmux.base.client import rows_of, tmux
from ..tmux.facts.look import STAMP

OPTION = "@opencode_"  # begins the name of each
PASSWORD = "password"  # the name of its file
LINE = f"{OPTION}line"  # one more: what the typed line runs


@dataclass(frozen=True, kw_only=True)
class Record:
    """After an end that was not exit(), `directory` and `session` remain."""

    pid: int = 0  # of the program in the pane
    since: int = 0  # its start time, see Process
    version: int = 0  # of OpenCode, its first number
    folder: str = ""  # where the password is
    address: str = ""  # of its server, while prompts can be sent
    error: str = ""  # why it ended before
    hint: str = ""  # what to do then
    directory: str = ""
    session: str = ""  # id of the conversation
    stamp: str = ""  # of who had typed when its TUI began, see stamp()
    prompt: str = ""  # id of the last prompt
    stopped: str = ""  # id of the prompt whose turn was interrupted
    raised: str = ""  # id of the permission or question that was last raised

    @property
    def alive(self) -> bool:
        found = process.read(self.pid)
        return found is not None and found.since == self.since

    @property
    def password(self) -> str:
        """Raises OSError if it has ended."""
        return Path(self.folder, PASSWORD).read_text()


def stamp(pane: str) -> str:
    """Changes with every key of a person's."""
    return tmux("display-message", "-p", "-t", pane, STAMP).strip()


def same(first: str, second: str | None) -> bool:
    """Whether both are the same directory. None: any."""
    return second is None or os.path.realpath(first) == os.path.realpath(second)


def load(pane: str) -> Record:
    """The record of `pane` (its id); an empty one if the pane has gone. Raises TmuxError."""
    names = [field.name for field in fields(Record)]
    form = "\n".join(["#{pane_id}", *(f"#{{{OPTION}{name}}}" for name in names)])

    found, *texts = rows_of("display-message", "-p", "-t", pane, form) or [""]
    if found != pane:  # for a missing pane tmux prints no values, or another pane's
        return Record()

    return Record(
        **{name: json.loads(text) for name, text in zip(names, texts, strict=False) if text}
    )


def write(pane: str, there: Record) -> None:
    """Sets all facts anew."""
    change(pane, **vars(there), line="")


def leave(pane: str) -> None:
    """Leaves what the next start() goes on with."""
    there = load(pane)

    # Without a conversation nothing is left.
    write(pane, Record(session=there.session, directory=there.session and there.directory))


def change(pane: str, **facts: Any) -> None:
    """Sets these facts, and unsets the empty ones."""
    lines = []

    for name, value in facts.items():
        where = f"-t '{pane}' {OPTION}{name}"
        if value:
            text = json.dumps(value).replace("'", "\\u0027")
            lines.append(f"set-option -p {where} '{text}'\n")
        else:
            lines.append(f"set-option -pqu {where}\n")

    tmux("source-file", "-", stdin="".join(lines).encode())
