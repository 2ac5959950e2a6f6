"""Whose turn is it: one scene (kernel, line editor, screen, what was sent) -> one verdict.

Two rules hold this file together. Everything that a decision may depend on is in `Scene`: this file
starts no process and reads no clock. And the whole decision is `TABLE`: the first row that matches
wins, and where no row matches the program is running.

How it decides. There are three kinds of evidence, and a weaker one never overrules a stronger one.
The kernel comes first: which process group is in front, whether its terminal collects lines
(canonical mode, `cooked`), echoes, has unread input, and who sleeps until there is input. In
canonical mode only a process that sleeps in a read of the terminal can need a line. In raw mode the
program draws everything itself: a shell's line editor, a REPL, a pager, a menu, a remote shell. The
line editor's memory comes second: where it can be read it tells the prompt, so nothing is guessed.
The screen comes last, and must have stood still: a proven wait counts at once, a known prompt at
once, a strong form (`[y/N]`) after STILL_BLIND, a weak form after SILENT. What a remote program
(ssh) does cannot be known: there only a known prompt is `ready`, a strong question a question, and
all else that stands still is `quiet`, unless the modes that line editors set in the terminal tell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..evidence.editor.line_editor import Reads
from ..evidence.screen.prompts import continuation, edited
from ..evidence.screen.question_line import Kind, is_key, is_pager, zsh_asks
from ..words import Evidence, Word
from .scene import ENDLESS, SILENT, STILL_BLIND, STILL_DRAWN, Scene

STILL_EDITED = 0.2  # seconds between a line editor's first mode and its prompt, on a bad network
STILL_BLANK = 0.4  # seconds before a line editor without any prompt is taken to wait for a line


@dataclass(frozen=True, slots=True)
class Verdict:
    """`detail`: the question, the program or the line; `evidence`: what shows a prompt."""

    word: Word
    detail: str = ""
    evidence: Evidence | None = None

    @property
    def ready(self) -> bool:
        return self.word is Word.READY

    @property
    def asks(self) -> bool:
        """A line is asked for, as an answer."""
        return self.word in (Word.NEEDS_INPUT, Word.NEEDS_PASSWORD)

    @property
    def at_prompt(self) -> bool:
        """A prompt is at the cursor that the evidence shows, not only the caller's pattern."""
        return self.ready and self.evidence is not Evidence.PATTERN


# How a verdict's detail is worded.


def _quote(s: Scene) -> str:
    nothing = f"{s.program} reads a line; nothing is asked on the screen"
    return s.left.strip() or s.asked.strip() or nothing


def _at_cursor(s: Scene) -> str:
    return s.left.strip()


def _program(s: Scene) -> str:
    return s.program


def _key_question(s: Scene) -> str:
    """The question that a key answers, else who waits for the key."""
    above = next((row for row in reversed(s.rows[: s.y]) if row.strip()), "")
    asked = [s.left] if s.plain and (s.reads_key or s.question) else []
    asked += [s.picture.text] if s.picture and s.picture.kind is Kind.KEY else []
    asked += [above] if is_key(above) and not s.alternate else []
    words = (text.strip() for text in asked if any(map(str.isalpha, text)))
    return next((text for text in words if not is_pager(text)), s.program)


def _picture(s: Scene) -> str:
    return s.picture.text if s.picture and s.picture.text else s.program


def _silent(s: Scene) -> str:
    name = s.kernel.remote or s.kernel.name or s.program
    return s.left.strip() if s.form or s.question else name


def _full(s: Scene) -> str:
    return f"{s.kernel.remote or s.program} (full screen)"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table. `word` None: the program is running."""

    word: Word | None
    when: Callable[[Scene], object]
    detail: Callable[[Scene], str] = lambda s: ""
    evidence: Evidence | None = None


def _where(guard: Callable[[Scene], object], *rows: Row) -> tuple[Row, ...]:
    """`rows`, each only where `guard` is true too."""

    def guarded(row: Row) -> Row:
        return replace(row, when=lambda s: guard(s) and row.when(s))

    return tuple(map(guarded, rows))


_PROVEN = (
    Row(Word.GONE, lambda s: s.dead, lambda s: s.dead),
    Row(Word.READY, lambda s: s.pattern is not None, evidence=Evidence.PATTERN),
)

# Canonical mode: only a process that sleeps on the terminal can need a line. node polls it and
# more, and a program of root's cannot be looked at: there the question's form counts.
_CANONICAL = _where(
    lambda s: s.cooked,
    Row(Word.NEEDS_PASSWORD, lambda s: s.reads and s.hides_line, _quote),
    Row(Word.NEEDS_PASSWORD, lambda s: s.unproven_password and s.stands(STILL_BLIND), _quote),
    Row(None, lambda s: s.shell_reads_command and not s.done),
    Row(Word.UNFINISHED, lambda s: s.shell_reads_command and s.continuation, _at_cursor),
    Row(Word.READY, lambda s: s.shell_reads_command, evidence=Evidence.SHELL),
    Row(Word.READY, lambda s: s.reads and s.repl, evidence=Evidence.PROMPT),
    Row(
        Word.UNFINISHED,
        lambda s: s.reads and not s.shell and s.expected and s.continuation,
        _at_cursor,
    ),
    Row(Word.UNFINISHED, lambda s: s.reads and s.silent_rest, _at_cursor),
    Row(Word.QUIET, lambda s: s.new_prompt and s.stands(STILL_BLIND), _at_cursor),
    Row(None, lambda s: s.new_prompt),
    Row(Word.NEEDS_INPUT, lambda s: s.reads, _quote),
    Row(
        Word.READY,
        lambda s: s.listens and s.known_prompt and s.taken and s.sure,
        evidence=Evidence.PROMPT,
    ),
    Row(
        Word.NEEDS_INPUT,
        lambda s: s.asks_line and s.may_wait and s.strong and s.stands(STILL_BLIND),
        _quote,
    ),
    Row(Word.NEEDS_INPUT, lambda s: s.asks_line and s.proven and s.stands(STILL_BLIND), _quote),
    Row(Word.QUIET, lambda s: s.question and s.may_wait and s.stands(SILENT), _at_cursor),
    Row(None, lambda s: not s.remote and not s.alternate),
)

# Raw mode, with a line editor whose memory can be read.
_LINE_EDITOR = _where(
    lambda s: s.editor and s.listens,  # at a prompt a trap may run, and the memory stays as it was
    Row(None, lambda s: s.holds_sent or not s.drawn),
    # The rest of a key, or an answer of one key; zsh says so for an instant at each prompt.
    Row(Word.NEEDS_KEY, lambda s: s.reads_at is Reads.KEY and s.stands(STILL_DRAWN), _key_question),
    Row(None, lambda s: s.reads_at is Reads.KEY),
    Row(Word.NEEDS_PASSWORD, lambda s: s.reads_at is Reads.QUESTION and s.asks_password, _quote),
    Row(Word.NEEDS_INPUT, lambda s: s.reads_at is Reads.QUESTION, _quote),
    Row(Word.UNFINISHED, lambda s: s.reads_at is Reads.CONTINUATION, _at_cursor),
    Row(Word.READY, lambda s: s.shell, evidence=Evidence.SHELL),
    Row(Word.UNFINISHED, lambda s: continuation(s.own_line, s.program, False), _at_cursor),
    Row(Word.NEEDS_PASSWORD, lambda s: s.own_question is Kind.PASSWORD, _quote),
    Row(Word.READY, lambda s: s.own_prompt, evidence=Evidence.PROMPT),
    Row(Word.NEEDS_INPUT, lambda s: s.own_question, _quote),
)


# Raw mode, with a shell in front: its line editor, or a builtin that reads one key.
_SHELL = (
    Row(Word.NEEDS_KEY, lambda s: s.reads_key, _key_question),
    *_where(
        lambda s: s.editing_shell,
        Row(None, lambda s: not s.done),
        Row(Word.NEEDS_PASSWORD, lambda s: s.builtin_asks and s.asks_password, _quote),
        Row(Word.NEEDS_INPUT, lambda s: s.builtin_asks and s.stands(STILL_BLIND), _quote),
        Row(None, lambda s: s.builtin_asks),
        Row(Word.UNFINISHED, lambda s: s.continuation, _at_cursor),
        Row(Word.UNFINISHED, lambda s: s.indented and s.stands(STILL_DRAWN), _at_cursor),
        Row(None, lambda s: s.indented),
        Row(Word.NEEDS_PASSWORD, lambda s: s.asks_password and not s.known_prompt, _quote),
        Row(Word.NEEDS_KEY, lambda s: s.asks_shell and zsh_asks(s.left), _key_question),
        Row(Word.NEEDS_INPUT, lambda s: s.asks_shell and not s.known_prompt, _quote),
        Row(Word.READY, lambda s: True, evidence=Evidence.SHELL),
    ),
    Row(None, lambda s: s.shell),
)


# A program that only the terminal shows (ssh), by the modes that its line editor sets there. Until
# Enter has been taken they are those of the old prompt. They hold too for a line editor inside a
# command (`read -e`): what has no prompt's form is a question.
_MODES = (
    *_where(
        lambda s: s.told_by_modes and s.edits and not s.key_asked,
        Row(None, lambda s: not s.taken and not (s.pressed and s.rests(STILL_BLIND))),
        Row(
            Word.READY,
            lambda s: (s.prompt_again or s.idle) and (s.rests(STILL_EDITED) or not s.awaited),
            evidence=Evidence.EDITOR,
        ),
        Row(None, lambda s: s.end and not s.rests(STILL_BLIND)),
        Row(Word.NEEDS_PASSWORD, lambda s: s.asks_password, _quote),
        Row(Word.UNFINISHED, lambda s: s.continuation and s.prompts, _at_cursor),
        Row(Word.READY, lambda s: s.form or edited(s.left, s.prompts), evidence=Evidence.EDITOR),
        Row(Word.NEEDS_INPUT, lambda s: s.end and (s.entered or s.asks_line), _quote),
        Row(Word.READY, lambda s: not s.end and s.rests(SILENT), evidence=Evidence.EDITOR),
    ),
    # The modes were set here and are not: what looks like a prompt was printed, or is one of a
    # program that sets none.
    *_where(
        lambda s: s.told_by_modes and s.edited and not (s.edits or s.other_prompt),
        Row(Word.QUIET, lambda s: (s.prompt_again or s.form) and s.stands(SILENT), _at_cursor),
        Row(None, lambda s: s.prompt_again or s.form),
    ),
)


def _edits(s: Scene) -> bool:
    """A line is typed at a known prompt, and nothing was sent that ends it. What a person ends
    at a remote one shows late."""
    at_prompt = s.plain and not s.entered and edited(s.left, s.prompts)
    return at_prompt and s.listens and (s.stands(SILENT) if s.remote else s.sure)


# Raw mode, another program: a REPL, a pager, a menu, a remote shell. Where a prompt is expected and
# nothing proves the wait, only a known one counts: `5$ ` may be output.
_PROGRAM = (
    Row(Word.NEEDS_PASSWORD, lambda s: s.asks_password and s.sure and s.taken, _quote),
    Row(
        Word.UNFINISHED,
        lambda s: s.continuation and s.taken and (s.reads or s.stands(SILENT)),
        _at_cursor,
    ),
    Row(
        Word.READY,
        lambda s: s.prompt_again and (s.reads or s.taken and not s.printed),
        evidence=Evidence.PROMPT,
    ),
    # ipython draws its empty prompt anew on the same row
    Row(
        Word.READY,
        lambda s: s.known_prompt and s.listens and s.pressed and s.stands(STILL_BLIND),
        evidence=Evidence.PROMPT,
    ),
    Row(Word.READY, _edits, evidence=Evidence.PROMPT),
    Row(
        Word.READY,
        lambda s: (
            s.form
            and s.sure
            and (s.reads or not s.expected)
            and not s.pictured
            and not (s.remote and s.continuation and s.prompts)
        ),
        evidence=Evidence.PROMPT,
    ),
    Row(Word.NEEDS_PASSWORD, lambda s: s.shows(Kind.PASSWORD), _picture),
    Row(Word.NEEDS_INPUT, lambda s: s.shows(Kind.INPUT), _picture),
    *_where(
        lambda s: s.behind_text and s.taken and not s.works,
        Row(Word.NEEDS_INPUT, lambda s: s.key_asked and s.sure, _quote),
        Row(
            Word.NEEDS_INPUT,
            lambda s: not (s.expected or s.pictured) and s.stands(SILENT),
            _quote,
        ),
    ),
    Row(Word.NEEDS_KEY, lambda s: s.wants_decision and s.stands(STILL_DRAWN), _key_question),
    Row(Word.NEEDS_KEY, lambda s: s.shows(Kind.KEY), _key_question),
    Row(Word.NEEDS_KEY, lambda s: s.key_asked and s.taken and s.sure, _key_question),
    *_where(
        lambda s: s.asks_line and s.taken and not s.pictured,
        Row(Word.NEEDS_INPUT, lambda s: s.strong and s.sure, _quote),
        Row(Word.NEEDS_INPUT, lambda s: s.reads or s.stands(SILENT) and not s.remote, _quote),
    ),
    # A read that lasts: a terminal's own reply (where is the cursor?) is read for an instant too.
    *_where(
        lambda s: s.reads and not s.works and s.stands(STILL_DRAWN),
        Row(Word.NEEDS_KEY, lambda s: s.alternate, _program),
        Row(Word.NEEDS_KEY, lambda s: s.reads_keys, _key_question),
        Row(Word.NEEDS_INPUT, lambda s: s.plain and s.stands(STILL_BLANK), _quote),
    ),
    # A local program that listens on a raw terminal and stands still waits for somebody.
    *_where(
        lambda s: s.listens and not s.remote and not s.works,
        Row(Word.NEEDS_INPUT, lambda s: s.edits and s.end and s.taken and s.sure, _quote),
        Row(Word.NEEDS_KEY, lambda s: s.alternate and s.stands(STILL_BLIND), _program),
        Row(Word.NEEDS_KEY, lambda s: not s.expected and s.stands(s.patience), _key_question),
    ),
)

_UNKNOWN = (
    Row(
        Word.QUIET,
        lambda s: s.taken and (s.form or s.question) and s.stands(SILENT),
        _at_cursor,
    ),
    *_where(
        lambda s: s.remote,
        Row(Word.QUIET, lambda s: s.alternate and s.stands(SILENT) and not s.works, _full),
        Row(Word.QUIET, lambda s: not s.expected and s.stands(s.patience), _silent),
    ),
    Row(Word.QUIET, lambda s: s.alternate and s.full >= ENDLESS and not s.works, _full),
)

TABLE: tuple[Row, ...] = (
    *_PROVEN,
    *_CANONICAL,
    *_LINE_EDITOR,
    *_SHELL,
    *_MODES,
    *_PROGRAM,
    *_UNKNOWN,
)


def decide(scene: Scene) -> Verdict | None:
    """The verdict, or None while nothing shows that anybody waits."""
    for row in TABLE:
        if row.when(scene):
            if row.word is None:
                return None
            return Verdict(row.word, row.detail(scene), row.evidence)
    return None
