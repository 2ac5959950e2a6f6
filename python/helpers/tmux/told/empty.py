"""Whether nothing is typed on the line: proven, not seen.

A text is appended to whatever stands on the line, and Enter runs both. What is known here,
strongest first: nobody has typed at all; the line editor's memory, which holds the whole line; a
cursor that has not moved since the last answer. A prompt that was learned while nobody could have
typed proves it too, with nothing behind it but what it shows there itself, where a line editor
draws what is typed. Where lines are collected unseen (the kernel in canonical mode, a far shell
without a line editor) a key of a person's means: unknown, whatever the row shows.
"""

from ..base.rules import Ruling, apply
from ..base.words import Word
from ..facts.line import continues, is_known, is_plain_prompt
from .told import Facts, Says

# The rules. Each says whether the line is empty; that it cannot be told is no.


def _a_text_stands_there(f: Facts) -> Says:
    """The line editor, or the row behind a known prompt, shows a person's text."""
    if f.here.persons:
        return False
    return None


def _nobody_has_typed(f: Facts) -> Says:
    """No key has come, or none that was echoed: a person has only looked."""
    if f.untouched:
        return True
    return None


def _the_editor_holds_the_line(f: Facts) -> Says:
    """Its memory shows no text. A REPL that reads by lines may have kept the rows above (sqlite's
    `...>`): there its prompt must be known."""
    reading = f.reading
    if not reading.editor:
        return None
    if reading.traits.shell or not f.here.at_rest or not reading.prompts:
        return True
    return is_known(reading.left, reading.prompts)


def _what_is_typed_is_hidden(f: Facts) -> Says:
    """Half a password shows nothing."""
    if f.here.hidden:
        return False
    return None


def _lines_are_collected_unseen(f: Facts) -> Says:
    """What was typed while a program ran is kept by the kernel, or at the far end of ssh, and comes
    behind the next prompt or question unseen. So may keys from before the last answer: there
    nothing is known to be unmoved.
    """
    if f.state.sent and f.reading.unseen_line:
        return False
    return None


def _nothing_else_was_drawn(f: Facts) -> Says:
    """A key that is echoed or drawn stands there: a person has looked, scrolled, or typed
    elsewhere, or has entered whole commands (`cd /tmp`) that have printed nothing."""
    if f.unmoved or f.entered_since:
        return True
    return None


def _the_kernel_collects_the_line(f: Facts) -> Says:
    """dash's prompt, a program's question: a job has printed over the half-typed `prod-`, or the
    row is another one since."""
    if f.reading.unseen_line and not f.watch.first_call:
        return False
    return None


def _something_else_is_drawn(f: Facts) -> Says:
    """Rows below, or a text right of the cursor that is not the prompt's own: C-a stands before a
    text, `    touch precious` begins with blanks."""
    seen = f.seen
    rights = [one.right for one in f.state.prompts if one.program == f.reading.program]
    if not seen.below and is_known(seen.right, ["", *rights]):
        return None
    return False


def _a_prompt_that_is_known(f: Facts) -> Says:
    """Learned where nobody could have typed; or the same text at which the last command was."""
    reading = f.reading
    if not f.here.at_rest:
        return None
    return is_known(reading.left, reading.prompts) or reading.again or None


def _the_first_prompt(f: Facts) -> Says:
    """A pane's first call proves nothing but by its form: `me@host:~$`. Where nobody has ever
    attached, any prompt is one."""
    if not f.here.at_rest or not f.watch.first_call:
        return None

    left = f.reading.left
    traits = f.reading.traits
    if traits.shell and not traits.indents and continues(left):
        return False
    if f.seen.visited:
        return is_plain_prompt(left)
    return f.here.line is not None


def _nobody_was_ever_here(f: Facts) -> Says:
    """A first call to a program that a script has started: `tmux new -d vim`."""
    if f.watch.first_call and not f.seen.visited:
        return True
    return None


def _nothing_stands_behind_the_question(f: Facts) -> Says:
    """The question of the last answer, which its program draws itself in raw mode."""
    if f.here.at_rest or f.here.word is Word.TIMED_OUT:
        return None
    if not (f.state.stamp or f.watch.first_call):  # keys from before the last answer may wait
        return None
    return f.state.behind_question(f.seen.line_left) == ""


EMPTY = (
    _a_text_stands_there,
    _nobody_has_typed,
    _the_editor_holds_the_line,
    _what_is_typed_is_hidden,
    _lines_are_collected_unseen,
    _nothing_else_was_drawn,
    _the_kernel_collects_the_line,
    _something_else_is_drawn,
    _a_prompt_that_is_known,
    _the_first_prompt,
    _nobody_was_ever_here,
    _nothing_stands_behind_the_question,
)


def is_empty(f: Facts) -> Ruling[bool]:
    """Whether nothing is typed; no rule says so where it cannot be told."""
    return apply(EMPTY, f)
