"""Waits until a person's input has been read and drawn: a sleep does not ensure that under load."""

import time
from collections.abc import Callable

from python.helpers.tmux.facts.kernel import probe

_LIMIT = 20.0  # seconds a screen may go on changing
_READS = 1.0  # seconds after which a program is taken for one that does not read now
_LOOKS = 3  # that an unchanged screen is given: each starts a tmux


def until_still(look: Callable[[], str], pid: int, seconds: float) -> None:
    """Return when the program in front of the pane waits for input, has read all there was, and
    `look` has given the same for `seconds`. `pid`: the pane's."""
    began = time.monotonic()
    last, since = "", began
    while (now := time.monotonic()) < began + _LIMIT:
        shown, done = look(), reads(pid)
        if shown != last:
            last, since = shown, now
        elif now - since >= seconds and (done or now - began >= _READS):
            return
        time.sleep(seconds / _LOOKS)


def reads(pid: int) -> bool:
    """Whether the program in front of the pane waits for input, and has read all there was."""
    kernel = probe(pid)
    return bool(kernel.waiter) and not kernel.terminal.unread
