"""Whose turn is it: one scene (screen, kernel, mark) -> one verdict. Pure: no process, no clock.

`TABLE` is the whole decision: first match wins, and where no row matches the program is running. Each row's evidence is
in the comment beside it; the bits are ICANON and ECHO of the pane's terminal.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .output import squeezed
from .probe import SHELLS, Probe

STILL_BLIND = 0.5  # seconds a question or a new prompt must stand where the kernel proves nothing; `Loading:` SILENT
STILL_BLANK = (
    0.4  # seconds before a line editor without any prompt text is taken to wait for a line
)
SILENT = 2.0  # seconds of silence, or of a full screen, after which `quiet` is said

_LONGEST = 400  # characters of a line that our own patterns look at: they stay linear, and no prompt is longer
_PROMPT = re.compile(r"(?:[$#>❯➜»λ]|(?<!\d)%)$")  # not 57%: less and progress say that
_REPL = re.compile(r"^(?:>>>|\((?:gdb|lldb|rr|[iI]?[pP]db\+*)\)|In \[\d+\]:)$")
_CONTINUATION = re.compile(r"^(?:\.{3,}|\s+\.{3}>|\s*\.{3}:|\s*[-'\"`/]\*?>|\w+[-'\"($*][#>])$")
_MOST_VARYING = 6  # parts of a prompt
_PS2_ZSH = re.compile(
    r"^(?:(?:d|b)?quote|heredocd?|cmdsubst|subsh|cursh|math|pipe|function|for|foreach|select|repeat|while|"
    r"until|if|then|else|elif|case|braceparam|mathsubst|cmdand|cmdor|array|errmathsubst)(?: [a-z]+){0,8}>$"
)
_ASKS = ("read>", "?#")  # what fish's `read` and zsh's `select` ask with
_QUESTION = re.compile(
    r"\w.*(?:[?:：？]|[\[(]\s*[A-Za-z]+\s*(?:[/|,]\s*[^\s\[\]()/|,]+\s*)+[\])]\s*[:>]?)$"
)
_PASSWORD = re.compile(
    r"(?i)(?:password|passphrase|passcode|\bPIN\b|passwort|kennwort|mot de passe|contraseña|"
    r"verification code)[^\n]{0,80}:$"
)
_MORE = re.compile(r"--More--(?:\(.*\))?$|^\(END\)$|^lines \d+-\d+")
_VARYING = re.compile(
    r"[~/][^\s$#%>\]):]*|\d+"
)  # a directory, a counter, a clock: what changes from prompt to prompt


@dataclass(frozen=True, slots=True)
class Verdict:
    """`word`: one of the contract's (ready, needs input, needs password, needs key, unfinished, matched, quiet, gone);
    `why`: the evidence, for ready; `detail`: the question, the program, the line."""

    word: str
    detail: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything a verdict may depend on."""

    kernel: Probe
    left: str = ""  # text left of the cursor, on its row
    asked: str = ""  # last line of output since the mark, quoted where nothing stands at the cursor
    alternate: bool = False
    cursor_visible: bool = True
    dead: str = ""  # what ended
    prompts: tuple[
        str, ...
    ] = ()  # known to be this program's: learned, or standing there when the text was sent
    expected: bool = (
        False  # a prompt stood there when the text was sent, and the same program is in front
    )
    typed: str = ""  # the last line that was sent with Enter
    moved: bool = True  # the cursor or its line is not what it was at the mark
    still: float = 0.0  # seconds since the screen last changed
    full: float = 0.0  # seconds this wait has seen a full screen
    pattern: str | None = None  # the line that the caller's prompt_pattern matched
    until: str | None = None  # the line of new output that `until` matched
    end: str = field(init=False)  # `left` without its trailing blanks: where the cursor's text ends

    def __post_init__(self) -> None:
        object.__setattr__(self, "end", self.left.rstrip()[-_LONGEST:])

    # what the kernel says

    @property
    def cooked(self) -> bool:
        return self.kernel.canonical is True

    @property
    def waits(self) -> bool:
        """Somebody sleeps until this terminal alone has input."""
        return self.kernel.waiter is not None and self.kernel.waiter.how in ("read", "select")

    @property
    def shell_reads_command(self) -> bool:
        """A shell without a line editor at its prompt: it reads a block (dash 8192 bytes, bash --noediting 1024), while
        the builtin `read` asks for 1 byte, or 4096 in bash."""
        w = self.kernel.waiter
        return (
            w is not None and w.how == "read" and w.size > 1 and w.size != 4096 and w.name in SHELLS
        )

    @property
    def editing_shell(self) -> bool:
        """A shell whose line editor waits now."""
        return (
            self.shell
            and not self.kernel.echo
            and (self.kernel.waiter is not None or self.kernel.hidden)
        )

    @property
    def program(self) -> str:
        """Who it is about: the process that waits (less), else the leader of the foreground (git)."""
        return self.kernel.waiter.name if self.kernel.waiter else self.kernel.name

    @property
    def shell(self) -> bool:
        """A shell, and known to the kernel to be one, not something that a shell started."""
        return self.program in SHELLS and not self.kernel.blind

    @property
    def sure(self) -> bool:
        """The kernel proves the wait, or the screen has stood long enough to be believed without it."""
        return self.waits or self.still >= (
            SILENT if self.end.endswith((":", "：")) else STILL_BLIND
        )

    # what the screen says, left of the cursor

    @property
    def known_prompt(self) -> bool:
        return bool(self.end) and any(same_prompt(self.left, prompt) for prompt in self.prompts)

    @property
    def continuation(self) -> bool:
        if not self.end or self.known_prompt or self.alternate:
            return False
        if self.program == "fish":  # it has no such text
            return False
        if (
            self.program in SHELLS or self.expected
        ) and self.end == ">":  # a shell, or perhaps one behind ssh
            return True
        form = (
            _CONTINUATION
            if self.program not in SHELLS
            else _PS2_ZSH
            if self.program == "zsh"
            else None
        )
        return bool(form and form.match(self.end)) or (
            self.program not in SHELLS and self.expected and bool(_PS2_ZSH.match(self.end))
        )

    @property
    def prompt(self) -> bool:
        if not self.end or self.alternate or not self.cursor_visible or _MORE.search(self.end):
            return False
        if self.known_prompt:
            return self.moved or self.waits
        # Where a prompt is known and nothing proves the wait, only that prompt counts: `5$ ` may be output.
        return (
            bool(_PROMPT.search(self.end) or _REPL.match(self.end))
            and self.sure
            and (self.waits or not self.expected)
        )

    @property
    def question(self) -> bool:
        return (
            bool(self.end)
            and not self.alternate
            and bool(_QUESTION.search(self.end) or self.end in _ASKS)
        )

    @property
    def password(self) -> bool:
        return not self.alternate and bool(_PASSWORD.search(self.end))

    @property
    def echoed(self) -> bool:
        """The sent line still stands at the cursor: a shell shows it before it runs it."""
        return (
            bool(self.typed)
            and squeezed(self.left).endswith(squeezed(self.typed))
            and not self.known_prompt
        )


def same_prompt(left: str, known: str) -> bool:
    """One prompt, but for directories and numbers in it."""
    return _VARYING.sub("·", left.strip()) == _VARYING.sub("·", known.strip()) != ""


def shape(prompt: str) -> str:
    """A pattern for `prompt`, but for directories and numbers in it."""
    parts = _VARYING.split(prompt.strip())
    if len(parts) > _MOST_VARYING:  # hardly a prompt, and too slow to search for
        return re.escape(prompt.strip())
    return rf"(?:{_VARYING.pattern})".join(map(re.escape, parts))


def draft(line: str, prompts: tuple[str, ...]) -> str | None:
    """What stands after the last prompt in `line`: "" at an empty prompt, None where no prompt is recognised."""
    line = line[-8 * _LONGEST :]
    for prompt in prompts:
        found = list(re.finditer(shape(prompt), line)) if prompt.strip() else []
        if found:
            return line[found[-1].end() :].strip()
    found = list(
        re.finditer(r"(?:\S[$#>❯»]|[^\s\d]%|^[$#%>❯»]|^(?:>>>|\(gdb\)|In \[\d+\]:)) ", line + " ")
    )
    return line[found[-1].end() :].strip() if found else None


def _blind(s: Scene) -> str:
    """The evidence in words, where it is the screen's alone."""
    if s.kernel.blind:
        return "prompt matched; screen only: the kernel cannot be read here"
    return (
        "prompt matched" if s.waits else f"prompt matched; screen only: {s.program} hides its state"
    )


def _quote(s: Scene) -> str:
    return (
        s.left.strip()
        or s.asked.strip()
        or f"{s.program} reads a line; nothing is asked on the screen"
    )


def _program(s: Scene) -> str:
    return s.program


def _polls_then_blocks(s: Scene) -> bool:
    """bash polls at its prompt: blocked in a read it waits for one key (`read -s -n1`)."""
    return s.program == "bash" and s.kernel.waiter is not None and s.kernel.waiter.how == "read"


_Row = tuple[str, Callable[[Scene], object], Callable[[Scene], str], Callable[[Scene], str]]


def _row(
    word: str,
    when: Callable[[Scene], object],
    detail: Callable[[Scene], str] = lambda s: "",
    why: Callable[[Scene], str] = lambda s: "",
) -> _Row:
    return word, when, detail, why


TABLE: tuple[_Row, ...] = (
    _row("gone", lambda s: s.dead, lambda s: s.dead),
    _row("matched", lambda s: s.until is not None, lambda s: (s.until or "").strip()),
    _row("ready", lambda s: s.pattern is not None, why=lambda s: "pattern"),
    # Canonical: the kernel collects whole lines, so only a process that sleeps on the terminal can want one.
    _row("needs password", lambda s: s.cooked and s.waits and not s.kernel.echo, _quote),
    _row(
        "needs password",
        lambda s: s.cooked and s.kernel.hidden and not s.kernel.echo and s.still >= STILL_BLIND,
        _quote,
    ),
    _row(
        "unfinished",
        lambda s: s.cooked and s.shell_reads_command and s.continuation,
        lambda s: s.left.strip(),
    ),
    _row("ready", lambda s: s.cooked and s.shell_reads_command, why=lambda s: "shell"),
    _row(
        "ready",
        lambda s: s.cooked and s.waits and _REPL.match(s.end),
        why=lambda s: "prompt matched",
    ),  # no line editor
    _row(
        "unfinished",
        lambda s: s.cooked and s.waits and s.end == "..." and s.expected,
        lambda s: s.end,
    ),
    _row("needs input", lambda s: s.cooked and s.waits, _quote),
    _row(
        "needs input",
        lambda s: (
            s.cooked
            and s.question
            and s.still >= STILL_BLIND  # node polls the terminal and more
            and (s.kernel.hidden or s.kernel.waiter is not None)
        ),
        _quote,
    ),
    _row("running", lambda s: s.cooked),
    # Raw with a shell in front: its line editor, or a builtin that reads one key.
    _row(
        "needs key",
        lambda s: s.shell and s.waits and (s.kernel.echo or _polls_then_blocks(s)),
        _program,
    ),
    _row("running", lambda s: s.editing_shell and s.echoed),
    _row("unfinished", lambda s: s.editing_shell and s.continuation, lambda s: s.left.strip()),
    _row(
        "unfinished",
        lambda s: s.editing_shell and s.program == "fish" and s.typed and s.left and not s.end,
        lambda s: s.typed,
    ),
    _row("needs password", lambda s: s.editing_shell and s.password and not s.known_prompt, _quote),
    _row("needs input", lambda s: s.editing_shell and s.question and not s.known_prompt, _quote),
    _row("ready", lambda s: s.editing_shell, why=lambda s: "shell"),
    _row("running", lambda s: s.shell),
    # Raw with another program: a REPL, a pager, a full screen, a remote shell.
    _row("needs password", lambda s: s.password and s.sure and s.moved, _quote),
    _row(
        "unfinished",
        lambda s: s.continuation and s.moved and (s.waits or s.still >= SILENT),
        lambda s: s.left.strip(),
    ),
    _row("ready", lambda s: s.prompt, why=_blind),
    _row("needs key", lambda s: _MORE.search(s.end) and s.moved, _program),
    _row("needs input", lambda s: s.question and s.sure and s.moved, _quote),
    _row(
        "needs key",
        lambda s: (
            s.waits
            and (
                s.kernel.waiter.how == "read"  # type: ignore[union-attr]
                or not s.kernel.waiter.timed
                and (s.alternate or not s.cursor_visible)
            )
        ),
        _program,
    ),  # type: ignore[union-attr]
    _row(
        "needs input",
        lambda s: s.waits and not s.alternate and s.cursor_visible and s.still >= STILL_BLANK,
        _quote,
    ),
    _row(
        "quiet",
        lambda s: s.full >= SILENT or s.still >= SILENT and not s.expected,
        lambda s: s.kernel.name + " (full screen)" * (s.full > 0),
    ),
)


def decide(scene: Scene) -> Verdict | None:
    """The verdict, or None while nothing shows that anybody waits."""
    for word, when, detail, why in TABLE:
        if when(scene):
            return None if word == "running" else Verdict(word, detail(scene), why(scene))
    return None
