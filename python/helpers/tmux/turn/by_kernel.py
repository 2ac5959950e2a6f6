"""The first ladder: what the kernel proves. In canonical mode the kernel collects whole lines, so
only a process that sleeps in a read of the terminal can need one. Pure.
"""

from __future__ import annotations

from ..evidence.kernel.probe import How
from ..evidence.screen import prompts
from ..words import Evidence, Word
from .row import SURE, Row, at_cursor, program, quote, where
from .scene import SILENT, STILL_BLIND, Scene


def _may_wait(s: Scene) -> bool:
    """Whether a process waits, or belongs to another user and cannot be inspected."""
    return s.listens or s.kernel.hidden


def _hides_line(s: Scene) -> bool:
    """Whether the line is typed without echo. A relay may turn its inner terminal's echo off for
    good (unbuffer): there the question must also have the form of a password prompt."""
    return not s.kernel.echo and (s.asks_password or not s.kernel.relayed)


def _unproven_password(s: Scene) -> bool:
    """Whether echo is off, and the process that may be waiting cannot be inspected."""
    may_ask = s.kernel.hidden or (s.listens and s.question is not None)
    return _hides_line(s) and may_ask


def _edits(s: Scene) -> bool:
    """Whether the shell uses its line editor, which would set raw mode."""
    return s.traits.editor and not s.unedited


def may_be_at_prompt(s: Scene) -> bool:
    """Whether a shell that runs no script waits, for an unknown number of bytes."""
    waiter = s.kernel.waiter
    return waiter is not None and s.traits.shell and not (waiter.proven or waiter.script)


def shell_reads_command(s: Scene) -> bool:
    """Whether a shell without a line editor is at its prompt: there it reads a block (dash 8192
    bytes, bash --noediting 1024); its builtin `read` reads 1 byte, or 4096 in bash. If the size is
    unknown, the text on the line decides."""
    waiter = s.kernel.waiter
    if waiter is None or s.how is not How.READ or not s.traits.shell:
        return False
    if waiter.size:
        return waiter.size not in (1, 4096)
    return not waiter.script and _prompt_on_line(s)


def _prompt_on_line(s: Scene) -> bool:
    """Whether a prompt is on the cursor's line: a known one, alone or before typed text, or, if
    none is known, the form of one. Without a line editor it may also follow output or be a
    continuation prompt; after a `read` was sent, it may be the end of a question if it follows
    other text."""
    begin = prompts.glued(s.left, s.prompts)
    first = s.form and not s.prompts
    if begin == 0 or first or prompts.typed_behind(s.left, s.prompts):
        return bool(s.end)
    return not _edits(s) and (s.end == ">" or bool(begin and not s.asks_read))


def _new_prompt(s: Scene) -> bool:
    """Whether a shell without a line editor reads an unknown number of bytes, at a line that looks
    like a new prompt."""
    return may_be_at_prompt(s) and not _edits(s) and s.form


def _repl(s: Scene) -> bool:
    return not s.shell and prompts.is_repl(s.end)


def _silent_rest(s: Scene) -> bool:
    """Whether a program without a continuation prompt reads the rest of a command on an empty
    line."""
    return s.expected and s.entered and not s.end and s.traits.rest_is_empty


PROVEN = (
    Row(Word.GONE, lambda s: s.dead, lambda s: s.dead),
    # A line above the cursor's, which is empty, is unlikely to be a prompt.
    Row(
        Word.READY,
        lambda s: s.pattern is not None,
        evidence=Evidence.PATTERN,
        after=lambda s: 0.0 if s.end or not s.plain else SILENT,
    ),
)

# node polls other files besides the terminal, and root's programs cannot be inspected: there the
# form of the question counts.
CANONICAL = where(
    lambda s: s.cooked,
    Row(Word.NEEDS_PASSWORD, lambda s: s.reads and _hides_line(s), quote),
    Row(Word.NEEDS_PASSWORD, _unproven_password, quote, after=STILL_BLIND),
    *where(
        shell_reads_command,
        Row(None, lambda s: not s.done),
        Row(Word.UNFINISHED, lambda s: s.continuation, at_cursor),
        Row(Word.READY, lambda s: True, evidence=Evidence.SHELL),
    ),
    *where(
        lambda s: s.reads,
        Row(Word.READY, _repl, evidence=Evidence.PROMPT),
        Row(Word.UNFINISHED, lambda s: not s.shell and s.expected and s.continuation, at_cursor),
        Row(Word.UNFINISHED, _silent_rest, program),
        Row(Word.QUIET, _new_prompt, at_cursor, after=STILL_BLIND),
        Row(Word.NEEDS_INPUT, lambda s: True, quote),
    ),
    Row(
        Word.READY,
        lambda s: s.listens and s.known_prompt and s.taken,
        evidence=Evidence.PROMPT,
        after=SURE,
    ),
    Row(
        Word.NEEDS_INPUT,
        lambda s: s.asks_line and (s.proven or (_may_wait(s) and s.strong)),
        quote,
        after=STILL_BLIND,
    ),
    Row(Word.QUIET, lambda s: s.question and _may_wait(s), at_cursor, after=SILENT),
    Row(None, lambda s: not s.remote and not s.alternate),
)
