"""Everything that a verdict may depend on, in the terms of the decision. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ..evidence import programs
from ..evidence.editor.line_editor import Editor, Reads
from ..evidence.kernel.probe import How, Probe
from ..evidence.screen import prompts as prompts_of
from ..evidence.screen.screen import Screen
from ..output import breadth

STILL_BLIND = 0.5  # seconds a strong form must be still if nothing proves the wait
SILENT = 2.0  # seconds for a weak form, or none
STILL_DRAWN = 0.2  # seconds a full screen must be still: programs draw it in several writes
ESCAPED = 1.1  # seconds; ncurses waits 1 for the rest of a key's sequence (ESCDELAY)
ENTERED = 2.0  # seconds in which a line editor reads an Enter
_DISTINCT = 4  # characters of a prompt with which output does not end by chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene(Screen):
    """Everything that a verdict may depend on."""

    kernel: Probe
    editor: Editor | None = None  # the line editor's memory, if it can be read
    asked: str = ""  # last line of new output, quoted if nothing is at the cursor
    dead: str = ""  # which program ended, and how
    prompts: tuple[str, ...] = ()  # known prompts of this program
    expected: bool = False  # a prompt was there when the program in front got its last input
    unedited: bool = False  # the kernel collected whole lines at that prompt
    entered: bool = False  # Enter was pressed, and no answer covers it
    pressed: bool = False  # keys were pressed, and no answer covers them
    escape: bool = False  # the last of those keys was Escape
    rest: bool = False  # the last answer reported an unfinished command
    asks_read: bool = False  # the typed text calls a shell's `read`, and no answer covers it
    runs: bool = False  # the title shows a running command: a shell that reads is not at a prompt
    begun: int = 0  # the first visible row below the text that was sent
    since_sent: float = 0.0  # seconds; since the watch began if nothing was typed
    taken: bool = True  # the cursor has left the cell in which Enter was pressed
    still: float = 0.0  # seconds since the screen changed or the program worked
    silent: float = 0.0  # seconds since the last output by tmux's clock: up to a second too few
    full: float = 0.0  # seconds this wait has seen a full screen
    pattern: str | None = None  # the line that the caller's prompt_pattern matched
    printed: bool = False  # the text sent contains a known prompt, which may also be its output
    edits: bool = False  # the terminal's modes show a line editor reading: evidence/editor/modes.py
    edited: bool = False  # they showed one when Enter was pressed
    idle: bool = False  # since then the shell has reported to tmux, last that no command runs

    # what the kernel says

    @property
    def cooked(self) -> bool:
        """Whether the kernel collects whole lines."""
        return self.kernel.canonical is True

    @property
    def how(self) -> How | None:
        """How the process that waits for input sleeps; None if none does."""
        return self.kernel.waiter.how if self.kernel.waiter else None

    @property
    def reads(self) -> bool:
        """Whether a process sleeps until this terminal alone has input."""
        return self.how in (How.READ, How.SELECT)

    @property
    def listens(self) -> bool:
        """Whether a process sleeps until this terminal or something else has input."""
        return self.how is not None

    @property
    def proven(self) -> bool:
        """Whether more than the name of a kernel function shows the wait."""
        return self.kernel.waiter is not None and self.kernel.waiter.proven

    @property
    def remote(self) -> bool:
        """Whether the program is on a terminal that cannot be followed."""
        return bool(self.kernel.remote) or self.kernel.blind

    @property
    def program(self) -> str:
        """The process that waits (less), else the foreground group's leader (git)."""
        return self.kernel.waiter.name if self.kernel.waiter else self.kernel.name

    @property
    def traits(self) -> programs.Program:
        """What is known about the program by its name."""
        return programs.FOREIGN if self.remote else programs.of(self.program)

    @property
    def shell(self) -> bool:
        """Whether the program is a shell, known from the kernel, on a terminal that can be
        followed."""
        return self.traits.shell

    @property
    def editing_shell(self) -> bool:
        """Whether a shell's line editor waits. A shell that cannot be inspected (root's) counts
        unless it waits for a child."""
        free = not (self.cooked or self.kernel.echo or self.kernel.waits_for_child)
        return self.shell and free and (self.listens or self.kernel.hidden)

    @property
    def reads_key(self) -> bool:
        """Whether a shell's builtin reads one key: with echo, or blocked where bash would poll."""
        if not (self.shell and self.listens) or (self.proven and not self.reads):
            return False
        return bool(self.kernel.echo) or (self.traits.polls_keys and self.how is How.READ)

    @property
    def reads_at(self) -> Reads | None:
        """What the line editor reads; None if its memory cannot be read."""
        return self.editor.reads if self.editor else None

    @property
    def sign(self) -> str:
        """The prompt that the line editor shows; if its memory cannot be read, the whole line."""
        return self.editor.prompt if self.editor else self.end

    @property
    def drawn(self) -> bool:
        """Whether the line editor's prompt is on the screen, and is not the one from before the
        input. Otherwise prompt and output may be on their way: the kernel delivers terminal writes
        late, on a busy machine by 20 ms. After a long silence nothing is. Without the editor's
        memory an empty line is unlikely to be a prompt, unless an empty prompt is known."""
        if not (self.editor or self.left or "" in self.prompts):  # a job may cover it for ever
            return self.rested >= STILL_BLIND or self.since_sent >= ENTERED
        shown = self.editor is None or self.editor.is_on(self.left)
        echoed = self.taken or self.since_sent >= STILL_DRAWN
        return (shown and echoed) or self.rested >= STILL_DRAWN

    @property
    def rested(self) -> float:
        """Seconds for which nothing has been drawn, including before this wait."""
        return max(self.still, self.silent)

    @property
    def awaited(self) -> bool:
        """Whether something was typed that no answer covers."""
        return self.entered or self.pressed

    # what the screen says, left of the cursor

    @property
    def known_prompt(self) -> bool:
        return prompts_of.is_prompt(self.left, self.prompts)

    @property
    def glued_prompt(self) -> bool:
        """Whether output without a line break is followed by a known prompt too long for a
        coincidence."""
        long = [p for p in self.prompts if len(p.strip()) >= _DISTINCT]
        return prompts_of.glued(self.left, long) is not None

    @property
    def prompt_again(self) -> bool:
        """Whether a known prompt is at the cursor, alone or after output."""
        return self.plain and (self.known_prompt or self.glued_prompt)

    @property
    def continuation(self) -> bool:
        known = self.prompts
        if self.remote and self.plain and self.begun:
            # Nothing is printed between a command's rows. A row that adjoins the sent text is of
            # the same program, so an older prompt, another program's, does not count.
            if self.begun != self.y:
                return False
            known = self.prompts[:1]
        if self.alternate or prompts_of.is_prompt(self.sign, known):
            return False
        if self.sign.strip() == ">" and self.expected and not self.shell:
            return True  # a program that is not on the list, at another prompt than before
        if self.shell and self.end == ">" and not self.prompts and not self.begun_above:
            return False  # no command has been begun: this is a prompt of that form
        return prompts_of.continuation(self.sign, self.traits, known)

    @property
    def indented(self) -> bool:
        """Whether the cursor is in an indented, empty row of a command: fish has no continuation
        prompt. A remote program may be fish if it indents by at least the width of the prompt."""
        spaces = self.plain and self.left and not self.end
        if not spaces or not (self.entered or self.rest):
            return False
        at_prompt = self.remote and self.expected and self.prompts
        return self.traits.indents or bool(at_prompt) and self.x >= breadth(self.prompts[0]) > 0

    @property
    def begun_above(self) -> bool:
        """Whether a prompt with a command is above the rows that begin with `>`."""
        above = (row for row in reversed(self.rows[: self.y]) if not row.startswith(">"))
        first = prompts_of.split(next(above, ""))
        return bool(first and first.typed)

    @property
    def done(self) -> bool:
        """Whether a shell has acted on what was typed, and has drawn its prompt."""
        return (self.taken or self.pressed) and self.drawn
