"""What is asked of whom: by a line, by a program that draws its own cursor, of the person.

A question has a row, at whose end the cursor stands, and that row is what `answers` is compared
with. A program that draws its own cursor (clack, enquirer) hides the terminal's: its question is
the last row that begins with the sign of one that is not answered yet. It wants a line if nothing
to choose from stands below, else a key.

A wait goes through what somebody else is to answer, or what was told before: of the person what is
asked there now, then further passwords, but no question that comes after.
"""

import re

from ..base.cells import in_one_line
from ..base.words import ASKS, ASKS_LINE, Word
from ..facts.line import is_of_library, is_pager, question
from ..facts.look import Look, painted
from ..facts.reader import Differs, differs
from ..facts.screen import asks_by_buttons
from ..facts.state import State
from ..turn.reading import Reading
from ..turn.turn import Turn
from ..turn.verdict import Verdict
from ..turn.watch import Watch

_FRAMES = "│┃|└╰┌╭─ "  # what node's libraries draw around a question
_CHOICE = re.compile(r"[●○◉◯◻◼☐☑❯▸▶]|\([yY]/")  # `● Yes / ○ No`, `(y/N)`

# A row that asks nothing by itself: `(enter ? for help) [Ynesfdaq?]`, `Yes/No?`; but `(gdb) `.
_HELP = re.compile(r"(?=.*[?/,|])(?:[\[(][^\[\]()]*[\])]\s*|\w+(?:/\w+)+)+[:?]?")

_BEHIND_NAME = re.compile(r"[?:(›»‣·…]")  # `Add tests? › (y/N)`


class Asked:
    """What a wait goes through: what the person is to answer, or what was told before."""

    def __init__(self, watch: Watch, person: bool, for_pattern: bool):
        self._watch = watch
        self._person = person
        self._for_pattern = for_pattern
        self._row = watch.seen.row
        self._line = 0  # digest of the line that the person is to answer
        self.question = ""
        self.at = 0  # the second in which that was last asked

    def is_waited_through(self, verdict: Verdict) -> bool:
        """Whether the wait goes on at this verdict."""
        if self._person and self._is_the_persons(verdict):
            self.question = verdict.detail
            self.at = self._watch.seen.now
            self._line = self._watch.seen.line_digest
            return True

        if verdict.word is Word.QUIET and self._nothing_has_come():
            return not self._watch.search.answers(verdict.detail)
        return self._for_pattern and self._was_told(verdict)

    def _is_the_persons(self, verdict: Verdict) -> bool:
        """Whether the person answers this: what is asked there now, then further passwords."""
        state = self._watch.state
        seen = self._watch.seen
        if verdict.word is Word.NEEDS_PASSWORD or not verdict.asks:
            return verdict.asks

        told = state.open in ASKS_LINE and not self.question
        if told and _is_another(state, seen):
            return False  # somebody has answered that by now
        return seen.row == self._row and self.question in ("", verdict.detail)

    def _was_told(self, verdict: Verdict) -> bool:
        """Whether the last answer has told this, and nothing was typed since: a watcher that waits
        for a key while its tests run."""
        state = self._watch.state
        if state.sent:
            return False
        if verdict.ready:
            return True
        if verdict.word in ASKS_LINE and _is_another(state, self._watch.seen):
            return False

        new = differs(self._watch.reader, state.told)
        return verdict.word == state.open and not new & Differs.GROUP

    def _nothing_has_come(self) -> bool:
        """Whether the screen is as the last answer has told it, where that was quiet.

        Over ssh `quiet` is told of a command that prints nothing, and of a prompt that nobody
        knows: who waits once more waits for something else.
        """
        state = self._watch.state
        if state.open != Word.QUIET or not state.place:
            return False
        return state.place.has_cursor(self._watch.seen)

    def by(self, here: Turn) -> str:
        """The question that is still asked at the limit of the wait."""
        if here.seen.line_digest == self._line:
            return self.question
        return ""


def _is_another(state: State, seen: Look) -> bool:
    """Whether the line at the cursor is not the question that the last answer has told."""
    return state.behind_question(seen.line_left) is None


def asks(here: Turn) -> bool:
    """Whether something is asked, which over ssh only the question's form tells, or may be:
    `Choice>` looks like a REPL's prompt."""
    if not here.verdict:
        return False
    if here.word is Word.QUIET:
        return question(here.verdict.detail) is not None
    if here.word is Word.READY:
        return bool(re.search(r"\w", here.verdict.detail))
    return here.word in ASKS


def is_secret(asked: str) -> bool:
    """Whether a question, or a key of `answers`, has a password's form: `PIN for`."""
    asked = asked.rstrip(":$ ")
    form = question(f"{asked}:")
    return form is not None and form.word is Word.NEEDS_PASSWORD


def hides(here: Turn) -> bool:
    """Whether nothing shows what is typed: no line editor, nor a program in raw mode."""
    if here.reading.editor:
        return here.reading.editor.hidden
    return here.hidden


def waits_for_buttons(here: Turn) -> bool:
    """Whether a box, or any program's whole screen, asks what its buttons alone answer."""
    drawn = here.full_screen or here.reading.traits.box
    return drawn and asks_by_buttons(here.seen, painted(here.seen.id))


def row_of(here: Turn, entered: Reading | None) -> list[str]:
    """The row of a question that was answered, as it was drawn when Enter was pressed; none of one
    that the program draws anew with its answer."""
    if here.word is Word.NEEDS_KEY:
        return []
    if entered is None or here.hidden:
        return [here.verdict.detail]
    return [entered.seen.line_left.strip() or here.verdict.detail]


def asked(here: Turn) -> str:
    """What is asked, as `answers` sees it: of a program that draws its own cursor, the question
    that is not answered yet: `◆  Where should it go?`."""
    rows = _question_drawn(here)
    if rows:
        return in_one_line(rows[0])

    detail = here.verdict.detail
    row = here.seen.line_row - 1
    if _may_be_answered(here, row):
        return detail
    above = here.seen.rows.get(row, "")
    if _HELP.fullmatch(detail) or (detail == ">" and question(above)):
        return in_one_line(f"{above} {detail}")
    return detail


def _may_be_answered(here: Turn, row: int) -> bool:
    """Whether what was asked in `row` was answered, or once rows were dropped, may have been:
    nothing tells any more which row it is."""
    if here.seen.alternate_on:  # what scrolls away there is not counted
        return True
    entered = here.reading.state.sent.place
    if entered is None:
        return False
    return entered.row == row or entered.is_moved(here.seen)


def _question_drawn(here: Turn) -> list[str]:
    """The row of the last question that a program draws itself, on the ordinary screen, and what is
    below it; none where another one is at the cursor."""
    if here.word is not Word.NEEDS_KEY or here.full_screen:
        return []
    detail = here.verdict.detail
    if question(detail) and not is_of_library(detail):
        return []
    return _last_drawn(here.seen)


def _last_drawn(seen: Look) -> list[str]:
    """The same, whatever is at the cursor."""
    rows = [row.strip(_FRAMES) for row in seen.screen]
    asking = [at for at, row in enumerate(rows) if is_of_library(row)]
    if asking:
        return [row for row in rows[asking[-1] :] if row]
    return []


def gives_way(here: Turn, now: Reading) -> bool:
    """Whether a question that its program draws itself is answered by one key: another one stands
    there `now`, or none."""
    rows = _question_drawn(here)
    return bool(rows) and _name(rows) != _name(_last_drawn(now.seen))


def _name(rows: list[str]) -> str:
    """What a question that is drawn begins with, without what answers it; "" of none."""
    if not rows:
        return ""
    return _BEHIND_NAME.split(rows[0][1:])[0]


def takes_line(here: Turn) -> bool:
    """Whether a program that draws its own cursor asks for a line: nothing to choose from is below
    the question, and no single key answers it."""
    rows = _question_drawn(here)
    return 1 <= len(rows) <= 2 and not _CHOICE.search(" ".join(rows))


# what came of an answer


def changed(here: Turn, now: Reading) -> Differs:
    """In which respects whoever waits now is another one than at the turn `here`, earlier in this
    call. Out of sight it is not known in which way it waits."""
    found = differs(now.reader, here.reading.reader)
    if not now.kernel.waiter:
        found |= Differs.AWAKE

    if now.kernel.out_of_sight:
        found &= ~Differs.WAY

    if _asks_anew(now, here):
        found |= Differs.QUESTION
    return found


def _asks_anew(reading: Reading, here: Turn) -> bool:
    """Whether a question is at the cursor that was not there at the turn `here`: `Really delete?
    [y/N]`, on another line, in the place of the last, or behind it on its row.

    A pager's next page asks nothing. Nor does the next field of a form: its label stood on that row
    before. Nor does a hint that gives way to the key: `? Name (me) ` becomes `? Name A`.
    """
    asked = reading.question
    if asked is None or is_pager(asked.text):
        return False

    row = reading.seen.row
    if row != here.seen.row and asked.text in here.seen.rows.get(row, ""):
        return False  # the next field of a form

    before = in_one_line(here.seen.line_left)
    if before.startswith(asked.text[:-1].rstrip()):
        return False
    if not before or not asked.text.startswith(before):
        return True

    behind = question(asked.text.removeprefix(before))
    return behind is not None and behind.strong
