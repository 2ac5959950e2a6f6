"""The one place that starts the tmux binary: bounded in time, one error type that says what to do."""

from __future__ import annotations

import subprocess

# A healthy server answers in about 2 ms; with a wait's own heartbeat (1 s) a dead one is reported within 5 s.
CALL_LIMIT = 3.0  # seconds

# What differs between tmux versions stands here and nowhere else (seen: 3.3a, 3.5a, 3.8).
PASTES_AS_IT_IS = (
    3,
    7,
)  # from here on paste-buffer shows control characters in letters (^A), unless it is told -S
MOST_KEYS = 100  # in one call: 3.3a takes 16 KB of words, 3.8 a thousand words
# Met without looking at the version: 3.8 gives tabs back as they came (view.py expands them) and lets a session's name hold
# ":" (then `list` names it by its id). Left: from 3.5 on nine emoji (U+261D, U+270C ...) take two cells, which `width` counts
# as one; only blanks at the end of such a line are then miscounted.


class TmuxError(RuntimeError):
    """tmux could not do it. `hint` says what to do instead; `kind` is one of: not installed, no answer,
    no server, no target, busy, failed."""

    def __init__(self, message: str, hint: str = "", kind: str = "failed"):
        super().__init__(message)
        self.hint = hint
        self.kind = kind


def tmux(*args: str, stdin: bytes | None = None, limit: float = CALL_LIMIT) -> str:
    """Run one tmux invocation and return its stdout. A lone ";" among `args` parts commands of one queue.

    `-u` because in a locale that is not UTF-8 tmux prints "_" for every non-ASCII character.
    Raises TmuxError after at most `limit` seconds.
    """
    try:
        # An empty stdin, never ours: a tmux that reads it would swallow the caller's terminal.
        done = subprocess.run(
            ["tmux", "-u", *args], input=stdin or b"", capture_output=True, timeout=limit
        )
    except FileNotFoundError:
        raise TmuxError(
            "tmux is not installed",
            "install it: apt-get update && apt-get install -y tmux",
            "not installed",
        ) from None
    except subprocess.TimeoutExpired:
        raise TmuxError(
            f"the tmux server did not answer within {limit:g}s",
            "it is stopped or overloaded; look at its process (pgrep -a tmux), kill -CONT or restart it",
            "no answer",
        ) from None
    except OSError as problem:  # one argument over 131,071 bytes, no more processes
        raise TmuxError(f"tmux could not be started: {problem}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit status {done.returncode}"
        raise TmuxError(f"tmux: {said}", kind=_kind(said))
    return done.stdout.decode("utf-8", "replace")


def _kind(said: str) -> str:
    if said.startswith("can't find") or said.startswith("no such"):
        return "no target"
    if (
        "no server running" in said
        or "error connecting" in said
        or "server exited" in said
        or "lost server" in said
        or "no sessions" in said
        or "no current" in said
    ):
        return "no server"
    return "failed"


def version_of(text: str) -> tuple[int, int]:
    """("3.3a") -> (3, 3); ("next-3.8") -> (3, 8); unknown -> (0, 0)."""
    digits = "".join(c if c.isdigit() or c == "." else " " for c in text).split()
    parts = [*(digits[0] if digits else "0").split("."), "0"]
    return int(parts[0] or 0), int(parts[1] or 0)
