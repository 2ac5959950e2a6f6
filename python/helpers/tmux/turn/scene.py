"""Everything that a verdict may depend on, in the words that the decision uses. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ..evidence.editor.line_editor import Editor, Reads
from ..evidence.kernel.probe import EDITORS, SHELLS, How, Probe, Waiter
from ..evidence.screen import prompts as prompts_of
from ..evidence.screen import title
from ..evidence.screen.programs import hides_rest
from ..evidence.screen.question_line import Kind, offers_keys, on_line
from ..evidence.screen.screen import Screen

STILL_BLIND = 0.5  # seconds a strong form must stand still where nothing proves the wait
SILENT = 2.0  # seconds for a weak form, or none
ENDLESS = 10.0  # seconds of a full screen that never stands still, of a silent remote program
STILL_DRAWN = 0.2  # seconds a full screen must stand still: a program draws in several writes
_ENTERED = 2.0  # seconds in which an Enter is read by a line editor
_PLAIN = 4  # characters of a prompt that no output ends with by chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene(Screen):
    """Everything that a verdict may depend on."""

    kernel: Probe
    editor: Editor | None = None  # the line editor's memory, where it can be read
    asked: str = ""  # last line of new output, quoted where nothing is at the cursor
    dead: str = ""  # what ended
    prompts: tuple[str, ...] = ()  # known to be this program's
    expected: bool = False  # a prompt was there when the program in front got its last input
    entered: bool = False  # Enter was pressed, and no answer covers it
    pressed: bool = False  # keys were pressed, and no answer covers them
    rest: bool = False  # the last answer said that the rest of a command is asked for
    asks_read: bool = False  # what was typed calls a shell's `read`, and no answer covers it
    since_sent: float = 0.0  # seconds; since the watch began where nothing was typed
    taken: bool = True  # the cursor has left the cell in which Enter was pressed
    still: float = 0.0  # seconds since the screen changed or the program worked
    silent: float = 0.0  # seconds since the last output, as tmux knows it: a second too few
    full: float = 0.0  # seconds this wait has seen a full screen
    pattern: str | None = None  # the line that the caller's prompt_pattern matched
    printed: bool = False  # what was typed has a known prompt in it: one may be its output
    edits: bool = False  # by the terminal's modes a line editor reads: see evidence/editor/modes.py
    edited: bool = False  # they said so here when Enter was pressed
    idle: bool = False  # the shell has reported to tmux since then, and last that no command runs

    # what the kernel says

    @property
    def cooked(self) -> bool:
        """The kernel collects whole lines."""
        return self.kernel.canonical is True

    @property
    def reads(self) -> bool:
        """Somebody sleeps until this terminal alone has input."""
        waiter = self.kernel.waiter
        return waiter is not None and waiter.how in (How.READ, How.SELECT)

    @property
    def listens(self) -> bool:
        """Somebody sleeps until this terminal or something else has input."""
        return self.kernel.waiter is not None

    @property
    def proven(self) -> bool:
        """That somebody waits is more than a name in the kernel."""
        return self.kernel.waiter is not None and self.kernel.waiter.proven

    @property
    def may_wait(self) -> bool:
        """Somebody waits, or belongs to another user and cannot be looked at."""
        return self.listens or self.kernel.hidden

    @property
    def reads_keys(self) -> bool:
        """A read of a raw terminal, or a wait with the cursor hidden, is for a key."""
        waiter = self.kernel.waiter
        return waiter is not None and (waiter.how is How.READ or not self.cursor_visible)

    @property
    def hides_line(self) -> bool:
        """A line is typed unseen. A relay may turn its inner terminal's echo off for good
        (unbuffer): there the question must have a password's form too."""
        return not self.kernel.echo and (self.asks_password or not self.kernel.relayed)

    @property
    def unproven_password(self) -> bool:
        """The echo is off, and who may wait cannot be looked at."""
        may_ask = self.kernel.hidden or (self.listens and self.question is not None)
        return self.hides_line and may_ask

    @property
    def behind_text(self) -> bool:
        """A cursor that waits one blank behind a text, in a program that polls: a line is typed
        there. A program that wants a key reads, or leaves no room for an answer."""
        waiter = self.kernel.waiter
        polls = waiter is not None and waiter.how is not How.READ and not self.remote
        return polls and self.plain and bool(self.end) and self.left.endswith(" ")

    @property
    def remote(self) -> bool:
        """Its program is on a terminal that cannot be followed."""
        return bool(self.kernel.remote) or self.kernel.blind

    @property
    def told_by_modes(self) -> bool:
        """Only the terminal's modes tell whether a line editor reads: the program is out of sight,
        or another user's."""
        return self.plain and not self.cooked and (self.remote or self.kernel.hidden)

    @property
    def awaited(self) -> bool:
        """Something was typed of which no answer has told."""
        return self.entered or self.pressed

    @property
    def program(self) -> str:
        """Who it is about: the process that waits (less), else the foreground's leader (git)."""
        return self.kernel.waiter.name if self.kernel.waiter else self.kernel.name

    @property
    def shell(self) -> bool:
        """A shell, and known to the kernel to be one, not something that a shell started."""
        return self.program in SHELLS and not self.remote

    @property
    def reading_shell(self) -> Waiter | None:
        """A shell that sleeps in a read."""
        waiter = self.kernel.waiter
        reads = waiter is not None and waiter.how is How.READ and waiter.name in SHELLS
        return waiter if reads else None

    @property
    def shell_reads_command(self) -> bool:
        """A shell without a line editor at its prompt reads a block (dash 8192 bytes, bash
        --noediting 1024); its builtin `read` reads 1 byte, or 4096 in bash. Where the size is
        unknown the text decides."""
        if self.editor is not None:
            return self.shell and self.reads and self.reads_at is Reads.COMMAND
        if (waiter := self.reading_shell) is None:
            return False
        if waiter.proven and waiter.size:
            return waiter.size not in (1, 4096)
        if waiter.name in EDITORS:  # these are in raw mode at their prompt, unless told not to be
            typed = prompts_of.typed_behind(self.left, self.prompts)
            return not waiter.script and (self.known_prompt or self.first_prompt or typed)
        return not waiter.script and self.prompt_on_line

    @property
    def prompt_on_line(self) -> bool:
        """A prompt is on the cursor's line: a known one, alone or behind output or before typed
        text, its continuation, or, where none is known, the form of one."""
        known = prompts_of.glued(self.left, self.prompts) is not None or self.end == ">"
        typed = prompts_of.typed_behind(self.left, self.prompts)
        return bool(self.end) and (known or typed or self.first_prompt)

    @property
    def first_prompt(self) -> bool:
        """No prompt is known yet, and the cursor's line has the form of one."""
        return not self.prompts and bool(self.form)

    @property
    def new_prompt(self) -> bool:
        """A shell without a line editor reads, who knows what, at the form of a new prompt."""
        if (waiter := self.reading_shell) is None or waiter.proven or waiter.script:
            return False
        return waiter.name not in EDITORS and self.form

    @property
    def editing_shell(self) -> bool:
        """A shell whose line editor waits now. A shell that cannot be looked at (root's) counts
        unless it waits for a child."""
        free = not (self.cooked or self.kernel.echo or self.kernel.waits_for_child)
        return self.shell and free and (self.listens or self.kernel.hidden)

    @property
    def builtin_asks(self) -> bool:
        """A shell's builtin reads by its line editor: the shell runs a script, so it is at no
        prompt, or the builtin was sent to it and no known prompt is on the line."""
        if self.kernel.waiter is None or (self.proven and self.program != "fish"):
            return False
        if self.known_prompt or prompts_of.typed_behind(self.left, self.prompts):
            return False
        return self.kernel.waiter.script or bool(self.end and self.asks_read)

    @property
    def reads_key(self) -> bool:
        """A shell's builtin that reads one key: with echo, or blocked where bash would poll."""
        waiter = self.kernel.waiter
        if waiter is None or not self.shell or (waiter.proven and not self.reads):
            return False
        return bool(self.kernel.echo) or (waiter.name == "bash" and waiter.how is How.READ)

    def stands(self, seconds: float) -> bool:
        return self.still >= seconds

    def rests(self, seconds: float) -> bool:
        """Nothing was drawn for so long, also before this wait."""
        return max(self.still, self.silent) >= seconds

    @property
    def patience(self) -> float:
        """Seconds a silent program must stand still; long where nothing shows that it takes keys:
        it may wait for something else."""
        if self.end or not self.cursor_visible or offers_keys(self.rows):
            return SILENT
        return ENDLESS

    @property
    def sure(self) -> bool:
        """The wait is proven, or the screen has stood still long enough without it."""
        return self.reads or self.stands(STILL_BLIND)

    @property
    def reads_at(self) -> Reads | None:
        """What the line editor reads; None where it cannot be read."""
        return self.editor.reads if self.editor else None

    @property
    def drawn(self) -> bool:
        """What the line editor waits at is on the screen, and not only what was there at the
        sending. Else it, and output, may be on the way: the kernel hands on what is written to a
        terminal some time later, on a busy machine 20 ms. Nothing is after long silence. Where no
        editor tells, a blank line is hardly a prompt if it was none before."""
        still = max(self.still, self.silent)
        if not (self.editor or self.left or "" in self.prompts):  # a job may cover it for ever
            return still >= STILL_BLIND or self.since_sent >= _ENTERED
        shown = self.editor is None or self.editor.is_on(self.left)
        echoed = self.taken or self.since_sent >= STILL_DRAWN
        return (shown and echoed) or still >= STILL_DRAWN

    @property
    def own_line(self) -> str:
        """The prompt that the line editor shows; "" where it cannot be read."""
        return self.editor.prompt if self.editor else ""

    @property
    def own_prompt(self) -> bool:
        """The line editor of a program that is no shell shows a prompt for commands."""
        line = self.own_line
        return prompts_of.has_form(line) or any(prompts_of.same(line, p) for p in self.prompts)

    @property
    def own_question(self) -> Kind | None:
        return question.kind if (question := on_line(self.own_line)) else None

    # what the screen says, left of the cursor

    @property
    def known_prompt(self) -> bool:
        return bool(self.end) and any(prompts_of.same(self.left, p) for p in self.prompts)

    @property
    def glued_prompt(self) -> bool:
        """Output without a line break, and a known prompt that is no chance."""
        long = [p for p in self.prompts if len(p.strip()) >= _PLAIN]
        return bool(self.end) and prompts_of.glued(self.left, long) is not None

    @property
    def prompt_again(self) -> bool:
        """A known prompt is at the cursor, alone or behind output."""
        return self.plain and (self.known_prompt or self.glued_prompt)

    @property
    def other_prompt(self) -> bool:
        """It is another known prompt than the one at which was typed last, and not printed."""
        here = prompts_of.glued(self.left, self.prompts[:1])
        return self.prompt_again and not self.printed and here is None

    @property
    def wants_decision(self) -> bool:
        """An AI command line says in its title that it asks."""
        return not self.plain and title.asks(self.title)

    @property
    def repl(self) -> bool:
        return not self.shell and prompts_of.is_repl(self.end)

    @property
    def indented(self) -> bool:
        """fish has no continuation prompt: it indents the next line of what was sent."""
        blank = bool(self.left) and not self.end
        return self.program == "fish" and (self.entered or self.rest) and blank

    @property
    def continuation(self) -> bool:
        if not self.end or self.known_prompt or self.alternate:
            return False
        if self.remote:
            return prompts_of.foreign_continuation(self.end)
        if self.end == ">" and self.expected and self.prompts and not self.shell:
            return True  # a shell that is not on the list, at another prompt than before
        if self.shell and self.end == ">" and not self.prompts and not self.begun_above:
            return False  # no command is begun: it is a prompt that looks so
        return prompts_of.continuation(self.end, self.program, self.shell)

    @property
    def silent_rest(self) -> bool:
        """The rest of a command is read on an empty line, by a program without a sign for it."""
        return self.expected and self.entered and not self.end and hides_rest(self.program)

    @property
    def begun_above(self) -> bool:
        """A prompt with a command behind it is above the rows that begin with `>`."""
        above = (row for row in reversed(self.rows[: self.y]) if not row.startswith(">"))
        first = prompts_of.split(next(above, ""))
        return bool(first and first.typed)

    @property
    def asks_shell(self) -> bool:
        """A builtin of a shell asks (`read>`), and no prompt has that form."""
        like_a_prompt = self.form or prompts_of.is_themed(self.left)
        return self.asks_line and (self.strong or not like_a_prompt)

    @property
    def pictured(self) -> bool:
        """The screen asks in a form of prompt libraries, whose line may look like a prompt."""
        return not self.remote and self.picture is not None and self.picture.strong

    def shows(self, kind: Kind) -> bool:
        """A raw program that listens and stands still, with such a picture. A weak form must stand
        longer."""
        if not self.listens or not self.sure or self.picture is None:
            return False
        if self.remote and not (title.waits(self.title) and self.stands(SILENT)):
            return False
        if self.works or (self.alternate and not self.stands(STILL_DRAWN)):
            return False
        return self.picture.kind is kind and (self.picture.strong or self.stands(SILENT))

    @property
    def done(self) -> bool:
        """A shell has done something with what was typed, and has drawn its prompt."""
        return (self.taken or self.pressed) and self.drawn

    @property
    def holds_sent(self) -> bool:
        """The line editor still holds what was typed: it has not read the Enter."""
        held = self.editor is not None and bool(self.editor.text.strip())
        return held and self.entered and not self.taken and self.since_sent < _ENTERED
