"""The told turn: a call acts only on the turn that an answer has told, or on what came of the
agent's own input.

A turn has an owner. The record names who was told to wait (the process in front, its group, the
CPU that it had used), with which word, at which question, at which picture. What is known here,
strongest first:

1. No key has come from any terminal since the last answer or input: what is in front came of the
   agent's own input, or the told program did it by itself.
2. The shell's memory: it has begun no command since the agent's Enter, or what is in front was
   started with that Enter. Then it is the agent's too, whoever has typed a password meanwhile.
3. Otherwise the told turn must stand: the same program, or what it has started; the same question,
   where nobody has typed; the same picture. What descends from a prompt is nobody's in particular:
   there everybody starts programs.
4. A command goes home: to the process at whose prompt the last one was typed, or that was told.

Everything else is refused once, with who is there and what is asked; what was told may be acted on.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from ..base import process, programs
from ..base.cells import Line
from ..base.rules import Ruling, apply, name_of
from ..base.words import ASKS, MAY_RUN, Word
from ..facts.editor import runs_of
from ..facts.kernel import runs_script
from ..facts.line import continues, is_known, split
from ..facts.look import Look, digest, painted
from ..facts.place import since
from ..facts.reader import Differs, differs
from ..facts.screen import colours
from ..facts.state import Commands, State, stamp_of
from ..turn.reading import Reading
from ..turn.turn import Turn, is_begun_line
from ..turn.verdict import PATTERN
from ..turn.watch import Watch

RECEIPTS = (Word.SENT, Word.PRESSED)  # nothing of what came of the input was told
Says = bool | None  # a rule: yes, no, or nothing
_DROPPED = "^C"  # the kernel has thrown away what was typed
_AT_ONCE = 0.3  # seconds: a shell has started its command so soon after Enter


@dataclass
class Facts:
    """What the rules are asked about: a call, the turn that is there now, the record of the last
    answer. Facts that cost something are looked up when they are asked for."""

    watch: Watch
    here: Turn
    call: str  # an action, or "answer"
    text: str = ""  # that would be typed

    @property
    def state(self) -> State:
        """The record of the last answer."""
        return self.watch.state

    @property
    def reading(self) -> Reading:
        """What the kernel, tmux and the line editor say now."""
        return self.here.reading

    @property
    def seen(self) -> Look:
        """The screen."""
        return self.here.seen

    @cached_property
    def untouched(self) -> bool:
        """Nobody has typed here since the last answer or input: no key has come from a terminal, or
        none that was echoed. A person who attaches, scrolls or types elsewhere sends keys too."""
        echoes = self.here.kernel.terminal.echoes and not self.here.full_screen
        return self.here.no_key or echoes and self.unmoved

    @property
    def group(self) -> int:
        """The process group in front."""
        return self.watch.reader.group

    @cached_property
    def changed(self) -> Differs:
        """In which respects whoever waits is another one than the last answer has told."""
        return differs(self.watch.reader, self.state.told)

    @property
    def has_read(self) -> bool:
        """Whoever waits has read since the last answer."""
        return bool(self.changed & Differs.READ)

    @property
    def renamed(self) -> bool:
        """Only the caller's prompt_pattern makes a prompt of it: nothing has run or read since."""
        same = not self.changed & (Differs.RUN | Differs.READ)
        return same and self.here.verdict.evidence == PATTERN

    @property
    def told_asked(self) -> bool:
        """The last answer has told that somebody waits for an answer, or for the rest of a line."""
        return self.state.open in (*ASKS, Word.UNFINISHED)

    @cached_property
    def descends(self) -> bool:
        """The told program is in front, or what it has started."""
        told = self.state.told.group
        if self.group == told:
            return True
        return any(process.descends(pid, told) for pid in (self.group, self.watch.reader.subject))

    @cached_property
    def started_at_home(self) -> bool:
        """What is in front was started at the prompt at which the last command was typed."""
        home = self.state.home.group
        return self.group != home and process.descends(self.group, home)

    @cached_property
    def below_a_prompt(self) -> bool:
        """A shell with a prompt, which the agent may have started, stands between home and what is
        in front: there everybody starts programs. Each is a group of its own."""
        for job, parent in pairwise(process.ancestors(self.watch.reader.subject)):
            if parent.group == self.state.home.group:
                return False
            shell = programs.of(parent.name).shell and not runs_script(parent)
            if shell and parent.group != job.group:
                return True
        return False

    @cached_property
    def begun_by_us(self) -> bool:
        """The shell has begun no command since the agent's Enter: by its memory, or because what is
        in front was started with that Enter. What happens below or behind it, it does not know."""
        sent = self.state.sent
        ran = self.state.ran
        if not sent or self.below_a_prompt or self.reading.traits.remote:
            return False

        if not process.can_be_read(self.watch.seen.launched):
            ran = None

        if ran and ran.shell == sent.reader.subject and ran.is_all(runs_of(ran.shell)):
            return True

        since_enter = self.reading.now - sent.at
        age = process.age(self.group)
        return sent.enter and since_enter - _AT_ONCE <= age <= since_enter + _AT_ONCE / 10

    @property
    def ours(self) -> bool:
        """What is in front came of the agent's own input."""
        return self.untouched or self.begun_by_us

    @cached_property
    def same_picture(self) -> bool:
        """The screen is drawn as the last answer has shown it, colours and cursor too."""
        return colours(painted(self.seen.id), self.seen) == self.state.colours

    @cached_property
    def unmoved(self) -> bool:
        """Nothing was drawn since the last answer or input, but a prompt: what is typed where it is
        echoed, or drawn by a line editor, would stand there."""
        if not self.state.place or not self.state.stamp:
            return False  # keys from before the last answer may wait unseen
        if self.told_asked and self.has_read:
            return False  # an answer: `clear` brings the same picture
        if self.state.place.has_cursor(self.seen) and self._rows_are_known():
            return True

        drawn = self._drawn_since()
        if drawn and self.prompt_stands_alone and drawn[-1].row == self.seen.line_row:
            drawn.pop()
        return drawn == []

    @cached_property
    def entered_since(self) -> bool:
        """Nothing was drawn since the last answer or input but known prompts, what was entered at
        those above (`cd /tmp`), or dropped by C-c, and one that stands alone at the cursor."""
        if not self.state.stamp or not self.has_read or not self.prompt_stands_alone:
            return False  # dash has read nothing: a job has printed its prompt over a half line
        drawn = self._prompts_since
        return bool(drawn) and all(drawn)

    @cached_property
    def prompted_since(self) -> bool:
        """A prompt was drawn since: what runs in a shell itself, or out of sight, is a command that
        was entered there."""
        return any(self._prompts_since)

    @property
    def _prompts_since(self) -> list[bool]:
        """Of each line that was drawn since, whether a known prompt begins it."""
        prompts = self.reading.prompts
        texts = [line.text.rstrip() for line in self._drawn_since() or []]
        lines = [split(text, prompts) for text in texts if not text.endswith(_DROPPED)]
        return [bool(line and line.known and line.prompt) for line in lines]

    @property
    def prompt_stands_alone(self) -> bool:
        """A known prompt is left of the cursor, and nothing is right of it."""
        return is_known(self.seen.line_left, self.reading.prompts) and not self.seen.right.strip()

    def _drawn_since(self) -> list[Line] | None:
        """The lines behind the place of the last answer or input; None where that is lost."""
        if self.here.full_screen or self.state.screen:
            return None
        lines, lost = since(self.state.place, self.seen)
        if lost:
            return None
        return [line for line in lines if line.text.strip()]

    def _rows_are_known(self) -> bool:
        """The cursor's line stands on the screen as at the last answer."""
        seen = self.seen
        rows = [text for row, text in seen.lines if row >= seen.line_row]
        return all(digest(text) in self.state.rows for text in rows if text.strip())


# The rules. Each says whether the turn is one that the call may act on, or nothing.


def _nothing_was_told(f: Facts) -> Says:
    """A pane's first call, or its first process is another one (`tmux respawn-pane`): there a shell
    is home again. A program is the agent's only if nobody has ever typed here, and no other was
    told."""
    if not f.changed & Differs.PANE:
        return None
    if f.told_asked and f.call in ("send", "keys"):
        return False  # the question has gone with its program
    if f.state.sent and f.ours:
        return True  # of a call whose caller has gone

    if f.here.at_shell_prompt and f.state.home.name in ("", f.watch.reader.name):
        return True
    return not (f.seen.visited or f.state.told.pid)


def _it_is_stopped_by_its_owner(f: Facts) -> Says:
    """`interrupt` of what came of the agent's own input: a loop's next `sleep`."""
    if f.call == "interrupt" and f.ours:
        return True
    return None


def _is_it_the_same_picture(f: Facts) -> Says:
    """A full screen, or a menu that waits for a key: somebody has pressed Down, or chosen there."""
    menu = f.here.word is Word.NEEDS_KEY and f.state.open == Word.NEEDS_KEY
    if f.untouched or not (f.here.full_screen or menu):
        return None
    return not f.changed & Differs.PROCESS and f.same_picture


def _a_command_goes_home(f: Facts) -> Says:
    """`run` where the last command was typed, whatever was asked meanwhile: make has ended."""
    goes = f.call in ("run", "interrupt") and f.here.at_prompt
    if goes and not differs(f.watch.reader, f.state.home) & Differs.PROGRAM:
        return True
    return None


def _a_receipt_told_nothing(f: Facts) -> Says:
    """`send exit()` with timeout 0, then `run`: what came of it is what was asked for. A remote
    program was told; where its connection has dropped, another host's prompt is not it."""
    if f.state.open in RECEIPTS and f.state.sent and not f.state.remote:
        return f.ours or None
    return None


def _is_the_told_program_there(f: Facts) -> Says:
    """Not where neither it nor what it has started is in front: ssh has dropped, python was killed.
    Keys go to the next command of the agent's own loop all the same."""
    if f.descends:
        return None
    return f.ours and f.call == "keys" and not f.here.verdict and f.state.open in MAY_RUN


def _is_it_the_same_question(f: Facts) -> Says:
    """An answer is for the question that was told: `read -p 'Step 1? '` in a loop asks the next one
    with the same words. A command at a prompt answers none."""
    if not f.told_asked or f.call in ("run", "interrupt", "close"):
        return None
    return _still_asked(f)


def _still_asked(f: Facts) -> bool:
    """Whether the question of the last answer is asked now. A program may draw its own question
    anew: there only a key since then makes it another one."""
    state = f.state
    reading = f.reading
    word = f.here.word
    if state.open == Word.UNFINISHED:
        return (f.renamed or word is Word.UNFINISHED) and (f.untouched or f.unmoved)
    if f.here.at_rest and not f.renamed:
        return False
    if not f.here.verdict and reading.canonical:
        return False

    another_kind = (state.open == Word.NEEDS_PASSWORD) != (word is Word.NEEDS_PASSWORD)
    if f.here.verdict and another_kind:
        return False
    if not f.changed & Differs.RUN:
        return True  # what reads has not run since, whatever was printed
    if not f.untouched:
        return f.unmoved

    drawn = not reading.canonical and reading.editor is None
    return drawn or state.behind_question(reading.seen.line_left) is not None


def _it_came_of_our_input(f: Facts) -> Says:
    """Whatever the told program does by itself, and whatever has come of the agent's own Enter."""
    return f.ours or None


def _a_told_program_goes_on(f: Facts) -> Says:
    """Somebody has typed, perhaps a password into the agent's own sudo: it is that program still,
    or what it has started. At a prompt everybody starts programs."""
    if f.state.told.group == f.state.home.group or f.below_a_prompt:
        return None
    return True


def _the_prompt_was_told(f: Facts) -> Says:
    """The same shell or REPL waits at its prompt, or a command of its own runs on in it; ssh, where
    nothing was drawn. There another prompt is another program's; `>` wants a command's rest."""
    if f.changed & Differs.GROUP:
        return None
    if f.told_asked:
        return _still_asked(f)

    if f.here.at_prompt:
        foreign = f.reading.traits.remote or continues(f.reading.left)
        same = not f.changed & Differs.PROGRAM
        return same and (f.reading.at_known_prompt or not foreign)

    same = f.unmoved or not f.changed & Differs.RUN
    runs = not f.here.verdict or (f.here.word is Word.QUIET and same)
    return runs and f.state.open in MAY_RUN and not f.prompted_since


TOLD_TURN = (
    _nothing_was_told,
    _it_is_stopped_by_its_owner,
    _is_it_the_same_picture,
    _a_command_goes_home,
    _a_receipt_told_nothing,
    _is_the_told_program_there,
    _is_it_the_same_question,
    _it_came_of_our_input,
    _a_told_program_goes_on,
    _the_prompt_was_told,
)
PICTURE = name_of(_is_it_the_same_picture)
PROMPT = name_of(_the_prompt_was_told)


def stands(f: Facts) -> Ruling[bool]:
    """Whether the turn is the told one, or came of the agent's own input; else no rule says so."""
    return apply(TOLD_TURN, f)


# what an answer tells


class Telling(NamedTuple):
    """What an answer is about to tell of a turn. `theirs`: somebody else has begun the line;
    `kept`: their keys may wait unseen, so that they count in the next call too."""

    commands: Commands = Commands.NONE
    theirs: bool = False
    kept: bool = False


def telling(watch: Watch, here: Turn) -> Telling:
    """Asked before an answer changes the record."""
    facts = Facts(watch, here, "answer")
    return Telling(
        commands=here.commands,
        theirs=_is_half_an_answer(facts) or is_begun_line(here) and _is_theirs(facts),
        kept=not facts.untouched and (_is_drawn_over(facts) or _is_kept_unseen(facts)),
    )


def tell(watch: Watch, word: str, what: Telling) -> None:
    """Notes on the pane the turn that an answer tells, with `word`."""
    state = watch.state
    seen = watch.seen
    if word == Word.NEEDS_KEY and not state.screen:
        state.colours = colours(painted(seen.id), seen)

    watch.note_keys()
    state.note_told(watch.reader, word, what.commands, what.theirs)
    state.stamp = None if what.kept else stamp_of(seen)
    watch.pane.store(state.dumps())


def _is_half_an_answer(f: Facts) -> bool:
    """Whether a person has begun to answer what was told; at a prompt the text itself tells it."""
    return bool(f.here.persons and f.state.question) and not f.here.at_rest


def _is_theirs(f: Facts) -> bool:
    """Whether somebody else has begun the line that waits: it was theirs already, or it came after
    their key, and not right below the agent's own Enter."""
    if f.untouched:
        return f.state.theirs
    sent = f.state.sent
    if sent.place and f.seen.row == sent.place.row + 1:
        return False
    our_line = f.state.open == Word.UNFINISHED and not f.state.theirs
    return not (our_line and f.unmoved)


def _is_drawn_over(f: Facts) -> bool:
    """Whether a job may have printed over their line: nothing shows the prompt any more."""
    return f.here.unseen_prompt and not f.unmoved


def _is_kept_unseen(f: Facts) -> bool:
    """Whether what somebody has typed may wait where nothing draws it: as a text that asks nothing,
    for a program that has run since, behind a row that has moved while nothing was read."""
    if f.here.hidden and not (f.here.text or f.reading.editor or f.watch.first_call):
        return True  # half a password, in raw mode too
    if not f.reading.unseen_line:
        return False
    if f.reading.text and not (f.reading.question or f.here.at_rest):
        return True
    if f.watch.first_call:
        return False
    if f.state.sent or f.state.open in MAY_RUN or f.here.hidden:
        return True
    return not f.changed & (Differs.PROCESS | Differs.READ) and not f.unmoved
