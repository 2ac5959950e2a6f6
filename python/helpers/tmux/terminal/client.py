"""The one place that starts the tmux binary: with a time limit and one error type with a hint."""

from __future__ import annotations

import re
import subprocess
from enum import Enum, auto

# A healthy server answers in 2 ms; a wait looks once a second, so a dead one is noticed in 5 s.
CALL_LIMIT = 3.0  # seconds

# What differs between tmux versions is here and nowhere else (seen: 3.3a, 3.5a, 3.8).
PASTES_AS_IT_IS = (3, 7)  # from then on paste-buffer shows control characters as text without -S
MOST_KEYS = 100  # in one call: 3.3a takes 16 KB of words, 3.8 a thousand words
# Handled without looking at the version: 3.8 returns tabs as tabs (look.py expands them) and allows
# ":" in a session's name (`list` then shows its id). From 3.5 on nine emoji (U+261D, U+270C ...)
# take two cells, which `width` counts as one; only padding after them is miscounted.


class Kind(Enum):
    """Why a call failed."""

    NOT_INSTALLED = auto()
    NO_ANSWER = auto()
    NO_SERVER = auto()
    NO_TARGET = auto()
    EXISTS = auto()
    BUSY = auto()
    FAILED = auto()


GONE = (Kind.NO_TARGET, Kind.NO_SERVER)  # for a pane that was there before: it has ended

# tmux's messages, as seen in 3.3a to 3.8: `can't find pane: %7`, `no server running on …`.
_WORDING = {
    "can't find": Kind.NO_TARGET,
    "no such": Kind.NO_TARGET,
    "duplicate session": Kind.EXISTS,
    "no server running": Kind.NO_SERVER,
    "No such file": Kind.NO_SERVER,  # the socket's; a refused one is another user's server
    "server exited": Kind.NO_SERVER,
    "lost server": Kind.NO_SERVER,
    "no sessions": Kind.NO_SERVER,
    "no current": Kind.NO_SERVER,
}


class TmuxError(RuntimeError):
    """A call failed, or must not be made. `hint`: what to do instead; `kind`: why."""

    def __init__(self, message: str, hint: str = "", kind: Kind = Kind.FAILED):
        super().__init__(message)
        self.hint = hint
        self.kind = kind


def tmux(*args: str, stdin: bytes = b"", limit: float = CALL_LIMIT) -> str:
    """The output of one tmux call. A lone ";" in `args` separates commands.

    `-u` because in a locale that is not UTF-8 tmux prints "_" for every non-ASCII character. Its
    standard input is never ours: a tmux that reads it would take the caller's terminal. Raises
    TmuxError after at most `limit` seconds.
    """
    try:
        done = subprocess.run(
            ["tmux", "-u", *args], input=stdin, capture_output=True, timeout=limit, check=True
        )
    except FileNotFoundError:
        raise TmuxError(
            "tmux is not installed",
            "install it: apt-get update && apt-get install -y tmux",
            Kind.NOT_INSTALLED,
        ) from None
    except subprocess.TimeoutExpired:
        raise TmuxError(
            f"the tmux server did not answer within {limit:g}s",
            "it is stopped or overloaded; find its process (pgrep -a tmux) and continue it (kill"
            " -CONT) or restart it",
            Kind.NO_ANSWER,
        ) from None
    except subprocess.CalledProcessError as failed:
        said = failed.stderr.decode(errors="replace").strip()
        kind = next((kind for wording, kind in _WORDING.items() if wording in said), Kind.FAILED)
        message = said or f"exit status {failed.returncode}"
        raise TmuxError(f"tmux: {message}", kind=kind) from None
    except OSError as problem:  # one argument over 131,071 bytes, no more processes
        raise TmuxError(f"tmux cannot be started: {problem}") from None
    return done.stdout.decode("utf-8", "replace")


def rows_of(*args: str) -> list[str]:
    """The lines that one tmux call prints; none if there is no server. Raises TmuxError."""
    try:
        return tmux(*args).splitlines()
    except TmuxError as problem:
        if problem.kind is Kind.NO_SERVER:
            return []
        raise


def version_of(text: str) -> tuple[int, int]:
    """("3.3a") -> (3, 3); ("next-3.8") -> (3, 8); unknown -> (0, 0)."""
    found = re.search(r"(\d+)(?:\.(\d+))?", text)
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)
