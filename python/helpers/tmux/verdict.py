"""Whose turn it is: one reading (look, kernel, line editor) -> one verdict. Nothing is typed here.

Three ladders, the strongest evidence first, and a weaker one never overrules a stronger: what the
kernel proves (a process sleeps in a read of this terminal), the line editor (its memory), the
screen (known prompts, forms of prompts and questions, only once it has been still). Each verdict
says for how long the screen must have been still; until then the program counts as running.
"""

from dataclasses import dataclass

from .editor import Editor
from .kernel import POLLS, READ, SELECT
from .line import has_form, is_known, is_pager, is_repl, question
from .reading import Reading
from .screen import asked as asked_on
from .words import ASKS, Word

SETTLED = 0.006  # seconds: the kernel delivers a terminal's output a little late
_DRAWN = 0.2  # seconds a full screen must be still: programs draw it in several writes
QUICK = 0.1  # seconds for a known prompt of a program in raw mode, a question that is answered
_SLOW = 0.3  # seconds for one that may only listen beside its work
_STRONG = 0.5  # seconds for a strong form, if nothing proves the wait
LISTENS = 1.0  # seconds after Enter, for a program that may only listen beside its work
_FIRST = 1.0  # seconds for the first prompt of a program that is out of sight
_WEAK = 2.0  # seconds for a weak form, or none
_SILENT = 10.0  # seconds after which a program that is out of sight counts as quiet
SHELL, EDITOR, PROMPT, PATTERN = "shell", "line editor", "prompt matched", "pattern"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`detail`: the program, or what it asks, as it is quoted; `after`: seconds. False while
    nothing shows that a program waits."""

    word: Word = Word.TIMED_OUT
    detail: str = ""
    evidence: str = ""
    after: float = SETTLED

    def __bool__(self) -> bool:
        return self.word not in (Word.TIMED_OUT, Word.MATCHED)

    @property
    def ready(self) -> bool:
        return self.word is Word.READY

    @property
    def asks(self) -> bool:
        return self.word in ASKS


RUNS = Verdict()


def decide(r: Reading) -> Verdict:
    """The verdict on one reading."""
    kernel, waiter = r.kernel, r.kernel.waiter
    if not kernel.subject or r.seen.pane_dead:
        return Verdict(word=Word.GONE, after=0.0)
    prompt = r.pattern is not None or is_known(r.left, r.prompts)
    unseen = kernel.out_of_sight or waiter.how == POLLS and prompt
    if not r.taken or not (waiter or unseen):
        return RUNS
    if r.pattern is not None:
        return Verdict(word=Word.READY, evidence=PATTERN, detail=r.pattern, after=QUICK)
    if r.editor:
        return _by_memory(r, r.editor)
    if r.full_screen and not r.canonical:
        return _full_screen(r)
    if r.canonical and not kernel.terminal.echo:  # the kernel collects a line unseen
        after = SETTLED if r.reads else _STRONG if r.question else _WEAK
        return _quote(r, Word.NEEDS_PASSWORD, after)
    if r.traits.shell:
        return _shell(r)
    return _by_kernel(r) if kernel.terminal.canonical else _by_screen(r)


def _quote(r: Reading, word: Word | None = None, after: float = SETTLED) -> Verdict:
    """A question, quoted from the line editor, the cursor's line, or the last new output. `word`:
    what is needed, whatever the question's form says."""
    prompt = r.editor.prompt.strip() if r.editor and word is not Word.NEEDS_KEY else ""
    drawn = r.seen.line_left.removesuffix(r.behind or "").strip()
    detail = " ".join((prompt or drawn or r.asked).split())
    asked = question(detail)
    word = word or (asked.word if asked else Word.NEEDS_INPUT)
    key = word is Word.NEEDS_KEY
    if r.traits.no_prompt or not detail or key and is_pager(detail):
        none = f"{r.program} reads a line; nothing is asked on the screen"
        detail = r.program if key else none
    return Verdict(word=word, detail=detail, after=after)


def _unfinished(r: Reading, after: float = SETTLED) -> Verdict:
    return Verdict(word=Word.UNFINISHED, detail=r.seen.left.strip() or r.program, after=after)


def _at_prompt(r: Reading, after: float, evidence: str = PROMPT) -> Verdict:
    shown = r.editor.prompt if r.editor else r.left
    return Verdict(word=Word.READY, evidence=evidence, detail=" ".join(shown.split()), after=after)


def _by_memory(r: Reading, editor: Editor) -> Verdict:
    drawn = editor.is_on(r.seen.line_left) and bool(r.seen.left or not editor.prompt)
    after, prompt, shell = 0.0 if drawn else _DRAWN, editor.prompt, r.traits.shell
    if editor.reads is Word.NEEDS_KEY:
        return _quote(r, Word.NEEDS_KEY, _DRAWN)
    known = shell or has_form(prompt) or is_known(prompt, r.prompts)
    if editor.reads is Word.NEEDS_INPUT or not (known or r.unfinished):
        return _quote(r, after=after)
    if editor.reads is Word.UNFINISHED or not shell and r.unfinished:
        return _unfinished(r, after)
    return Verdict(word=Word.READY, evidence=SHELL, after=after) if shell else _at_prompt(r, after)


def _full_screen(r: Reading) -> Verdict:
    if r.full > _WEAK and r.still < _DRAWN:
        return Verdict(word=Word.QUIET, detail="full screen", after=0.0)
    return _key(r, _DRAWN if r.reads else _STRONG if r.kernel.out_of_sight else _SLOW)


def _shell(r: Reading) -> Verdict:
    """A shell whose memory is closed."""
    return _shell_in_lines(r) if r.canonical else _shell_by_keys(r)


def _shell_in_lines(r: Reading) -> Verdict:
    """In canonical mode a script, a builtin `read`, or the prompt of a shell without an editor."""
    if not r.reads:
        return RUNS
    if r.kernel.script or r.kernel.waiter.how != READ or not _reads_command(r):
        return _quote(r, Word.NEEDS_INPUT)
    return _shell_prompt(r)


def _reads_command(r: Reading) -> bool:
    """At its prompt it reads a block (dash 8192 bytes, bash --noediting 1024), its builtin `read` 1
    byte, or 4096 in bash. Where that is not known, the line must look like a prompt."""
    if size := r.kernel.waiter.size:
        return size not in (1, 4096)
    if r.at_known_prompt:
        return True
    line = r.line
    return bool(line and (line.known or has_form(line.prompt))) and not r.reads_answer


def _shell_by_keys(r: Reading) -> Verdict:
    """In raw mode its line editor waits, or a builtin that reads a key or an answer."""
    if not r.shell_edits:
        return RUNS
    if r.traits.indents and r.seen.left and _is_blank(r):
        return _unfinished(r, _DRAWN)
    if r.kernel.terminal.echo or (r.traits.polls and r.kernel.waiter.how == READ):
        return _quote(r, Word.NEEDS_KEY)
    strong = r.question is not None and r.question.strong
    no_prompt = bool(r.prompts and r.seen.left.strip()) and r.line is None
    answers = r.reads_answer or no_prompt or strong
    if r.kernel.script or (answers and not r.at_known_prompt):
        return _quote(r, after=SETTLED if strong else _STRONG)
    return _shell_prompt(r)


def _shell_prompt(r: Reading) -> Verdict:
    if r.unfinished and not (r.at_known_prompt or r.traits.indents):
        return _unfinished(r)
    if not _is_blank(r):
        after = SETTLED
    elif r.asleep > _STRONG:
        after = 0.0  # a job may print over the prompt all the time
    else:
        after = _STRONG
    return Verdict(word=Word.READY, evidence=SHELL, after=after)


def _is_blank(r: Reading) -> bool:
    """Whether no prompt is drawn yet, though this shell has one."""
    return not r.seen.left.strip() and "" not in r.prompts


def _by_kernel(r: Reading) -> Verdict:
    """The kernel collects whole lines: only a process that sleeps in a read can need one."""
    asked = r.question
    if is_repl(r.seen.left) or r.at_known_prompt:
        return _at_prompt(r, SETTLED if r.reads else _STRONG)
    if r.reads and r.unfinished:
        return _unfinished(r)
    if r.reads:
        return _quote(r, Word.NEEDS_INPUT)
    return _quote(r, after=_STRONG if asked.strong else _WEAK) if asked else RUNS


def _by_screen(r: Reading) -> Verdict:
    """A program in raw mode, once its screen stands still."""
    if r.kernel.out_of_sight:
        return _out_of_sight(r)
    seen, asked, left = r.seen, r.question, r.seen.line_left.strip()
    waiter = r.kernel.waiter
    reads = waiter.how == READ
    proven = waiter.how <= SELECT
    slow = _STRONG if proven or not r.state.sent.enter else LISTENS
    if r.at_known_prompt and not seen.draws:
        return _at_prompt(r, QUICK)
    if asked and asked.strong:
        word = None if seen.cursor_flag else Word.NEEDS_KEY
        return _quote(r, word, _DRAWN if proven else _STRONG)
    if r.unfinished:
        return _unfinished(r, QUICK)
    if is_repl(left):
        return _at_prompt(r, QUICK)
    if seen.draws or not seen.cursor_flag:  # a menu, a form, a box
        text = seen.cursor_flag and not seen.keypad_flag and (asked or has_form(left))
        return _quote(r, after=slow) if text else _key(r, _DRAWN if proven else slow)
    typed_at = r.line and (r.line.known or is_repl(r.line.prompt))
    if has_form(left) or typed_at:
        return _at_prompt(r, _STRONG)
    if reads and (left or not r.expected):
        # if nothing is shown, the terminal itself may be asked, and have to reply
        return _key(r, QUICK if left or r.asked else _STRONG)
    if r.reads and not reads or asked is not None:
        return _quote(r, after=slow)
    return Verdict(word=Word.QUIET, detail=r.program, after=_WEAK if left else _SILENT)


def _key(r: Reading, after: float) -> Verdict:
    """A key is waited for: what the screen asks, else the last new line, else the program."""
    drawn = asked_on(r.seen)
    asked = question(drawn if drawn or r.full_screen or r.seen.left.strip() else r.asked)
    secret = asked and asked.word is Word.NEEDS_PASSWORD
    word = Word.NEEDS_PASSWORD if secret else Word.NEEDS_KEY
    shown = drawn or (asked.text if asked else r.program)
    return Verdict(word=word, detail=shown, after=after)


def _out_of_sight(r: Reading) -> Verdict:
    """A program whose reads are hidden: the modes that its line editor sets, and the screen."""
    asked, left, edits = r.question, r.seen.line_left.strip(), r.edits
    runs = r.expected and r.state.sent.edits and not edits
    evidence = EDITOR if edits else PROMPT
    others = not (r.state.sent.enter and r.untouched)  # else it is the echo of our own text
    typed = r.line.typed if r.line and r.line.known and others else ""
    if (r.at_known_prompt or typed) and not runs:
        return _at_prompt(r, _STRONG if typed else _DRAWN, evidence)
    if asked and asked.strong:
        return _quote(r, after=_STRONG)
    indented = bool(r.seen.left) and not left and r.expected  # fish indents the rest of a command
    if (r.unfinished or indented) and r.prompts and not runs:
        return _unfinished(r, _DRAWN if r.again else _STRONG if edits else _WEAK)
    first = not r.expected and not r.prompts  # it has just been started
    if is_repl(left, sure=not (edits or first)):
        return _at_prompt(r, _STRONG if edits else _WEAK, evidence)
    if has_form(left) and (edits or first):
        return _at_prompt(r, _STRONG if edits else _FIRST, evidence)
    if edits and r.seen.bracketed:
        return _quote(r, after=_STRONG) if left else _at_prompt(r, _WEAK, EDITOR)
    shown = left if has_form(left) or asked else r.program
    return Verdict(word=Word.QUIET, detail=shown, after=_WEAK if shown == left else _SILENT)
