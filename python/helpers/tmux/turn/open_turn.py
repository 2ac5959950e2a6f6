"""The turn that the last answer without `pane` left open. What goes on with it must not land in
another pane, because the person looks at that one now, or in a new session, because the old one
has ended.

A pane remembers its turn. Whether one was open in a pane or a session that is gone, only the
process knows to which that was told.
"""

from __future__ import annotations

import os

from ..terminal.client import GONE, TmuxError
from ..terminal.view import View, view_of
from ..transcript.memory import load
from ..words import OPEN, Word

_open: set[tuple[str, str]] = set()  # (where tmux keeps its sockets, session)


class TurnGone(TmuxError):
    """What the turn was open in has ended."""


def keep(session: str, word: Word) -> None:
    """The last answer about the default pane of `session` began with `word`."""
    if word in OPEN:
        _open.add(_key(session))
    elif word not in (Word.ERROR, Word.READ):
        _open.discard(_key(session))


def must_not_be_lost(session: str, what: str) -> None:
    """Raises TurnGone, once, where a turn was open in `what`, which has ended."""
    if _key(session) in _open:
        _open.discard(_key(session))
        raise TurnGone(f"{what} has ended, and what was open there with it; nothing was typed")


def must_not_be_elsewhere(session: str, before: str, here: View) -> None:
    """Raises TmuxError where the last answer was about the pane `before`, and a turn is open there,
    while the person looks at the pane `here`."""
    try:
        there = view_of(before)
    except TmuxError as problem:
        if problem.kind in GONE:
            must_not_be_lost(session, f"the pane {before}")
            return
        raise
    if load(there.memory, there.pid).turn_is_open:
        raise TmuxError(
            f"the last answer was about {before}, where a turn is open, and the person looks at"
            f" {here.id} now",
            f"say which is meant: pane {before!r} or pane {here.id!r}; nothing was typed",
        )


def _key(session: str) -> tuple[str, str]:
    return os.environ.get("TMUX_TMPDIR", ""), session
