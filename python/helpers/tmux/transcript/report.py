"""What an answer says: the verdict's first line, and under it what the agent has not seen yet.

The pane remembers up to where the agent has been shown it (memory.Shown); each answer moves that
on.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace

from ..answer import Answer
from ..evidence.kernel.probe import printed_bytes
from ..evidence.screen.prompt import glued, has_form
from ..evidence.screen.prompt_rows import joined_prompt, still_above, upper_rows
from ..evidence.screen.typed import Typed, answer_line, shown_directory, typed_line
from ..notes import ahead, half_typed
from ..output import squeezed, trimmed
from ..terminal.client import TmuxError
from ..turn.wait import Outcome
from ..turn.watch import Watch
from ..typing.type_ahead import counted
from ..words import OPEN, Evidence, Word
from .echoes import CLEARS, since_sent, without_covered, without_echo
from .endings import lost_lines, screen_rows, trimmed_end, without_ending
from .exit_status import own_status
from .further_echoes import without_further_echoes, without_redrawn
from .memory import PROMPTS, SHOWN, Sent, Shown, shown_value
from .places import Since, place, screen_place, since_place

_LONGEST = 400  # characters of a question in the first line
_WAY_OUT = "; not read yet"
_QUOTING = (
    Word.NEEDS_INPUT,
    Word.NEEDS_PASSWORD,
    Word.NEEDS_KEY,
    Word.UNFINISHED,
    Word.QUIET,
    Word.MATCHED,
)
# zsh shows a reversed % or # behind output without a line break.
_REVERSED = re.compile(r"\x1b\[(?:\d+;)*7m[%#]\S*\s*$")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_DEAD = "Pane is dead ("  # tmux's own row on a pane that remains
_NO_OUTPUT, _NOTHING_NEW, _UNCHANGED = "(no output)", "(nothing new)", "(screen unchanged)"


def first_line(outcome: Outcome, action: str, timeout: float) -> str:
    """The contract's first line for a verdict."""
    after = f"after {outcome.seconds:.2f}s"
    if outcome.word is Word.GONE:
        return f"gone: {outcome.detail}"
    if outcome.word is Word.TIMED_OUT:
        unread = _WAY_OUT if outcome.unread else ""
        running = f"still running {outcome.detail}, silent for {outcome.silent:.1f}s"
        return f"{action} timed out after {timeout:.1f}s: {running}{unread}"
    if outcome.word is Word.READY:
        status = "" if outcome.exit_status is None else f", exit status {outcome.exit_status}"
        return f"ready ({outcome.evidence}) {after}{status}"
    return f"{outcome.word} {after}: {' '.join(outcome.detail.split())[:_LONGEST]}"


def answer(watch: Watch, outcome: Outcome, action: str, timeout: float, notes: list[str]) -> Answer:
    """The whole answer to an action that waited; what it shows counts as shown from now on."""
    rows: list[str] = []
    pending = action in ("run", "send") or bool(watch.shown and watch.shown.asked)
    if outcome.word is not Word.GONE or watch.view.dead:
        with suppress(TmuxError):  # the pane ends before its output can be read
            rows = _body(watch, outcome, action, notes)
    alone = watch.sent is not None and watch.sent.is_last(watch.kernel)
    prompts = watch.prompts() if pending and not alone else ()
    edited = watch.editor.text if watch.editor else ""
    known = (outcome.exit_status, rows, watch.view.left, prompts, notes)
    outcome = replace(outcome, exit_status=own_status(*known, watch.sent_text, edited))
    if watch.kernel.blind and not watch.kernel.remote and outcome.word is not Word.GONE:
        notes.append("the kernel cannot be read here: the screen alone decides")
    return Answer(
        word=outcome.word,
        first=first_line(outcome, action, timeout),
        body=rows,
        evidence=outcome.evidence,
        detail=outcome.detail,
        seconds=outcome.seconds,
        exit_status=outcome.exit_status,
        pane=watch.pane.name,
    )


def _body(watch: Watch, outcome: Outcome, action: str, notes: list[str]) -> list[str]:
    if outcome.evidence is Evidence.PATTERN and watch.view.left.strip():
        learn(watch, watch.view.left.strip())
    if watch.view.alternate:
        return _full_screen(watch, outcome)
    quoted = False
    lines = _new_lines(watch, outcome, action == "run", notes)
    typed = _typed(watch, outcome)
    rows = [row for row in lines.lines if not (watch.view.dead and row.startswith(_DEAD))]
    if typed is not None:
        rows = without_prompt(watch, lines, typed)
        notes += half_typed(typed) or ahead(watch)
    elif outcome.word is Word.NEEDS_INPUT and (typed := answer_line(watch)) and typed.text:
        notes += [] if typed.own else half_typed(typed)
    else:
        notes += ahead(watch)
    own = action == "run" and outcome.at_prompt
    rows = trimmed_end(rows) if own else trimmed(rows)
    if rows and lines.own_line and rows[0] == lines.own_line.rstrip():
        rows = trimmed(rows[1:])  # only a prompt followed it
    if outcome.word in _QUOTING and rows and _quotes(outcome.detail, rows[-1]):
        rows, quoted = trimmed(rows[:-1]), True
    remember(watch, outcome.word)
    if rows:
        return rows
    if quoted or outcome.word in (Word.GONE, Word.UNFINISHED):
        return []
    return [_NO_OUTPUT if action == "run" else _NOTHING_NEW]


def _quotes(detail: str, row: str) -> bool:
    """Does the first line quote all of this row?"""
    return bool(row.strip()) and squeezed(row) == squeezed(detail)[: len(squeezed(row))]


def _new_lines(watch: Watch, outcome: Outcome, own: bool, notes: list[str]) -> Since:
    """What came: since the sending, for a command's own output, else since the last answer. At a
    shell's prompt what is below the cursor is left over from before, and no news."""
    end = watch.view.row if outcome.evidence is Evidence.SHELL else None
    sent, shown = watch.sent, watch.shown
    if own and sent is not None and not sent.alternate:
        since, printed = _own_output(watch, sent, end), sent.printed
    elif shown is not None and shown.known:
        since, printed = _since_shown(watch, shown, end), shown.printed
        if sent is not None and not watch.memory.is_answered:
            columns = watch.view.width
            rows, known = since.lines, watch.prompts()
            texts = without_echo(rows, sent, watch.text, known, shown.line, columns)
            since = replace(since, lines=texts)
        if outcome.at_prompt and is_covered(watch):
            texts = without_covered(since.lines, shown.line, watch.prompts())
            since = replace(since, lines=texts)
        since = replace(since, own_line=shown.line)
    else:
        return Since([])
    _note_losses(watch, since, printed, notes)
    return since


def _own_output(watch: Watch, sent: Sent, end: int | None) -> Since:
    """What came since the sending, without its echo."""
    view, shown, text = watch.view, watch.shown, watch.text or ""
    lines = watch.lines_from(min(sent.row, view.row)).upto(end)
    since = since_sent(view, lines, sent, watch.text)
    if since.dropped or (since.cleared and lines.first):
        since = since_sent(view, watch.all_lines().upto(end), sent, watch.text)
    if since.cleared and shown is not None and shown.known:
        other = _since_shown(watch, shown, end)
        redrawn = without_redrawn(other.lines, text)
        if not other.cleared and len(redrawn) < len(other.lines):
            since = replace(other, lines=redrawn)
    canonical = watch.kernel.canonical is True
    rows = without_further_echoes(since.lines, text, watch.prompts(), canonical)
    return replace(since, lines=rows)


def _since_shown(watch: Watch, shown: Shown, end: int | None) -> Since:
    return since_place(watch.view, watch.shown_lines(shown).upto(end), shown)


def _note_losses(watch: Watch, since: Since, printed: int | None, notes: list[str]) -> None:
    if since.dropped:
        now = printed_bytes(watch.view.server)
        notes.append(lost_lines(watch.view, printed, now, since.lines))
    sent = watch.sent
    text = (watch.text or sent.text or "") if sent else ""
    if since.cleared and not CLEARS.match(text) and text != "^L":
        notes.append("the screen was cleared meanwhile: what was printed before that is gone")


# the prompt at the end


def _typed(watch: Watch, outcome: Outcome) -> Typed | None:
    """What is typed at the prompt at the cursor; None where none is there."""
    quiet = outcome.word is Word.QUIET and has_form(watch.view.left)
    ended = outcome.word is Word.MATCHED and watch.scene().known_prompt
    return typed_line(watch) if outcome.at_prompt or quiet or ended else None


def without_prompt(watch: Watch, lines: Since, typed: Typed) -> list[str]:
    """The lines without the empty prompt at their end, which is learned by the way."""
    rows = trimmed_end([row.rstrip() for row in lines.lines])
    if typed.text:
        return rows  # it is no empty prompt: the line is part of what the agent must see
    view, sent, program = watch.view, watch.sent, watch.kernel.name
    left = view.left
    if watch.editor is not None:
        prompt = watch.editor.prompt.strip()
        rows = joined_prompt(rows, prompt)
        left = rows[-1] if rows and rows[-1].endswith(prompt) else left  # of a prompt that wraps
    elif program in ("zsh", "fish"):  # they begin a prompt on a row of its own
        prompt = view.left.strip()
    else:
        begin = glued(view.left, watch.prompts())  # output may be glued before it
        prompt = view.left[begin or 0 :].strip()
    known = watch.book.of(watch.kernel.subject)[:1]
    if sent is not None and sent.prompt == "" and not watch.editor and known in ((), ("",)):
        return rows  # a shell without a prompt: it is all output
    upper = list(watch.editor.above) if watch.editor else _rows_above(watch, prompt)
    names = shown_directory(watch) if upper else ()
    body, has_output = without_ending(rows, left, prompt, upper or [], names)
    if not has_output and not (known and not prompt and watch.memory.is_answered):
        learn(watch, prompt, upper)  # a blank line where nothing was sent is a covered prompt
    return _without_mark(watch, body, program)


def is_covered(watch: Watch) -> bool:
    """Is, or was at the sending, the shell's line blank: has a job printed behind its prompt?"""
    sent, left = watch.sent, watch.view.left
    return not (sent.left if sent and not watch.memory.is_answered else left).strip()


def learn(watch: Watch, prompt: str, upper: list[str] | None = None) -> None:
    """Remember a prompt of the program in front."""
    watch.book.learn(watch.kernel.subject, prompt)
    if upper is not None:
        watch.book.learn_upper(watch.kernel.subject, upper)


def _rows_above(watch: Watch, prompt: str) -> list[str] | None:
    """The upper rows of the prompt at the cursor, as far as every prompt of its program that was
    seen has them; None where no earlier one was."""
    known = watch.book.upper(watch.kernel.subject, prompt)
    if known is not None:
        above = watch.view.joined.split(watch.view.row)[0]
        return still_above(above, known, shown_directory(watch))
    if not prompt:
        return None  # no row tells where an earlier one was
    prompts = [prompt, *watch.book.of(watch.kernel.subject)]
    above = watch.all_lines().split(watch.view.row)[0]
    return upper_rows(above, prompts, shown_directory(watch))


def _without_mark(watch: Watch, body: list[str], program: str) -> list[str]:
    """`body` without the mark that zsh and fish show for output without a line break."""
    end = body[-1][-1:] if body else ""
    marked = program == "zsh" and end in ("%", "#") and _is_reversed(watch, body[-1])
    if marked or (program == "fish" and end == "⏎"):
        return trimmed_end([*body[:-1], body[-1][:-1].rstrip()])
    return body


def _is_reversed(watch: Watch, row: str) -> bool:
    """Does `row`, which may be wrapped, end in a reversed character, on the screen itself?"""
    marked = (line for line in watch.pane.coloured() if _REVERSED.search(line))
    shown = (squeezed(_COLOUR.sub("", line)) for line in marked)
    return any(line.endswith(squeezed(row)) or squeezed(row).endswith(line) for line in shown)


# full screens, and what is remembered


def _full_screen(watch: Watch, outcome: Outcome) -> list[str]:
    before = watch.shown.screen if watch.shown else ""
    rows = full_screen(watch, still=outcome.word is not Word.TIMED_OUT)
    return [_UNCHANGED] if str(watch.view.digest) == before else rows


def full_screen(watch: Watch, still: bool = True) -> list[str]:
    """The full screen that is shown; it counts as shown from now on. `still`: it is all drawn."""
    _store(watch, screen_place(watch.view, watch.sent, watch.shown or Shown(), still))
    return screen_rows(watch.view)


def remember(watch: Watch, word: Word | None = None) -> None:
    """All that is on the ordinary screen counts as shown. `word`: what the answer says of it, None
    where it only shows it."""
    before = watch.shown.asked if watch.shown else ""
    asked = before if word is None else word if word in OPEN else ""
    here = place(watch.view, watch.sent)
    typed = answer_line(watch) if asked == Word.NEEDS_INPUT else None
    if typed and typed.text:
        here.line = here.left = typed.prompt  # what is typed behind a question is no part of it
    behind = typed.text or "" if typed else ""
    here = counted(watch, here, word is not None, behind)
    _store(watch, replace(here, asked=asked))


def _store(watch: Watch, shown: Shown) -> None:
    """Leaves the place and the prompts on the pane, in one tmux call."""
    values: dict[str, str | None] = {}
    if shown != watch.shown:
        values[SHOWN] = shown_value(shown)
    book = watch.book.dumps()
    if book != watch.view.memory.get(PROMPTS, ""):
        values[PROMPTS] = book
    watch.memory.shown = shown
    if values:
        watch.pane.set_options(values)
