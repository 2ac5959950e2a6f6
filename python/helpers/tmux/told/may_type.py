"""May this call act here? The rules in order; the first that refuses says why.

A call acts only on the turn that was told (told), never behind what somebody has begun to type
(empty), and only where what it types can be meant: `run` is for a prompt. A refusal tells what is
there, so that the same call again, which now knows, goes on; what is a person's own line, search or
unfinished command is refused for as long as it stands.
"""

import time
from enum import Enum
from typing import NamedTuple

from ..base import programs
from ..base.answer import quoted
from ..base.cells import in_one_line
from ..base.client import TmuxError
from ..base.rules import apply
from ..base.words import ASKS, Word
from ..facts.line import continues, has_form
from ..facts.look import digest, painted
from ..facts.reader import Differs
from ..facts.screen import colours
from ..facts.state import Sent
from ..turn.turn import Turn, is_begun_line, is_key_of_a_line
from ..turn.verdict import PATTERN
from ..turn.watch import Watch
from .asking import hides, waits_for_buttons
from .empty import is_empty
from .told import PICTURE, PROMPT, Facts, stands

NOTHING = "nothing was typed"
_PATIENCE = 1.0  # seconds in which a shell ends its command, or a program asks
_KEY_IS_TOLD = 1.2  # seconds: the second of a key has passed
_PAUSE = 0.05  # seconds between two looks meanwhile
_ASK = "ask the person to finish or clear it, or work in a window of your own (open)"
_SEE = "see it with read; the same call again goes on"
_ANSWERS = "the person answers that: wait_ready, person true"
_QUOTED_ROWS = 3  # of what stands there, from below


class Tells(Enum):
    """What a refusal has told, so that the same call again may act on it."""

    NOTHING, LINE, TURN = range(3)


class Refusal(NamedTuple):
    """`what` is there, and what to do: `advice`."""

    what: str
    advice: str
    tells: Tells = Tells.NOTHING


def may_type(watch: Watch, call: str, text: str) -> Turn:
    """The turn, if `run` or `send` may type `text`. Raises TmuxError, which says why not and what
    to do."""
    settle(watch)
    here = watch.turn(_PATIENCE)
    allow(watch, here, call, text)
    return here


def settle(watch: Watch) -> None:
    """Waits until one more key of a person's would leave a trace: tmux tells the second in which
    the last came."""
    end = time.monotonic() + _KEY_IS_TOLD
    while watch.seen.watched and not watch.seen.settled and time.monotonic() < end:
        watch.nap(_PAUSE)
        watch.read()


def allow(watch: Watch, here: Turn, call: str, text: str = "") -> None:
    """Raises TmuxError if a rule refuses the call. `text`: what would be typed; among keys too it
    is never appended to a person's line."""
    if here.word is Word.GONE:
        again = f"start it anew: tmux respawn-pane -t {watch.pane.id}; {NOTHING}"
        raise TmuxError(f"the program in {watch.pane.name} has ended", again)

    watch.seek_beside(here.kernel)
    facts = Facts(watch, here, call, text)
    rules = RULES[call]
    if text and call == "keys":
        rules = (*LINE, *rules, _a_secret_would_be_shown, _it_cannot_be_told_who_has_typed)

    ruling = apply(rules, facts)
    if refusal := ruling.said:
        _note_refusal(facts, refusal.tells)
        advice = f"{refusal.advice}; {NOTHING}"
        raise TmuxError(refusal.what, advice, rule=ruling.rule)


def may_go_on(watch: Watch, here: Turn) -> bool:
    """Whether more may be typed in the same call: it is our own turn still, nobody has begun a
    line, and the line is proven empty."""
    facts = Facts(watch, here, "answer")
    if facts.untouched:
        return True
    if here.full_screen or apply(LINE, facts).said:
        return False
    return bool(is_empty(facts).said and stands(facts).said)


def _note_refusal(facts: Facts, tells: Tells) -> None:
    """A refusal has told this line, or this turn with its question: what a person types behind
    that is known from then on, and the question itself is no text of theirs."""
    if tells is Tells.NOTHING:
        return

    watch = facts.watch
    here = facts.here
    state = facts.state
    state.doubt = _doubt_of(facts)

    if tells is Tells.TURN:
        begun = is_begun_line(here)
        somebodys = state.theirs or not facts.untouched
        state.note_told(watch.reader, here.word, here.commands, begun and somebodys)
        if here.reading.question:
            state.ask(here.seen, here.no_key)

        if begun:
            state.colours = colours(painted(here.seen.id), here.seen)

        if here.verdict:
            state.sent = Sent()

    watch.pane.store(state.dumps())


def _doubt_of(facts: Facts) -> int:
    """What identifies a line at which a call was refused."""
    return digest(f"{facts.call} {_shown(facts.here)}")


def _shown(here: Turn) -> str:
    """What stands there, the rows above too where a line may begin there, or nothing is on it."""
    seen = here.seen
    last = _line_and_below(here)
    above = [row.strip() for row in seen.screen[: max(seen.line_row - seen.history_size, 0)]]
    lone = [] if len(last[0]) > 1 else [row for row in above if row][-_QUOTED_ROWS + 1 :]
    return " / ".join(filter(None, [*lone, *last])) or "an empty screen"


def _line_and_below(here: Turn) -> list[str]:
    """The cursor's line, and the row below it: node's search is there."""
    seen = here.seen
    return [in_one_line(seen.line_left + seen.right), *seen.below[:1]]


def _the_pane_takes_no_input(f: Facts) -> Refusal | None:
    """`select-pane -d`: tmux drops whatever is typed there."""
    if not f.seen.pane_input_off:
        return None
    what = f"the pane {f.watch.pane.name} takes no input"
    return Refusal(what, f"ask the person to turn it on: tmux select-pane -e -t {f.seen.id}")


# what somebody has begun on the line


def _a_line_was_begun(f: Facts) -> Refusal | None:
    """A person's half-typed `rm -rf build`."""
    if not f.here.persons:
        return None
    return Refusal(f.here.told_line, f"it is not yours: {_ASK}")


def _somebody_types_ahead(f: Facts) -> Refusal | None:
    """Whole lines that the program has not read yet: typed while `make` runs.

    Behind the agent's own input they may be its own, if no key has come since. C-c drops them, so
    it is refused once, whatever the program prints meanwhile.
    """
    if not f.here.kernel.terminal.unread:
        return None
    if f.state.sent and (f.untouched or f.state.doubt):
        return None

    what = f"someone has typed what {f.here.program} has not read yet"
    if f.state.sent:
        return Refusal(what, f"C-c would drop it: {_SEE}", Tells.LINE)
    return Refusal(what, f"it is not yours: {_ASK}")


def _its_output_is_stopped(f: Facts) -> Refusal | None:
    """C-s: what somebody has typed is not drawn, and what is typed now would not be either.

    A program that prints without end fills its terminal too, but reads nothing meanwhile; ssh,
    behind which one does, always listens.
    """
    kernel = f.here.kernel
    if not (kernel.terminal.stopped and kernel.waiter) or f.reading.traits.remote:
        return None
    what = f"the output of {f.watch.pane.name} is stopped (C-s)"
    if f.untouched:
        return Refusal(what, "keys C-q let it go on")
    return Refusal(what, "ask the person to press C-q there: what they have typed is not drawn")


def _half_a_password(f: Facts) -> Refusal | None:
    """Keys at a question that hides what is typed: the rest would be continued, for ever unseen."""
    if not f.here.hidden or f.untouched or f.state.open != Word.NEEDS_PASSWORD:
        return None
    if f.reading.editor:  # that holds all of it
        return None
    what = f"someone typed before {f.here.program} asked for a line: that may be waiting,"
    return Refusal(f"{what} unseen", "ask the person to end or clear it (keys C-u)")


def _an_unfinished_command(f: Facts) -> Refusal | None:
    """Somebody's `for x in *; do`, its prompt is `>`: the next line would end it, C-c drops it."""
    if not _is_unfinished(f) or _is_our_rest(f):
        return None
    rows = [row.strip() for row in f.seen.screen[: f.seen.cursor_y + 1]]
    shown = quoted(" / ".join(rows[-_QUOTED_ROWS:]))
    what = f"an unfinished command is at the prompt, somebody's: {shown}"
    return Refusal(what, f"it is not yours: {_ASK}")


def _is_unfinished(f: Facts) -> bool:
    """Whether the rest of a command is wanted; `... ` tells it where no prompt is known. So does a
    `>` behind somebody's key where another prompt is known: over ssh, in another window of screen.
    """
    if f.here.word is Word.UNFINISHED:
        return True
    if not f.here.verdict or f.here.full_screen or f.reading.at_known_prompt:
        return False

    by_memory = f.reading.editor and f.reading.traits.shell  # its own prompt may be `-> `
    if by_memory or f.here.verdict.evidence == PATTERN:
        return False

    another = bool(f.reading.prompts) and not f.untouched
    return continues(f.seen.line_left, sure=not another)


def _is_our_rest(f: Facts) -> bool:
    """Whether nobody but the agent has begun it, and nobody has typed since."""
    if f.state.theirs:
        return False
    if f.state.open == Word.UNFINISHED:
        return f.untouched or f.unmoved
    return f.untouched and bool(f.state.sent)


def _a_key_is_somebodys(f: Facts) -> Refusal | None:
    """A person's search or completion question in the line editor, also after it was told."""
    theirs = f.state.theirs and not f.changed & Differs.GROUP
    if not theirs or f.here.word is not Word.NEEDS_KEY:
        return None
    asked = quoted(f.here.verdict.detail)
    what = f"{f.here.program} is in front and needs key ({asked}), which is somebody's"
    return Refusal(what, f"it is not yours: {_ASK}; keys C-g leave it")


def _a_text_is_left_over(f: Facts) -> Refusal | None:
    """The agent's own half-typed line, before another command; what nobody has typed, before any
    text."""
    left_over = bool(f.here.own)
    if f.call != "run":
        left_over = f.here.nobodys and f.here.at_rest and f.call != "interrupt"
    if not left_over:
        return None
    return Refusal(f.here.told_line, "interrupt clears it, keys Enter ends it")


def _a_text_waits_unseen(f: Facts) -> Refusal | None:
    """The agent's own half-typed line, over which a job has printed. Nothing shows it where no
    memory is open: what is typed now would go behind it, and Enter would run both.
    """
    if f.call not in ("run", "send") or not f.here.at_rest:
        return None
    if f.here.text or f.reading.editor:
        return None
    if not (f.state.draft and f.untouched):
        return None

    what = "your own half-typed line is there, unseen"
    return Refusal(what, "interrupt clears it")


# whose turn it is


def _another_reads_too(f: Facts) -> Refusal | None:
    """pinentry, which has outlived gpg, beside bash: each would get a part of what is typed."""
    kernel = f.here.kernel
    by_signal = f.call == "interrupt" and kernel.beside and kernel.terminal.signals
    if by_signal or not f.watch.beside:
        return None  # C-c is for all in front
    what = f"{f.watch.beside} reads this terminal too, and would take a part of what is typed"
    return Refusal(what, "end it from a window of your own (kill), or ask the person")


def _a_turn_that_nobody_told(f: Facts) -> Refusal | None:
    """`cat > notes`, which the person has started since the last answer; their script's `Erase the
    disk? [y/N]`; bash, where ssh has dropped."""
    ruling = stands(f)
    told_next = f.call in ("run", "send", "interrupt") and is_key_of_a_line(f.here)
    told_before = ruling.rule == PROMPT and f.state.doubt == _doubt_of(f)
    if ruling.said or told_next or told_before:
        return None  # of such a key the next rule tells how to leave it

    reading = f.reading
    state = f.state
    asked = state.open in ASKS
    moved = state.behind_question(reading.seen.line_left) is None
    if asked and not reading.full_screen and (moved or f.here.word is not Word.NEEDS_KEY):
        what = "the question is no longer there: someone has answered it, or it has changed or"
        what += f" ended; {reading.program} {_does(f.here)} now"
        return Refusal(what, _see(f), Tells.TURN)

    if ruling.rule == PICTURE:
        does = "waits for a key"
        if reading.full_screen:
            does = "fills the screen"
        what = "someone has opened it, or pressed keys there, since the last answer"
        return Refusal(f"{reading.program} {does}: {what}", "see it with read first")

    if f.untouched or not f.started_at_home:
        what = f"the program of the last answer no longer waits here: {reading.program}"
        return Refusal(f"{what} {_does(f.here)}", _see(f), Tells.TURN)

    what = f"{reading.program}, which somebody has started, is in front and {_does(f.here)}"
    return Refusal(what, _see(f), Tells.TURN)


def _see(f: Facts) -> str:
    """What to do about a turn that is told now. Half of a password may wait where it is hidden."""
    return _ANSWERS if f.here.hidden else _SEE


def _does(here: Turn) -> str:
    """What the program in front does, and what stands on its line."""
    does = _waits_for(here)
    shown = " / ".join(filter(None, _line_and_below(here)))
    told = here.full_screen or quoted(shown) in does
    if told or not shown:
        return does
    return f"{does}, at {quoted(shown)}"


def _waits_for(here: Turn) -> str:
    """What the program in front does, for a refusal."""
    detail = here.verdict.detail
    match here.word:
        case Word.READY:
            shown = in_one_line(here.reading.left)
            if shown:
                return f"is at its prompt {quoted(shown)}"
            return "is at its prompt"
        case Word.NEEDS_INPUT:
            if here.reading.question:
                return f"asks {quoted(detail)}"
            return "reads a line"
        case Word.NEEDS_PASSWORD:
            return f"asks for a password: {quoted(detail)}"
        case Word.NEEDS_KEY:
            return f"waits for a key: {quoted(detail)}"
        case Word.UNFINISHED:
            return f"wants the rest of a command: {quoted(detail)}"

    return "runs"


def _its_reader_is_stopped(f: Facts) -> Refusal | None:
    """`timeout 9 passwd` in a script: an answer would be a command, once that has ended."""
    stopped = f.here.kernel.stopped
    if f.call != "send" or f.here.verdict or not stopped:
        return None

    what = f"{stopped} wants to read and is stopped by the terminal (SIGTTIN)"
    what += f": it is in the background of {f.here.program}"
    advice = "nobody can answer it: end it (kill -9, in a window of your own), and start it in"
    advice += " front (timeout --foreground)"
    return Refusal(what, advice)


def _a_line_editor_takes_a_key(f: Facts) -> Refusal | None:
    """`Display all 200 possibilities? (y or n)`, a search, a shell's `read -n1`: all but the first
    sign of a text would go elsewhere."""
    if not is_key_of_a_line(f.here):
        return None
    if f.call == "interrupt" and f.untouched:
        return None
    advice = "press it with keys; in a line editor keys C-g, or i in vi's command mode, leave that"
    return Refusal(_in_front(f), advice, Tells.TURN)


def _a_command_is_for_a_prompt(f: Facts) -> Refusal | None:
    """`run` where `Name: ` is asked, or make runs."""
    if f.call != "run" or f.here.at_prompt:
        return None

    advice = "use send to answer or type ahead, wait_ready to wait, interrupt to stop it"
    leave = programs.of(f.here.program).leave
    if f.here.word is Word.NEEDS_KEY:
        advice = f"use keys, or leave it: {leave or 'interrupt'}"

    if _may_be_its_prompt(f.here) and (has_form(f.reading.left) or not leave):
        advice = f"if that is its prompt, give a prompt_pattern; else {advice}"
    return Refusal(_in_front(f), advice)


def _a_box_has_no_field(f: Facts) -> Refusal | None:
    """`Erase the disk? < Yes > < No >` of dialog: a letter would choose, and Enter press Yes."""
    if f.call != "send":
        return None
    here = f.here
    if not here.verdict or not (here.lacks_field or waits_for_buttons(here)):
        return None
    return Refusal(f"{_in_front(f)}, in a box without a field for a text", "use keys")


def _a_secret_would_be_shown(f: Facts) -> Refusal | None:
    """`send` of a password once more, where by now `Comment: ` is asked, or a shell waits."""
    if not f.text or hides(f.here) or not f.state.is_secret(f.text):
        return None
    if f.state.doubt == _doubt_of(f):
        return None
    what = f"this text was typed where nothing shows it, and now {f.here.program} would show it"
    return Refusal(what, "if that is meant, the same call again goes on", Tells.LINE)


def _may_be_its_prompt(here: Turn) -> bool:
    """swipl's `?-`, maxima's `(%i1)`, the `> ` of a game in python."""
    if here.word is Word.NEEDS_KEY:
        return bool(here.reading.text) and not here.full_screen
    return here.word in (Word.QUIET, Word.NEEDS_INPUT)


def _in_front(f: Facts) -> str:
    """Who is in front there, and what that does."""
    does = "is still running"
    if f.here.verdict:
        does = f"{f.here.word} ({f.here.verdict.detail})"
    return f"{f.here.program} is in front in {f.watch.pane.name} and {does}"


def _it_cannot_be_told_who_has_typed(f: Facts) -> Refusal | None:
    """What stands where the text would go is neither proven empty nor the agent's own: refused once
    for each line and call, with the whole of it quoted."""
    here = f.here
    if here.own or here.full_screen or is_empty(f).said:
        return None

    # Of a program that hangs it is not told whether half a line waits in its terminal. Out of sight
    # nobody is known to wait: what stands at the cursor may be a line.
    hangs = not here.kernel.waiter and not (here.kernel.out_of_sight and f.reading.text)
    if f.call == "interrupt" and hangs:
        return None
    if f.state.doubt == _doubt_of(f):
        return None

    what = f"cannot determine whether someone has typed here: {quoted(_shown(here))}"
    advice = "look with read; the same call again goes on behind it"
    return Refusal(what, advice, Tells.LINE)


LINE = (
    _its_output_is_stopped,
    _a_line_was_begun,
    _somebody_types_ahead,
    _half_a_password,
    _an_unfinished_command,
    _a_key_is_somebodys,
    _a_text_is_left_over,
    _a_text_waits_unseen,
)
_TEXT = (
    _the_pane_takes_no_input,
    _another_reads_too,
    *LINE,
    _a_turn_that_nobody_told,
    _its_reader_is_stopped,
    _a_line_editor_takes_a_key,
    _a_command_is_for_a_prompt,
    _a_box_has_no_field,
    _a_secret_would_be_shown,
    _it_cannot_be_told_who_has_typed,
)
RULES = {  # by the action
    "run": _TEXT,
    "send": _TEXT,
    "keys": (_the_pane_takes_no_input, _another_reads_too, _a_turn_that_nobody_told),
    "interrupt": _TEXT,
    "close": (*LINE, _a_turn_that_nobody_told),
}
