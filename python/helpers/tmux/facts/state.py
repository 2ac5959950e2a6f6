"""What a call leaves on the pane for the next one: its last input, and a record of the rest. Pure.

One option of tmux holds the record `State`: the turn that was told (who waits, the word, the row of
the question, the stamp of the last key), the last input until somebody waits for what comes of it,
the place from which on nothing was told, and the known prompts. It is on the pane, so that every
caller finds it, and it ends with the pane.

Rows are kept as digests and typed text not at all. A damaged record is none; so is one of another
release. What is too long for one message to tmux is cut.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, NamedTuple

from ..base.cells import breadth, cells, in_one_line, squeezed, trimmed
from ..base.words import CLOSED
from .kernel import LISTEN, Kernel
from .line import LONGEST, adjoining, shape, split
from .look import Look, digest, nonce
from .place import Place
from .reader import NOBODY, Differs, Reader, differs, reader_of

_FIRM = -2  # prompts after which another row above one proves nothing
# What a row may be from any of its signs on, if output stands before it: `5~/src`; no number is one
_ENDS = re.compile(r"(?:^(?!\d+$)|(?=[^\s/\d]))(?=(.*))")
_MOST_UPPER = 4  # rows above a prompt's last: one more than it has
_MOST_PROMPTS = 8  # known prompts of a pane
_LONGEST = 150  # characters of one
_MOST_SECRETS = 8  # texts typed unseen that are known again
_SHORT = 3  # characters of `yes`, or of a key: no secret
_MOST_BYTES = 12_000  # of a record: tmux takes at most 16 KB in one message
_GRACE = 1.0  # seconds after which input that left the queue counts as read
_SIGNAL = 0.3  # seconds in which C-c ends a program
_SLOW = 5.0  # seconds after which a network has delivered input
_LEFT = 2.0  # seconds in which a line editor moves the cursor after Enter


@dataclass(slots=True, kw_only=True)
class Sent:
    """The last input, and the program that got it; false if nobody waits for what comes of it."""

    at: float = 0.0  # monotonic seconds
    reader: Reader = NOBODY  # who waited
    enter: bool = False
    at_prompt: bool = False  # a prompt was there, so one will come again
    left: list[int] = field(default_factory=list)  # as `left_at`
    before: int = -1  # that digest before anything was typed: seen again, it is a prompt
    place: Place | None = None  # where it was entered
    reads: bool = False  # the text calls a shell's `read`
    silent: bool = False  # it prints nothing by itself: an assignment, a function
    edits: bool = False  # the terminal showed the modes of a line editor
    escape: bool = False  # the last key was Escape
    dropped: bool = False  # it was C-c, which ends a line: ours does not stand on the next one
    # A person's line stood there: what the key has made of it stays theirs.
    beside: bool = False

    def __bool__(self) -> bool:
        """Whether somebody waits for what comes of it."""
        return self.reader.pid > 0

    @property
    def ends_no_line(self) -> bool:
        """Whether keys were pressed at a prompt, and none that ends its line: C-u."""
        return self.at_prompt and not (self.enter or self.dropped)

    def is_text(self, typed: str) -> bool:
        """Whether `typed` is the text that was sent, by its end: fish cannot parse it."""
        return bool(self.place and self.place.typed and self.place.typed.ends(typed))

    def is_taken(self, seen: Look, kernel: Kernel, now: float, exact: bool) -> bool:
        """Whether the input has been read. Until then the screen is stale. `exact`: the line
        editor's memory shows it, so that the screen need not."""
        passed = now - self.at
        if kernel.terminal.unread:
            return False

        if kernel.out_of_sight:
            limit = _GRACE if exact else _SLOW
            return passed > limit or self._has_moved_far(seen)

        if not exact and self._shows_old_prompt(seen, kernel, passed):
            return False

        new = differs(reader_of(seen, kernel), self.reader)
        if new & (Differs.GROUP | Differs.PROCESS):
            return True
        return passed > _GRACE or self._has_read(kernel, passed, new)

    def _has_moved_far(self, seen: Look) -> bool:
        """Out of sight the screen alone tells; more behind the same text is a late echo of its
        line."""
        if not self.enter:
            return left_at(seen, self.enter) != self.left
        row, x, known = self.left
        return seen.row != row or digest(cells(seen.rows.get(row, ""), x)[0]) != known

    def _shows_old_prompt(self, seen: Look, kernel: Kernel, passed: float) -> bool:
        """Whether the prompt still stands there at which Enter was pressed."""
        if not (self.enter and self.at_prompt) or left_at(seen, self.enter) != self.left:
            return False
        return kernel.waiter.how == LISTEN or passed < _LEFT  # not proven to read

    def _has_read(self, kernel: Kernel, passed: float, new: Differs) -> bool:
        """Whether the reader has taken bytes since, or where these are not known, has run."""
        if kernel.terminal.canonical and not self.enter:  # a signal, or the kernel keeps the line
            return bool(new & Differs.RAN) or passed > _SIGNAL
        if self.enter and None not in (self.reader.bytes_read, kernel.bytes_read):
            return bool(new & Differs.READ)
        return bool(new & (Differs.READ | Differs.RAN))  # a signal reads no bytes


class Ran(NamedTuple):
    """A shell, and how many commands it had begun when Enter was pressed."""

    shell: int
    runs: int

    def is_all(self, runs: int | None) -> bool:
        """Where its count is `runs` now: it has begun nothing but what that Enter began."""
        return runs in (self.runs, self.runs + 1)


class Draft(NamedTuple):
    """What identifies a text at the prompt that is the agent's own, however it is wrapped."""

    length: int
    digest: int
    nobodys: bool = False  # it was not typed: the shell put it there, or the terminal replied


class Prompt(NamedTuple):
    """A known prompt of a program, and what it shows right of the cursor."""

    program: str
    text: str
    right: str = ""


class Commands(Enum):
    """Whether a command may go to a turn: at its prompt, or to its far end."""

    NONE, PROMPT, REMOTE = range(3)


class Stamp(NamedTuple):
    """The last key from an attached terminal, and whether any later one would change that: it
    changes with each second in which a key came, and in the second in which it was taken another
    key leaves it as it is."""

    key: str
    settled: bool

    def proves_no_key(self, seen: Look) -> bool:
        """Whether no key can have come between this stamp and the look."""
        if seen.unseen or self.key != seen.stamp:
            return False
        return self.settled or not seen.attached


def stamp_of(seen: Look) -> Stamp:
    """The stamp of this look."""
    return Stamp(seen.stamp, seen.settled)


@dataclass(slots=True, kw_only=True)
class State:
    """`place`: where new output begins; `open`: the word of the last answer if it left a turn open;
    `question`: digest of the cursor's line up to it; `stamp`: when the pane was shown, None where
    keys may wait in the terminal, unseen."""

    number: int = 0  # of this record alone: tmux sees whether another caller has stored one
    place: Place | None = None
    sent: Sent = field(default_factory=Sent)
    open: str = ""
    question: int = 0
    question_cells: int = 0  # cells of the question's line up to the cursor
    ghost: int = 0  # digest of what the program itself has drawn behind it: `Name: [your name]`
    told: Reader = NOBODY  # who was told to wait, or to run
    home: Reader = NOBODY  # where a command was typed last, or a prompt told
    remote: bool = False  # the far end of that was told
    theirs: bool = False  # what was told is a line that somebody else has begun
    touched: bool = False  # a person's key may have come, ever
    doubt: int = 0  # digest of a line that was refused once, because anybody may have typed it
    stamp: Stamp | None = None
    screen: int = 0  # the process, or its group, whose screen was shown last
    alternate: bool = False  # it was on a screen of its own, not on the ordinary one
    rows: list[int] = field(default_factory=list)  # digests of all rows of the screen at that time
    top_cell: Place | None = None  # the first cell of that screen
    marks: list[int] = field(default_factory=list)  # digests of what was highlighted on it
    colours: int = 0  # digest of it with its colours and the cursor's cell
    ran: Ran | None = None  # where Enter was pressed last
    draft: Draft | None = None
    shell: int = 0  # the group at whose prompt `note_above` was told last
    above: list[int] = field(default_factory=list)  # forms of the rows above, from below; 0: empty
    # above 0: a later prompt must show them too; 0: perhaps (`rows_of_prompt`); below: proven
    unproven: int = 0
    prompts: list[Prompt] = field(default_factory=list)  # the latest first
    typed_unseen: list[int] = field(default_factory=list)  # what secrets leave

    def note_told(self, reader: Reader, word: str, commands: Commands, theirs: bool) -> None:
        """An answer, or a refusal, tells the turn in which `reader` waits, or runs."""
        self.told = reader
        self.theirs = theirs
        self.open = "" if word in CLOSED else word
        self.type_at(reader, commands)

    def type_at(self, reader: Reader, commands: Commands) -> None:
        """A command was told to, or is typed at, the turn of what is in front."""
        if commands is not Commands.NONE:
            self.home = reader
            self.remote = commands is Commands.REMOTE

    def ask(self, seen: Look, no_key: bool) -> None:
        """An answer has told the line up to the cursor. `no_key`: nobody can have typed there, so
        that what stands behind the cursor is the program's own."""
        self.question = seen.line_digest
        self.question_cells = breadth(seen.line_left)
        self.ghost = digest(adjoining(seen.line_right)) if no_key else 0

    def learn(self, program: str, text: str, right: str = "") -> None:
        """A prompt has been proven. `right`: what it shows right of the cursor."""
        prompt = Prompt(program, text.strip()[-_LONGEST:], right.strip()[-_LONGEST:])
        others = [one for one in self.prompts if one != prompt]
        self.prompts = [prompt, *others][:_MOST_PROMPTS]

    def note_secret(self, text: str) -> None:
        """A text was typed where nothing shows it. `no`, or a key, is no secret."""
        if len(text) > _SHORT:
            self.typed_unseen = [*self.typed_unseen[1 - _MOST_SECRETS :], _trace(text)]

    def is_secret(self, text: str) -> bool:
        """Whether it was, in this pane."""
        return len(text) > _SHORT and _trace(text) in self.typed_unseen

    @property
    def prompt_texts(self) -> list[str]:
        """All known prompts, of whatever program."""
        return [prompt.text for prompt in self.prompts]

    def note_above(self, seen: Look, shell: int, welcome: bool = False) -> None:
        """Notes the rows above a shell's prompt at which a command is typed: `[09:30] ~/src`, whose
        time, branch and directory change.

        Those above the first prompt of a `shell` (its group) count, for output may look like them
        later; other rows undo that, unless many prompts have proven it. `welcome`: no command of
        this shell has printed them.
        """
        rows = [line.text for line in reversed(seen.lines) if line.row < seen.line_row]
        same = len(self.upper_rows(rows))
        if same:
            self.unproven -= not self._may_be_output(self._since_command(rows))
            if self.above[same:][:1] != [0]:  # an empty one, which output without an end fills
                del self.above[same:]
        elif welcome or shell != self.shell or "~" in "".join(rows[:1]):
            self._begin_above(seen, rows, shell, welcome)
        elif self.unproven > _FIRM:
            self.above = []

    def _begin_above(self, seen: Look, rows: list[str], shell: int, welcome: bool) -> None:
        """At the first prompt of a shell, or one in another directory.

        No command has printed what came of a text that prints nothing by itself:
        `PROMPT_COMMAND='echo ---'`; nor, where memory is closed, what stands alone in a new pane
        above its first prompt.

        A program's `welcome` (`Last login: …`), or what stands in a new pane where nobody has ever
        typed, a later one may print too: `cat /etc/motd`. Of that the part counts that stands above
        the next prompt. What a command may have printed already (`pwd`) counts if it names a
        directory below home: hardly any program prints that, and the next prompt must be proof.
        """
        row = "".join(rows[:1])
        first = shell == seen.pid
        alone = not (seen.lines[0].row or trimmed(rows[1:]))
        unvisited = first and not (seen.visited or self.shell)
        proven = self.sent.silent or (first and alone and not welcome)
        all_count = (welcome or unvisited) and shape(row) != shape("/")
        self.shell = shell
        self.unproven = -1 if proven else int(not (welcome or all_count))
        most = _MOST_UPPER if proven or all_count else int("~" in row)
        self.above = [*map(_form, rows[:most])]

    def rows_of_prompt(self, rows: list[str]) -> list[str]:
        """What of `rows`, from below, are upper rows of a prompt."""
        if self.unproven > 0 or (self.unproven == 0 and self._may_be_output(rows)):
            return []
        return self.upper_rows(rows)

    def _may_be_output(self, rows: list[str]) -> bool:
        """Whether the upper rows may be what a command has printed once more: all that came of it,
        or so many that no prompt has them."""
        upper = self.upper_rows(rows)
        again = len(upper) == _MOST_UPPER or not trimmed(rows[len(upper) :])
        return again and "~" not in "".join(upper[:1])

    def _since_command(self, rows: list[str]) -> list[str]:
        """Those of `rows`, from below, that came behind the last command."""
        for at, row in enumerate(rows):
            part = split(row, self.prompt_texts)
            if part and part.known and part.typed:
                return rows[:at]
        return rows

    def upper_rows(self, rows: list[str]) -> list[str]:
        """What of `rows`, from below, is like those above the first prompt: all of them, and what
        stands behind output without a line break: of `5~/src` the directory."""
        found: list[str] = []
        for known, row in zip(self.above, rows, strict=False):
            row = row.strip()[-LONGEST:]
            like = [end for end in _ENDS.findall(row) if _form(end) == known]
            if not like:
                break
            found.append(like[-1])
            if like[-1] != row:
                break

        return found

    def behind_question(self, left: str) -> str | None:
        """The text in `left` behind the question of the last answer; None where that is not."""
        before, behind = cells(left, self.question_cells)
        if digest(in_one_line(before)) == self.question:
            return behind
        return None

    def dumps(self) -> str:
        """The record as it is stored. Of a pane of thousands of rows, not all are kept."""
        self.number = int(nonce(), 16)
        lists: list[list[Any]] = [self.rows, self.marks, self.prompts]
        lists += [place.below for place in (self.place, self.sent.place) if place]
        while len(text := json.dumps(self, default=_fields)) > _MOST_BYTES:
            largest = max(lists, key=lambda one: len(json.dumps(one)))
            del largest[len(largest) // 2 :]
        return f"{self.number} {_checked(text)} {text}"


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a record. (`asdict` copies all of them.)"""
    return {each.name: getattr(record, each.name) for each in fields(record)}


def _form(row: str) -> int:
    """What identifies a row in any directory, at any time.

    What follows `~` changes with the directory: a branch, its state. So do numbers: a clock's, the
    last command's time.
    """
    return digest(shape(re.sub("~.*", "~", row[:LONGEST])))


def _trace(text: str) -> int:
    """What a secret leaves: too little to find it by trying."""
    return digest(text) & 0xFFFF


def left_at(seen: Look, enter: bool) -> list[int]:
    """The cursor's cell, and the digest of what Enter leaves there, or a key on the screen."""
    return [*seen.cell, digest(seen.left if enter else "\n".join(seen.screen))]


def load(seen: Look) -> State:
    """The state on a pane. Input to an earlier process does not count."""
    _, _, rest = seen.state.partition(" ")
    check, _, text = rest.partition(" ")
    if check != _checked(text):  # none yet, or damaged
        return State()

    values = json.loads(text)
    try:
        values["top_cell"] = values["top_cell"] and Place(**values["top_cell"])
        for record in (values, values["sent"]):
            record["place"] = record["place"] and Place(**record["place"])

        for name, kind in _RECORDS.items():
            values[name] = values[name] and kind(*values[name])

        values["prompts"] = [Prompt(*prompt) for prompt in values["prompts"]]
        values["sent"]["reader"] = Reader(*values["sent"]["reader"])
        values["sent"] = Sent(**values["sent"])
        state = State(**values)
    except (KeyError, TypeError):  # another release's
        return State()

    if state.sent.reader.pid != seen.pid:
        state.sent = Sent()
    return state


_RECORDS: dict[str, Callable[..., object]] = {
    "told": Reader,
    "home": Reader,
    "stamp": Stamp,
    "draft": Draft,
    "ran": Ran,
}


def _checked(text: str) -> str:
    """What a record begins with, if nobody has changed it."""
    return f"{digest(text):x}"


def draft_of(text: str, nobodys: bool = False) -> Draft | None:
    """What identifies `text` on the line; None for an empty one."""
    if text:
        return Draft(len(squeezed(text)), digest(squeezed(text)), nobodys)
    return None
