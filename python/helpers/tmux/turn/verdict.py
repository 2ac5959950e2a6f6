"""A verdict: whose turn it is, what is told of it, how sure that is. Pure; `decide` makes it."""

from dataclasses import dataclass

from ..base.cells import in_one_line
from ..base.words import ASKS, Word
from ..facts.line import is_pager, question
from ..facts.screen import question_on
from .reading import Reading

# Seconds for which the screen must have been still, the longer the weaker the evidence is.
SETTLED = 0.006  # the kernel delivers a terminal's output a little late
PAINTED = 0.08  # a full screen whose program is proven to sleep until a key comes: less
QUICK = 0.1  # a known prompt of a program in raw mode, a question that is answered
DRAWN = 0.2  # a full screen: programs draw it in several writes
STRONG = 0.5  # a strong form, if nothing proves the wait
LISTENS = 1.0  # after Enter, for a program that may only listen beside its work
WEAK = 2.0  # a weak form, or none
SILENT = 10.0  # a program that is out of sight and shows nothing

# What shows a prompt.
SHELL = "shell"
EDITOR = "line editor"
PROMPT = "prompt matched"
PATTERN = "pattern"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`detail`: the program, or what it asks, as it is quoted; `after`: seconds for which the
    screen must have been still; `rule`: the name of the rule that has decided. False while nothing
    shows that a program waits."""

    word: Word = Word.TIMED_OUT
    detail: str = ""
    evidence: str = ""
    after: float = SETTLED
    rule: str = ""

    def __bool__(self) -> bool:
        """Whether it is somebody's turn."""
        return self.word not in (Word.TIMED_OUT, Word.MATCHED)

    @property
    def ready(self) -> bool:
        """Whether a prompt waits for a command."""
        return self.word is Word.READY

    @property
    def asks(self) -> bool:
        """Whether an answer is needed, of whatever kind."""
        return self.word in ASKS


RUNS = Verdict()
GONE = Verdict(word=Word.GONE, after=0.0)


def ready_shell(after: float) -> Verdict:
    """A shell's prompt, which is not quoted."""
    return Verdict(word=Word.READY, evidence=SHELL, after=after)


def ready(r: Reading, evidence: str, after: float) -> Verdict:
    """A prompt waits for a command, and is quoted."""
    shown = in_one_line(r.shown_prompt)
    return Verdict(word=Word.READY, evidence=evidence, detail=shown, after=after)


def unfinished(r: Reading, after: float) -> Verdict:
    """The rest of a command is wanted."""
    return Verdict(word=Word.UNFINISHED, detail=r.seen.left.strip() or r.program, after=after)


def quiet(shown: str, after: float) -> Verdict:
    """Nothing proves a turn."""
    return Verdict(word=Word.QUIET, detail=shown, after=after)


def asks(r: Reading, after: float) -> Verdict:
    """A question, which tells by its form what is needed. `Password: ` that shows what is typed is
    told as what it is: a line."""
    shown = _asked(r)
    form = question(shown)
    word = form.word if form else Word.NEEDS_INPUT
    if word is Word.NEEDS_PASSWORD and r.shows_typing:
        word = Word.NEEDS_INPUT
    return _needs(r, word, shown, after)


def asks_line(r: Reading, after: float) -> Verdict:
    """A line is needed, whatever form the question has."""
    return _needs(r, Word.NEEDS_INPUT, _asked(r), after)


def asks_secret(r: Reading, after: float) -> Verdict:
    """A line is needed that is not shown."""
    return _needs(r, Word.NEEDS_PASSWORD, _asked(r), after)


def asks_key(r: Reading, after: float) -> Verdict:
    """A key is needed, and what is drawn asks for it: an editor's prompt is that of its line. Of a
    program that takes single keys nothing on its row is typed text."""
    shown = in_one_line(r.left) or in_one_line(r.last_new)
    if r.editor:
        shown = _drawn(r)
    return _needs(r, Word.NEEDS_KEY, shown, after)


def _needs(r: Reading, word: Word, shown: str, after: float) -> Verdict:
    """The verdict that quotes what is shown, or says that nothing is."""
    nothing = f"{r.program} reads a line; nothing is asked on the screen"
    if word is Word.NEEDS_KEY:
        nothing = r.program
        if is_pager(shown):
            shown = ""

    if r.traits.no_prompt or not shown:
        shown = nothing
    return Verdict(word=word, detail=shown, after=after)


def _asked(r: Reading) -> str:
    """What is asked: the editor's prompt, or what is drawn."""
    if r.editor and r.editor.prompt.strip():
        return in_one_line(r.editor.prompt)
    return _drawn(r)


def _drawn(r: Reading) -> str:
    """What stands left of the cursor, without what is typed there; else the last new output."""
    left = r.left.removesuffix(r.behind or "")
    return in_one_line(left) or in_one_line(r.last_new)


def waits_for_key(r: Reading, after: float) -> Verdict:
    """A key is waited for: what the screen asks, else the last new line, else the program."""
    drawn = question_on(r.seen)
    at_cursor = drawn or r.full_screen or not r.seen.blank
    form = question(drawn if at_cursor else r.last_new)
    word = Word.NEEDS_KEY
    shown = r.program

    if form:
        shown = form.text
        if form.word is Word.NEEDS_PASSWORD:
            word = Word.NEEDS_PASSWORD

    return Verdict(word=word, detail=drawn or shown, after=after)
