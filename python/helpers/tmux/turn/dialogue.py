"""Whether text may be typed, given what the last answer left open and what is there now.

One table, pure: the first row that matches refuses; if none does, the text may be typed. A refusal
says what is there and what to do; nothing has been typed. A key that is still on its way cannot be
seen here; it is caught when typing, which is conditional on what this decision saw.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from ..words import ASKED, Word

_CLEAR = (
    "it is not yours: ask the person to finish or clear it, or work in a window of your own (action"
    " open)"
)


class Act(StrEnum):
    """What the call does to the pane."""

    RUN = "run"  # a command at a prompt
    SEND = "send"  # a line, to whatever program reads
    KEYS = "keys"  # keys, whatever their effect
    INTERRUPT = "interrupt"  # C-c


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything that the table may depend on."""

    act: Act
    program: str = ""
    word: Word | None = None  # whose turn it is now; None: the program runs, or nothing shows it
    running: bool = False  # the program in front does not wait for input
    persons: str = ""  # a half-typed line that is not the agent's
    at_question: bool = False  # that line follows a question
    own: str = ""  # a half-typed line of the agent's own
    ahead: bool = False  # a key came while a program ran, and a reader of whole lines may get it
    beside: str = ""  # what is left of the cursor while a program runs, and may have been typed
    open: str = ""  # the last answer's Word, if it left a turn open and nothing was typed since
    another: bool = False  # another program waits than when the last answer was given
    asks_otherwise: bool = False  # something other than the reported question is asked
    screen_opened: bool = False  # a full screen that no answer has shown and the agent did not open
    screen_typed: str = ""  # what may have been typed on a full screen since it was shown
    undrawn: bool = False  # a key may have come that the program in front has not drawn yet
    vi_command: bool = False  # letters are commands of the line editor
    one_key: bool = False  # the line editor waits for one key, and more is to be typed

    @property
    def where(self) -> str:
        return "the question" if self.at_question else "the prompt"

    @property
    def asked(self) -> str:
        return "password prompt" if self.open == Word.NEEDS_PASSWORD else "question"


@dataclass(frozen=True, slots=True)
class Refusal:
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Row:
    """`message`, `hint`: the refusal's texts; `message` may use fields of the situation `s`."""

    acts: frozenset[Act]
    when: Callable[[Situation], object]
    message: str
    hint: str


_ALL = frozenset(Act) - {Act.KEYS}
_TYPES = frozenset({Act.RUN, Act.SEND})
_INTO = frozenset({Act.SEND, Act.INTERRUPT})

_SEE = "see what came of it with wait_ready"


def _answered(s: Situation) -> bool:
    """Whether the question of the last answer is no longer asked. Keys answer only a question for a
    key, and may be meant for a program that runs."""
    gone = s.word is Word.READY or s.asks_otherwise
    if s.act is Act.KEYS:
        return s.open == Word.NEEDS_KEY and gone
    shown = s.open == Word.NEEDS_PASSWORD and s.word not in (None, Word.NEEDS_PASSWORD)
    return s.open in ASKED and (gone or s.running or shown)


TABLE: tuple[Row, ...] = (
    Row(
        frozenset({Act.SEND, Act.KEYS}),
        _answered,
        "the {s.asked} is no longer there: someone has answered it",
        _SEE,
    ),
    Row(
        _ALL,
        lambda s: s.screen_opened,
        "{s.program} fills the screen: someone has opened it since the last answer",
        "see it with read first",
    ),
    Row(
        _INTO,
        lambda s: s.screen_typed,
        "someone types in {s.program}: {s.screen_typed!r}",
        "ask the person to finish or clear it, or see it with read first",
    ),
    Row(_ALL, lambda s: s.persons, "a half-typed line is at {s.where}: {s.persons!r}", _CLEAR),
    Row(
        _TYPES | {Act.KEYS},
        lambda s: s.another,
        "the program of the last answer no longer waits here: {s.program} does",
        _SEE,
    ),
    Row(
        _ALL,
        lambda s: s.beside and not s.own,
        "someone has typed while {s.program} runs, and perhaps this line: {s.beside!r}",
        "ask the person to end or clear it; keys C-u empties it",
    ),
    Row(
        _ALL,
        lambda s: s.ahead and not s.own,
        "someone typed before {s.program} asked for a line: what they typed may be waiting, and"
        " cannot be seen",
        "ask the person to end or clear it, or empty it yourself with keys C-u",
    ),
    Row(
        _TYPES,
        lambda s: s.undrawn,
        "someone may have typed what {s.program} has not shown yet: it is busy",
        "see what comes of it with wait_ready, then try again",
    ),
    Row(
        _TYPES,
        lambda s: s.vi_command,
        "the line editor of {s.program} is in vi's command mode: letters are commands",
        "press keys i first, or ask the person",
    ),
    Row(
        _TYPES,
        lambda s: s.one_key,
        "the line editor of {s.program} waits for one key: the rest of one, or an answer",
        "press it with keys, or keys C-g to leave that",
    ),
    Row(
        frozenset({Act.RUN}),
        lambda s: s.own,
        "a half-typed line, your own, is at the prompt: {s.own!r}",
        "clear it with keys C-c, or end it with keys Enter",
    ),
)


def refusal(situation: Situation) -> Refusal | None:
    """Why the text must not be typed; None if it may be."""
    for row in TABLE:
        if situation.act in row.acts and row.when(situation):
            return Refusal(row.message.format(s=situation), row.hint)
    return None
