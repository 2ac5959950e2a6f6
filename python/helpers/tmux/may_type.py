"""May I type? What the last answer left open restricts the next call; whose line it is.

Text and keys go to the program that the last answer named, or to what that has started; `run` goes
to a prompt. A line must be proven empty or the agent's own. Where that cannot be told and a key of
a person's has come since the last answer, the call is refused once for what stands there.
"""

import time

from . import process, programs
from .answer import ASKS, RAN, Word
from .client import TmuxError
from .line import adjoining, continues, question
from .look import digest, painted
from .output import clean
from .screen import colours
from .watch import Turn, Watch

NOTHING = "nothing was typed"
_PATIENCE = 1.0  # seconds in which a shell ends its command, or a program asks
_SETTLES = 1.2  # seconds: tmux tells the second in which the last key came
_PAUSE = 0.05  # seconds, longer than a look counts as fresh
# After these words the agent's own program may have opened a full screen, or asked.
_OPENS = (*RAN, Word.NEEDS_KEY, Word.SENT, Word.PRESSED)

Refusal = tuple[str, str]  # what is there, and what to do


def may_type(watch: Watch, run: bool) -> Turn:
    """The turn, if text may be typed; `run`: as a command, at a prompt. Raises TmuxError, which
    says why not and what to do."""
    here, end = watch.turn(_PATIENCE), time.monotonic() + _SETTLES
    # A person's key came in the very second of the look: one more would leave no trace. The agent's
    # own windows are beside what people look at.
    while watch.seen.attached and not (watch.seen.settled or watch.seen.opened):
        if time.monotonic() > end:
            break
        watch.nap(_PAUSE)
        here = watch.turn(_PATIENCE)
    allow(watch, here, "run" if run else "send")
    return here


def allow(watch: Watch, here: Turn, call: str) -> None:
    """Raises TmuxError if a rule refuses the call."""
    for rule in _RULES[call]:
        if why := rule(watch, here, call):
            raise TmuxError(why[0], f"{why[1]}; {NOTHING}")


def may_go_on(watch: Watch, here: Turn) -> bool:
    """Whether more may be typed in the same call: nobody else has typed since its last input, or
    the line is proven empty. In canonical mode the kernel may keep what was typed, unseen."""
    reading = here.reading
    closed = reading.canonical or reading.full_screen or _beside(watch, here, "send")
    return reading.untouched or not closed and _is_empty(watch, here)


# the rules


def _ended(watch: Watch, here: Turn, call: str) -> Refusal | None:
    """A pane that takes no input."""
    if here.word is not Word.GONE:
        return None
    again = f"start it anew: tmux respawn-pane -t {watch.pane.id}"
    return f"the program in {watch.pane.name} has ended", again


def _elsewhere(watch: Watch, here: Turn, call: str) -> Refusal | None:
    """The program of the last answer has ended, or no longer asks what that quoted."""
    state, reading = watch.state, here.reading
    see, program = "see what came of it with wait_ready", reading.program
    if call == "keys" and not here.verdict and state.open in RAN:
        return None  # as at the last answer: the next command of a shell's loop, perhaps
    answers = call == "send" or call == "keys" and state.open == Word.NEEDS_KEY
    if answers and state.open in ASKS and not _still_asked(watch, here):
        what = "password prompt" if state.open == Word.NEEDS_PASSWORD else "question"
        others = "" if reading.untouched else "someone has answered it, or "
        return f"the {what} is no longer there: {others}it has changed or ended", see
    if state.front[:1] != watch.front[:1]:
        return None  # nothing was answered since this pane's first process began
    before, now = state.front[1], watch.front[1]
    if before == now or process.descends(now, before) or call == "run" and state.open:
        return None
    if state.open in RAN:
        return (
            f"the program of the last answer has ended: {program} is in front",
            f"{see}, or use run",
        )
    return f"the program of the last answer no longer waits here: {program} does", see


def _still_asked(watch: Watch, here: Turn) -> bool:
    """Whether the question of the last answer is asked now. A program may draw its own question
    anew: there only a key since then makes it another one."""
    state, reading, word = watch.state, here.reading, here.word
    if here.typed:
        return here.word in (Word.NEEDS_INPUT, Word.NEEDS_KEY)
    if here.at_rest or not here.verdict and reading.canonical:
        return False
    if state.open == Word.NEEDS_PASSWORD != word:
        return False
    if reading.full_screen:
        return True  # what has changed there is a doubt
    drawn = not reading.canonical and reading.editor is None
    slept = state.front == watch.front  # what reads has not run since, whatever was printed
    return slept or drawn and reading.untouched or _as_told(here)


def _as_told(here: Turn) -> bool:
    """Whether the line at the cursor, up to it, is the one that the last answer left open."""
    return here.reading.seen.line_digest == here.reading.state.question


def _beside(watch: Watch, here: Turn, call: str) -> Refusal | None:
    """Text of a person's, or what may be one's."""
    state, reading, program = watch.state, here.reading, here.reading.program
    seen, touched, left = reading.seen, not reading.untouched, clean(reading.seen.line_left.strip())
    ask = "it is not yours: ask the person to finish or clear it, or work in a window of your own"
    busy, editor, shell = not here.verdict, reading.editor, reading.traits.shell
    if reading.full_screen and not (watch.first or state.screen or state.open in _OPENS):
        what = f"{program} fills the screen: someone has opened it since the last answer"
        return what, "see it with read first"
    if here.persons:
        return here.typed.replace(", not yours", ""), f"{ask} (action open)"
    key = here.word is Word.NEEDS_KEY and (editor or shell) and not reading.full_screen
    if key and (touched or call != "interrupt"):
        who = f"the line editor of {program}" if editor else program
        what = f"{who} waits for one key: the rest of one, an answer, or a command of vi's"
        return what, "press it with keys; keys C-g, or i in vi's command mode, leave that"
    another = shell and reading.prompts  # prompt, and so `>` is none
    strange = continues(left, sure=not another) and not reading.at_known_prompt
    begun = here.word is Word.UNFINISHED or here.at_rest and strange
    if begun and state.open != Word.UNFINISHED and touched:
        rows = " / ".join(row.strip() for row in seen.screen[: seen.cursor_y + 1][-3:])
        return f"an unfinished command is at the prompt, somebody's: {clean(rows)!r}", ask
    # In canonical mode the kernel keeps what is typed, and a prompt or question comes behind it.
    typed = touched and state.stamp
    unread = reading.kernel.terminal.unread and not state.sent
    if busy and (unread or reading.canonical and typed and left):
        what = f"someone may have typed what {program} has not shown yet: it is busy"
        return what, "see what comes of it with wait_ready; keys C-c stop it all the same"
    hidden = here.word is Word.NEEDS_PASSWORD == state.open
    asked = not busy and reading.canonical and state.open in _OPENS
    unseen = state.unseen and state.place and (state.place.row, state.place.x) == seen.cell
    if unseen or typed and (hidden or asked):
        what = f"someone typed before {program} asked for a line: that may be waiting, unseen"
        return what, "ask the person to end or clear it, or empty it yourself with keys C-u"
    if here.nobodys and call != "interrupt":
        return here.typed, "interrupt clears it"
    return None


def _at_no_prompt(watch: Watch, here: Turn, call: str) -> Refusal | None:
    """`run` is for a prompt with nothing behind it."""
    program, verdict, where = here.reading.program, here.verdict, f"in {watch.pane.name}"
    if here.own:
        own = f"a half-typed line, your own, is at the prompt: {clean(here.own)!r}"
        return own, "clear it with keys C-c, or end it with keys Enter"
    if here.at_prompt:
        return None
    advice = "use send to answer or type ahead, wait_ready to wait, interrupt to stop it"
    if not verdict:
        return f"{program} is in front {where} and is still running", advice
    if verdict.word is Word.NEEDS_KEY:
        leave = programs.of(program).leave
        advice = f"use keys, or leave it: {leave}" if leave else "use keys, interrupt to stop it"
    if verdict.word in (Word.QUIET, Word.NEEDS_INPUT):
        advice = f"if that is its prompt, wait_ready with a prompt_pattern; else {advice}"
    return f"{program} is in front {where} and {verdict.word} ({clean(verdict.detail)})", advice


def _changed(watch: Watch, here: Turn, call: str) -> Refusal | None:
    """What a person has done in a full screen, until an answer has shown it."""
    state, reading, seen = watch.state, here.reading, here.reading.seen
    shown = here.verdict and state.screen and not watch.first
    if reading.untouched or not (reading.full_screen and shown):
        return None
    if colours(painted(seen.id), seen) == state.colours:
        return None
    what = "someone has pressed keys since the last answer, and the screen changed"
    return what, "see it with read first"


def _doubt(watch: Watch, here: Turn, call: str) -> Refusal | None:
    """What stands where text would go, if it is neither proven empty nor the agent's own. Each
    `call` is refused once for a line."""
    state, reading, seen = watch.state, here.reading, here.reading.seen
    if reading.untouched or here.own or reading.full_screen or _is_empty(watch, here):
        return None
    below = list(filter(None, seen.screen[seen.cursor_y + 1 :]))
    mark = clean(" / ".join([(seen.line_left + seen.right).strip(), *below[:1]]))
    doubt = digest(f"{call} {mark}")
    if state.doubt == doubt:
        return None
    state.doubt = doubt
    watch.pane.store(state.dumps())
    what = f"cannot determine whether someone has typed here: {mark!r}"
    return what, "look with read; the same call again goes on behind it"


def _is_empty(watch: Watch, here: Turn) -> bool:
    """Whether nothing is typed on the line: the editor's memory shows that, or the text up to the
    cursor is a known prompt, or the line of the last answer, and nothing is drawn behind it. Of a
    pane's first line, the form of a prompt or question tells that."""
    reading, seen, line = here.reading, here.reading.seen, here.line
    if reading.editor:
        return True
    if adjoining(seen.right) or any(seen.screen[seen.cursor_y + 1 :]):
        return False
    left = seen.line_left
    if _as_told(here) or here.at_rest and line and line.known:
        return not (line and line.typed)
    if here.at_rest:
        empty = watch.first and line and not line.typed
        return bool(empty) and not (reading.traits.shell and continues(left))
    return not left.strip() or watch.first and question(left) is not None


_RULES = {  # in the order in which they are asked; the first one that refuses says why
    "run": (_ended, _elsewhere, _beside, _at_no_prompt, _doubt),
    "send": (_ended, _elsewhere, _beside, _changed, _doubt),
    "keys": (_ended, _changed, _elsewhere),
    "interrupt": (_ended, _beside, _changed, _doubt),
}
