"""What is remembered on a pane between calls, for all callers: pane user options.

MARK: how far the agent has been shown the pane, and what the last answer left open. INPUT: what
was typed last, and where its output begins. PROMPTS: the prompts known there. Rows are kept as
digests, never as text: no option holds what a person or the agent typed. Pure.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from enum import StrEnum
from itertools import islice

from ..evidence.kernel.probe import Probe
from ..evidence.screen.book import Book
from ..evidence.screen.view import View, digest
from ..output import cells, squeezed
from ..terminal.look import INPUT, MARK, PROMPTS

_ABOVE = 40  # remembered rows above a place: as many as a program redraws at most
_DRAWN = 60  # remembered rows of a text, the last ones
_SENT = 8  # lines of a text whose ends are searched for if Enter redrew them
GRACE = 1.0  # seconds after which input that left the queue counts as read (getpass flushes it)


class Typed(StrEnum):
    """What was typed."""

    TEXT = "text"
    KEYS = "keys"
    SECRET = "hidden"  # an answer, which may be a password: nothing of it is kept


@dataclass(slots=True, kw_only=True)
class Place:
    """A cell of the ordinary screen, and what identifies it if rows have moved."""

    row: int = 0  # counting from the oldest row of the history
    x: int = 0
    history: int = 0  # rows above the screen then
    width: int = 0
    drawn: list[int] = field(default_factory=list)  # digests of rows, the last is `row` up to `x`
    above: list[list[int]] = field(default_factory=list)  # rows up, digest; the nearest first
    line: int = 0  # digest of the whole line up to `x`, of which `row` is the last row
    right: list[int] = field(default_factory=list)  # length, digest of what is right of it in `row`
    below: int = 0  # digest of the rows below it, 0 if there are none
    height: int = 1  # rows that are drawn there


@dataclass(slots=True, kw_only=True)
class Input:
    """The last input: where it went, which program was there, and where its output begins."""

    number: int  # of this input on this pane: a mark refers to it
    pid: int  # the pane's first process then: a different one means it was respawned
    at: float  # monotonic seconds
    foreground: int | None  # process group
    subject: int  # the process that waited, else the leader
    awake: int  # its CPU nanoseconds
    taken: int | None  # bytes it had read since it began
    typed: Typed
    size: int = 0  # bytes; 0 for keys
    enter: bool = False
    escape: bool = False  # the last key was Escape: many programs wait for the rest of a sequence
    at_prompt: bool = False  # a prompt was there, so one will come again
    unedited: bool = False  # the kernel collected whole lines at it (bash --noediting)
    asks: bool = False  # the text calls a shell's `read`
    edited: bool = False  # the terminal's modes showed a line editor reading: see modes.py
    prints: bool = False  # the text contains a known prompt, which may also be its output
    reported: str = ""  # what the shell had reported to tmux then
    title: list[int] | None = None  # what preceded the directory in the title at the prompt
    draft: list[int] = field(default_factory=list)  # length and digest of the agent's own draft
    sent: list[list[int]] = field(default_factory=list)  # length and digest of each line
    end: Place | None = None  # where output begins; None: not on the ordinary screen
    first: Input | None = None  # the first one that no answer covers, if a different one
    ahead: bool = False  # the kernel echoed it, not the program in front
    unseen: bool = False  # Enter was pressed where the text began: it was not seen drawn
    stays: bool = False  # Enter in an empty row leaves the cursor there
    stamp: list[object] = field(default_factory=list)  # when Enter was pressed

    def was_read(self, kernel: Probe, moved: bool, now: float) -> bool:
        """Has what was typed been read? Until then the screen is stale."""
        if kernel.unread:
            return False
        if kernel.blind:
            return moved
        if kernel.subject != self.subject:
            return True
        if kernel.canonical and not self.enter:
            return True  # the kernel itself keeps and edits an unfinished line
        if self.size and self.taken is not None and kernel.taken is not None:
            read = kernel.taken - self.taken >= self.size
        else:
            read = kernel.awake > self.awake
        return read or now - self.at > GRACE

    def is_last(self, kernel: Probe) -> bool:
        """Has the program read what was typed and nothing else?"""
        known = self.taken is not None and bool(self.size) and kernel.subject == self.subject
        return known and kernel.taken == (self.taken or 0) + self.size


@dataclass(slots=True, kw_only=True)
class Mark:
    """Where showing ended, and what the last answer left open."""

    number: int = 0  # of this mark on this pane
    place: Place | None = None  # None: nothing has been shown on the ordinary screen yet
    covers: int = 0  # number of the last input whose output an answer has shown
    reader: list[int | None] = field(default_factory=list)  # the pane's pid, the foreground group
    open: str = ""  # the last answer's Word, if it left a turn open
    question: list[int] = field(default_factory=list)  # length and digest of what was asked
    asked: list[int] = field(default_factory=list)  # of a line's: its end's cell, its digest
    proposed: list[int] = field(default_factory=list)  # what the program put after its question
    screen: int = 0  # digest of the full screen that was shown last; 0: none
    # the cursor's on it, and the digest of the text left of it; empty: not settled
    screen_cell: list[int] = field(default_factory=list)
    prompt: bool = False  # an empty prompt was shown at the place
    ahead: bool = False  # a key came while a program ran that reads whole lines: it may wait
    stamp: list[object] = field(default_factory=list)  # when that was seen
    matched: Place | None = None  # where showing ended when an answer last said `matched`
    rested: bool = False  # every key that came before was seen drawn


@dataclass(slots=True, kw_only=True)
class Memory:
    """The contents of one pane's options."""

    input: Input | None = None
    mark: Mark = field(default_factory=Mark)
    book: Book = field(default_factory=Book)
    first: bool = True  # no answer about this pane yet

    @property
    def is_answered(self) -> bool:
        """Has an answer covered what was typed last?"""
        return self.input is None or self.mark.covers >= self.input.number

    @property
    def turn_is_open(self) -> bool:
        """Is something running or waiting there for the agent, as the last answer said?"""
        return not self.is_answered or bool(self.mark.open)


def load(view: View) -> Memory:
    """The memory in a pane's options. Input to an earlier process does not count."""
    typed = _parsed(Input, view.memory[INPUT].partition(" ")[2])
    mark = _parsed(Mark, view.memory[MARK].partition(" ")[2])
    book = Book(view.memory[PROMPTS])
    if typed is not None and typed.pid != view.pid:
        typed = None
    return Memory(input=typed, mark=mark or Mark(), book=book, first=mark is None)


def dumps(one: Input | Mark) -> str:
    """The value of an option: JSON of numbers and words, so without a quote. Its number comes
    first, so that tmux itself can see whether another caller has typed or answered."""
    return f"{one.number} {json.dumps(_fields(one), default=_fields)}"


def _fields(one: Input | Mark | Place) -> dict[str, object]:
    return {each.name: getattr(one, each.name) for each in fields(one)}


def stamp_of(view: View) -> list[object]:
    """The stamp as stored: its value, whether it is settled, how many people are attached."""
    return [view.stamp.value, view.stamp.settled, view.people]


def may_have_typed(then: list[object], view: View) -> bool:
    """May a key have come from an attached terminal since `then`? False proves that none came: the
    stamp is the same, and it was settled, or nobody was attached in its second."""
    if len(then) != 3 or view.unseen_people or then[0] != view.stamp.value:
        return True
    return not then[1] and bool(then[2] or 0 < view.latest_person <= view.stamp.second)


def place_at(view: View, height: int = 1) -> Place:
    """The place at the cursor of `view`, where the last of `height` rows is drawn."""
    row = view.row
    texts = view.joined.physical
    first = max(row - min(height - 1, _DRAWN), view.joined.first)
    drawn = [digest(texts[at]) for at in range(first, row)]
    higher = ((at, text) for at, text in reversed(texts.items()) if at < first and text)
    return Place(
        row=row,
        x=view.cursor_x,
        history=view.history_size,
        width=view.width,
        drawn=[*drawn, digest(view.left.rstrip())],
        above=[[row - at, digest(text)] for at, text in islice(higher, _ABOVE)],
        line=digest(view.wrapped_left.rstrip()),
        right=_kept(view.right.strip()),
        below=below(texts, row),
        height=height,
    )


def below(texts: dict[int, str], row: int) -> int:
    """What identifies the rows below `row`: menus leave the cursor above their end."""
    return digest("\n".join(text for at, text in texts.items() if at > row and text))


def lines_sent(text: str) -> list[list[int]]:
    """What identifies the lines of `text` if Enter redrew them."""
    lines = (_kept(line.rstrip()) for line in text.split("\n")[-_SENT:])
    return [line for line in lines if line]


def draft_of(text: str) -> list[int]:
    """What identifies a draft of the agent's own, however it is wrapped."""
    return _kept(squeezed(text))


def goes_beyond(text: str, kept: list[int]) -> bool:
    """Is `text` longer than the text that `kept` identifies, and does it begin with it?"""
    length, one = kept or (0, digest(""))
    return len(text) > length and digest(text[:length]) == one


def _kept(text: str) -> list[int]:
    """What identifies `text`: its length and digest; nothing if it is empty."""
    return [len(text), digest(text)] if text else []


def ends_with(row: str, sent: list[int]) -> bool:
    """Does `row` end with that line?"""
    row = row.rstrip()
    return len(row) >= sent[0] and digest(row[len(row) - sent[0] :]) == sent[1]


def cursor_cell(view: View) -> list[int]:
    """The cursor's cell on a full screen, and what identifies the text left of it."""
    return [view.cursor_y, view.cursor_x, digest(view.left.rstrip())]


def left_of(text: str, x: int) -> int:
    """The digest of a row's text up to `x`, as a Place keeps it."""
    return digest(cells(text, x)[0].rstrip())


def _parsed(kind: type, text: str):
    """A dataclass from its JSON; None if it is invalid, or another release's."""
    try:
        return _made(kind, json.loads(text))
    except (ValueError, TypeError, AttributeError, KeyError):
        return None


_NESTED = {"place": Place, "matched": Place, "end": Place, "first": Input}


def _made(kind: type, values: dict):
    """The dataclass `kind` of `values`, those inside it too; what another release kept is left
    out of an input or a mark."""
    if kind is not Place:
        names = {one.name for one in fields(kind)}
        values = {key: value for key, value in values.items() if key in names}
    for name in _NESTED.keys() & values.keys():
        values[name] = values[name] and _made(_NESTED[name], values[name])
    if kind is Input:
        values["typed"] = Typed(values["typed"])
    return kind(**values)
