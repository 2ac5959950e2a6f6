"""Everything that a verdict may depend on, and what follows from it. Nothing is decided here.

A reading is of one moment: one look (tmux), one probe (kernel), the line editor's memory where it
is open, and what the pane remembers. It is made in one go, and never written afterwards. All else
is derived from it: who reads, whether the last input was taken, what stands left of the cursor,
whether that is a known prompt, the rest of a command or a question, and what is typed behind it.
"""

import os
from dataclasses import dataclass

from ..base import programs
from ..base.words import ASKS, ASKS_LINE, Word
from ..facts.editor import Editor
from ..facts.kernel import HIDDEN, LISTEN, Kernel
from ..facts.line import (
    LONGEST,
    Question,
    Split,
    adjoining,
    continues,
    ends_with_prompt,
    is_known,
    is_pager,
    is_plain_prompt,
    question,
    repeated,
    searched,
    shape,
    split,
)
from ..facts.look import Look, digest
from ..facts.reader import Reader, reader_of
from ..facts.state import State, draft_of, left_at

_BARE = 2  # cells of a prompt that is a sign alone
_ABOVE_A_SIGN = 4  # rows in which its question stands, with choices below
_ESCAPE = 1.2  # seconds; vim and ncurses wait 1 for the rest of a key's sequence
_ESCAPE_AT_MOST = 1.6  # seconds, where a program has not run since: less waits for nothing
_ESCAPE_IS_READ = 0.4  # seconds in which a program has read it
_TELLS_QUESTION = (*ASKS, Word.QUIET, Word.SENT)  # words of answers that may have quoted one


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Everything that a verdict may depend on."""

    seen: Look
    kernel: Kernel
    editor: Editor | None  # the line editor's memory, if it can be read
    state: State
    now: float
    no_key: bool = False  # no key has come from a terminal since the last answer or input
    still: float = 0.0  # seconds since the screen changed or the program worked
    asleep: float = 0.0  # seconds since the program in front used CPU
    full: float = 0.0  # seconds for which a full screen has been shown
    pattern: str | None = None  # the line that the caller's prompt_pattern matched
    last_new: str = ""  # the last line of new output, quoted if nothing is at the cursor

    # the program

    @property
    def reader(self) -> Reader:
        """Who reads, and how."""
        return reader_of(self.seen, self.kernel)

    @property
    def program(self) -> str:
        """The name of who waits, else of the topmost program in front."""
        return self.kernel.name

    @property
    def traits(self) -> programs.Program:
        """What is known of the program by its name."""
        if self.kernel.remote:
            return programs.Program(remote=True)
        return programs.of(self.program)

    @property
    def prompts(self) -> list[str]:
        """The known ones of this program, the latest first."""
        return [one.text for one in self.state.prompts if one.program == self.program]

    @property
    def prompt_was_told(self) -> bool:
        """Whether the last answer has told a prompt of the program in front, and nobody, nor the
        agent, has typed since."""
        told = self.state.home.group == self.kernel.foreground and not self.state.open
        return told and bool(self.prompts) and self.no_key and not self.state.sent

    @property
    def is_below_prompt(self) -> bool:
        """Whether a prompt, known or a shell's usual one, stands alone above the cursor's line: the
        last there."""
        for row in reversed(self.seen.screen[: self.seen.cursor_y]):
            part = split(row, self.prompts)
            if part and (part.known or is_plain_prompt(part.prompt)):
                return not part.typed
        return False

    # how it reads

    @property
    def canonical(self) -> bool:
        """Whether the kernel collects lines."""
        return self.kernel.terminal.canonical is True

    @property
    def echo(self) -> bool:
        """Whether the kernel shows what is typed."""
        return self.kernel.terminal.echo is True

    @property
    def shows_typing(self) -> bool:
        """Whether what is typed will stand on the screen: the kernel or a line editor shows it."""
        return self.echo or self.editor is not None

    @property
    def how(self) -> int:
        """How the process sleeps that waits, the strongest evidence first."""
        return self.kernel.waiter.how

    @property
    def reads(self) -> bool:
        """Whether a process sleeps until this terminal alone has input."""
        return self.how < LISTEN

    @property
    def polls(self) -> bool:
        """Whether a script looks for a key now and then: it edits no line."""
        return self.kernel.script and self.how == LISTEN

    @property
    def editor_reads(self) -> Word | None:
        """What the line editor reads, by its memory."""
        if self.editor:
            return self.editor.reads
        return None

    @property
    def brackets(self) -> bool | None:
        """Whether pasted text arrives in brackets; None if neither tmux nor memory tells."""
        if self.editor and self.editor.brackets:
            return True
        return self.seen.bracketed

    @property
    def shell_edits(self) -> bool:
        """Whether a shell's line editor waits: it sets raw mode only while it reads a line. A shell
        that cannot be inspected (root's) counts too."""
        raw = self.kernel.terminal.canonical is False
        return self.traits.shell and raw and self.how <= HIDDEN

    # modes that are seen

    @property
    def full_screen(self) -> bool:
        """Whether its program draws the whole screen: vim, or top, which hides the cursor of the
        ordinary one. Not a multiplexer: its screen is full whatever runs inside."""
        if programs.of(self.program).multiplexer:
            return False
        if self.shell_edits:  # a killed vim leaves its modes to the shell
            return False
        return self.seen.alternate_on or self._draws_without_cursor

    @property
    def _draws_without_cursor(self) -> bool:
        """Whether the ordinary screen is drawn on, with its cursor hidden: top."""
        if self.canonical or self.editor:  # modes that a killed program has left
            return False
        return self.seen.keypad_flag and not self.seen.cursor_flag

    @property
    def edits(self) -> bool:
        """Whether the terminal shows the modes of a line editor: bracketed paste (from tmux 3.7
        on), or the keypad mode (Debian's zsh, fish 4, python 3.13). A pager sets that one too."""
        if self.seen.alternate_on or not self.seen.cursor_flag:
            return False
        return bool(self.seen.bracketed or self.seen.keypad_flag)

    # the last input

    @property
    def unseen_line(self) -> bool:
        """Whether a line is collected where nothing draws it: by the kernel, which echoes only, or
        at a far end that shows no line editor: dash's prompt is a bare `$`, that of a shell which
        edits lines names more."""
        if not self.kernel.remote:
            return self.canonical
        names_more = len(self.left.strip()) > _BARE and is_known(self.left, self.prompts)
        return not (self.edits or names_more)

    @property
    def taken(self) -> bool:
        """Whether the last input has been read; until then the screen is that of before."""
        sent = self.state.sent
        if not sent:
            return True
        if self._waits_for_sequence:
            return False
        exact = self.editor is not None or self.full_screen
        return sent.is_taken(self.seen, self.kernel, self.now, exact)

    @property
    def _waits_for_sequence(self) -> bool:
        """Whether a program may hold back an Escape, which begins the sequences of other keys. When
        vim's second is over it runs once more, and draws; on a busy machine that is later."""
        sent = self.state.sent
        if not sent.escape or self.editor:
            return False

        passed = self.now - sent.at
        if passed < _ESCAPE:
            return True

        ran_again = passed - self.asleep > _ESCAPE_IS_READ
        return passed < _ESCAPE_AT_MOST and not ran_again

    @property
    def has_drawn(self) -> bool:
        """Whether anything was drawn since the last input: behind Enter where the cursor was,
        behind another key anywhere."""
        sent = self.state.sent
        if not sent:
            return True
        return left_at(self.seen, sent.enter) != sent.left

    @property
    def expected(self) -> bool:
        """Whether the program in front got its last input at a prompt: that will come again."""
        sent = self.state.sent
        return sent.at_prompt and sent.reader.group == self.kernel.foreground

    @property
    def has_asked(self) -> bool:
        """Whether the program that waits has asked for a line before, and is not at home here: what
        looks like its prompt asks for a value."""
        subject = self.kernel.subject
        sent = self.state.sent
        if sent.at_prompt or self.state.home.subject == subject:
            return False
        if sent:
            return sent.reader.subject == subject
        return self.state.open in ASKS_LINE and self.state.told.subject == subject

    @property
    def sign_asks(self) -> bool:
        """Whether a lone `>` asks for a value: below a question, or where it has asked before."""
        if self.shown_prompt.strip() != ">" or self.at_known_prompt:
            return False
        end = self.seen.line_row
        begin = end - _ABOVE_A_SIGN
        if entered := self.state.sent.place:
            begin = max(begin, entered.row + 1)
        above = [self.seen.rows.get(row, "") for row in range(begin, end)]
        return self.has_asked or any(map(question, above))

    @property
    def reads_answer(self) -> bool:
        """Whether a shell may read an answer, not a command: the agent has called its `read`, but
        not in an open block, or the last answer has told this question."""
        if self.state.sent.reads and not self.unfinished:
            return True
        if self.state.open not in ASKS_LINE:
            return False
        return self.state.question == self.seen.line_digest

    # the text left of the cursor

    @property
    def text(self) -> str:
        """The line up to the cursor, without blanks at its ends."""
        return self.left.strip()

    @property
    def left(self) -> str:
        """The text left of the cursor from the beginning of its line. A prompt below a full row is
        a line of its own, whatever tmux joins; less's `:` too. So is one behind itself: dash after
        `stty -echo`."""
        if is_known(self.seen.left, self.prompts) or is_pager(self.seen.left):
            return self.seen.left
        if self.canonical and (self.no_key or not self.echo):
            return repeated(self.seen.line_left, self.prompts) or self.seen.line_left
        return self.seen.line_left

    @property
    def shown_prompt(self) -> str:
        """What is the prompt, if there is one: of the editor's memory, else what is drawn."""
        if self.editor:
            return self.editor.prompt
        return self.left

    @property
    def form(self) -> int:
        """What identifies the text left of the cursor, whatever clock, counter or directory is in
        it: `[12:04] ~/src #`."""
        return digest(shape(self.seen.line_left[-LONGEST:]))

    @property
    def again(self) -> bool:
        """Whether the text at which the last command was typed is left of the cursor."""
        return self.state.sent.before == self.form

    @property
    def at_known_prompt(self) -> bool:
        """Whether a known prompt is left of the cursor, alone or, if it is long, after output; or
        the text at which the last command was typed."""
        if self._is_back:
            return True
        if is_known(self.left, self.prompts):
            return True
        return ends_with_prompt(self.left, self.prompts)

    @property
    def _is_back(self) -> bool:
        """Whether what stood there when the last command was typed stands there again. The rest of
        a command is asked for in the next row: behind ssh a `>` further below is a prompt."""
        if not self.again or not self.expected:
            return False
        if continues(self.left) and not self._is_below_welcome:
            return False
        return bool(self.left.strip())

    @property
    def unfinished(self) -> bool:
        """Whether the line, up to the cursor, asks for the rest of a command."""
        shown = self.seen.left
        if self.editor:
            shown = self.editor.prompt

        if self._is_below_welcome or is_known(shown, self.prompts):
            return False
        if self._is_sign_again:
            return False
        if self.expected or self.state.open == Word.UNFINISHED:
            return continues(shown)
        # somebody else has begun it: `>` is no prompt where another one is known
        return bool(self.prompts) and continues(shown, sure=not self._shares_prompts)

    @property
    def _shares_prompts(self) -> bool:
        """Whether what waits has the known prompts of its name: a shell, or what has shown them
        itself. pdb, and a game that asks with `>`, are both called python."""
        its_own = self.state.home.group == self.kernel.foreground
        return (its_own or self.traits.shell) and not self.traits.remote

    @property
    def _is_sign_again(self) -> bool:
        """Whether a REPL shows the sign at which it has taken the last command: node's `>`, which
        nothing has proven before. A shell may have the same sign for the rest of one."""
        repl = not (self.traits.shell or self.traits.remote)
        return repl and self.again and self.state.open != Word.UNFINISHED

    @property
    def _is_below_welcome(self) -> bool:
        """Whether something else than one row has come since our input to a remote program: output,
        ssh's welcome and a new program's prompt, or a screen that was cleared."""
        end = self.state.sent.place
        if not end or not self.kernel.remote:
            return False
        return self.seen.row != end.row + 1

    @property
    def question(self) -> Question | None:
        """The question left of the cursor, by its form: none behind a prompt, where a job or a
        thread has printed it."""
        if self.editor:
            printed = bool(self.editor.printed_at(self.left))
        else:
            printed = bool(self.line and self.line.known and self.line.typed)
        return None if printed else question(self.left)

    @property
    def asks_strongly(self) -> bool:
        """Whether it has a form that output practically never has."""
        return self.question is not None and self.question.strong

    # what is typed

    @property
    def behind(self) -> str | None:
        """What stands behind the question of the last answer; None where that is not."""
        told = self.state.theirs or self.state.open in _TELLS_QUESTION
        if self.state.screen or not told:
            return None
        text = self.state.behind_question(self.seen.line_left)
        # Nobody has typed since Enter, which the kernel showed: all on the line is the program's.
        # `Name: ` may go on as `Name: Bob, is that right? `; so does mail's `Cc: ` behind a C-d.
        asked = text and question(text) and not (self.state.draft or self.state.theirs)
        if not self.no_key:
            return text
        if self.canonical and (asked or self.state.sent.enter):
            return None
        if asked and not self.state.question_cells:  # the line was empty when it was told
            return None
        return text

    @property
    def answer(self) -> str:
        """The text typed behind the question; without the editor's memory, that of the last
        answer."""
        if self.editor:
            return self.editor.text.strip()
        if self.behind is None:
            return ""

        right = adjoining(self.seen.line_right)
        if digest(right) == self.state.ghost:
            right = ""
        return (self.behind + right).strip()

    @property
    def line(self) -> Split | None:
        """The prompt and the text typed behind it; None if that cannot be told.

        `$ make` is `$` and `make`. In this order it is told by: the editor's memory; a search
        (`(reverse-i-search)`); the agent's own draft, behind whatever prompt; a known prompt; a
        program that has none (`bc`); a prompt whose upper row is above it; a new prompt, if nobody
        can have typed since Enter; the form of a prompt.
        """
        if self.editor:
            return Split(self.editor.prompt, self.editor.text, True)

        whole = self.left + adjoining(self.seen.line_right)
        below = self.seen.rows.get(self.seen.row + 1, "")
        if search := searched(whole, below):
            return Split("", search, True)
        if self.state.draft and self.state.draft == draft_of(whole):
            return Split("", whole.strip())

        line = split(whole, self.prompts, os.path.basename(self.seen.pane_current_path))
        if line and line.known and line.prompt:
            return line

        if self.traits.no_prompt or self._is_indented(whole):
            line = Split("", whole.strip())

        if line is None:
            return split(self.seen.full_above + whole, self.prompts)
        if self.no_key and self.state.sent.enter:  # a new prompt: nobody has typed behind it
            return Split(self.left.strip(), "")
        return line

    def _is_indented(self, whole: str) -> bool:
        """Whether it is the rest of a command in fish, which has no prompt but spaces."""
        return self.traits.indents and whole.startswith("  ") and bool(whole.strip())
