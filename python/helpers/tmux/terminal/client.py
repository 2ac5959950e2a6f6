"""The one place that starts the tmux binary: bounded in time, one error type with a hint."""

from __future__ import annotations

import subprocess
from enum import Enum, auto

from ..evidence.kernel.process import await_end

# A healthy server answers in 2 ms; with a wait's heartbeat (1 s) a dead one is noticed within 5 s.
CALL_LIMIT = 3.0  # seconds

# What differs between tmux versions is here and nowhere else (seen: 3.3a, 3.5a, 3.8).
PASTES_AS_IT_IS = (3, 7)  # from here paste-buffer shows control characters as text, unless given -S
MOST_KEYS = 100  # in one call: 3.3a takes 16 KB of words, 3.8 a thousand words
# Met without looking at the version: 3.8 gives tabs back as they came (view.py expands them) and
# lets a session's name hold ":" (then `list` names it by its id). From 3.5 on nine emoji (U+261D,
# U+270C ...) take two cells, which `width` counts as one; only blanks behind them are miscounted.


class Kind(Enum):
    """What kind of failure a TmuxError is."""

    NOT_INSTALLED = auto()
    NO_ANSWER = auto()
    NO_SERVER = auto()
    NO_TARGET = auto()
    EXISTS = auto()
    BUSY = auto()
    FAILED = auto()


GONE = (Kind.NO_TARGET, Kind.NO_SERVER)  # said of a pane that was there: it has ended

# How tmux words them, seen in 3.3a to 3.8: `can't find pane: %7`, `no server running on …`.
_WORDING = {
    "can't find": Kind.NO_TARGET,
    "no such": Kind.NO_TARGET,
    "duplicate session": Kind.EXISTS,
    "no server running": Kind.NO_SERVER,
    "error connecting": Kind.NO_SERVER,
    "server exited": Kind.NO_SERVER,
    "lost server": Kind.NO_SERVER,
    "no sessions": Kind.NO_SERVER,
    "no current": Kind.NO_SERVER,
}


class TmuxError(RuntimeError):
    """tmux could not do it. `hint` says what to do instead."""

    def __init__(self, message: str, hint: str = "", kind: Kind = Kind.FAILED):
        super().__init__(message)
        self.hint = hint
        self.kind = kind


def tmux(*args: str, stdin: bytes | None = None, limit: float = CALL_LIMIT) -> str:
    """Run one tmux invocation and return its stdout. A lone ";" in `args` separates commands.

    `-u` because in a locale that is not UTF-8 tmux prints "_" for every non-ASCII character.
    Raises TmuxError after at most `limit` seconds.
    """
    pipe = subprocess.PIPE
    try:
        # An empty stdin, never ours: a tmux that reads it would swallow the caller's terminal.
        with _Client(["tmux", "-u", *args], stdin=pipe, stdout=pipe, stderr=pipe) as client:
            try:
                output, errors = client.communicate(stdin or b"", limit)
            except BaseException:
                client.kill()
                raise
    except FileNotFoundError:
        raise TmuxError(
            "tmux is not installed",
            "install it: apt-get update && apt-get install -y tmux",
            Kind.NOT_INSTALLED,
        ) from None
    except subprocess.TimeoutExpired:
        raise TmuxError(
            f"the tmux server did not answer within {limit:g}s",
            "it is stopped or overloaded; look at its process (pgrep -a tmux), kill -CONT or"
            " restart it",
            Kind.NO_ANSWER,
        ) from None
    except OSError as problem:  # one argument over 131,071 bytes, no more processes
        raise TmuxError(f"tmux could not be started: {problem}") from None
    if client.returncode:
        message = errors.decode("utf-8", "replace").strip()
        message = message or f"exit status {client.returncode}"
        raise TmuxError(f"tmux: {message}", kind=_kind(message))
    return output.decode("utf-8", "replace")


class _Client(subprocess.Popen):
    """Its end is waited for, where a Popen with a limit sleeps 1 ms and more before it looks."""

    def wait(self, timeout: float | None = None) -> int:
        if timeout is not None and self.returncode is None:
            timeout = timeout if await_end(self.pid, timeout) is None else 0.0
        return super().wait(timeout)


def _kind(message: str) -> Kind:
    return next((kind for wording, kind in _WORDING.items() if wording in message), Kind.FAILED)


def version_of(text: str) -> tuple[int, int]:
    """("3.3a") -> (3, 3); ("next-3.8") -> (3, 8); unknown -> (0, 0)."""
    digits = "".join(c if c.isdigit() or c == "." else " " for c in text).split()
    parts = [*(digits[0] if digits else "0").split("."), "0"]
    return int(parts[0] or 0), int(parts[1] or 0)
