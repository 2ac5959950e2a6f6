"""What is stored on a pane between calls, for all callers, as options of tmux.

MARK: how far the agent has been shown the pane, and what the last answer left open. INPUT: the last
input, and where its output begins. PROMPTS: the prompts known there. Rows are kept as digests,
never as text: no option holds anything that a person or the agent typed. Pure.
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

_ABOVE = 40  # stored rows above a place: as many as a program redraws at most
_ABOVE_SCREEN = 3  # stored rows above the screen: one alone may be empty
_DRAWN_ROWS = 60  # stored rows of a text, the last ones
_SENT = 8  # last lines of a text that are searched for if Enter redrew them
GRACE = 1.0  # seconds after which input that left the queue counts as read (getpass flushes it)


class Typed(StrEnum):
    """The kind of an input."""

    TEXT = "text"
    KEYS = "keys"
    SECRET = "hidden"  # an answer that may be a password: nothing of it is kept


@dataclass(slots=True, kw_only=True)
class Place:
    """A cell of the ordinary screen, and what identifies it if rows have moved."""

    row: int = 0  # counting from the oldest row of the history
    x: int = 0
    history: int = 0  # rows above the screen at that time
    width: int = 0
    drawn: list[int] = field(default_factory=list)  # digests of rows, the last is `row` up to `x`
    above: list[list[int]] = field(default_factory=list)  # rows up, digest; the nearest first
    line: int = 0  # digest of the whole line up to `x`, of which `row` is the last row
    right: list[int] = field(default_factory=list)  # length, digest of the text right of it
    below: int = 0  # digest of the rows below it, 0 if there are none
    height: int = 1  # rows that are drawn there
    above_screen: int = 0  # digest of the last rows of the history


@dataclass(slots=True, kw_only=True)
class Input:
    """The last input: where it went, which program was there, and where its output begins."""

    number: int  # counts the inputs of this pane: a mark refers to it
    pid: int  # the pane's first process: a different one means that the pane was respawned
    at: float  # monotonic seconds
    foreground: int | None  # process group
    subject: int  # the process that waited, else the leader
    cpu_ns: int  # CPU nanoseconds that it had used
    bytes_read: int | None  # since it began
    typed: Typed
    size: int = 0  # bytes; 0 for keys
    enter: bool = False
    escape: bool = False  # the last key was Escape: many programs wait for the rest of a sequence
    at_prompt: bool = False  # a prompt was there, so one will come again
    unedited: bool = False  # the kernel collected whole lines at that prompt (bash --noediting)
    asks: bool = False  # the text calls a shell's `read`
    edited: bool = False  # the terminal's modes showed a line editor reading: see modes.py
    prints: bool = False  # the text contains a known prompt, which may also be its output
    reported: str = ""  # the shell's last report to tmux, see modes.py
    title: list[int] | None = None  # the title at the prompt, before the directory in it
    draft: list[int] = field(default_factory=list)  # length and digest of the agent's own draft
    sent: list[list[int]] = field(default_factory=list)  # length and digest of each line
    end: Place | None = None  # where output begins; None: not on the ordinary screen
    first: Input | None = None  # the first input that no answer covers, if it is another one
    ahead: bool = False  # the kernel echoed it, not the program in front
    unseen: bool = False  # Enter was pressed without having seen the text drawn: `end` is its start
    stays: bool = False  # Enter in an empty row leaves the cursor there
    stamp: list[object] = field(default_factory=list)  # of the last key when Enter was pressed

    def was_read(self, kernel: Probe, moved: bool, now: float) -> bool:
        """Whether the input has been read. Until then the screen is stale."""
        if kernel.unread:
            return False
        if kernel.blind:
            return moved
        if kernel.subject != self.subject:
            return True
        if kernel.canonical and not self.enter:
            return True  # the kernel itself keeps and edits an unfinished line
        if self.size and self.bytes_read is not None and kernel.bytes_read is not None:
            read = kernel.bytes_read - self.bytes_read >= self.size
        else:
            read = kernel.cpu_ns > self.cpu_ns
        return read or now - self.at > GRACE

    def is_last(self, kernel: Probe) -> bool:
        """Whether the program has read this input and nothing else since."""
        known = self.bytes_read is not None and bool(self.size) and kernel.subject == self.subject
        return known and kernel.bytes_read == (self.bytes_read or 0) + self.size


@dataclass(slots=True, kw_only=True)
class Mark:
    """Where showing ended, and what the last answer left open."""

    number: int = 0  # counts the marks of this pane
    place: Place | None = None  # None: nothing has been shown on the ordinary screen yet
    covers: int = 0  # number of the last input whose output an answer has shown
    reader: list[int | None] = field(default_factory=list)  # the pane's pid, the foreground group
    open: str = ""  # the last answer's Word, if it left a turn open
    question: list[int] = field(default_factory=list)  # length and digest of the question
    asked: list[int] = field(default_factory=list)  # row, x, digest, width where its line ends
    proposed: list[int] = field(default_factory=list)  # what the program put after its question
    screen: int = 0  # digest of the full screen that was shown last; 0: none
    # the cursor's cell on it, and the digest of the text left of it; empty: it was being drawn
    screen_cell: list[int] = field(default_factory=list)
    prompt: bool = False  # an empty prompt was shown at the place
    ahead: bool = False  # a key came while a program ran, and a reader of whole lines may get it
    stamp: list[object] = field(default_factory=list)  # of the last key when the pane was shown
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
        """Whether an answer has covered the last input."""
        return self.input is None or self.mark.covers >= self.input.number

    @property
    def turn_is_open(self) -> bool:
        """Whether, by the last answer, something runs there or waits for the agent."""
        return not self.is_answered or bool(self.mark.open)


def load(view: View) -> Memory:
    """The memory in a pane's options. Input to an earlier process does not count."""
    typed = _parsed(Input, view.memory[INPUT].partition(" ")[2])
    mark = _parsed(Mark, view.memory[MARK].partition(" ")[2])
    book = Book(view.memory[PROMPTS])
    if typed is not None and typed.pid != view.pid:
        typed = None
    return Memory(input=typed, mark=mark or Mark(), book=book, first=mark is None)


def dumps(stored: Input | Mark) -> str:
    """The value of an option: JSON of numbers and words, so without a single quote. The number
    comes first, so that tmux itself can see whether another caller has typed or answered."""
    return f"{stored.number} {json.dumps(_fields(stored), default=_fields)}"


def _fields(stored: Input | Mark | Place) -> dict[str, object]:
    return {each.name: getattr(stored, each.name) for each in fields(stored)}


def stamp_of(view: View) -> list[object]:
    """The stamp as it is stored: its value, whether it is settled, how many people are attached."""
    return [view.stamp.value, view.stamp.settled, view.people]


def may_have_typed(then: list[object], view: View) -> bool:
    """Whether a key may have come from an attached terminal since `then`. False proves that none
    came: the stamp is the same, and it was settled, or nobody was attached in its second."""
    if len(then) != 3 or view.unseen_people or then[0] != view.stamp.value:
        return True
    return not then[1] and bool(then[2] or 0 < view.latest_person <= view.stamp.second)


def place_at(view: View, height: int = 1) -> Place:
    """The place at the cursor of `view`, where the last of `height` rows is drawn."""
    row = view.row
    texts = view.joined.physical
    first = max(row - min(height - 1, _DRAWN_ROWS), view.joined.first)
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
        above_screen=above_screen(texts, view.history_size),
    )


def below(texts: dict[int, str], row: int) -> int:
    """What identifies the rows below `row`: menus leave the cursor above their end."""
    return digest("\n".join(text for at, text in texts.items() if at > row and text))


def above_screen(texts: dict[int, str], history: int) -> int:
    """What identifies the rows above the screen, which has `history` of them: `clear` may empty the
    history, and output fill it again."""
    return digest("\n".join(texts.get(history - up, "") for up in range(1, _ABOVE_SCREEN + 1)))


def lines_sent(text: str) -> list[list[int]]:
    """What identifies the lines of `text` if Enter redraws them."""
    lines = (_kept(line.rstrip()) for line in text.split("\n")[-_SENT:])
    return [line for line in lines if line]


def draft_of(text: str) -> list[int]:
    """What identifies a draft of the agent's own, however it is wrapped."""
    return _kept(squeezed(text))


def goes_beyond(text: str, kept: list[int]) -> bool:
    """Whether `text` begins with the text that `kept` identifies, and is longer."""
    length, known = kept or (0, digest(""))
    return len(text) > length and digest(text[:length]) == known


def _kept(text: str) -> list[int]:
    """What identifies `text`: its length and digest; nothing if it is empty."""
    return [len(text), digest(text)] if text else []


def ends_with(row: str, sent: list[int]) -> bool:
    """Whether `row` ends with the line that `sent` identifies."""
    row = row.rstrip()
    return len(row) >= sent[0] and digest(row[len(row) - sent[0] :]) == sent[1]


def cursor_cell(view: View) -> list[int]:
    """The cursor's cell on a full screen, and what identifies the text left of it."""
    return [view.cursor_y, view.cursor_x, digest(view.left.rstrip())]


def left_of(text: str, x: int) -> int:
    """The digest of a row's text up to `x`, as a Place keeps it."""
    return digest(cells(text, x)[0].rstrip())


def _parsed(kind: type, text: str):
    """A dataclass from its JSON; None if that is invalid, or another release's."""
    try:
        return _made(kind, json.loads(text))
    except (ValueError, TypeError, AttributeError, KeyError):
        return None


_NESTED = {"place": Place, "matched": Place, "end": Place, "first": Input}


def _made(kind: type, values: dict):
    """The dataclass `kind` with `values`, and those nested in it. Fields that only another release
    has are dropped from an input or a mark."""
    if kind is not Place:
        names = {each.name for each in fields(kind)}
        values = {key: value for key, value in values.items() if key in names}
    for name in _NESTED.keys() & values.keys():
        values[name] = values[name] and _made(_NESTED[name], values[name])
    if kind is Input:
        values["typed"] = Typed(values["typed"])
    return kind(**values)
