"""The only way in which text is typed, and the record that is kept of an input.

`run`, `send` and the answers of a dialogue type here. Each input is conditional on the look that
allowed it: if a key has come since, or the cursor has moved, the tool looks again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ..evidence import programs
from ..evidence.editor.modes import line_editor_reads, reported
from ..evidence.screen.line import Kind, further_rows
from ..evidence.screen.prompts import contains_prompt
from ..evidence.screen.view import View
from ..output import clean
from ..terminal.client import TmuxError
from ..terminal.look import INPUT, PROMPTS
from ..terminal.pane import at_cell, both, same_stamp, untouched
from ..transcript.mark import Input, Place, Typed, draft_of, dumps, lines_sent, place_at, stamp_of
from ..turn.dialogue import Act
from ..turn.may_type import (
    KEEPS_CHANGING,
    NOTHING,
    TRIES,
    WAIT,
    may_type,
    recall_stillness,
)
from ..turn.scene import Scene
from ..turn.watch import Watch
from ..turn.whose_turn import Turn, whose_turn
from ..words import Word
from .enter import Drawn, see_and_enter, take_back

SETTLE = 0.25  # seconds in which a program reads what was typed, if it reads at all
_REDRAW_LIMIT = 1.0  # seconds in which a line editor wakes and redraws the line after keys
_ENTER_GAP = 0.15  # seconds before Enter, which at once would be part of a paste (Codex: 0.12)
_CANONICAL_LINE = 4095  # bytes of a line that the kernel keeps in canonical mode
_READS = re.compile(  # `read -ep 'Name: ' x`, `while read line`, `cd /; vared x`
    r"(?m)(?:^|[;&|({]|\b(?:while|if|do|then|else|and|or|not|begin)\b)\s*(?:read|vared)\b"
)


def pieces_of(watch: Watch, text: str) -> list[str]:
    """`text` in the pieces to type one by one: single lines if the waiting program does not take
    several as one paste."""
    if "\n" not in text or watch.view.alternate:
        return [text]
    recall_stillness(watch)
    here = whose_turn(watch)
    waits = here.ready or here.at_prompt or bool(watch.kernel.canonical)
    if here.running or not waits:
        return [text]
    traits, asked_for = programs.of(here.program), watch.view.bracketed
    paste = (traits.paste if asked_for is None else asked_for) and not traits.one_line
    return [text] if paste and not watch.kernel.canonical else text.split("\n")


def type_text(
    watch: Watch,
    text: str,
    enter: bool,
    act: Act,
    before: Callable[[Turn], object] = lambda here: None,
) -> Turn:
    """Types `text`, then Enter, if that is allowed; returns whose turn it was. `before` is called
    with that, and again if the pane has changed.

    Raises TmuxError: nothing was typed, or the error says what was. The watch follows the input.
    """
    for _ in range(TRIES):
        here = may_type(watch, act, one_key=not enter and len(text) == 1)
        scene, view = watch.scene(), watch.view
        must_fit(watch, text)
        if here.ready and here.prompt and not here.unknown:
            watch.book.learn(watch.kernel.subject, here.prompt)
        before(here)
        if _type_once(watch, here, scene, text, enter):
            return here
        watch.renew()
        if watch.view.shows == view.shows and watch.view.stamp == view.stamp:
            watch.nap(SETTLE)
    raise TmuxError(f"{watch.pane.name} {KEEPS_CHANGING}", f"{WAIT}; {NOTHING}")


def _type_once(watch: Watch, here: Turn, scene: Scene, text: str, enter: bool) -> bool:
    """Types if the pane is still as it was seen; returns whether it was."""
    view = watch.view
    at_line = here.line.kind is not Kind.NONE or here.word in (Word.READY, Word.NEEDS_INPUT)
    hides = scene.cooked and not scene.kernel.echo
    # A REPL still reads a line if a late line of output was printed over its prompt.
    at_line |= here.verdict is None and scene.expected and scene.listens
    sees = at_line and scene.plain and not (here.running or hides)
    only_if = untouched(view)
    if sees or (here.verdict is not None and not view.alternate):
        only_if = both(only_if, at_cell([view.cell]))
    draft = new_input(watch, here, scene, text)
    blind = replace(draft, enter=True, end=begins_at(view), size=draft.size + 1, unseen=True)
    blind.sent = lines_sent(text) if draft.typed is Typed.TEXT else []
    block = not scene.cooked and ("\n" in text or "\t" in text)
    if enter and not sees:
        blind.ahead = scene.cooked and scene.kernel.echo is True
        return _type_blind(watch, blind, text, only_if, block)
    if text:
        note = {INPUT: dumps(draft)}
        _save_book(watch)
        if not watch.pane.type(text, only_if=only_if, note=note, bracketed=block):
            return False
        watch.follow(draft, text)
    if not enter:
        settle(watch, draft)
        return True

    def entered(end: Place) -> Input:
        kernel, now = watch.kernel, replace(blind, unseen=False, at=watch.clock(), size=1, end=end)
        now.cpu_ns, now.bytes_read = kernel.cpu_ns, kernel.bytes_read
        now.subject, now.foreground = kernel.subject, kernel.foreground
        now.stays, now.stamp = programs.of(kernel.name).stays, stamp_of(watch.view)
        return now

    def note_of(cell: tuple[int, int]) -> dict[str, str]:
        end = Place(row=cell[0], x=cell[1], history=view.history_size, width=view.width)
        return {INPUT: dumps(entered(end))}

    # A program that draws its question itself may take an immediate Enter as part of a paste.
    gap = 0.0 if scene.cooked or here.at_prompt or watch.editor else _ENTER_GAP
    drawn = see_and_enter(watch, view, text, here.own, note_of, gap)
    if drawn in (Drawn.ENTERED, Drawn.HIDDEN):
        rows = view.rows_down(watch.view.row) + rows_of_draft(here, draft)
        watch.follow(entered(place_at(watch.view, rows)), text)
    elif drawn is Drawn.UNREAD and watch.pane.type("\n", only_if=same_stamp(view)):
        watch.follow(replace(blind, ahead=scene.cooked), text)  # the answer says: not read yet
    else:
        _not_entered(watch, drawn, text)
    return True


def _type_blind(watch: Watch, typed: Input, text: str, only_if: str, block: bool) -> bool:
    """Types text and Enter where no echo can be seen: at a password prompt, while a program runs,
    in a full screen. There Enter comes a little later, so that it is not part of a paste. Returns
    whether the pane was still as it was seen."""
    apart = bool(text) and not watch.kernel.canonical
    data = text if apart else text + "\n"
    if not watch.pane.type(data, only_if=only_if, note={INPUT: dumps(typed)}, bracketed=block):
        return False
    if apart:
        watch.nap(_ENTER_GAP)
        if watch.read_kernel().foreground == typed.foreground:  # else a key was its answer
            watch.pane.type("\n")
    watch.follow(typed, text)
    return True


def _not_entered(watch: Watch, drawn: Drawn, text: str) -> None:
    """Raises TmuxError: the line does not hold the text that was to be run."""
    program = watch.scene().program
    if drawn is Drawn.TAKEN:
        raise TmuxError(
            "a program took the first key as an answer; Enter was not pressed",
            "see what came of it with wait_ready",
        )
    if drawn is Drawn.LOST:
        raise TmuxError(
            f"{program} does not show what was typed; Enter was not pressed",
            "see the screen with read; then press keys Enter, or keys C-u to clear the line; first"
            " keys C-q if C-s has stopped the output",
        )
    taken_back = take_back(watch, text)
    left = clean(watch.look().left.strip())
    what = "the text was removed" if taken_back else f"the line is now {left!r}"
    raise TmuxError(
        f"someone typed at the same moment: {what}, and Enter was not pressed",
        "see the screen with read, and ask the person; nothing was run",
    )


def _save_book(watch: Watch) -> None:
    book = watch.book.dumps()
    if book and book != watch.view.memory[PROMPTS]:
        watch.pane.set_option(PROMPTS, book)
        watch.view.memory[PROMPTS] = book


def is_secret(scene: Scene) -> bool:
    """Whether what is typed now may be a password."""
    return (scene.cooked and not scene.kernel.echo) or scene.asks_password


def must_fit(watch: Watch, text: str) -> None:
    """Raises TmuxError if a program in canonical mode would lose part of a line."""
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
            f"send shorter lines, or write the text to a file; {NOTHING}",
        )


def begins_at(view: View, height: int = 1) -> Place | None:
    """Where the output of an Enter at the cursor begins, the last of `height` rows of its line;
    None in a full screen."""
    return None if view.alternate else place_at(view, height)


def rows_of_draft(here: Turn, typed: Input) -> int:
    """The rows of the agent's own text at the cursor, which `typed` goes on."""
    return 1 + (further_rows(here.own, typed.end.width, typed.end.x) if typed.end else 0)


def new_input(watch: Watch, here: Turn, scene: Scene, text: str, keys: bool = False) -> Input:
    """The record of an input that is about to be typed, without Enter, at what the watch shows."""
    view, kernel, before, pending = watch.view, watch.kernel, watch.input, watch.pending
    secret = is_secret(scene)
    same = before if before and before.foreground == kernel.foreground else None
    # The line has the form of a prompt, in a program that hides its state.
    hidden = here.verdict is None and scene.form and not (scene.cooked or scene.continuation)
    at_prompt = here.at_prompt or hidden
    # At a prompt that does not set the modes (dash inside ssh) they show nothing from now on.
    still_edited = bool(same and same.edited and not at_prompt)
    return Input(
        number=(before.number if before else watch.mark.covers) + 1,
        pid=view.pid,
        at=watch.clock(),
        foreground=kernel.foreground,
        subject=kernel.subject,
        cpu_ns=kernel.cpu_ns,
        bytes_read=kernel.bytes_read,
        typed=Typed.SECRET if secret else Typed.KEYS if keys else Typed.TEXT,
        size=len(text.encode()),
        at_prompt=at_prompt or bool(same and same.at_prompt),
        unedited=bool(kernel.canonical if at_prompt else same and same.unedited),
        asks=bool(_READS.search(text)),
        edited=line_editor_reads(view) or still_edited,
        prints=contains_prompt(text, watch.prompts()),
        reported=reported(view),
        title=draft_of(watch.title()) if here.at_prompt else same.title if same else None,
        draft=[] if secret or keys else draft_of(here.own + text),
        end=before.end if here.own and before else begins_at(view),  # a draft continues
        first=pending and (pending.first or pending),
        stamp=stamp_of(view),
    )


def settle(watch: Watch, typed: Input) -> None:
    """Waits until the line editor has read the keys and drawn the line, for at most
    _REDRAW_LIMIT seconds."""
    end = watch.clock() + _REDRAW_LIMIT
    before = None
    while watch.clock() < end:
        watch.nap(0.005)
        kernel, view = watch.read_kernel(), watch.look()
        now = (kernel.cpu_ns, view.lines, view.cursor_x)
        # In canonical mode the kernel draws the line.
        woken = kernel.canonical or kernel.cpu_ns != typed.cpu_ns
        if now == before and not kernel.unread and woken:
            return
        before = now
