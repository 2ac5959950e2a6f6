"""Presses keys one by one, each after the program has taken the last, and types texts between them.

The next key is pressed when the program has taken the last and sleeps in a read again; where that
cannot be seen, after a moment. It is not pressed where somebody else would read it, or where it
would answer a question that was not there before: a batch of keys cannot foresee everything.
"""

import time

from ..base.keys import Key, Typed, data_of
from ..facts.kernel import Kernel
from ..facts.look import digest
from ..facts.pane import TYPES_FOR, TYPING, same_stamp
from ..facts.place import Place, place_at
from ..facts.reader import Differs
from ..facts.state import draft_of
from ..told.asking import changed
from ..told.report import Report
from ..turn.reading import Reading
from ..turn.turn import Turn
from ..turn.watch import Watch
from .entering import LOOK, sleeps_again
from .typing import (
    ALWAYS,
    BY_KEYS,
    TAKES,
    draws_itself,
    sent_now,
    type_data,
)

_SIGNALS = ("C-c", "C-z", "C-\\")  # what they stop need not read again
_ENDS_LINE = ("Enter", "C-m", "C-j", "C-d", *_SIGNALS)  # in canonical mode
_SEQUENCE = 1.2  # seconds; vim and ncurses wait 1 for the rest of a key's sequence


def press(report: Report, here: Turn, keys: list[Key], patience: float) -> list[Key]:
    """Presses keys, and types the texts between them, at the turn `here`, each after the program
    has taken the last. Returns those that were not pressed: something else waits there by now,
    somebody types, or the program has not taken the last key within `patience` seconds."""
    with report.watch.pane.lock(TYPES_FOR, report.watch.nap, TYPING):
        return _press(report, here, keys, patience)


def _press(report: Report, here: Turn, keys: list[Key], patience: float) -> list[Key]:
    """The same, while nobody else types."""
    watch = report.watch
    reading = here.reading
    only_if = same_stamp(here.seen)  # on a line nothing is put beside what somebody types
    if draws_itself(here):
        keys = _single(keys)
        only_if = ALWAYS
    for at, key in enumerate(keys[:-1]):
        before = watch.probe(searches=False)
        if not _put(watch, here, key, only_if):
            return keys[at:]
        drawn = at + 2 == len(keys)  # what comes of the last begins behind it
        kept = not drawn and _is_kept(here, key, before)
        taken = kept or _is_taken(watch, here, key, before, patience)
        if not taken or is_elsewhere(watch.read(look=False), here, key):
            return keys[at + 1 :]
    last = keys[-1]
    if len(keys) > 1:
        reading = watch.read()
    sent = sent_now(watch, reading, here, enter=last == "Enter")
    sent.escape = last == "Escape"
    sent.dropped = last == "C-c"
    sent.beside = bool(here.persons)
    if not reading.full_screen:
        sent.place = _place_of_key(here, reading, last)
    known = _line_of(here, keys)
    if not _put(watch, here, last, only_if):
        return [last]
    watch.note_input(sent)
    if known:
        watch.state.draft = draft_of(known)
        watch.pane.store(watch.state.dumps(), now=False)
    return []


def _line_of(here: Turn, keys: list[Key]) -> str:
    """The agent's own line behind these keys, if all of them write at its end. What fish proposes
    behind it is nobody's text."""
    line = here.own
    at_end = not here.seen.right.strip() or here.reading.state.draft == draft_of(line)
    if not here.at_rest or here.persons or not at_end:
        return ""

    for key in keys:
        if isinstance(key, Typed):
            line += key.text
        elif len(key) > 1:  # a name: Left
            return ""
        else:
            line += key

    return line


def _single(keys: list[Key]) -> list[Key]:
    """`keys` with short texts as single characters: a program that draws its own screen discards
    its input while it draws."""
    single: list[Key] = []
    for key in keys:
        if isinstance(key, Typed) and len(key.text) <= BY_KEYS and key.text.isprintable():
            single += map(Typed, key.text)
        else:
            single.append(key)
    return single


def _put(watch: Watch, here: Turn, key: Key, only_if: str) -> bool:
    """Types a key or a text, whatever the cursor has done since the turn `here`, if the condition
    is true; returns whether it is."""
    if isinstance(key, Typed):
        return type_data(watch, here, key.text, enter=False, only_if=only_if)
    return watch.pane.type(data_of(key, lambda: watch.pane.look(0).keypad_cursor_flag), only_if)


def _is_taken(watch: Watch, here: Turn, key: Key, before: Kernel, patience: float) -> bool:
    """Waits until the program has taken a key that is not the last, and waits for the next. Returns
    whether it does, as far as that can be seen."""
    began = time.monotonic()
    while not sleeps_again(now := watch.probe(searches=False), before):
        passed = time.monotonic() - began
        works = key not in _SIGNALS and _works(here, now)
        if passed > TAKES and not works:
            break
        if passed > patience:
            return False
        watch.nap(LOOK)

    if key == "Escape":  # until the next key is no rest of a sequence that it begins
        watch.nap(_SEQUENCE)
    return True


def _is_kept(here: Turn, key: Key, before: Kernel) -> bool:
    """Whether a key waits in the terminal, and nobody takes it now: in canonical mode until Enter;
    what a stopped program has not read."""
    if key in _ENDS_LINE or here.hidden or here.full_screen or before.out_of_sight:
        return False
    return before.terminal.canonical or not (here.verdict or before.waiter)


def _works(here: Turn, kernel: Kernel) -> bool:
    """Whether a program that has waited for the first key is still busy with the last: what is
    typed now would answer whatever it asks next. What draws the whole screen need not sleep."""
    if not here.verdict or kernel.out_of_sight:
        return False
    asleep = bool(kernel.waiter) or here.full_screen
    return not asleep or bool(kernel.terminal.unread)


def is_elsewhere(reading: Reading, here: Turn, key: Key) -> bool:
    """Whether the next key would be read by another one than at the turn `here`, or answer another
    question than there was before `key`."""
    respects = Differs.GROUP  # `less`, which an Enter has started; a shell, after its program
    if reading.kernel.waiter and here.verdict:
        respects |= Differs.WAY
    echoed = isinstance(key, Typed) and reading.text.endswith(key.text.strip())
    if not (echoed or draws_itself(here)):
        respects |= Differs.QUESTION
    return bool(changed(here, reading) & respects)


def _place_of_key(here: Turn, reading: Reading, key: Key) -> Place:
    """Where what comes of the last key begins."""
    edits = here.at_prompt
    if key != "C-c":
        edits = here.at_rest or bool(reading.seen.right.strip())

    place = place_at(reading.seen, whole=reading.canonical or not edits)
    echoed = reading.kernel.terminal.echo and not here.hidden
    if isinstance(key, str) and len(key) == 1 and echoed:
        place.echo = digest(key)
    return place
