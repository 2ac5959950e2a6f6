"""The receipt for input that is not waited for, and whether it was read."""

from __future__ import annotations

from ..answer import Answer
from ..evidence.kernel.probe import probe
from ..terminal.look import INPUT
from ..transcript.mark import dumps
from ..turn.watch import Watch
from ..words import Word
from .typing import SETTLE


def receipt(word: Word, did: str, text: str, watch: Watch, enter: bool = True) -> Answer:
    """What was sent or pressed, and whether it was read: `sent 37 lines, 1312 bytes to x`.
    `enter`: it ended with Enter, or it was keys."""
    if watch.input is not None:
        watch.pane.remember({INPUT: dumps(watch.input)}, True)
    lines = text.count("\n") + 1
    size = f" {lines} lines, {len(text.encode())} bytes" if lines > 1 else ""
    pane = watch.pane.name
    to = "in" if word is Word.PRESSED else "to"
    first = f"{did}{size} {to} {pane}{' without Enter' * (not enter)}"
    program = _not_read_by(watch, enter)
    if program:
        first += f"; not read yet: {program} runs in the foreground"
    return Answer(word=word, first=first, pane=pane)


def _not_read_by(watch: Watch, whole: bool) -> str:
    """The program that runs instead of reading what was typed; "" if that is read within SETTLE
    seconds. `whole`: it ended with Enter, or it was keys."""
    typed = watch.input
    end = watch.clock() + SETTLE
    while typed is not None:
        kernel = probe(watch.view.pid, watch.view.tty)
        waits = kernel.waiter is not None or kernel.hidden or kernel.canonical is False
        if not kernel.alive or kernel.blind:
            break
        changed = kernel.foreground != typed.foreground
        read = changed or typed.was_read(kernel, True, watch.clock()) or (waits and not whole)
        if read and not kernel.unread:
            break  # the waiting process has read it, and may have started something
        if watch.clock() > end:
            return "" if waits and not kernel.unread else kernel.name
        watch.nap(0.004)
    return ""
