"""May I type? What the last answer left open restricts the next call; whose line it is.

Text and keys go to the program that the last answer named, or to what that has started; `run` goes
to a prompt. A line must be proven empty or the agent's own. Where that cannot be told and a key of
a person's has come since the last answer, the call is refused once for what stands there.
"""

import time

from . import process, programs
from .answer import ASKS, RAN, Word
from .client import TmuxError
from .editor import Reads
from .line import adjoining, continues, has_form, question
from .look import Look, digest, painted
from .output import clean
from .screen import colours, filled
from .watch import Turn, Watch

NOTHING = "nothing was typed"
_AT_PROMPT, _DRAWN = 1.0, 0.6  # seconds in which a shell ends its command; draws its prompt
_SETTLES = 1.2  # seconds: tmux tells the second in which the last key came
_PAUSE = 0.05  # seconds, longer than a look counts as fresh
_SECOND_LOOK = 0.1  # seconds; a person's Enter may be on its way
# After these words the agent's own program may have opened a full screen.
_OPENS = (*RAN, Word.NEEDS_KEY, Word.SENT, Word.PRESSED)

Refusal = tuple[str, str]  # what is there, and what to do


def may_type(watch: Watch, run: bool) -> Turn:
    """The turn, if text may be typed; `run`: as a command, at a prompt. Raises TmuxError, which
    says why not and what to do."""
    kernel = watch.read(watch.seen).kernel
    waits = kernel.waiter or kernel.out_of_sight
    asked = watch.state.open in ASKS  # it may look away from its terminal for a moment
    here = watch.turn(_AT_PROMPT if run or asked else _DRAWN if waits else 0.0)
    end = time.monotonic() + _SETTLES
    while _may_be_typing(here.reading.seen) and time.monotonic() < end:
        watch.nap(_PAUSE)
        here = watch.turn(_DRAWN)
    if here.persons:
        watch.nap(_SECOND_LOOK)
        here = watch.turn(0.2)
    why = _closed(watch, here) or _elsewhere(watch, here, run) or _beside(watch, here)
    if here.nobodys:
        why = why or (here.typed, "interrupt clears it")
    why = why or (_at_no_prompt(watch, here) if run else None)
    if why := why or _doubt(watch, here, "run" if run else "send"):
        raise TmuxError(why[0], f"{why[1]}; {NOTHING}")
    return here


def may_go_on(watch: Watch, here: Turn) -> bool:
    """Whether more may be typed in the same call: nobody else has typed since its last input, or
    the line is proven empty. In canonical mode the kernel may keep what was typed, unseen."""
    reading = here.reading
    closed = reading.canonical or reading.full_screen or _beside(watch, here)
    return reading.untouched or not closed and _is_empty(watch, here)


def _may_be_typing(seen: Look) -> bool:
    """Whether a person's key came in the very second of the look: one more would leave no trace.
    The agent's own windows are beside what people look at."""
    return seen.attached and not seen.settled and not seen.opened


def may_press(watch: Watch, here: Turn) -> None:
    """Raises TmuxError if keys would reach another program than the one that was named."""
    key = watch.state.open == Word.NEEDS_KEY
    why = _closed(watch, here) or here.reading.full_screen and _doubt(watch, here, "keys")
    if why or (why := _elsewhere(watch, here, run=False, asked=key)) and not _runs_on(watch, here):
        raise TmuxError(why[0], f"{why[1]}; {NOTHING}")


def _runs_on(watch: Watch, here: Turn) -> bool:
    """Whether nobody waits, as at the last answer: the next command of a shell's loop, perhaps."""
    return not here.verdict and watch.state.open in RAN


def may_interrupt(watch: Watch, here: Turn) -> None:
    """Raises TmuxError if C-c would destroy what a person has typed."""
    key = here.word is Word.NEEDS_KEY and here.reading.untouched  # the agent has begun it
    why = _closed(watch, here) or (None if key else _beside(watch, here))
    if why := why or _doubt(watch, here, "interrupt"):
        raise TmuxError(why[0], f"{why[1]}; no key was pressed")


def _closed(watch: Watch, here: Turn) -> Refusal | None:
    """A pane that takes no input."""
    seen, name = here.reading.seen, watch.pane.name
    if seen.pane_dead:
        what = f"the program in {name} has ended (exit status {seen.pane_dead_status or 'unknown'})"
        return what, f"start it anew: tmux respawn-pane -t {seen.id}"
    return None


def _elsewhere(watch: Watch, here: Turn, run: bool, asked: bool = True) -> Refusal | None:
    """The program of the last answer has ended, or no longer asks what that quoted. `asked`: the
    call answers a question, if there was one."""
    state, reading = watch.state, here.reading
    see, program = "see what came of it with wait_ready", reading.program
    left_open = state.open if asked and not run else ""
    if left_open in ASKS and not _still_asked(watch, here):
        what = "password prompt" if left_open == Word.NEEDS_PASSWORD else "question"
        others = "" if reading.untouched else "someone has answered it, or "
        return f"the {what} is no longer there: {others}it has changed or ended", see
    [pid, group, *_] = state.front or [0, 0]
    other = pid == watch.front[0] and group != watch.front[1] and reading.kernel.alive
    if not other or process.descends(watch.front[1], group) or run and state.open:
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


def _beside(watch: Watch, here: Turn) -> Refusal | None:
    """Text of a person's, or what may be one's."""
    state, reading, program = watch.state, here.reading, here.reading.program
    seen, touched, left = reading.seen, not reading.untouched, clean(reading.seen.line_left.strip())
    ask = "it is not yours: ask the person to finish or clear it, or work in a window of your own"
    busy, editor = not here.verdict, reading.editor
    if reading.full_screen and not (watch.first or state.screen or state.open in _OPENS):
        what = f"{program} fills the screen: someone has opened it since the last answer"
        return what, "see it with read first"
    if here.persons:
        return here.typed.replace(", not yours", ""), f"{ask} (action open)"
    key = editor and editor.reads is Reads.KEY or reading.traits.shell
    if here.word is Word.NEEDS_KEY and key and not reading.full_screen:
        who = f"the line editor of {program}" if editor else program
        what = f"{who} waits for one key: the rest of one, an answer, or a command of vi's"
        return what, "press it with keys; keys C-g, or i in vi's command mode, leave that"
    another = reading.traits.shell and reading.prompts  # prompt, and so `>` is none
    strange = continues(left, sure=not another) and not reading.at_known_prompt
    begun = here.word is Word.UNFINISHED or here.at_rest and strange
    if begun and state.open != Word.UNFINISHED and (touched or not reading.prompts):
        rows = " / ".join(row.strip() for row in seen.screen[: seen.cursor_y + 1][-3:])
        return f"an unfinished command is at the prompt, somebody's: {clean(rows)!r}", ask
    if busy and reading.kernel.terminal.unread and (touched or not state.sent):
        what = f"someone may have typed what {program} has not shown yet: it is busy"
        return what, "see what comes of it with wait_ready; keys C-c stop it all the same"
    unseen = state.unseen and state.shown and (state.shown.row, state.shown.x) == seen.cell
    if not (touched and state.stamp or unseen):
        return None
    # In canonical mode the kernel keeps what is typed, and a prompt or question comes behind it.
    shown = state.shown and digest(seen.left) == state.shown.rows[0]
    strange = bool(left) and not shown and not reading.at_known_prompt
    hidden = here.word is Word.NEEDS_PASSWORD == state.open
    if unseen or hidden or reading.canonical and (strange if busy else state.open in _OPENS):
        what = f"someone typed before {program} asked for a line: that may be waiting, unseen"
        return what, "ask the person to end or clear it, or empty it yourself with keys C-u"
    return None


def _at_no_prompt(watch: Watch, here: Turn) -> Refusal | None:
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


def _doubt(watch: Watch, here: Turn, call: str) -> Refusal | None:
    """What stands where text would go, or what has changed there, if it is neither proven empty
    nor the agent's own. Each `call` is refused once for a line."""
    state, reading, seen = watch.state, here.reading, here.reading.seen
    waits = reading.kernel.waiter or reading.kernel.out_of_sight
    running = not here.verdict and (reading.full_screen or reading.canonical and not waits)
    if reading.untouched or here.own or running:
        return None
    if reading.full_screen:  # until an answer has shown it
        if watch.first or not state.screen:
            return None
        same = list(map(digest, filled(seen.screen))) == state.rows
        if same and colours(painted(seen.id), seen) == state.colours:
            return None
        what = "someone has pressed keys since the last answer, and the screen changed"
        return what, "see it with read first"
    if _is_empty(watch, here):
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
        return watch.first and has_form(left) and not (reading.traits.shell and continues(left))
    return not left.strip() or watch.first and question(left) is not None
