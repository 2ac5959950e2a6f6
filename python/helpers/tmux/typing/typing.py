"""The only door through which anything is typed: what is remembered of it, and the receipt.

All callers type here: `run`, `send`, `keys`, `interrupt`. Each input is conditional on the look by
which it was allowed: where a key has come since, or the cursor has moved, it is looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ..answer import Answer
from ..evidence.editor.modes import line_editor_reads, reported
from ..evidence.kernel.probe import probe
from ..evidence.screen.line import Kind
from ..evidence.screen.programs import takes_paste
from ..evidence.screen.view import View
from ..output import clean
from ..terminal.client import TmuxError
from ..terminal.keys import echo_of
from ..terminal.look import INPUT, PROMPTS
from ..terminal.pane import at_cell, both, untouched
from ..transcript.mark import Input, Place, Typed, draft_of, dumps, lines_sent, place_at, stamp_of
from ..turn.dialogue import Act
from ..turn.may_type import NOTHING, may_type, must_take_input
from ..turn.scene import Scene
from ..turn.watch import Watch
from ..turn.whose_turn import Turn, whose_turn
from ..words import Word
from .enter import Drawn, see_and_enter, take_back

_SETTLE = 0.25  # seconds in which a program that reads at all has read what was typed
_SECOND = 1.0  # tmux counts keys in whole seconds
_DRAWS = 1.0  # seconds in which a line editor has woken and drawn what keys made of the line
_ENTER_GAP = 0.15  # seconds before Enter where text and Enter in one go are a paste (Codex: 0.12)
_CANONICAL_LINE = 4095  # bytes of a line that the kernel keeps in canonical mode
_TRIES = 8  # times that a pane which changes between look and input is looked at again
_ENDS_LINE = {"Enter", "C-c", "C-d", "C-j", "C-m"}
_READS = re.compile(  # `read -ep 'Name: ' x`, `while read line`, `cd /; vared x`
    r"(?m)(?:^|[;&|({]|\b(?:while|if|do|then|else|and|or|not|begin)\b)\s*(?:read|vared)\b"
)


def pieces_of(watch: Watch, text: str) -> list[str]:
    """`text` in the pieces that are typed one by one: a line each where whoever waits would not
    take several as one paste."""
    here = whose_turn(watch)
    waits = here.word in (Word.READY, Word.UNFINISHED) or bool(watch.kernel.canonical)
    if "\n" not in text or watch.view.alternate or here.running or not waits:
        return [text]
    bracketed = watch.view.bracketed
    if bracketed is None:
        bracketed = takes_paste(here.program)
    return [text] if bracketed and not watch.kernel.canonical else text.split("\n")


def type_text(
    watch: Watch,
    text: str,
    enter: bool,
    act: Act,
    before: Callable[[Watch], object] = lambda watch: None,
) -> Turn:
    """Type `text`, then Enter, after all that could forbid it was looked at; whose turn it was.
    `before` looks at the pane as it is before, again where that has changed.

    Raises TmuxError: then nothing was typed, or it says what was. The watch follows what was typed.
    """
    for _ in range(_TRIES):
        _let_settle(watch)
        here = may_type(watch, act, one_key=not enter and len(text) == 1)
        scene, view = watch.scene(), watch.view
        must_fit(watch, text)
        if here.line.kind is Kind.COMMAND and here.line.prompt and here.ready:
            watch.book.learn(watch.kernel.subject, here.line.prompt)
        before(watch)
        if _type_once(watch, here, scene, text, enter):
            return here
        watch.look()
        watch.reload()
        watch.read_kernel()
        if watch.view.shows == view.shows and watch.view.stamp == view.stamp:
            watch.nap(_SETTLE)
    raise TmuxError(
        f"{watch.pane.name} keeps changing: someone types, or a program draws all the time",
        f"wait with wait_ready, then try again; {NOTHING}",
    )


def _let_settle(watch: Watch) -> None:
    """Waits until the second is over in which a key has come, where the kernel keeps what is typed
    while a program runs: later it must be known whether another one came."""
    if watch.kernel.canonical and watch.view.people and not watch.view.stamp.settled:
        watch.nap(_SECOND)
        watch.look()
        watch.reload()
        watch.read_kernel()


def _type_once(watch: Watch, here: Turn, scene: Scene, text: str, enter: bool) -> bool:
    """Types where the pane is still as it was seen; whether it was."""
    view = watch.view
    secret = is_secret(scene)
    at_line = here.line.kind is not Kind.NONE or here.word in (Word.READY, Word.NEEDS_INPUT)
    sees = at_line and not view.alternate and view.cursor_visible and not here.running
    sees = sees and not (scene.cooked and not scene.kernel.echo)
    only_if = untouched(view)
    if sees or (here.verdict is not None and not view.alternate):
        only_if = both(only_if, at_cell([view.cell]))
    typed = _input(watch, here, secret=secret, text=text)
    whole = here.own + text
    draft = replace(typed, draft=[] if secret else draft_of(whole))
    draft.end = watch.input.end if here.own and watch.input else place_at(view)
    block = not scene.cooked and ("\n" in text or "\t" in text)
    if enter and not sees:
        return _type_blind(watch, here, typed, text, only_if, block)
    if text:
        note = {INPUT: dumps(draft)}
        _save_book(watch)
        if not watch.pane.type(text, only_if=only_if, note=note, bracketed=block):
            return False
        watch.follow(draft, text)
    if not enter:
        _settle(watch, draft)
        return True

    def entered(cell: tuple[int, int]) -> Input:
        end = Place(row=cell[0], x=cell[1], history=view.history_size, width=view.width)
        sent = [] if secret else lines_sent(text)
        return replace(typed, enter=True, at=watch.clock(), sent=sent, end=end)

    def note_of(cell: tuple[int, int]) -> dict[str, str]:
        return {INPUT: dumps(entered(cell))}

    # A program that draws its question itself may take an Enter that comes at once for a paste.
    gap = 0.0 if scene.cooked or here.at_prompt or watch.editor else _ENTER_GAP
    drawn = see_and_enter(watch, view, text, here.own, note_of, gap)
    if drawn in (Drawn.ENTERED, Drawn.HIDDEN):
        end = place_at(watch.view, view.row)
        final = replace(entered(watch.view.cell), end=end, stamp=stamp_of(watch.view))
        final = replace(final, awake=watch.kernel.awake, taken=watch.kernel.taken, size=1)
        watch.follow(final, text)
        return True
    _not_entered(watch, drawn, text)
    return True


def _type_blind(
    watch: Watch, here: Turn, typed: Input, text: str, only_if: str, block: bool
) -> bool:
    """Text and Enter where nothing can be seen of it: a password, a program that runs or fills the
    screen. A full screen gets Enter a little later, so that it is no part of a paste."""
    end = None if watch.view.alternate else place_at(watch.view)
    apart = not (here.running or watch.kernel.canonical)
    sent = lines_sent(text) if typed.typed is Typed.TEXT else []
    final = replace(typed, enter=True, end=end, sent=sent, stamp=stamp_of(watch.view))
    final = replace(final, size=len(text.encode()) + 1)
    data = text if apart and text else text + "\n"
    if not watch.pane.type(data, only_if=only_if, note={INPUT: dumps(final)}, bracketed=block):
        return False
    if data == text:
        watch.nap(_ENTER_GAP)
        watch.pane.type("\n")
    watch.follow(final, text)
    return True


def _not_entered(watch: Watch, drawn: Drawn, text: str) -> None:
    """Raises TmuxError: what is on the line is not what was to be run."""
    program = watch.scene().program
    if drawn is Drawn.UNREAD:
        raise TmuxError(
            f"{program} has not read what was typed; Enter was not pressed",
            "wait_ready, then keys Enter; or keys C-c to drop it",
        )
    if drawn is Drawn.TAKEN:
        raise TmuxError(
            "the first key was taken as an answer; Enter was not pressed",
            "see what came of it with wait_ready",
        )
    if drawn is Drawn.LOST:
        raise TmuxError(
            f"{program} does not show what was typed; Enter was not pressed",
            "see the screen with read; then keys Enter, or keys C-u to drop it",
        )
    taken_back = take_back(watch, text)
    left = clean(watch.look().left.strip())
    what = "it was taken back" if taken_back else f"the line is now {left!r}"
    raise TmuxError(
        f"someone typed at the same moment: {what}, and Enter was not pressed",
        "see the screen with read, and ask the person; nothing was run",
    )


def _save_book(watch: Watch) -> None:
    book = watch.book.dumps()
    if book and book != watch.view.memory.get(PROMPTS, ""):
        watch.pane.set_option(PROMPTS, book)
        watch.view.memory[PROMPTS] = book


def is_secret(scene: Scene) -> bool:
    """What is typed now may be a password."""
    return (scene.cooked and not scene.kernel.echo) or scene.asks_password


def must_fit(watch: Watch, text: str) -> None:
    """Raises TmuxError where a program in canonical mode would lose some of a line."""
    lengths = [len(line.encode()) for line in text.split("\n")]
    before = watch.input
    if before is not None and before.foreground == watch.kernel.foreground and not before.enter:
        lengths[0] += before.size  # the beginning of the line
    longest = max(lengths)
    if watch.kernel.canonical and longest > _CANONICAL_LINE:
        program = watch.scene().program
        raise TmuxError(
            f"argument 'text' has a line of {longest} bytes; {program} reads in canonical mode,"
            f" where the kernel keeps {_CANONICAL_LINE} bytes of a line",
            f"send shorter lines, or write it to a file; {NOTHING}",
        )


def _input(watch: Watch, here: Turn, *, secret: bool, text: str = "", keys: bool = False) -> Input:
    """The record of what is about to be typed into what the watch shows now."""
    view, kernel, before = watch.view, watch.kernel, watch.input
    kind = Typed.SECRET if secret else Typed.KEYS if keys else Typed.TEXT
    first = None
    if before is not None and not watch.memory.is_answered and not view.alternate:
        first = before.first or before.end
    same = before is not None and before.foreground == kernel.foreground
    goes_on = same and before is not None and before.at_prompt
    at_prompt = here.at_prompt or _is_hidden_prompt(here, watch.scene())
    # At a prompt that has not set the modes (dash inside ssh) they tell nothing from now on.
    still_edited = same and before is not None and before.edited and not at_prompt
    return Input(
        number=(before.number if before else watch.mark.covers) + 1,
        pid=view.pid,
        at=watch.clock(),
        foreground=kernel.foreground,
        subject=kernel.subject,
        awake=kernel.awake,
        taken=kernel.taken,
        typed=kind,
        size=0 if keys else len(text.encode()),
        at_prompt=at_prompt or goes_on,
        asks=bool(_READS.search(text)),
        edited=line_editor_reads(view) or still_edited,
        reported=reported(view),
        alternate=view.alternate,
        first=first,
        first_sent=(before.first_sent if before.first else before.sent) if before and first else [],
        stamp=stamp_of(view),
    )


def _is_hidden_prompt(here: Turn, scene: Scene) -> bool:
    """Has the line the form of a prompt, in a program that hides its state?"""
    return here.verdict is None and scene.form and not (scene.cooked or scene.continuation)


def press_keys(watch: Watch, keys: list[str]) -> bool:
    """Press keys, named as tmux names them; True if a person's copy mode was left for it."""
    must_take_input(watch.view, watch.pane)
    here = whose_turn(watch)
    line = here.line.kind is not Kind.NONE and not watch.view.alternate
    if len(keys) > 1 and keys[-1] == "Enter" and line and _ENDS_LINE.isdisjoint(keys[:-1]):
        left_copy_mode = _press(watch, keys[:-1], here)
        watch.look()  # output begins where the cursor is now
        return _press(watch, keys[-1:], here) or left_copy_mode
    return _press(watch, keys, here)


def _press(watch: Watch, keys: list[str], here: Turn) -> bool:
    view, secret = watch.view, is_secret(watch.scene())
    ends = not _ENDS_LINE.isdisjoint(keys)
    end = None if view.alternate else place_at(view)
    echo = "" if secret else echo_of(keys) or ""
    typed = replace(_input(watch, here, secret=secret, keys=True), enter=ends, end=end)
    typed.sent = lines_sent(echo)
    if here.own and not ends and watch.input is not None:
        typed.end = watch.input.end  # the draft goes on
    left_copy_mode = watch.pane.press(keys, view=view, note={INPUT: dumps(typed)})
    watch.follow(typed, echo)
    if not (view.alternate or here.persons or ends or secret):
        _settle(watch, typed)
        # What the keys made of the line (Up: an older command) is the agent's own too.
        draft = draft_of(whose_turn(watch).line.typed or "")
        known = here.line.kind is not Kind.NONE or draft == draft_of(echo)
        if draft and known and watch.view.stamp.value == view.stamp.value:
            typed.draft = draft
            watch.pane.set_option(INPUT, dumps(typed))
    return left_copy_mode


def _settle(watch: Watch, typed: Input) -> None:
    """Waits until the line editor has read the keys and drawn the line, at most _DRAWS seconds."""
    end = watch.clock() + _DRAWS
    before = None
    while watch.clock() < end:
        watch.nap(0.005)
        kernel, view = watch.read_kernel(), watch.look()
        now = (kernel.awake, view.lines, view.cursor_x)
        woken = kernel.canonical or kernel.awake != typed.awake  # the kernel draws canonical lines
        if now == before and not kernel.unread and woken:
            return
        before = now


def receipt(word: Word, did: str, text: str, watch: Watch, whole: bool = True) -> Answer:
    """What was sent or pressed, and whether it was read: `sent 37 lines, 1312 bytes to x`."""
    if watch.input is not None:
        watch.pane.remember({INPUT: dumps(watch.input)}, True)
    lines = text.count("\n") + 1
    size = f" {lines} lines, {len(text.encode())} bytes" if lines > 1 else ""
    pane = watch.pane.name
    head, without, tail = did.partition(" without")
    to = "in" if word is Word.PRESSED else "to"
    first = f"{head}{size} {to} {pane}{without}{tail}"
    program = _not_read_by(watch, whole)
    if program:
        first += f"; not read yet: {program} runs in the foreground"
    return Answer(word=word, first=first, pane=pane)


def _not_read_by(watch: Watch, whole: bool) -> str:
    """ "" when what was typed has been read within _SETTLE seconds, else who runs instead of
    reading it. `whole`: it ended in Enter or was keys, so a reader of whole lines has got it."""
    typed = watch.input
    end = watch.clock() + _SETTLE
    while typed is not None:
        kernel = probe(watch.view.pid, watch.view.tty)
        waits = kernel.waiter is not None or kernel.hidden or kernel.canonical is False
        if not kernel.alive or kernel.blind:
            break
        changed = kernel.foreground != typed.foreground
        read = changed or typed.was_read(kernel, True, watch.clock()) or (waits and not whole)
        if read and not kernel.unread:
            break  # whoever waited has read it, and may have started something
        if watch.clock() > end:
            return "" if waits and not kernel.unread else kernel.name
        watch.nap(0.004)
    return ""


__all__ = ["View", "is_secret", "pieces_of", "press_keys", "receipt", "type_text"]
