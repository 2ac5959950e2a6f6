"""Everything that a verdict may depend on, and what follows from it. Nothing is decided here."""

import os
from dataclasses import dataclass

from . import programs
from .answer import ASKS, ASKS_LINE, Word
from .editor import Editor
from .kernel import HIDDEN, LISTEN, Kernel
from .line import (
    Question,
    Split,
    adjoining,
    continues,
    glued,
    is_known,
    question,
    searched,
    split,
)
from .look import Look, digest
from .state import State, draft_of

_ESCAPE = 1.2  # seconds; vim and ncurses wait 1 for the rest of a key's sequence


@dataclass(kw_only=True)
class Reading:
    """Everything that a verdict may depend on."""

    seen: Look
    kernel: Kernel
    editor: Editor | None  # the line editor's memory, if it can be read
    state: State
    now: float
    untouched: bool = False  # no key has come from a terminal since the last answer or input
    still: float = 0.0  # seconds since the screen changed or the program worked
    asleep: float = 0.0  # seconds since the program in front used CPU
    full: float = 0.0  # seconds for which a full screen has been shown
    pattern: str | None = None  # the line that the caller's prompt_pattern matched
    asked: str = ""  # last line of new output, quoted if nothing is at the cursor

    @property
    def prompts(self) -> list[str]:
        """The known ones of this program."""
        return self.state.prompts_of(self.program)

    @property
    def rights(self) -> list[str]:
        """What these show right of the cursor."""
        return self.state.rights_of(self.program)

    @property
    def program(self) -> str:
        return self.kernel.name

    @property
    def traits(self) -> programs.Program:
        return programs.Program(remote=True) if self.kernel.remote else programs.of(self.program)

    @property
    def multiplexed(self) -> bool:
        """Whether other panes are inside: their screen is full, whatever runs there."""
        return programs.of(self.program).multiplexer

    @property
    def canonical(self) -> bool:
        return self.kernel.terminal.canonical is True

    @property
    def reads(self) -> bool:
        """Whether a process sleeps until this terminal alone has input."""
        return self.kernel.waiter.how < LISTEN

    @property
    def brackets(self) -> bool | None:
        """Whether pasted text arrives in brackets; None if neither tmux nor memory tells."""
        known = self.editor is not None and self.editor.brackets
        return known or self.seen.bracketed

    @property
    def shell_edits(self) -> bool:
        """Whether a shell's line editor waits: ICANON is off only while it reads a line. A shell
        that cannot be inspected (root's) counts too."""
        raw = self.kernel.terminal.canonical is False
        return self.traits.shell and raw and self.kernel.waiter.how <= HIDDEN

    @property
    def full_screen(self) -> bool:
        """Whether its program draws the whole screen. A killed one leaves the alternate screen and
        the hidden cursor to the shell and what that runs."""
        seen = self.seen
        hidden = seen.keypad_flag and not (seen.cursor_flag or self.canonical or self.editor)
        return (seen.alternate_on or hidden) and not (self.shell_edits or self.multiplexed)

    @property
    def edits(self) -> bool:
        """Whether the terminal shows the modes of a line editor: bracketed paste (from tmux 3.7
        on), or the keypad mode (Debian's zsh, fish 4, python 3.13). A pager sets that one too."""
        seen = self.seen
        return (seen.bracketed or seen.keypad_flag) and seen.cursor_flag and not seen.alternate_on

    @property
    def unseen_line(self) -> bool:
        """Whether a line is collected where nothing draws it: by the kernel, which echoes only, or
        at a far end that shows no line editor."""
        return self.canonical or (self.kernel.remote and not self.edits)

    @property
    def taken(self) -> bool:
        """Whether the last input has been read. After Escape a program waits for the rest of a
        key's sequence."""
        sent, exact = self.state.sent, self.editor is not None or self.full_screen
        if sent.escape and self.now - sent.at < _ESCAPE and not self.editor:
            return False
        return not sent or sent.is_taken(self.seen, self.kernel, self.now, exact)

    @property
    def reads_answer(self) -> bool:
        """Whether a shell may read an answer, not a command: the agent has called its `read`, but
        not in an open block, or the last answer has told this question."""
        sent, asked = self.state.sent, self.state.open in ASKS_LINE
        called = sent.reads and not self.unfinished
        return called or asked and self.state.question == self.seen.line_digest

    @property
    def expected(self) -> bool:
        """Whether the program in front got its last input at a prompt: that will come again."""
        sent = self.state.sent
        return sent.at_prompt and sent.reader[1] == self.kernel.foreground

    @property
    def unfinished(self) -> bool:
        """Whether the line, up to the cursor, asks for the rest of a command."""
        left = self.editor.prompt if self.editor else self.seen.left
        end = self.state.sent.place
        if self.kernel.remote and end and self.seen.row > end.row + 1:
            return False  # a welcome is above it: a new program's prompt
        begun = self.expected or self.state.open == Word.UNFINISHED
        may_be = begun or bool(self.prompts)  # by somebody else: its prompt is another one
        return may_be and continues(left, sure=not begun) and not is_known(left, self.prompts)

    @property
    def question(self) -> Question | None:
        return question(self.seen.line_left)

    @property
    def behind(self) -> str | None:
        """What stands behind the question of the last answer; None where that is not. In canonical
        mode, where nobody has typed since Enter, it is a part of the next one."""
        sent = self.state.sent
        anew = sent.enter and self.untouched and self.canonical
        asked = self.state.open in (*ASKS, Word.QUIET, Word.SENT) and not self.state.screen
        return self.state.behind_question(self.seen.line_left) if asked and not anew else None

    @property
    def answer(self) -> str:
        """The text typed behind the question; without the editor's memory, that of the last
        answer."""
        if self.editor:
            return self.editor.text.strip()
        behind = self.behind
        return "" if behind is None else (behind + adjoining(self.seen.line_right)).strip()

    @property
    def left(self) -> str:
        """The text left of the cursor from the beginning of its line. A prompt below a full row is
        a line of its own, whatever tmux joins."""
        return self.seen.left if is_known(self.seen.left, self.prompts) else self.seen.line_left

    @property
    def again(self) -> bool:
        """Whether the text at which the last command was typed is left of the cursor."""
        return self.state.sent.before == digest(self.seen.line_left)

    @property
    def at_known_prompt(self) -> bool:
        """Whether a known prompt is left of the cursor, alone or, if it is long, after output; or
        the text at which the last command was typed."""
        left = self.left
        if self.again and self.expected and left.strip() and not continues(left):
            return True
        long = [prompt for prompt in self.prompts if len(prompt) > 3]
        return is_known(left, self.prompts) or glued(left, long) is not None

    @property
    def line(self) -> Split | None:
        """The prompt and the text typed behind it; None if that cannot be told."""
        seen, editor, state = self.seen, self.editor, self.state
        whole = self.left + adjoining(seen.line_right)
        if editor:
            return Split(editor.prompt, editor.text, True)
        if search := searched(whole, seen.rows.get(seen.row + 1, "")):
            return Split("", search, True)
        if state.draft and state.draft == draft_of(whole):
            return Split("", whole.strip())
        line = split(whole, self.prompts, os.path.basename(seen.pane_current_path))
        if line and line.known and line.prompt:
            return line
        indented = self.traits.indents and whole.startswith("  ") and bool(whole.strip())
        if self.traits.no_prompt or indented:
            line = Split("", whole.strip())
        if line and self.untouched and state.sent.enter:
            return Split(self.left.strip(), "")  # a new prompt: nobody has typed behind it
        return line or split(seen.full_above + whole, self.prompts)
