"""A look at rest: it shows every key that came before it, so the line can be judged by it.

A key takes time to appear: tmux stores only its second, the terminal keeps the key until the
program reads it, and the program draws it later still. A look shows everything that was typed if
1. its second is later than that of the last key, so that the next key gives another stamp; and
2. the reader slept before and after it with nothing unread, and has read nothing in between; or,
   if the reader is out of sight, the last key is older than any usable line takes to echo it.
"""

from __future__ import annotations

from ..evidence.kernel.probe import Probe
from ..terminal.client import TmuxError
from ..words import Word
from .watch import Watch

_TYPING_PAUSE = 0.1  # seconds between two looks while someone types
_TYPING_LIMIT = 5.0  # seconds to wait for a pause of someone who types
NETWORK_ECHO = 2.0  # seconds that an echo over a usable network takes at most
_REST_LIMIT = 1.0  # seconds in which a program reads and draws a key, if it reads at all
_BUSY_LIMIT = 4.0  # seconds to wait for a program that waits for input but works all the time
_NEXT_LOOK = 0.01  # seconds between two looks until one is at rest
_ASLEEP = (Word.READY, Word.NEEDS_INPUT, Word.NEEDS_PASSWORD, Word.UNFINISHED)


def come_to_rest(watch: Watch) -> bool:
    """Takes readings until the latest look is at rest, or shows a program that does not read;
    returns whether it shows every key typed before it, as far as can be known. Raises TmuxError if
    keys keep coming."""
    while True:
        _await_pause(watch)
        shown = watch.is_undisturbed or _look_at_rest(watch)
        if shown is not None:
            return shown


def is_at_rest(watch: Watch, word: Word | None) -> bool:
    """Whether an answer that says `word` shows all that was typed before it. The wait for one of
    _ASLEEP has seen the reader sleep."""
    return watch.is_undisturbed or (word in _ASLEEP and not watch.kernel.out_of_sight)


def _await_pause(watch: Watch) -> None:
    end = watch.clock() + _TYPING_LIMIT
    while watch.view.people and not _is_past(watch):
        if watch.clock() > end:
            raise TmuxError(
                f"someone types in this session, without a pause in {_TYPING_LIMIT:g}s",
                "ask the person, or try again later; nothing was typed",
            )
        watch.nap(_TYPING_PAUSE)
        watch.renew()


def _is_past(watch: Watch) -> bool:
    """Whether the last key's second is over, and its echo has arrived if a network carries it."""
    view = watch.view
    slow = watch.kernel.out_of_sight and not watch.is_undisturbed
    return view.stamp.settled and view.now > view.stamp.second + slow * NETWORK_ECHO


def _look_at_rest(watch: Watch) -> bool | None:
    """Looks until one look is at rest; returns whether one was in time, None if a key came."""
    began = watch.clock()
    while True:
        before = watch.read_kernel()
        watch.look()
        watch.reload()
        after, passed = watch.read_kernel(), watch.clock() - began
        if watch.view.people and not _is_past(watch):
            return None
        if _rested(before, after) or after.out_of_sight:
            return True
        runs = after.waiter is None or bool(after.unread)
        if runs and after.canonical:
            return True  # the kernel itself draws what is typed
        if passed > (_REST_LIMIT if runs else _BUSY_LIMIT):
            return watch.nobody_typed or watch.view.nobody_is_attached
        watch.nap(_NEXT_LOOK)


def _rested(before: Probe, after: Probe) -> bool:
    """Whether one process has slept in its read from `before` to `after`, with nothing unread."""
    if not (before.waiter and after.waiter) or before.unread or after.unread:
        return False
    slept = before.cpu_ns == after.cpu_ns or before.bytes_read == after.bytes_read is not None
    return slept and before.subject == after.subject
