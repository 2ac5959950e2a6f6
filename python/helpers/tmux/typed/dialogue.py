"""The typing of one call: a text line by line, and the answers to what the program asks.

Each piece is typed only at the turn for which it is meant: the same program, waiting in the same
way, with nobody else's keys in between. So a second line is typed where the first one was asked
for, or where a REPL has ended by its own quit command and the shell that has started it is at its
prompt; a key behind an Enter where the same program waits as it did; an answer at each question
once. What is not typed is told, and is no error: something was entered by then.
"""

import re
import time
from collections.abc import Callable
from itertools import chain

from ..base import programs
from ..base.answer import counted
from ..base.cells import text_at
from ..base.client import TmuxError
from ..base.keys import Key, Typed, shown
from ..base.words import Word
from ..facts.line import is_known, is_yes_no, offers, question
from ..facts.look import digest
from ..facts.reader import Differs
from ..facts.state import load, stamp_of
from ..told.asking import (
    asked,
    asks,
    changed,
    hides,
    is_secret,
    row_of,
    takes_line,
    waits_for_buttons,
)
from ..told.may_type import NOTHING, may_go_on, may_type, settle
from ..told.report import Report
from ..told.told import Telling, tell
from ..turn.reading import Reading
from ..turn.turn import Turn
from .pressing import is_elsewhere, press
from .typing import draws_itself, edits_line, in_brackets, type_text

_TRIES = 8  # inputs on a pane that changes meanwhile
_LEAST = 1.0  # seconds in which the next of several lines may be asked for,
_AT_ONCE = 0.1  # of which those count that a program takes longer than this
_BEGINS = 4  # characters that a REPL's prompts have in common: `pry(main)>`, `pry(main)*`
_CANONICAL_LINE = 4095  # bytes of a line that the kernel keeps in canonical mode
_NAMES = re.compile(r"\d+|'.*'|\".*\"")  # in which `rm: remove file 'a'? ` differs from the next
# A heredoc, behind which there is no line.
_HEREDOC = re.compile(r"[^\n<]*<<-?\s*['\"]?(\w+)\b(?s:(?!\n\1\n).)*\n\1\s*")
_NO_FIT = (
    "a key matches this question, and its text does not fit: what offers yes or no takes nothing"
    " else, and a yes or no goes to no other question than the first that its key has matched"
)


class Dialogue:
    """The typing of one call. `limit`: seconds for all of it.

    Its body grows as it goes on: what came before each answer, the row of the question with the
    answer as it was drawn, then what came of that.
    """

    def __init__(self, report: Report, limit: float):
        self._report = report
        self._watch = report.watch
        self._end = time.monotonic() + limit
        self._patience = _LEAST  # seconds more for whoever does not read yet, once a call
        self._first: dict[str, str] = {}  # of each key of `answers`, the form of its first question
        self.follows = False  # a shell has taken several lines that may be several commands
        self.entered = False  # from now on whatever fails is told with a verdict

    def seconds_left(self, least: float = 0.0) -> float:
        """Seconds until the limit."""
        return max(self._end - time.monotonic(), least)

    def _patiently(self, wait: Callable[[float], Turn]) -> Turn:
        """The turn behind a line or a key. Who takes twenty lines at once takes no patience; with
        who does not read yet it is spent once, not once for each line."""
        least = self._patience + _AT_ONCE
        began = max(time.monotonic(), self._end)
        here = wait(least)
        over = time.monotonic() - began - _AT_ONCE
        self._patience = max(self._patience - max(over, 0.0), 0.0)
        return here

    def note_entered(self) -> None:
        """Notes on the pane that something was entered, of which no answer tells what came."""
        tell(self._watch, Word.SENT, Telling())

    # a text

    def enter(self, text: str, enter: bool) -> Turn | None:
        """Types `text` and Enter, line by line where the program does not take several at once.
        Returns the turn at which the rest was not typed; None if all of it was."""
        for _ in range(_TRIES):
            first = may_type(self._watch, self._report.action, text)
            if load(first.seen).number != self._watch.state.number:
                self._watch.reload()  # another caller has answered before this one had the lock
                continue

            piece, *rest = _pieces_of(first, text, enter)
            if not first.verdict:
                self._patience = 0.0

            several = "\n" in piece and not _HEREDOC.fullmatch(piece)
            self.follows = several and first.reading.traits.shell
            told = len(self._report.notes)
            self._report.keep_unseen(first)
            if self._type_first(first, piece, enter):
                return self._type_behind(first, piece, rest)

            self._report.body = []  # another caller has told that by now
            del self._report.notes[told:]

        what = f"{self._watch.pane.name} keeps changing: someone types, or a program draws"
        raise TmuxError(what, f"wait with wait_ready, then try again; {NOTHING}")

    def _type_first(self, first: Turn, piece: str, enter: bool) -> bool:
        """Types the first piece; whether it was typed. A line break in the middle of it has entered
        what is before it, unless a line editor holds the whole."""
        try:
            self.entered = type_text(self._report, first, piece, enter) is not None
        except TmuxError:
            self.entered = "\n" in piece and not edits_line(first)
            raise
        return self.entered

    def _type_behind(self, first: Turn, last: str, rest: list[str]) -> Turn | None:
        """Types the other lines; one that cannot be typed is no error any more."""
        try:
            return self._type_rest(first, last, rest)
        except TmuxError as problem:
            if problem.gone:
                raise
            self._report.notes.append(f"{problem}; the lines behind it were not typed")
            return self._watch.turn(_LEAST)

    def _type_rest(self, first: Turn, last: str, rest: list[str]) -> Turn | None:
        """Types the other lines behind the line `last`, as long as they are asked for as the first
        one was, or behind its own quit command by the shell that has started the program."""
        tries = _TRIES
        while rest:
            here = self._patiently(self.wait)
            if _has_quit(here, first, last):
                first = here

            wanted = _asks_on(here, first) or _reads_on(here, first)
            if not (tries and wanted and may_go_on(self._watch, here)):
                self._note_untyped(rest)
                return here

            self._report.keep(here)
            echoes = last.split("\r")  # of lines that were typed ahead, each has a row of its own
            self._report.body = [row for row in self._report.body if row not in echoes]
            entered = type_text(self._report, here, rest[0], enter=True)
            if entered is None:
                tries -= 1
                continue

            if here.word is Word.NEEDS_INPUT and here.reading.question:
                self._report.body += row_of(here, entered)

            last = rest[0]
            rest = rest[1:]

        return None

    def _note_untyped(self, rest: list[str]) -> None:
        """Notes how many lines of the text were not typed."""
        if any(rest):
            self._report.notes.append(f"not typed: the last {counted(len(rest), 'line')} of text")

    # keys

    def press(self, here: Turn, keys: list[Key]) -> Turn | None:
        """Presses keys, and types the texts between them. After an Enter or C-c it is waited for
        what comes of it, which is told: the rest is for the same program, if that waits as it did,
        or is where C-c leads. Returns the turn at which the rest was not pressed; None if all of it
        was."""
        self._report.keep_unseen(here)
        first = here
        parts = _parts(keys)
        while parts:
            part = parts.pop(0)
            unpressed = press(self._report, here, part, self.seconds_left(self._patience))
            self.entered = True
            rest = [*unpressed, *chain.from_iterable(parts)]
            if not rest:
                return None

            here = self._behind(first)
            stops = part[-1] == "C-c" or not first.verdict
            lost = _has_no_field_for(parts, here)
            if unpressed or lost or not self._may_press(here, first, stops):
                self._note_unpressed(here, rest)
                return here

            if not here.full_screen:
                self._report.keep(here)

            if stops:
                first = here  # the prompt to which C-c has led

        return None

    def _behind(self, first: Turn) -> Turn:
        """What came of an Enter or C-c. Where nothing shows a turn, the same reader that sleeps
        again is enough. What runs need not read."""
        if not first.verdict:
            return self._watch.wait(min(_LEAST, self.seconds_left()))
        here = self.answer(self._patiently(self._watch.wait))
        if here.verdict or not changed(first, here.reading) & Differs.WAY:
            return here
        return self.wait()

    def _may_press(self, here: Turn, first: Turn, stops: bool) -> bool:
        """Whether the keys behind an Enter are meant for what waits now: the same process, or the
        next box of its script. `stops`: whether they are for where C-c leads."""
        if not may_go_on(self._watch, here):
            return False
        if stops:
            return not is_elsewhere(here.reading, first, "C-c")

        if waits_for_buttons(here):
            return False  # nobody has foreseen `Format the disk?`

        found = changed(first, here.reading)
        if found & Differs.PROCESS:
            return here.word is first.word and _is_next_box(here, found)
        if not here.verdict:
            return not found & Differs.WAY
        if first.at_rest or here.full_screen:
            return _asks_on(here, first)

        same = is_known(here.verdict.detail, [first.verdict.detail])
        repeated = digest(here.verdict.detail) in self._watch.state.sent.left  # by cat
        return (same or repeated) and _asks_on(here, first)

    def _note_unpressed(self, here: Turn, rest: list[Key]) -> None:
        """Notes which keys were not pressed; of a password only how many."""
        what = shown(rest)
        if here.hidden:
            what = counted(len(rest), "key")
        self._report.notes.append(f"not pressed, because of what is here by now: {what}")

    # answers

    def take_over(self, here: Turn, asked_at: int) -> Turn:
        """The turn `here`, behind what the person was to answer, which was last asked in the second
        `asked_at`: their keys were for that, and `answers` goes on, unless one came later."""
        watch = self._watch
        if not asks(here) or not watch.search.answers(asked(here)):
            return here

        settle(watch)
        here = watch.turn(_LEAST)
        later = watch.seen.session_activity > asked_at + 1
        if later or here.text or here.reading.question is None:
            return here

        watch.state.stamp = stamp_of(watch.seen)
        return watch.wait(self.seconds_left(_LEAST))

    def wait(self, least: float = 0.0) -> Turn:
        """Waits for a turn until the limit, and answers what is asked meanwhile."""
        return self.answer(self._watch.wait(self.seconds_left(least)))

    def answer(self, here: Turn) -> Turn:
        """Answers the question of `here`, and those after it, each once as long as it comes
        unchanged; returns the turn at the end."""
        answered = set[str]()
        while asks(here) and asked(here) not in answered:
            text = self._answer_to(here)
            if text is None:
                break

            question_now = asked(here)
            # Enter may only have closed a list of completions: then the answer stands there.
            answered |= {question_now, f"{question_now} {text}"}
            self._report.keep(here)
            first = here
            entered = type_text(self._report, first, text, enter=True)
            self.entered = True
            here = self._watch.wait(self.seconds_left())
            self._report.body += row_of(first, entered) or self._row_of_key(first, here)

        return here

    def _row_of_key(self, first: Turn, here: Turn) -> list[str]:
        """The row of the question `first`, which one key has answered, with what stands behind it
        by now; none of one that its program draws itself, or that stands above the cursor."""
        if draws_itself(first) or first.seen.draws or first.seen.blank:
            return []

        place = self._watch.state.sent.place
        line = text_at(here.seen.lines, first.seen.line_row).rstrip()
        if place and line.startswith(first.seen.line_left.rstrip()):
            place.whole = False  # the rest of its line is told
            return [line]

        return [first.verdict.detail]

    def _answer_to(self, here: Turn) -> str | None:
        """The text that answers what is asked now; None if there is none, or it may not be typed,
        which is told."""
        found = self._watch.search.answers(asked(here))
        follows = here.own and any(found.values())  # what the program proposes, which is told
        if not found or follows:
            return None

        found = {key: text for key, text in found.items() if self._fits(here, key, text)}
        if why := self._why_unanswered(here, found):
            self._report.notes.append(f"answers: {why}; nothing was sent")
            return None

        return next(iter(found.values()))

    def _fits(self, here: Turn, key: str, text: str) -> bool:
        """Whether a text may answer this question: not `443`, which is for `Port: `, where `Below
        1024: use that port? (y/N) ` is asked; nor `n`, which was for `Telemetry? [Y/n] `, where
        `Type 'decline' to go without telemetry: ` is."""
        offered = offers(asked(here))
        form = _NAMES.sub("", asked(here))
        first = self._first.setdefault(key, form)
        if not offered:
            return form == first or not is_yes_no(text)
        if is_yes_no(text):  # `yes` fits `[y/N]`, `no` fits `[yes]`, and `y` no `[J/n]`
            return len(offered) == 1 or text[0].lower() in {one[0] for one in offered}
        return text.lower() in ("", *offered)

    def _why_unanswered(self, here: Turn, found: dict[str, str]) -> str:
        """Why none of these answers is sent; "" if they say the same, and it may be typed."""
        if not found:
            return _NO_FIT

        names = " and ".join(map(repr, found))
        if len(set(found.values())) > 1:
            return f"{names} match this question with different texts"

        above = here.reading.last_new
        repeated = self._watch.state.sent.is_text(above)  # by cat
        shown = here.seen.left.strip() or (question(above) and not repeated)
        if not shown and here.word is not Word.NEEDS_KEY:
            return f"{names} matches, and nothing shows that this is a question: use send"
        if self._is_for_a_password(here, found) and not hides(here):
            return f"{names} is for a password, and nothing proves that it is hidden here"

        one_key = question(asked(here)) is not None and max(map(len, found.values())) <= 1
        if here.word is Word.NEEDS_KEY and not (one_key or takes_line(here)):
            return f"{names} matches, and {here.program} waits for a key: use keys"
        # Their half-typed answer may have been told: then no key need have come since.
        if here.persons or not may_go_on(self._watch, here):
            return "somebody may have typed here"
        return ""

    def _is_for_a_password(self, here: Turn, found: dict[str, str]) -> bool:
        """Whether a key or the question has a password's form, or a text was typed unseen."""
        texts = list(filter(None, found.values()))
        if any(map(self._watch.state.is_secret, texts)):
            return True
        return bool(texts) and any(map(is_secret, [*found, asked(here)]))


def _asks_on(here: Turn, first: Turn) -> bool:
    """Whether the program that took the first line asks for another one in the same way: not for a
    key, where it has asked for lines."""
    if changed(first, here.reading) & (Differs.GROUP | Differs.CANONICAL):
        return False
    if here.own and here.at_prompt:
        return False
    if here.at_prompt and first.at_prompt and _is_another_prompt(here, first):
        return False
    if here.word is first.word:
        return True
    return here.at_rest and first.at_rest


def _is_another_prompt(here: Turn, first: Turn) -> bool:
    """Whether pdb's `n` has led to the program's own `Choice> `: not where its prompt goes on, with
    another number or database, or a shell's changes."""
    if here.reading.traits.shell or here.reading.traits.remote:
        return False
    now = here.verdict.detail
    then = first.verdict.detail
    return now[:_BEGINS] != then[:_BEGINS] and not is_known(now, [then])


def _reads_on(here: Turn, first: Turn) -> bool:
    """Whether a REPL that no row knows wants the rest of what was typed at its prompt: R with `+`,
    guile with nothing, pry with a prompt that begins as the other one."""
    traits = here.reading.traits
    word = here.word
    if traits.leave or traits.shell or here.hidden or not first.at_prompt:
        return False
    if changed(first, here.reading) & Differs.PROCESS:
        return False
    if word not in (Word.NEEDS_INPUT, Word.QUIET):
        return False

    sign = here.reading.left.strip()
    prompt = first.reading.left.strip()
    return not re.search(r"\w", sign) or sign[:_BEGINS] == prompt[:_BEGINS]


def _is_next_box(here: Turn, found: Differs) -> bool:
    """Whether the next box of a script waits (`dialog`, a process for each)."""
    return here.reading.traits.box and not found & (Differs.GROUP | Differs.NAME)


def _has_no_field_for(parts: list[list[Key]], here: Turn) -> bool:
    """Whether the next keys begin with a text, perhaps in the place of another, and a box waits in
    which its letters would choose: a wizard's `Name:` has given way to a menu."""
    next_keys = [key for key in chain.from_iterable(parts[:1]) if key != "C-u"]
    text = bool(next_keys) and isinstance(next_keys[0], Typed)
    return text and here.lacks_field


def _parts(keys: list[Key]) -> list[list[Key]]:
    """`keys` in parts, each up to an Enter or C-c, or to the end."""
    parts: list[list[Key]] = [[]]
    for at, key in enumerate(keys, start=1):
        parts[-1].append(key)
        if key in ("Enter", "C-c") and at < len(keys):
            parts.append([])
    return parts


def _has_quit(here: Turn, first: Turn, last: str) -> bool:
    """Whether the line `last` has ended the program, as it is meant to, and the shell that is in
    front by now is at its prompt with nothing typed: `\\q` in psql, `exit` behind ssh."""
    if last.strip() not in programs.of(first.program).quits.split():
        return False
    alone = here.no_key and not here.own and not here.persons
    return here.at_prompt and here.reading.traits.shell and alone


# pieces


def _pieces_of(here: Turn, text: str, enter: bool) -> list[str]:
    """`text` in the pieces to type one by one: single lines for a program that reads lines, or asks
    for no brackets, unless it takes several as one paste. Raises TmuxError if a part of it would be
    lost, or be taken as a key."""
    reading = here.reading
    lines = text.split("\n")
    edits = edits_line(here)
    if edits and "\t" in text:
        _check_tabs(reading)

    if reading.canonical:
        _check_length(here, lines)

    reads_lines = reading.canonical or edits
    if not enter or not (reads_lines or reading.brackets is False):
        return [text]
    if in_brackets(reading) and _keeps_lines(reading):
        return [text]
    if here.verdict or len(lines) == 1:
        return lines
    # Typed ahead: what nobody reads yet waits in the terminal, one line as well as twenty.
    return ["\r".join(lines[:-1]), lines[-1]]


def _keeps_lines(reading: Reading) -> bool:
    """Whether several lines in one paste stay lines. readline makes one of them (gdb)."""
    traits = reading.traits
    if traits.shell or traits.paste:
        return True
    return not traits.leave and not reading.editor


def _check_tabs(reading: Reading) -> None:
    """Raises TmuxError if a line editor would take a tab as a key."""
    if in_brackets(reading) or reading.traits.quotes:
        return
    raise TmuxError(
        f"{reading.program} would take the tab in the text as a key that completes",
        f"write it as \\t (in a shell $'\\t'), or put the text into a file; {NOTHING}",
    )


def _check_length(here: Turn, lines: list[str]) -> None:
    """Raises TmuxError if a program in canonical mode would lose part of a line."""
    draft = here.reading.state.draft  # which the program has not read
    before = len(here.own.encode())
    if draft and not before:
        before = draft.length

    first, *others = [len(line.encode()) for line in lines]
    longest = max([before + first, *others])
    if longest > _CANONICAL_LINE:
        raise TmuxError(
            f"argument 'text' has a line of {longest} bytes; {here.program} reads in"
            f" canonical mode, where the kernel keeps {_CANONICAL_LINE} bytes of a line",
            f"send shorter lines, or write the text to a file; {NOTHING}",
        )
