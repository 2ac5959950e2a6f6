"""Everything that is remembered on a pane between two calls, whoever makes them.

It lies in pane user options, which live as long as the pane and are seen by every process: the
last sending (SENT, and PLACE, which tmux fills in itself at the moment of typing), up to where the
agent has been shown the pane (SHOWN), and the prompts known there (PROMPTS). Names, types, sizes,
load and save are here and nowhere else. Pure but for the time.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, fields, replace

from ..evidence.kernel.probe import Probe
from ..evidence.screen.prompt_book import Book

SENT, PLACE, SHOWN, PROMPTS = (
    "@tmux_tool_sent",
    "@tmux_tool_place",
    "@tmux_tool_shown",
    "@tmux_tool_prompts",
)
OPTIONS = (SENT, PLACE, SHOWN, PROMPTS)
PLACE_FORMAT = "#{history_size}:#{cursor_y}"

_MOST = 3000  # bytes of JSON for the text that was sent: tmux takes 16 KB in one message
_MOST_OTHER = 1500  # for each other text
MOST_LINE = 100  # characters of a line by which a place is found again
_AHEAD = 4  # texts typed ahead of an answer that are remembered
GRACE = 1.0  # seconds after which input counts as read that nobody left unread (getpass flushes it)


@dataclass(slots=True, kw_only=True)
class Sent:
    """The last sending: what was sent, into what, and who was there to read it."""

    pid: int  # the pane's own process then: another one means it was respawned
    at: float  # time.time(), seconds
    foreground: int | None  # process group
    subject: int  # the process that waited, else the leader
    awake: int  # its CPU nanoseconds
    taken: int | None  # bytes it had ever read
    size: int  # bytes sent; 0 for keys
    left: str  # text left of the cursor
    prompt: str | None  # the prompt that was there; None where none was
    expected: bool  # a prompt was there, or a command that began at one goes on: one will come
    text: str | None  # None where it may be a secret, or was keys
    cells: int = 0  # characters of the whole text without white space, also where it is cut or None
    tail: str = ""  # the end of `text`, which may be cut
    enter: bool = True
    typed: str = ""  # the agent's own half-typed line, once this is sent
    unended: int = 0  # bytes of the line that has not been ended yet
    alternate: bool = False  # a full screen was shown
    printed: int | None = None  # bytes the server had ever read
    digest: int = 0  # of the screen then
    ahead: list[str] = field(default_factory=list)  # texts sent before it that no answer covers
    row: int = 0  # the cursor's, from the oldest row of the history
    history: int = 0  # rows above the screen then

    def was_taken(self, kernel: Probe, moved: bool) -> bool:
        """Has what was sent been read? Before it, nothing on the screen counts: it is stale."""
        if kernel.unread:
            return False
        if kernel.blind:
            return moved
        if kernel.subject != self.subject:
            return True
        if kernel.canonical and not self.enter:
            return True  # the kernel keeps an unended line, and edits it itself
        if self.size and self.taken is not None and kernel.taken is not None:
            read = kernel.taken - self.taken >= self.size
        else:
            read = kernel.awake > self.awake
        return read or time.time() - self.at > GRACE

    def is_last(self, kernel: Probe) -> bool:
        """Has the program read what was sent and nothing else: has nobody typed since?"""
        known = self.taken is not None and bool(self.size) and kernel.subject == self.subject
        return known and kernel.taken == (self.taken or 0) + self.size

    @property
    def cut(self) -> bool:
        """Is `text` only the beginning of what was sent?"""
        return self.text is not None and len("".join(self.text.split())) < self.cells


@dataclass(slots=True, kw_only=True)
class Shown:
    """Up to where the agent has been shown a pane: a place on the ordinary screen, found again by
    its text where rows have moved, and the full screen that was shown last."""

    row: int = 0  # the cursor's, from the oldest row of the history
    history: int = 0
    width: int = 0
    line: str = ""  # the text of that row
    left: str = ""  # the text left of the cursor in it, without what was typed behind a question
    above: list[tuple[int, str]] = field(default_factory=list)  # lines above: rows up, text
    printed: int | None = None  # bytes the server had ever read
    known: bool = False  # False: nothing was shown on the ordinary screen yet
    screen: str = ""  # digest of the full screen
    screen_left: str = ""  # the text left of the cursor on it
    screen_row: int = -1  # and the cursor's row; -1: the program was still drawing it
    screen_covers: float = 0.0  # `at` of the last sending before it
    asked: str = ""  # the Word of the last answer where that left a turn open
    covers: float = 0.0  # `at` of the last sending whose output an answer has shown
    wrote: int | None = None  # bytes the programs on the terminal had ever written, and
    read: int | None = None  # had read
    ahead: int = 0  # characters that somebody had typed then and nobody had read


@dataclass(slots=True, kw_only=True)
class Memory:
    """What one pane's options hold."""

    sent: Sent | None = None
    shown: Shown | None = None
    book: Book = field(default_factory=Book)

    @property
    def is_answered(self) -> bool:
        """Has an answer covered what was sent last?"""
        sent, shown = self.sent, self.shown
        return sent is None or (shown is not None and shown.covers >= sent.at)

    @property
    def turn_is_open(self) -> bool:
        """Does something run or wait there for the agent, as the last answer said?"""
        return not self.is_answered or bool(self.shown and self.shown.asked)


def load(values: dict[str, str], pid: int) -> Memory:
    """The memory in a pane's options. `pid`: its own process; what was sent to an earlier one does
    not count."""
    sent = _parsed(Sent, values.get(SENT, ""))
    if sent is not None:
        history, _, y = values.get(PLACE, "").partition(":")
        if sent.pid != pid or not (history.isdigit() and y.isdigit()):
            sent = None
        else:
            sent = replace(sent, history=int(history), row=int(history) + int(y))
    shown = _parsed(Shown, values.get(SHOWN, ""))
    if shown is not None:
        shown.above = [(up, text) for up, text in shown.above]
    return Memory(sent=sent, shown=shown, book=Book(values.get(PROMPTS, "")))


def sent_value(sent: Sent) -> str:
    """The value of SENT. Long texts are cut; `cells` tells that they were."""
    kept = {
        key: _cut(value, _MOST_OTHER) if isinstance(value, str) else value
        for key, value in _values(sent).items()
    }
    kept["text"] = None if sent.text is None else _cut(sent.text, _MOST)
    kept["ahead"] = [_cut(text, _MOST_OTHER) for text in sent.ahead[-_AHEAD:]]
    return _dumps(kept)


def shown_value(shown: Shown) -> str:
    """The value of SHOWN."""
    above = [(up, text[:MOST_LINE]) for up, text in shown.above]
    texts = {name: _cut(getattr(shown, name), _MOST_OTHER) for name in ("line", "left")}
    return _dumps(_values(shown) | texts | {"above": above})


def _values(one: Sent | Shown) -> dict[str, object]:
    return {field.name: getattr(one, field.name) for field in fields(one)}


def _cut(text: str, most: int) -> str:
    while len(_dumps(text).encode("utf-8", "replace")) > most:
        text = text[: len(text) // 2]
    return text


def _dumps(value: object) -> str:
    """JSON in as few bytes as it takes: a letter that is not ASCII is not spelt out."""
    return json.dumps(value, ensure_ascii=False)


def _parsed(kind: type, text: str):
    """A dataclass from its JSON; None where that is not one, or another release's."""
    try:
        values = json.loads(text)
        names = {one.name for one in fields(kind)}
        return kind(**{key: value for key, value in values.items() if key in names})
    except (ValueError, TypeError, AttributeError):
        return None
