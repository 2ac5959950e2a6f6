"""Whose turn is it: one scene (kernel, line editor, screen, what was sent) -> one verdict.

Two rules hold this file together. Everything that a decision may depend on is in `Scene`: this file
starts no process and reads no clock. And the whole decision is `TABLE`: the first row that matches
wins, and where no row matches the program is running.

How it decides. There are three kinds of evidence, and a weaker one never overrules a stronger one.
The kernel comes first: which process group is in front, whether its terminal collects lines
(canonical mode, `cooked`), echoes, has unread input, and who sleeps until there is input. A canonical
terminal is simple: only a process that sleeps in a read of it can want a line. A raw terminal is in
the hands of its program: a shell's line editor, a REPL, a pager, a menu, a remote shell. The line
editor's memory comes second: where it can be read it tells the prompt, so nothing is guessed. The
screen comes last, and it counts only as long as it must have stood still: a proven wait counts at
once, a known prompt at once, a strong form (`[y/N]`) after STILL_BLIND, a weak form after SILENT.
What a remote program (ssh) does cannot be known: there only a known prompt is `ready`, and all else
that stands still is `quiet`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import prompt as prompts_of
from .line_editor import Reads
from .probe import How
from .question import Kind, is_key, is_pager
from .scene import STILL_BLIND, Scene
from .words import Evidence, Word

STILL_DRAWN = 0.2  # seconds a full screen must stand still: a program draws in several writes
STILL_BLANK = 0.4  # seconds before a line editor without any prompt is taken to wait for a line
SILENT = 2.0  # seconds for a weak form, or none
ENDLESS = 10.0  # seconds of a full screen that never stands still, of a silent remote program


@dataclass(frozen=True, slots=True)
class Verdict:
    """`detail`: the question, the program or the line; `evidence`: what shows a prompt."""

    word: Word
    detail: str = ""
    evidence: Evidence | None = None


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
    if s.end and not s.alternate and not is_pager(s.end):
        return s.left.strip()
    if s.picture is not None and s.picture.kind is Kind.KEY and not is_pager(s.picture.text):
        return s.picture.text
    above = next((row for row in reversed(s.rows[: s.y]) if row.strip()), "")
    key_above = is_key(above) and not is_pager(above) and not s.alternate
    return above.strip() if key_above else s.program


def _picture(s: Scene) -> str:
    return s.picture.text if s.picture and s.picture.text else s.program


def _silent(s: Scene) -> str:
    name = s.kernel.remote or s.kernel.name or s.program
    return s.left.strip() if s.form or s.question else name


def _full(s: Scene) -> str:
    return f"{s.kernel.remote or s.program} (full screen)"


def _picture_is(kind: Kind) -> Callable[[Scene], object]:
    """A raw program that listens and stands still, with a picture of that kind. Where a prompt is
    expected only a strong form counts: a REPL may be busy with output."""

    def when(s: Scene) -> bool:
        if not s.listens or s.remote or not s.sure or s.picture is None:
            return False
        return s.picture.kind is kind and (s.picture.strong or s.still >= SILENT)

    return when


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table. `word` None: the program is running."""

    word: Word | None
    when: Callable[[Scene], object]
    detail: Callable[[Scene], str] = lambda s: ""
    evidence: Evidence | None = None


def _editor_reads(reads: Reads) -> Callable[[Scene], object]:
    return lambda s: s.reads_at is reads


_AT_COMMAND = (Reads.COMMAND, Reads.SEARCH, Reads.VI_COMMAND)

TABLE: tuple[Row, ...] = (
    Row(Word.GONE, lambda s: s.dead, lambda s: s.dead),
    Row(Word.MATCHED, lambda s: s.until is not None, lambda s: (s.until or "").strip()),
    Row(Word.READY, lambda s: s.pattern is not None, evidence=Evidence.PATTERN),
    # Canonical: only a process that sleeps on the terminal can want a line.
    Row(Word.NEEDS_PASSWORD, lambda s: s.cooked and s.reads and not s.kernel.echo, _quote),
    Row(
        Word.NEEDS_PASSWORD,
        lambda s: (
            s.cooked
            and not s.kernel.echo
            and (s.kernel.hidden or s.listens and s.asks_password)
            and s.still >= STILL_BLIND
        ),
        _quote,
    ),
    Row(
        Word.UNFINISHED,
        lambda s: s.cooked and s.shell_reads_command and s.continuation,
        _at_cursor,
    ),
    Row(Word.READY, lambda s: s.cooked and s.shell_reads_command, evidence=Evidence.SHELL),
    Row(
        Word.READY,
        lambda s: s.cooked and s.reads and not s.shell and prompts_of.is_repl(s.end),
        evidence=Evidence.PROMPT,
    ),
    Row(
        Word.UNFINISHED,
        lambda s: s.cooked and s.reads and not s.shell and s.continuation and s.expected,
        _at_cursor,
    ),
    Row(Word.NEEDS_INPUT, lambda s: s.cooked and s.reads, _quote),
    # node polls the terminal and more; a program of root's cannot be looked at.
    Row(
        Word.NEEDS_INPUT,
        lambda s: (
            s.cooked
            and (s.kernel.hidden or s.listens)
            and s.asks_line
            and s.strong
            and s.still >= STILL_BLIND
        ),
        _quote,
    ),
    Row(
        Word.NEEDS_INPUT,
        lambda s: (
            s.cooked
            and s.kernel.waiter is not None
            and s.kernel.waiter.proven
            and s.asks_line
            and s.still >= STILL_BLIND
        ),
        _quote,
    ),
    Row(
        Word.QUIET,
        lambda s: (
            s.cooked
            and (s.kernel.hidden or s.listens)
            and s.question is not None
            and s.still >= SILENT
        ),
        _at_cursor,
    ),
    Row(None, lambda s: s.cooked and not s.remote and not s.alternate),
    # Raw, with a line editor whose memory can be read.
    Row(Word.NEEDS_KEY, _editor_reads(Reads.KEY), _key_question),
    Row(
        Word.NEEDS_PASSWORD,
        lambda s: s.reads_at is Reads.QUESTION and s.asks_password,
        _quote,
    ),
    Row(Word.NEEDS_INPUT, _editor_reads(Reads.QUESTION), _quote),
    Row(Word.UNFINISHED, _editor_reads(Reads.CONTINUATION), _at_cursor),
    Row(
        Word.READY,
        lambda s: s.reads_at in _AT_COMMAND and s.shell,
        evidence=Evidence.SHELL,
    ),
    Row(
        Word.UNFINISHED,
        lambda s: (
            s.reads_at in _AT_COMMAND
            and s.editor
            and not s.shell
            and prompts_of.continuation(s.editor.prompt, s.program, False)
        ),
        _at_cursor,
    ),
    Row(
        Word.NEEDS_PASSWORD,
        lambda s: s.own_question and s.own_question.kind is Kind.PASSWORD,
        _quote,
    ),
    Row(Word.READY, lambda s: s.editor and s.own_prompt, evidence=Evidence.PROMPT),
    Row(Word.NEEDS_INPUT, lambda s: s.own_question, _quote),
    # Raw, with a shell in front: its line editor, or a builtin that reads one key.
    Row(Word.NEEDS_KEY, lambda s: s.reads_key, _key_question),
    Row(None, lambda s: s.editing_shell and s.echoed),
    Row(Word.UNFINISHED, lambda s: s.editing_shell and s.continuation, _at_cursor),
    Row(
        Word.UNFINISHED,
        lambda s: (
            s.editing_shell
            and s.program == "fish"
            and s.typed
            and s.left
            and not s.end
            and s.still >= STILL_DRAWN
        ),
        lambda s: s.typed,
    ),
    Row(
        Word.NEEDS_PASSWORD,
        lambda s: s.editing_shell and s.asks_password and not s.known_prompt,
        _quote,
    ),
    Row(
        Word.NEEDS_INPUT,
        lambda s: (
            s.editing_shell and s.asks_line and not s.known_prompt and (s.strong or not s.form)
        ),
        _quote,
    ),
    Row(Word.READY, lambda s: s.editing_shell, evidence=Evidence.SHELL),
    Row(None, lambda s: s.shell),
    # Raw, another program: a REPL, a pager, a menu, a remote shell.
    Row(Word.NEEDS_PASSWORD, lambda s: s.asks_password and s.sure and s.moved, _quote),
    Row(
        Word.UNFINISHED,
        lambda s: s.continuation and s.moved and (s.reads or s.still >= SILENT),
        _at_cursor,
    ),
    Row(
        Word.READY,
        lambda s: (
            (s.known_prompt or s.glued_prompt)
            and not s.alternate
            and s.cursor_visible
            and (s.moved or s.reads)
        ),
        evidence=Evidence.PROMPT,
    ),
    # Where a prompt is known and nothing proves the wait, only that one counts: `5$ ` may be output.
    Row(
        Word.READY,
        lambda s: s.form and s.sure and (s.reads or not s.expected) and not s.pictured,
        evidence=Evidence.PROMPT,
    ),
    Row(Word.NEEDS_PASSWORD, _picture_is(Kind.PASSWORD), _picture),
    Row(Word.NEEDS_INPUT, _picture_is(Kind.INPUT), _picture),
    Row(Word.NEEDS_KEY, _picture_is(Kind.KEY), _key_question),
    Row(Word.NEEDS_KEY, lambda s: s.key_asked and s.moved and s.sure, _key_question),
    Row(
        Word.NEEDS_INPUT,
        lambda s: s.asks_line and s.strong and s.sure and s.moved and not s.pictured,
        _quote,
    ),
    Row(
        Word.NEEDS_INPUT,
        lambda s: (
            s.asks_line
            and s.moved
            and not s.pictured
            and (s.reads or s.still >= SILENT and not s.remote)
        ),
        _quote,
    ),
    Row(
        Word.NEEDS_KEY,
        lambda s: (
            s.reads
            and s.kernel.waiter is not None
            and (s.kernel.waiter.how is How.READ or s.alternate or not s.cursor_visible)
            and s.still >= (STILL_DRAWN if s.alternate else 0.0)
        ),
        _key_question,
    ),
    Row(
        Word.NEEDS_INPUT,
        lambda s: s.reads and not s.alternate and s.cursor_visible and s.still >= STILL_BLANK,
        _quote,
    ),
    # A local program that listens on a raw terminal and stands still waits for somebody.
    Row(
        Word.NEEDS_KEY,
        lambda s: (
            s.listens and not s.remote and s.alternate and not s.works and s.still >= STILL_BLIND
        ),
        _program,
    ),
    Row(
        Word.NEEDS_KEY,
        lambda s: (
            s.listens
            and not s.remote
            and not s.expected
            and not s.works
            and s.still >= (SILENT if s.end or not s.cursor_visible else ENDLESS)
        ),
        _key_question,
    ),
    # What cannot be known.
    Row(
        Word.QUIET,
        lambda s: s.still >= SILENT and s.moved and (s.form or s.question is not None),
        _at_cursor,
    ),
    Row(Word.QUIET, lambda s: s.remote and s.alternate and s.still >= SILENT, _full),
    Row(
        Word.QUIET,
        lambda s: s.remote and not s.expected and s.still >= (SILENT if s.end else ENDLESS),
        _silent,
    ),
    Row(
        Word.QUIET,
        lambda s: s.alternate and s.full >= ENDLESS and not s.works,
        _full,
    ),
)


def decide(scene: Scene) -> Verdict | None:
    """The verdict, or None while nothing shows that anybody waits."""
    for row in TABLE:
        if row.when(scene):
            if row.word is None:
                return None
            return Verdict(row.word, row.detail(scene), row.evidence)
    return None
