"""What is new among the lines of the ordinary screen: where output begins and ends. Pure.

Output begins at a place, a cell: the one in which Enter was pressed, or up to which the last answer
has told. What an answer has shown is never shown again. Where the place is lost, because a program
has cleared the screen or drawn it anew, the rows that stood there at the last answer are old, and
all others are new. BEGINS is the list of these rules, read from top to bottom.

Output ends at the cursor. What stands on its line decides how: behind a prompt nobody has printed,
so the prompt goes, with its upper rows and the mark that zsh and fish set behind output without a
line break; a question is quoted in the first line; anything else is output, down to the last row
that is filled.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from ..base.cells import Line, in_one_line, squeezed, text_at
from ..base.rules import apply
from ..base.words import Word
from ..facts.line import glued, has_form, is_reply, split
from ..facts.look import Look, digest
from ..facts.place import Behind, changes, since
from ..facts.screen import filled, without_frame
from ..facts.state import State
from ..turn.reading import Reading
from ..turn.turn import Turn
from ..turn.verdict import SHELL

LEFT = "another screen is back; what came on it before this is shown by read"
_END_MARKS = ("%", "#", "⏎", "¶")  # zsh, fish: output without a line break ends here
_ALMOST = 2  # cells that such a filled-up row may lack


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What is known where output begins."""

    seen: Look  # of now, high enough to hold all that stands behind the place
    state: State  # of the last answer
    behind: Behind  # the place in it

    @property
    def entered(self) -> bool:
        """Whether Enter was pressed at a prompt and nothing of what came was told yet: what is
        drawn above is then a prompt that Enter has changed."""
        sent = self.state.sent
        place = self.state.place
        return sent.enter and sent.at_prompt and place == sent.place

    @property
    def later(self) -> list[Line]:
        """The lines that did not stand above the screen of the last answer."""
        rows = {line.row for line in since(self.state.top_cell, self.seen).lines}
        return [line for line in self.behind.lines if line.row in rows]


class AtCursor(Enum):
    """What stands on the cursor's line."""

    PROMPT, QUESTION, OUTPUT = range(3)


# where output begins


def _a_screen_that_was_left_on(it: Shown) -> Behind | None:
    """A program that was killed had left the screen of its own on, and lines were told there; now
    the ordinary one is back (`tput rmcup`): new is at most what stands below its last command."""
    if not it.state.alternate or it.state.screen or it.seen.alternate_on:
        return None

    prompts = it.state.prompt_texts
    parts = [split(line.text, prompts) for line in it.seen.lines]
    commands = [at for at, part in enumerate(parts) if part and part.known and part.typed]
    below = []
    if commands:
        below = it.seen.lines[commands[-1] + 1 :]
    return Behind(below, LEFT)


def _a_command_cleared(it: Shown) -> Behind | None:
    """A command that was entered at a prompt has cleared the screen: all that is in reach came of
    it, whatever it repeats (`clear; seq 3`)."""
    if not it.behind.lost or not it.entered:
        return None
    return it.behind


def _the_screen_was_drawn_anew(it: Shown) -> Behind | None:
    """The place is gone: a wizard redraws its questions. Or the last answer has shown what a
    program draws on the ordinary screen (dialog), which may have moved up when it ended. The rows
    that stood there at the last answer are compared."""
    drew_here = it.state.screen and not it.state.alternate
    if not (it.behind.lost or drew_here):
        return None
    return Behind(not_among(it.state.rows, it.later), _lost_unless_kept(it))


def _drawn_over(it: Shown) -> Behind | None:
    """The place stands, and a program has changed rows around it that the last answer has shown (a
    menu becomes the line `✔ Colour: red`): those that are still the same are old."""
    place = it.state.place
    if not place or not it.state.rows:
        return None
    if it.entered or it.state.screen or place.is_moved(it.seen):
        return None

    begin = min((line.row for line in it.behind.lines), default=place.row + 1)
    screen = [line for line in it.seen.lines if place.history <= line.row <= place.row]
    above = [line for line in screen[:-1] if line.row < begin]
    below = it.behind.lines
    if place.below:
        below = not_among(place.below, below)
    return Behind(not_among(it.state.rows, above) + below)


def _behind_the_place(it: Shown) -> Behind | None:
    """A command has printed below the cell in which Enter was pressed."""
    return it.behind


BEGINS: tuple[Callable[[Shown], Behind | None], ...] = (
    _a_screen_that_was_left_on,
    _a_command_cleared,
    _the_screen_was_drawn_anew,
    _drawn_over,
    _behind_the_place,
)


def begins(it: Shown) -> tuple[Behind, str]:
    """The lines from where output begins, and the name of the rule that says so."""
    ruling = apply(BEGINS, it)
    return ruling.said or it.behind, ruling.rule


def not_among(old: list[int], lines: list[Line]) -> list[Line]:
    """`lines` without those with the digests `old`, and without frames."""
    texts = filled([line.text for line in lines])
    new = [lines[at] for at in changes(old, texts).new]
    return [Line(line.row, without_frame(line.text)) for line in new]


def _lost_unless_kept(it: Shown) -> str:
    """What is lost; nothing, if a row of the last answer's screen is still there. The cursor's own
    is a prompt, like any other."""
    above = [line.text for line in it.behind.lines if line.row < it.seen.line_row]
    if any(text.strip() and digest(text) in it.state.rows for text in above):
        return ""
    return it.behind.lost


# where output ends


def at_cursor(here: Turn) -> AtCursor:
    """What stands on the cursor's line: a prompt or a question that has been recognised."""
    reading = here.reading
    if here.at_prompt:
        return AtCursor.PROMPT
    if here.at_rest:
        return AtCursor.QUESTION  # `> `, the rest of a command
    if reading.seen.draws:  # a menu stands below
        return AtCursor.OUTPUT

    if here.verdict:
        if reading.editor or here.verdict.detail == in_one_line(reading.left):
            return AtCursor.QUESTION
        return AtCursor.OUTPUT

    if reading.editor or reading.at_known_prompt:
        return AtCursor.PROMPT
    return AtCursor.OUTPUT


def up_to_the_cursor(lines: list[Line], here: Turn, seen: Look) -> list[Line]:
    """`lines` without what stands at the cursor and is no output."""
    stands = at_cursor(here)
    if stands is AtCursor.OUTPUT:
        while lines and not lines[-1].text.strip():
            lines = lines[:-1]
        return lines

    kept = [line for line in lines if line.row < seen.line_row]
    left = text_at(lines, seen.line_row).rstrip().removesuffix(seen.line_right.rstrip())
    kept = _without_typed_rows(kept, left, here)
    state = here.reading.state
    upper = state.rows_of_prompt([line.text for line in reversed(kept)])
    editor = here.reading.editor
    front = _front(left, here)

    if editor:
        front = _before(left, editor.prompt + editor.before) or editor.printed_at(left)
        while upper and not upper[-1].strip():  # which may be the end of an output
            upper.pop()
        upper = max(upper, editor.above[::-1], key=len)  # with what a hook prints above it

    if stands is AtCursor.PROMPT:  # the upper rows of a question are told
        kept = _without_upper_rows(kept, upper)
        if not left.strip():
            kept = _without_drawn_over_prompt(kept, here.reading)

    # what the terminal has answered to a prompt's hook, echoed: `^[[14;1R`
    replied = front.startswith("^[") and is_reply(front)
    if front.strip() and not replied:  # output without a line break
        return [*kept, Line(seen.line_row, front)]
    return _without_mark(kept, seen)


def _front(left: str, here: Turn) -> str:
    """The output without a line break in front of a prompt; all that stands there, if a shell waits
    behind what has no form of a prompt (`PS1=`), and nobody has typed. lua's `>> ` is one sign."""
    if here.word is Word.UNFINISHED:
        return ""

    begin = glued(left, here.reading.prompts)
    if begin is not None:
        return left[:begin]

    shell = here.verdict.evidence == SHELL and here.no_key
    if shell and not (here.text or has_form(left)):
        return left
    return ""


def _without_typed_rows(kept: list[Line], left: str, here: Turn) -> list[Line]:
    """`kept` without the upper rows of what is typed at the prompt: zsh's are not marked as
    wrapped, and no line."""
    typed = squeezed(here.text).removesuffix(squeezed(left))
    while kept and typed:
        row = squeezed(kept[-1].text)
        if row.endswith(typed):  # with the prompt before it
            return kept[:-1]
        if not row or not typed.endswith(row):
            return kept
        kept = kept[:-1]
        typed = typed.removesuffix(row)

    return kept


def _without_drawn_over_prompt(kept: list[Line], reading: Reading) -> list[Line]:
    """`kept` without the prompt behind which a job has printed (`$ nohup: ignoring input`): the
    cursor stands in an empty row below."""
    prompts = reading.prompts
    if "" in prompts:  # `PS1=`: the row is empty anyway
        return kept

    for at in reversed(range(len(kept))):
        row, text = kept[at]
        for prompt in prompts:
            behind = text.removeprefix(prompt).strip()
            if text.startswith(prompt) and behind:
                return [*kept[:at], Line(row, behind), *kept[at + 1 :]]

    return kept


def _without_upper_rows(kept: list[Line], upper: list[str]) -> list[Line]:
    """`kept` without the upper rows of a prompt (from below) at its end, each alone, wrapped, or
    behind output that has no line break."""
    kept = list(kept)
    for text in upper:
        last = kept[-1] if kept else Line(0, "")
        if squeezed(text).endswith(squeezed(last.text)):
            kept = kept[:-1]
        elif output := _before(last.text, text):
            kept[-1] = Line(last.row, output)

    return kept


def _before(line: str, text: str) -> str:
    """What stands in `line` before `text`, if that ends it: output without a line break."""
    line = line.rstrip()
    text = text.rstrip()
    if not squeezed(line).endswith(squeezed(text)):
        return ""
    return line[: max(len(line) - len(text), 0)]


def _without_mark(lines: list[Line], seen: Look) -> list[Line]:
    """`lines` without the mark behind output that has no line break: its row is filled up."""
    if not lines:
        return []

    last = lines[-1]
    text = last.text.rstrip()
    # from its beginning: the place may stand on it
    whole = text_at(seen.lines, last.row)
    if text.endswith(_END_MARKS) and len(whole) >= seen.width - _ALMOST and whole.endswith(" "):
        return [*lines[:-1], Line(last.row, text[:-1])]
    return lines
