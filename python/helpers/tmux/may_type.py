"""May I type? What the last answer left open restricts the next call; whose line it is.

Text and keys go to the program that the last answer named, or to what that has started; `run` goes
to a prompt. A line must be proven empty or the agent's own. Where that cannot be told and a key of
a person's has come since the last answer, the call is refused once for what stands there.
"""

import time

from . import process, programs
from .client import TmuxError
from .line import adjoining, continues
from .look import digest, painted
from .screen import colours
from .turn import Turn
from .watch import Watch
from .words import ASKS, MAY_RUN, Word

NOTHING = "nothing was typed"
_PATIENCE = 1.0  # seconds in which a shell ends its command, or a program asks
_SETTLES = 1.2  # seconds: tmux tells the second in which the last key came
_PAUSE = 0.05  # seconds between two looks

# After these words the agent's own program may have asked.
_OPENS = (*MAY_RUN, Word.NEEDS_KEY, Word.SENT, Word.PRESSED)

Refusal = tuple[str, str]  # what is there, and what to do


def may_type(watch: Watch, call: str) -> Turn:
    """The turn, if `run` or `send` may type a text. Raises TmuxError, which says why not and what
    to do."""
    end = time.monotonic() + _SETTLES
    # A person's key came in the very second of the look: one more would leave no trace. The agent's
    # own windows are beside what people look at.
    while watch.seen.attached and not (watch.seen.settled or watch.seen.opened):
        if time.monotonic() > end:
            break
        watch.nap(_PAUSE)
        watch.read()
    here = watch.turn(_PATIENCE)
    allow(watch, here, call)
    return here


def allow(watch: Watch, here: Turn, call: str) -> None:
    """Raises TmuxError if a rule refuses the call."""
    if here.word is Word.GONE:
        again = f"start it anew: tmux respawn-pane -t {watch.pane.id}; {NOTHING}"
        raise TmuxError(f"the program in {watch.pane.name} has ended", again)
    for rule in _RULES[call]:
        if why := rule(watch, here, call):
            raise TmuxError(why[0], f"{why[1]}; {NOTHING}")


def may_go_on(watch: Watch, here: Turn) -> bool:
    """Whether more may be typed in the same call: nobody else has typed since its last input, or
    the line is proven empty."""
    closed = here.reading.full_screen or _beside(watch, here, "send")
    return here.reading.untouched or not closed and _is_empty(watch, here)


# the rules


def _elsewhere(watch: Watch, here: Turn, call: str) -> Refusal | None:
    """The program of the last answer has ended, or no longer asks what that quoted."""
    state, see = watch.state, "see what came of it with wait_ready"
    if call == "keys" and not here.verdict and state.open in MAY_RUN:
        return None  # as at the last answer: the next command of a shell's loop, perhaps
    if call != "run" and state.open in ASKS and not _still_asked(watch, here):
        what = "the question is no longer there"
        return f"{what}: someone has answered it, or it has changed or ended", see
    if state.front.pid != watch.front.pid or call == "run" and state.open:
        return None  # nothing was answered since this pane's first process began
    before, now = state.front.group, watch.front.group
    if before == now or process.descends(now, before):
        return None
    what = f"the program of the last answer no longer waits here: {here.reading.program} does"
    return what, see


def _still_asked(watch: Watch, here: Turn) -> bool:
    """Whether the question of the last answer is asked now. A program may draw its own question
    anew: there only a key since then makes it another one."""
    state, reading = watch.state, here.reading
    if here.at_rest or not here.verdict and reading.canonical:
        return False
    if state.open == Word.NEEDS_PASSWORD != here.word:
        return False
    drawn = not reading.canonical and reading.editor is None
    slept = state.front == watch.front  # what reads has not run since, whatever was printed
    return slept or drawn and reading.untouched or _behind(here) is not None


def _behind(here: Turn) -> str | None:
    """The text behind the line that the last answer left open; None where that is not."""
    return here.reading.state.behind_question(here.reading.seen.line_left)


def _screen(watch: Watch, here: Turn, call: str) -> Refusal | None:
    """A full screen in which a person may have pressed keys, until an answer has shown it."""
    state, reading, seen = watch.state, here.reading, here.reading.seen
    if not reading.full_screen or reading.untouched or watch.first:
        return None
    if state.screen and colours(painted(seen.id), seen) == state.colours:
        return None
    what = "someone has opened it, or pressed keys there, since the last answer"
    return f"{reading.program} fills the screen: {what}", "see it with read first"


def _beside(watch: Watch, here: Turn, call: str) -> Refusal | None:
    """A line that has been begun, and not by this call."""
    reading, seen = here.reading, here.reading.seen
    ask = "it is not yours: ask the person to finish or clear it, or work in a window of your own"
    if here.persons:
        return here.typed.replace(", not yours", ""), f"{ask} (action open)"
    if reading.kernel.terminal.unread and not watch.state.sent:
        return f"someone has typed what {reading.program} has not read yet", ask
    # In canonical mode the kernel keeps what is typed, and a question comes behind it.
    asked = here.verdict and reading.canonical and watch.state.open in _OPENS
    hidden = here.word is Word.NEEDS_PASSWORD == watch.state.open
    if not reading.untouched and (asked or hidden):
        what = f"someone typed before {reading.program} asked for a line: that may be waiting,"
        advice = "ask the person to end or clear it, or empty it yourself with keys C-u"
        return f"{what} unseen", advice
    another = reading.traits.shell and reading.prompts  # prompt, and so `>` is none
    strange = continues(seen.line_left, sure=not another) and not reading.at_known_prompt
    begun = here.word is Word.UNFINISHED or here.at_rest and strange
    if begun and watch.state.open != Word.UNFINISHED and not reading.untouched:
        rows = " / ".join(row.strip() for row in seen.screen[: seen.cursor_y + 1][-3:])
        return f"an unfinished command is at the prompt, somebody's: {rows!r}", ask
    if here.nobodys and call != "interrupt" or here.own and call == "run":
        return here.typed, "interrupt clears it, keys Enter ends it"
    return None


def _waits(watch: Watch, here: Turn, call: str) -> Refusal | None:
    """A program that waits for something else: `run` is for a prompt, and no text is for a line
    editor or a shell's `read` that takes one key: the rest would go elsewhere. A person may be in
    the middle of a search or a completion there."""
    reading, program, verdict = here.reading, here.reading.program, here.verdict
    key = here.word is Word.NEEDS_KEY
    one = key and (reading.editor or reading.traits.shell)
    ours = call == "interrupt" and reading.untouched
    if here.at_prompt or call != "run" and (ours or not one):
        return None
    does = f"{verdict.word} ({verdict.detail})" if verdict else "is still running"
    advice = "use send to answer or type ahead, wait_ready to wait, interrupt to stop it"
    if here.word in (Word.QUIET, Word.NEEDS_INPUT):
        advice = f"if that is its prompt, wait_ready with a prompt_pattern; else {advice}"
    leave = programs.of(program).leave
    if one:
        advice = "press it with keys; keys C-g, or i in vi's command mode, leave that"
    elif key and leave:
        advice = f"use keys, or leave it: {leave}"
    return f"{program} is in front in {watch.pane.name} and {does}", advice


def _doubt(watch: Watch, here: Turn, call: str) -> Refusal | None:
    """What stands where text would go, if it is neither proven empty nor the agent's own, is
    refused once for each `call`."""
    state, reading, seen = watch.state, here.reading, here.reading.seen
    if reading.untouched or here.own or reading.full_screen or _is_empty(watch, here):
        return None
    mark = " / ".join([(seen.line_left + seen.right).strip(), *seen.below[:1]])
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
    pane's first line, the form of a prompt tells that."""
    reading, seen, line, state = here.reading, here.reading.seen, here.line, watch.state
    if here.persons:
        return False
    if reading.editor:
        return True
    # In canonical mode the kernel keeps what was typed before a line was asked for, unseen.
    early = state.sent or not state.stamp
    asked = here.verdict and reading.canonical
    if not watch.first and (here.hidden or asked and early):
        return False
    if adjoining(seen.right) or seen.below:
        return False
    left = seen.line_left
    if _behind(here) == "":
        return True
    if here.at_rest:
        first = watch.first and not (reading.traits.shell and continues(left))
        return line is not None and (line.known or first)
    return not left.strip()


_RULES = {  # in the order in which they are asked; the first one that refuses says why
    "run": (_screen, _beside, _elsewhere, _waits, _doubt),
    "send": (_screen, _beside, _elsewhere, _waits, _doubt),
    "keys": (_screen, _elsewhere),
    "interrupt": (_screen, _beside, _waits, _doubt),
}
