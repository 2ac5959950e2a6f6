"""The third ladder: what a program in raw mode shows (a REPL, a pager, a menu, a remote shell). A
proven wait counts at once, a strong form after STILL_BLIND, a weak one or none after SILENT. Pure.
"""

from __future__ import annotations

from collections.abc import Callable

from ..evidence.kernel.probe import How
from ..evidence.screen import title
from ..evidence.screen.prompts import edited
from ..evidence.screen.question_line import Kind, offers_keys
from ..words import Evidence, Word
from .row import (
    SURE,
    Row,
    at_cursor,
    full_screen,
    key_question,
    picture,
    quote,
    remote_program,
    unless_read,
    where,
)
from .scene import ESCAPED, SILENT, STILL_BLIND, STILL_DRAWN, Scene

ENDLESS = 10.0  # seconds for a full screen that is never still, or a silent remote program
STILL_BLANK = 0.4  # seconds before a line editor without a prompt is assumed to wait for a line


def _reads_keys(s: Scene) -> bool:
    """Whether the wait is for a key: a read of a raw terminal, or a wait with a hidden cursor."""
    return s.how is How.READ or not s.cursor_visible


def _behind_text(s: Scene) -> bool:
    """Whether a program that polls asks for a line: the cursor waits one space after a text. A
    program that wants a key reads, or leaves no room for an answer."""
    polls = s.how is not How.READ
    return polls and s.plain and bool(s.end) and s.left.endswith(" ")


def _wants_decision(s: Scene) -> bool:
    """Whether an AI command line says in its title that it asks for a decision."""
    return not s.plain and title.asks(s.title)


def _answered(s: Scene) -> float:
    """Until the input has had an effect, the question may be the one that it answers."""
    return SILENT if s.awaited and s.still >= s.since_sent else STILL_DRAWN


def _pictured(s: Scene) -> bool:
    """Whether the screen asks in the style of a prompt library, whose line may look like a
    prompt."""
    return not s.remote and s.picture is not None and s.picture.strong


def _at_start(s: Scene) -> bool:
    """Whether it is the first prompt of a remote program, which may look like a continuation
    prompt."""
    return s.remote and s.form and not (s.prompts or s.expected)


def _goes_on(s: Scene) -> float:
    """After an answer that said `unfinished`, the command's next row is drawn in the same way."""
    return unless_read(STILL_DRAWN if s.rest else SILENT)(s)


def _line_is_typed(s: Scene) -> bool:
    """Whether a line is typed at a known prompt, and no Enter was sent to end it."""
    return s.plain and not s.entered and edited(s.left, s.prompts) and s.listens


def _ended_there(s: Scene) -> float:
    """The effect of a line that a person enters at a remote prompt is shown late."""
    return SILENT if s.remote else SURE(s)


def _endless(s: Scene) -> bool:
    """Whether a full screen is never still for as long as the rows below require."""
    return s.full >= ENDLESS and s.still < STILL_BLIND and not s.works


def _patience(s: Scene) -> float:
    """Long if nothing shows that the program takes keys: it may wait for something else."""
    takes_keys = s.end or not s.cursor_visible or offers_keys(s.rows)
    return SILENT if takes_keys else ENDLESS


def _may_ask(s: Scene) -> bool:
    """Whether a program in raw mode listens and is idle. A remote one must say in its title that it
    waits."""
    return s.listens and not s.works and (not s.remote or title.waits(s.title))


def _shows(kind: Kind, strong: bool) -> Callable[[Scene], bool]:
    """The screen asks for this, in the style of a prompt library."""
    shown = (kind, strong)
    return lambda s: (seen := s.picture) is not None and (seen.kind, seen.strong) == shown


def _drawn(s: Scene) -> float:
    """A full screen is drawn in several writes."""
    still = STILL_DRAWN if s.alternate else 0.0
    return SILENT if s.remote else max(still, 0.0 if s.reads else STILL_BLIND)


# If a prompt is expected and nothing proves the wait, only a known prompt counts: `5$ ` may be
# output.
_PROMPTS = (
    Row(None, lambda s: s.escape and s.still >= s.since_sent and s.since_sent < ESCAPED),
    Row(Word.NEEDS_PASSWORD, lambda s: s.asks_password and s.taken, quote, after=SURE),
    Row(
        Word.UNFINISHED,
        lambda s: s.continuation and s.taken and not _at_start(s),
        at_cursor,
        after=_goes_on,
    ),
    Row(Word.UNFINISHED, lambda s: s.indented, remote_program, after=_goes_on),
    Row(
        Word.READY,
        lambda s: s.prompt_again and (s.reads or s.taken and not s.printed),
        evidence=Evidence.PROMPT,
    ),
    # ipython redraws its empty prompt on the same row
    Row(
        Word.READY,
        lambda s: s.known_prompt and s.pressed,
        evidence=Evidence.PROMPT,
        after=STILL_BLIND,
    ),
    Row(Word.READY, _line_is_typed, evidence=Evidence.PROMPT, after=_ended_there),
    Row(
        Word.READY,
        lambda s: s.form and (s.reads or not s.expected) and not _pictured(s),
        evidence=Evidence.PROMPT,
        after=SURE,
    ),
)

_QUESTIONS = (
    Row(Word.NEEDS_KEY, _wants_decision, key_question, after=_answered),
    *where(
        lambda s: s.asks_line and s.taken and not _pictured(s),
        Row(Word.NEEDS_INPUT, lambda s: s.strong, quote, after=SURE),
        Row(Word.NEEDS_INPUT, lambda s: s.reads or not s.remote, quote, after=unless_read(SILENT)),
    ),
    *where(
        _may_ask,
        Row(Word.NEEDS_PASSWORD, _shows(Kind.PASSWORD, True), picture, after=_drawn),
        Row(Word.NEEDS_INPUT, _shows(Kind.INPUT, True), picture, after=_drawn),
        Row(Word.NEEDS_INPUT, lambda s: _behind_text(s) and s.key_asked, quote, after=SURE),
        Row(Word.NEEDS_KEY, _shows(Kind.KEY, True), key_question, after=_drawn),
    ),
    Row(Word.NEEDS_KEY, lambda s: s.key_asked and s.taken, key_question, after=SURE),
)

_WAITS = (
    Row(Word.QUIET, _endless, full_screen),
    # The read must last: a program also reads the terminal's own cursor report, briefly.
    *where(
        lambda s: s.reads and not s.works,
        Row(Word.NEEDS_KEY, lambda s: s.alternate, key_question, after=STILL_DRAWN),
        Row(Word.NEEDS_KEY, _reads_keys, key_question, after=STILL_DRAWN),
        Row(Word.NEEDS_INPUT, lambda s: s.plain, quote, after=STILL_BLANK),
    ),
    # A local program that listens on a raw terminal and does not move waits for input.
    *where(
        lambda s: s.listens and not s.remote and not s.works,
        Row(Word.NEEDS_INPUT, lambda s: s.edits and s.end and s.taken, quote, after=SURE),
        Row(Word.NEEDS_INPUT, _shows(Kind.INPUT, False), picture, after=SILENT),
        Row(
            Word.NEEDS_INPUT,
            lambda s: _behind_text(s) and not (s.expected or _pictured(s)),
            quote,
            after=SILENT,
        ),
        Row(Word.NEEDS_KEY, lambda s: s.alternate, key_question, after=STILL_BLIND),
        Row(Word.NEEDS_KEY, lambda s: not s.expected, key_question, after=_patience),
    ),
)

_UNKNOWN = (
    Row(Word.QUIET, lambda s: s.taken and (s.form or s.question), at_cursor, after=SILENT),
    *where(
        lambda s: s.remote,
        Row(Word.QUIET, lambda s: s.alternate and not s.works, full_screen, after=SILENT),
        Row(Word.QUIET, lambda s: not s.expected, remote_program, after=_patience),
    ),
)

SCREEN = (*_PROMPTS, *_QUESTIONS, *_WAITS, *_UNKNOWN)
