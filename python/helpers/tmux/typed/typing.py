"""One text: how it gets to the program, and what the pane remembers of it.

A text goes in one of three ways:

1. **At once**, with its Enter: a password, a text that is typed ahead, Enter alone. Nothing of it
   is drawn, or what runs may draw anything meanwhile.
2. **Key by key**, each after the program has taken the last: where a program draws its own screen.
   Such programs discard their input while they draw.
3. **Seen**: typed without Enter, and Enter pressed in the tmux call that has seen it drawn, with
   the cursor in the cell in which the text ends, if no key has come from an attached terminal.

A question in raw mode may be answered by one key (`read -n 1`), and the rest of the text, or Enter,
would answer the next one. So its first key is typed alone; where something else is asked by then,
or another program is in front, nothing more is typed. That is no error: what was asked is answered,
and the note says what was not typed.

Output begins at the cell in which Enter was pressed.
"""

import os
import re
import time
from copy import copy
from dataclasses import replace
from enum import Enum

from ..base import programs
from ..base.answer import counted, quoted
from ..base.process import link
from ..base.words import Word
from ..facts.line import question
from ..facts.pane import TYPES_FOR, TYPING, at_cell, same_stamp
from ..facts.place import Place, place_at
from ..facts.reader import Differs
from ..facts.state import Draft, Ran, Sent, draft_of, left_at
from ..told.asking import changed, gives_way
from ..told.report import Report
from ..turn.reading import Reading
from ..turn.turn import Turn
from ..turn.watch import Watch
from .entering import LOOK, see_and_enter, sleeps_again, type_and_enter

_GAP = 0.15  # seconds before Enter, which at once would be part of a paste (Codex)
TAKES = 0.08  # seconds after which a key counts as taken, where nothing shows it
BY_KEYS = 100  # characters of a text that a full screen gets one by one
_KILL_LINE = "\x15"  # C-u
ALWAYS = "1"  # a tmux condition
# Another program is in front, or something else is asked.
GONE_ON = Differs.GROUP | Differs.ROW | Differs.QUESTION
_READS = re.compile(
    r"(?m)(?:^|[;&|({]|\b(?:while|if|do|then|else|and|or|not)\b)[ \t]*(?:read|vared)\b"
)
# What it prints is printed before each prompt: `PROMPT_COMMAND='echo ---'`, `precmd() { date }`.
_SILENT = re.compile(
    r"""(?x)
    (?:export\ )?\w+\+?=(?:'[^']*'|"[^"`$]*"|[^\s;&|`$'"]*)
    | [\w-]+\ ?\(\)\ ?\{(?:[^{}]|\{[^{}]*\})*\}
    | function\ [\w-]+(?:\ --?[\w-]+(?:\ [\w-]+)?)*\s*;.*\bend
    """
)


class Way(Enum):
    """How a text gets to the program."""

    AT_ONCE, BY_KEYS, DRAWN, SEEN = range(4)  # DRAWN: by a program that draws its own screen


def edits_line(here: Turn) -> bool:
    """Whether a line editor waits for a line."""
    if here.reading.canonical:
        return False
    return here.at_rest or here.word is Word.NEEDS_INPUT


def in_brackets(reading: Reading) -> bool:
    """Whether a paste arrives in brackets. Where that is not known the program's name tells it, and
    none are sent while a mode of tmux's fills the pane."""
    if reading.brackets is not None:
        return reading.brackets
    return reading.traits.paste and not reading.canonical and not reading.seen.mode


def type_text(report: Report, here: Turn, text: str, enter: bool) -> Reading | None:
    """Types `text` at the turn `here`, then Enter, and notes what stood there. Returns the reading
    in which Enter was pressed; None: something has changed since the turn was read, and nothing of
    the text stands there. Raises TmuxError if the text is not drawn, or not alone."""
    with report.watch.pane.lock(TYPES_FOR, report.watch.nap, TYPING):
        return _type_text(report, here, text, enter)


def _type_text(report: Report, here: Turn, text: str, enter: bool) -> Reading | None:
    """The same, while nobody else types."""
    watch = report.watch
    _learn_from(watch, here)
    if _is_indented(here):
        take(watch, _KILL_LINE, _only_if(here))
        here = Turn(watch.read(), here.verdict)

    way = _way(here, text, enter)
    draft = watch.state.draft
    if way is Way.SEEN and not here.hidden:
        here = _written_ahead(watch, here, text)

    entered = _typed_and_entered(report, here, text, enter, way)
    if entered is None:
        _take_back(watch, draft_of(here.own + text), draft)
        return None

    report.note_line(here)
    known = here.own + text
    if here.hidden:
        known = ""
    if here.hidden and not here.at_prompt:  # a command is no secret
        watch.state.note_secret(text)

    if enter:
        _store_entered(report, here, entered, known)
    else:
        watch.state.draft = draft_of(known)

    return entered


def _typed_and_entered(
    report: Report, here: Turn, text: str, enter: bool, way: Way
) -> Reading | None:
    """Types the text in its way, then Enter, if that has not come with it; as `type_text`."""
    if enter and way is Way.SEEN and text.isprintable() and _is_counted(here):
        return type_and_enter(report.watch, here, text, _only_if(here), report.notes)
    if not _typed(report, here, text, enter, way):
        return None
    if enter and way is not Way.AT_ONCE:
        return _enter(report, here, text, way)
    return here.reading


def _is_counted(here: Turn) -> bool:
    """Whether a shell's prompt waits, and the kernel counts the bytes that the shell reads.

    Of another user's shell it tells none. A REPL may draw in canonical mode, and discard what comes
    meanwhile: it must have taken the text before Enter comes.
    """
    return here.at_prompt and here.reading.traits.shell and here.kernel.bytes_read is not None


def _typed(report: Report, here: Turn, text: str, enter: bool, way: Way) -> bool:
    """Types the text; False if something has changed since the turn was read."""
    if way is Way.BY_KEYS:
        return _type_keys(report, here, text)
    if enter and way is Way.SEEN and _one_key_may_answer(here, text):
        return _type_behind_first(report, here, text)
    return type_data(report.watch, here, text, way is Way.AT_ONCE, _only_if(here))


def _is_indented(here: Turn) -> bool:
    """Whether a REPL has put blanks before the line, where a block goes on (Python 3.13, irb): the
    text has its own."""
    reading = here.reading
    left = here.seen.left
    if not left.strip() or not left.endswith("  "):  # one is the prompt's
        return False
    if reading.canonical or reading.editor or reading.traits.shell:
        return False
    return here.at_rest and not here.text and reading.no_key


def _written_ahead(watch: Watch, here: Turn, text: str) -> Turn:
    """The turn as the call will see it that types `text`: the record, stored in the same call, says
    that the text is the agent's own, should this call end between text and Enter.

    It is stored only if it follows the record that was read: another caller may have answered since
    the look, and its record says what it has told.
    """
    watch.state.draft = draft_of(here.own + text)
    state = watch.state.dumps()
    watch.pane.store(state, now=False, only_if=same_stamp(here.seen))
    ahead = copy(here)  # whose the line is, is as it was read
    ahead.reading = replace(here.reading, seen=replace(here.seen, state=state))
    return ahead


def _take_back(watch: Watch, ahead: Draft | None, before: Draft | None) -> None:
    """Notes on the pane that the text that was written ahead does not stand there."""
    watch.reload()
    if watch.state.draft != ahead:
        return  # another caller has answered
    watch.state.draft = before
    state = watch.state.dumps()
    watch.pane.store(state, now=False, only_if=same_stamp(watch.seen))


def _way(here: Turn, text: str, enter: bool) -> Way:
    """How `text` gets to the program."""
    if enter and _is_read_by_keys(here):
        return Way.BY_KEYS

    undrawn = here.hidden or not here.verdict or not text  # where the cursor is now
    if enter and undrawn:
        return Way.AT_ONCE
    if not draws_itself(here):
        return Way.SEEN
    if len(text) <= BY_KEYS and text.isprintable():
        return Way.BY_KEYS
    return Way.DRAWN


def _is_read_by_keys(here: Turn) -> bool:
    """Whether a line of the screen is answered key by key: by one key (`git add -p` with
    interactive.singleKey), or a secret that a shell or its script reads: it may take four keys
    (`read -s -n 4`), or the terminal would show what comes between two reads (`read -s -n1` in a
    loop that draws stars)."""
    reading = here.reading
    if reading.kernel.terminal.canonical is not False or reading.full_screen:
        return False
    if here.word is Word.NEEDS_KEY:
        return question(here.verdict.detail) is not None and not draws_itself(here)
    return here.word is Word.NEEDS_PASSWORD and _is_read_by_shell(reading)


def _is_read_by_shell(reading: Reading) -> bool:
    """Whether a shell reads, or its script, which the kernel calls by the script's name."""
    if reading.traits.shell:
        return True
    return programs.of(os.path.basename(link(reading.kernel.subject, "exe"))).shell


def draws_itself(here: Turn) -> bool:
    """Whether the program draws its own screen, or its own cursor (enquirer, clack)."""
    return here.full_screen or not (here.seen.cursor_flag or here.at_rest)


def _learn_from(watch: Watch, here: Turn) -> None:
    """A prompt is known once something is typed at it."""
    reading = here.reading
    state = watch.state
    if not here.at_prompt:
        return

    nobody = reading.no_key or not reading.seen.visited
    if (nobody or reading.editor or watch.first_call) and here.line and not here.line.typed:
        state.learn(reading.program, here.line.prompt, reading.seen.right)

    editor = reading.editor
    fresh = editor is not None and editor.status is None  # it has run nothing yet
    if here.at_shell_prompt and (fresh or state.above or editor is None):  # else it may be output
        state.note_above(reading.seen, reading.kernel.foreground, welcome=fresh)


def _enter(report: Report, here: Turn, text: str, way: Way) -> Reading | None:
    """Presses Enter behind a text that was typed; returns the reading of that moment, None if
    somebody has typed beside the text."""
    watch = report.watch
    reading = here.reading
    unseen = way in (Way.BY_KEYS, Way.DRAWN)
    asked_raw = here.word is Word.NEEDS_INPUT and not (reading.canonical or reading.editor)
    if unseen or asked_raw:
        watch.nap(_GAP)

    if not unseen:
        return see_and_enter(watch, here, text, report.notes)

    entered = watch.read()
    if not _has_ended(entered, here):
        watch.pane.type("\r")
    elif gives_way(here, entered) or _is_read_by_keys(here):
        return reading  # what came of the last key is new

    return entered


def _has_ended(entered: Reading, here: Turn) -> bool:
    """Whether the last key has ended what was asked: `q` in less, the fourth key of a PIN, `y` at a
    question that takes one key."""
    respects = Differs.GROUP
    if _is_read_by_keys(here):
        respects = GONE_ON | Differs.WAY
    return gives_way(here, entered) or bool(changed(here, entered) & respects)


def _store_entered(report: Report, here: Turn, entered: Reading, known: str) -> None:
    """Notes on the pane that the text `known` was entered at the turn `here`."""
    watch = report.watch
    state = report.watch.state
    if not here.verdict:
        report.notes.append(f"typed ahead: {entered.program} was running")

    sent = sent_now(watch, entered, here, enter=True)
    if changed(here, entered) & Differs.GROUP:  # its last key has ended it: no Enter
        sent.reader = here.reading.reader

    sent.reads = bool(_READS.search(known))
    sent.silent = bool(_SILENT.fullmatch(known))
    if not here.full_screen:  # a shell that draws is none
        if here.at_rest:
            state.screen = 0  # whoever has ended the program that drew it
        sent.place = _place_of(here, entered, known)

    watch.note_input(sent)


def _place_of(here: Turn, entered: Reading, known: str) -> Place:
    """Where the output of an input begins."""
    seen = entered.seen
    # signs that a program draws for a secret, what fish proposes: no output
    masked = here.at_rest or (here.hidden and not entered.kernel.out_of_sight)
    drawn = masked and not entered.canonical
    return place_at(seen, known, whole=not (drawn or seen.right.strip()))


def _only_if(here: Turn) -> str:
    """A tmux condition: the turn is as it was read. What runs may move the cursor."""
    seen = here.seen
    if here.verdict:
        return at_cell(seen, seen.cell)
    return same_stamp(seen)


def type_data(watch: Watch, here: Turn, text: str, enter: bool, only_if: str) -> bool:
    """Types `text`, if the condition is true: several lines, or a tab, in brackets if the program
    asks for them; a tab for a line editor without them so that it is no key that completes."""
    reading = here.reading
    data = text.replace("\n", "\r")
    end = ""
    if enter:
        end = "\r"

    if "\n" not in text and "\t" not in text:
        return watch.pane.type(data + end, only_if)

    if edits_line(here) and not in_brackets(reading):
        quoted = data.replace("\t", "\x16\t")
        return watch.pane.type(quoted + end, only_if)

    if reading.brackets:  # a mode of tmux's may fill the pane
        return watch.pane.type(f"\x1b[200~{data}\x1b[201~{end}", only_if)
    return watch.pane.type(data + end, only_if, bracketed=True)


def _type_keys(report: Report, here: Turn, text: str) -> bool:
    """Types a short text key by key, as long as who asked for it reads: `q` may end a pager, one
    key answer a question."""
    watch = report.watch
    only_if = _only_if(here)
    for at, char in enumerate(text, start=1):
        if not take(watch, char, only_if):
            return False
        only_if = ALWAYS
        if at < len(text) and _has_ended(watch.read(), here):
            _note_rest(report, here, text[:at])
            break

    return True


def _one_key_may_answer(here: Turn, text: str) -> bool:
    """Whether the first key of a text may be all that a question takes: `yes` at `Go on (y/n)?`,
    which `read -n 1` asks.

    A line that the kernel collects takes all of it. Through ssh its mode is not known: there the
    text is typed at once.
    """
    reading = here.reading
    if reading.question is None or here.at_rest or reading.editor or here.kernel.out_of_sight:
        return False
    return reading.kernel.terminal.canonical is False and len(text) > 1 and text.isprintable()


def _type_behind_first(report: Report, here: Turn, text: str) -> bool:
    """Types a text, but only its first key where that was all that was asked for.

    Returns whether anything was typed.
    """
    watch = report.watch
    if not take(watch, text[0], _only_if(here)):
        return False
    if changed(here, watch.read()) & GONE_ON:
        _note_rest(report, here, text[0])
        return True
    return type_data(watch, here, text[1:], enter=False, only_if=ALWAYS)


def _note_rest(report: Report, here: Turn, taken: str) -> None:
    """Notes that only the beginning of a text was asked for; of a secret only how much."""
    what = quoted(taken)
    if here.hidden:
        what = counted(len(taken), "character")
    report.notes.append(f"{here.program} has taken {what}: the rest was not typed")


def take(watch: Watch, data: str, only_if: str = ALWAYS) -> bool:
    """Types one key if the condition is true, and waits until the program has taken it; where that
    cannot be seen, for a moment. Returns whether it was typed."""
    before = watch.probe(searches=False)
    end = time.monotonic() + TAKES
    if not watch.pane.type(data, only_if):
        return False
    while time.monotonic() < end and not sleeps_again(watch.probe(searches=False), before):
        watch.nap(LOOK)
    return True


def sent_now(watch: Watch, reading: Reading, here: Turn, enter: bool) -> Sent:
    """The record of an input to the program of `reading`."""
    seen = reading.seen
    editor = here.reading.editor
    watch.state.type_at(watch.reader, here.commands)
    if editor and enter and here.at_rest:
        watch.state.ran = Ran(reading.kernel.subject, editor.runs)
    return Sent(
        at=time.monotonic(),
        reader=reading.reader,
        enter=enter,
        at_prompt=here.at_rest or reading.expected,
        left=left_at(seen, enter),
        before=here.reading.form,
        edits=here.reading.edits,
    )
