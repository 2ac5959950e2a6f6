"""How a wait ended: the verdict, and what stands on the line there, and whose that is.

A text on the line is the agent's own only if the record says so: its draft, the text that was sent.
After a person's key anything else is theirs. Where no key has come, a program may have put it there
(its default answer, behind the agent's keys), or the shell (what `!!` stands for) or the terminal
(a reply that came late); nobody's is only what is proven to be so, for zsh gives a line that a
person has pushed aside (push-line) back at the next prompt.
"""

from enum import Enum

from ..base.answer import quoted
from ..base.rules import Ruling, apply
from ..base.words import Word
from ..facts.kernel import Kernel
from ..facts.line import adjoining, continues, has_form, is_reply
from ..facts.look import Look
from ..facts.screen import has_field
from ..facts.state import Commands, draft_of
from .reading import Reading
from .verdict import Verdict


class Whose(Enum):
    """Whose the text on a line is. NOBODYS: what a shell made of the last line, say."""

    NOTHING_THERE, OURS, NOBODYS, PERSONS = range(4)


class Turn:
    """A reading with its verdict, and the line there: its text, and `whose` that is."""

    def __init__(self, reading: Reading, verdict: Verdict):
        self.reading = reading
        self.verdict = verdict
        self.word = verdict.word
        # ssh's prompt, say: nothing proves it
        quoted = self.word is Word.QUIET and has_form(verdict.detail)
        self.at_prompt = self.word is Word.READY or quoted
        self.at_rest = self.at_prompt or self.word is Word.UNFINISHED
        self.line = reading.line if self.at_rest else None
        self.text = self._without_proposal(self._text())  # typed at the prompt or the question
        self.whose: Whose = whose(self).said or Whose.PERSONS

    @property
    def seen(self) -> Look:
        """The screen of its reading."""
        return self.reading.seen

    @property
    def kernel(self) -> Kernel:
        """Who is in front, and how that waits."""
        return self.reading.kernel

    @property
    def program(self) -> str:
        """The name of who waits, else of the topmost in front."""
        return self.kernel.name

    @property
    def at_shell_prompt(self) -> bool:
        """At a shell's prompt, here or at a far end."""
        traits = self.reading.traits
        return self.at_prompt and (traits.shell or traits.remote)

    @property
    def no_key(self) -> bool:
        """No key has come from a terminal since the last answer or input."""
        return self.reading.no_key

    @property
    def full_screen(self) -> bool:
        """Whether its program draws the whole screen."""
        return self.reading.full_screen

    def _text(self) -> str:
        """The text behind the prompt, or behind the question."""
        reading = self.reading
        if self.word is Word.NEEDS_INPUT:
            return reading.answer

        if self.at_rest:
            if self.line:
                return self.line.typed
            return ""

        # whatever runs may have been asking; a half-typed answer that was told stays a person's
        if reading.full_screen or reading.no_key and not reading.state.theirs:
            return ""
        return reading.answer

    def _without_proposal(self, text: str) -> str:
        """The agent's own draft, if fish proposes more behind the cursor."""
        reading = self.reading
        before = text.removesuffix(adjoining(reading.seen.right).strip()).strip()
        ours = before and reading.state.draft == draft_of(before)
        if ours and reading.no_key:
            return before
        return text

    @property
    def nobodys(self) -> bool:
        """Whether nobody has typed what stands there."""
        return self.whose is Whose.NOBODYS

    @property
    def own(self) -> str:
        """The text that the agent may go on with."""
        if self.whose in (Whose.OURS, Whose.NOBODYS):
            return self.text
        return ""

    @property
    def persons(self) -> str:
        """The text that must stay as it is."""
        if self.whose is Whose.PERSONS:
            return self.text
        return ""

    @property
    def commands(self) -> Commands:
        """Whether the next command may be meant for this turn."""
        if self.reading.traits.remote:
            return Commands.REMOTE
        if self.at_rest:
            return Commands.PROMPT
        return Commands.NONE

    @property
    def lacks_field(self) -> bool:
        """Whether a box (a dialog's) waits in which the letters of a text would choose."""
        return self.reading.traits.box and not has_field(self.seen)

    @property
    def unseen_prompt(self) -> bool:
        """Whether it may wait at its prompt, and nothing shows that: a job has printed over it.
        irb's is another one while its line goes on."""
        reading = self.reading
        state = reading.state
        if reading.editor or self.line:
            return False
        if self.word not in (Word.QUIET, Word.NEEDS_INPUT) or reading.canonical:
            return self.at_rest
        return state.home.group == self.kernel.foreground and not state.open

    @property
    def unknown(self) -> str:
        """The text on the line, if it cannot be told whether someone has typed it."""
        left = self.seen.line_left
        if not self.at_rest or self.line is not None or continues(left):
            return ""
        return left.strip()

    @property
    def hidden(self) -> bool:
        """Whether what is typed is not shown. A remote program's line mode is out of sight."""
        terminal = self.kernel.terminal
        return self.word is Word.NEEDS_PASSWORD or bool(terminal.canonical) and not terminal.echo

    @property
    def quoted_text(self) -> str:
        """The text on the line as it is told: what its row does not draw is hidden."""
        if self.reading.editor and self.reading.editor.hidden:
            return "what is typed there is hidden"
        return quoted(self.text)

    @property
    def _where(self) -> str:
        """At what the text stands."""
        return "prompt" if self.at_rest else "question"

    @property
    def told_line(self) -> str:
        """What a refusal tells of a text on the line."""
        if self.whose is Whose.PERSONS:
            return f"a half-typed line is at the {self._where}: {self.quoted_text}"
        return self.line_note

    @property
    def line_note(self) -> str:
        """What a note tells of a text on the line; "" if there is none."""
        where = self._where
        text = self.quoted_text
        match self.whose:
            case Whose.NOTHING_THERE:
                return ""
            case Whose.NOBODYS if not self.at_rest:
                return f"it proposes {text}; what you send follows it, keys C-u empty it"
            case Whose.NOBODYS:
                what = "a text that nobody has typed, what the shell made of the last line or the"
                return f"{what} terminal's reply to the last program, stands at the {where}: {text}"
            case Whose.OURS:
                return f"a half-typed line is at the {where}, your own: {text}"

        return f"a half-typed line is at the {where}, not yours: {text}"


def is_begun_line(here: Turn) -> bool:
    """An unfinished command, or a key of a line editor's: as long as it stands, what is typed goes
    into it."""
    return here.word is Word.UNFINISHED or is_key_of_a_line(here)


def is_key_of_a_line(here: Turn) -> bool:
    """A search, a completion's question in a line editor; a shell's `read -n1`."""
    reading = here.reading
    return here.word is Word.NEEDS_KEY and bool(reading.editor or reading.traits.shell)


# The rules of whose the text on the line is.


def _nothing_stands_there(turn: Turn) -> Whose | None:
    """The prompt is alone on its line."""
    if turn.text:
        return None
    return Whose.NOTHING_THERE


def _the_record_knows_it(turn: Turn) -> Whose | None:
    """The draft that the last call has typed, or is about to type."""
    if turn.reading.state.draft == draft_of(turn.text):
        return Whose.OURS
    return None


def _it_is_a_terminals_reply(turn: Turn) -> Whose | None:
    """By its form: a program has asked for it, and has ended before it came."""
    if turn.at_rest and is_reply(turn.text):
        return Whose.NOBODYS
    return None


def _a_key_has_come(turn: Turn) -> Whose | None:
    """Somebody has typed since: what is not known is theirs."""
    if turn.no_key:
        return None
    return Whose.PERSONS


def _it_is_what_was_sent(turn: Turn) -> Whose | None:
    """fish leaves a line that it cannot parse where it stood."""
    if turn.reading.state.sent.is_text(turn.text):
        return Whose.OURS
    return None


def _it_came_of_our_keys(turn: Turn) -> Whose | None:
    """Up brings an old command; a program proposes an answer (`read -e -i`) behind our Enter, which
    is its own. At the prompt behind an Enter or C-c zsh gives back what a person has pushed aside:
    there the keys have ended a line, and brought none. Left in a person's line leaves it theirs.
    """
    sent = turn.reading.state.sent
    if not sent or sent.beside:
        return None
    if turn.at_rest and (sent.enter or sent.dropped):
        return None
    if sent.enter:
        return Whose.NOBODYS
    return Whose.OURS


def _it_is_proven_to_be_nobodys(turn: Turn) -> Whose | None:
    """A line that the shell has changed and not run, by its memory; anything where no person has
    ever typed."""
    state = turn.reading.state
    editor = turn.reading.editor
    if state.draft == draft_of(turn.text, nobodys=True):
        return Whose.NOBODYS
    if not state.sent:
        return None

    not_run = bool(state.sent.enter and editor and state.ran and editor.runs == state.ran.runs)
    if not_run or not state.touched:
        return Whose.NOBODYS
    return None


_WHOSE = (
    _nothing_stands_there,
    _the_record_knows_it,
    _it_is_a_terminals_reply,
    _a_key_has_come,
    _it_is_what_was_sent,
    _it_came_of_our_keys,
    _it_is_proven_to_be_nobodys,
)


def whose(turn: Turn) -> Ruling[Whose]:
    """Whose the text on the line is; a person's if no rule says so."""
    return apply(_WHOSE, turn)
