"""The only door through which anything is typed: what is remembered of it, and the receipt.

All callers type here: `run`, `send`, `keys`, `interrupt`. Each input is conditional on the look by
which it was allowed: where a key has come since, or the cursor has moved, it is looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ..evidence import programs
from ..evidence.editor.modes import line_editor_reads, reported
from ..evidence.screen.line import Kind
from ..evidence.screen.prompts import contains_prompt
from ..output import clean
from ..terminal.client import TmuxError
from ..terminal.look import INPUT, PROMPTS
from ..terminal.pane import at_cell, both, same_stamp, untouched
from ..transcript.mark import Input, Place, Typed, draft_of, dumps, lines_sent, place_at, stamp_of
from ..turn.dialogue import Act
from ..turn.may_type import NOTHING, may_type
from ..turn.scene import Scene
from ..turn.watch import Watch
from ..turn.whose_turn import Turn, whose_turn
from ..words import Word
from .enter import Drawn, see_and_enter, take_back

SETTLE = 0.25  # seconds in which a program that reads at all has read what was typed
_SECOND = 1.0  # tmux knows in which second the last key came
_TYPES = 5.0  # seconds that a person who types is waited for
_DRAWS = 1.0  # seconds in which a line editor has woken and drawn what keys made of the line
_ENTER_GAP = 0.15  # seconds before Enter where text and Enter in one go are a paste (Codex: 0.12)
_CANONICAL_LINE = 4095  # bytes of a line that the kernel keeps in canonical mode
_TRIES = 8  # times that a pane which changes between look and input is looked at again
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
        bracketed = programs.of(here.program).paste
    return [text] if bracketed and not watch.kernel.canonical else text.split("\n")


def type_text(
    watch: Watch,
    text: str,
    enter: bool,
    act: Act,
    before: Callable[[Turn], object] = lambda here: None,
) -> Turn:
    """Type `text`, then Enter, after all that could forbid it was looked at; whose turn it was.
    `before` is called with it, again where the pane has changed.

    Raises TmuxError: then nothing was typed, or it says what was. The watch follows what was typed.
    """
    for _ in range(_TRIES):
        _letsettle(watch)
        here = may_type(watch, act, one_key=not enter and len(text) == 1)
        scene, view = watch.scene(), watch.view
        must_fit(watch, text)
        if here.line.kind is Kind.COMMAND and here.line.prompt and here.ready:
            watch.book.learn(watch.kernel.subject, here.line.prompt)
        before(here)
        if _type_once(watch, here, scene, text, enter):
            return here
        watch.look()
        watch.reload()
        watch.read_kernel()
        if watch.view.shows == view.shows and watch.view.stamp == view.stamp:
            watch.nap(SETTLE)
    raise TmuxError(
        f"{watch.pane.name} keeps changing: someone types, or a program draws all the time",
        f"wait with wait_ready, then try again; {NOTHING}",
    )


def _letsettle(watch: Watch) -> None:
    """Waits until the second is over in which a key has come from an attached terminal: from then
    on the next one shows, so that what is typed can be made conditional on it.

    Raises TmuxError where keys come all the time.
    """
    end = watch.clock() + _TYPES
    while watch.view.people and not watch.view.stamp.settled:
        if watch.clock() > end:
            raise TmuxError(
                f"someone types in this session, without a pause of a second in {_TYPES:g}s",
                f"ask the person, or try again later; {NOTHING}",
            )
        watch.nap(_SECOND / 10)
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
    typed = new_input(watch, here, secret=secret, text=text)
    typed.draft = [] if secret else draft_of(here.own + text)
    draft = replace(typed, end=watch.input.end if here.own and watch.input else place_at(view))
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
        settle(watch, draft)
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
        end = place_at(watch.view, view.rows_down(watch.view.row) + 1)
        final = replace(entered(watch.view.cell), end=end, stamp=stamp_of(watch.view))
        kernel = watch.kernel
        final = replace(final, awake=kernel.awake, taken=kernel.taken, size=1)
        final = replace(final, subject=kernel.subject, foreground=kernel.foreground)
        final = replace(final, stays=programs.of(kernel.name).stays)
        watch.follow(final, text)
        return True
    if drawn is Drawn.UNREAD and watch.pane.type("\n", only_if=same_stamp(view)):
        ahead = replace(entered(view.cell), end=place_at(view), ahead=True, size=typed.size + 1)
        watch.follow(ahead, text)  # it stays typed ahead: the answer says that it is not read yet
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
    final = replace(final, size=len(text.encode()) + 1, ahead=here.running, unseen=True)
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


def new_input(
    watch: Watch, here: Turn, *, secret: bool, text: str = "", keys: bool = False
) -> Input:
    """The record of what is about to be typed into what the watch shows now."""
    view, kernel, before = watch.view, watch.kernel, watch.input
    kind = Typed.SECRET if secret else Typed.KEYS if keys else Typed.TEXT
    first = None
    if before is not None and not watch.memory.is_answered and not view.alternate:
        first = before.first or (replace(before) if before.end else None)
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
        unedited=bool(kernel.canonical if at_prompt else goes_on and before and before.unedited),
        asks=bool(_READS.search(text)),
        edited=line_editor_reads(view) or still_edited,
        prints=contains_prompt(text, watch.prompts()),
        reported=reported(view),
        alternate=view.alternate,
        first=first,
        stamp=stamp_of(view),
    )


def _is_hidden_prompt(here: Turn, scene: Scene) -> bool:
    """Has the line the form of a prompt, in a program that hides its state?"""
    return here.verdict is None and scene.form and not (scene.cooked or scene.continuation)


def settle(watch: Watch, typed: Input) -> None:
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
