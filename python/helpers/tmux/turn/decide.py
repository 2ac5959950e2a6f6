"""Whose turn it is: one reading -> one verdict, by the first rule that says something. Pure.

Theory. Nobody reads, nobody waits: where no process sleeps until the terminal has input, a program
runs, whatever stands on the screen. So the kernel is asked first (FIRST). Then it is known who
waits; for what is told by the strongest evidence there is, and a weaker one never overrules it:

1. The line editor's memory (BY_MEMORY) is exact: a command, the rest of one, an answer, a key.
2. The kernel: it collects lines (canonical mode), or hands on each key (raw mode). In lines
   (SHELL_IN_LINES, IN_LINES) a process that reads needs one: the screen only tells a prompt from a
   question; where nothing is echoed that is a secret. By keys a shell edits a line (SHELL_BY_KEYS),
   and a full screen waits (FULL_SCREEN).
3. The screen (BY_SCREEN) of other programs in raw mode: known prompts, then forms of prompts and
   questions, then menus.
4. Out of sight (FAR: ssh, another user's program) there is only the screen, and the modes that a
   line editor sets in the terminal while it reads.

Yama closes the memory and hides which files a program polls. Then a poll proves nothing: it is a
turn at a known prompt and where the echo is off, a question is told as `quiet`, anything else runs.

Each list is read from top to bottom, and its last rule always says something. A verdict tells for
how long the screen must have been still: until then the program counts as running.
"""

from collections.abc import Callable
from dataclasses import replace

from ..base import rules
from ..base.rules import Ruling
from ..base.words import Word
from ..facts.kernel import POLLS, SELECT
from ..facts.line import has_form, is_known
from .decide_screen import BY_SCREEN, FAR, IN_LINES
from .decide_shell import SHELL_BY_KEYS, SHELL_IN_LINES, is_shell_prompt
from .reading import Reading
from .verdict import (
    DRAWN,
    GONE,
    PAINTED,
    PATTERN,
    PROMPT,
    QUICK,
    RUNS,
    SETTLED,
    STRONG,
    WEAK,
    Verdict,
    asks,
    asks_key,
    asks_line,
    asks_secret,
    quiet,
    ready,
    ready_shell,
    unfinished,
    waits_for_key,
)

_SLOW = 0.3  # seconds a full screen must be still, if its program may only listen beside its work

Rule = Callable[[Reading], Verdict | None]


def decide(r: Reading) -> Verdict:
    """The verdict on one reading."""
    ruling = rule_on(r)
    return replace(ruling.said or RUNS, rule=ruling.rule)


def rule_on(r: Reading) -> Ruling[Verdict]:
    """The verdict, and the names of all rules that were asked, in order: the last has decided."""
    first = rules.apply(FIRST, r)
    if first.said is not None:
        return first
    second = rules.apply(_rules_for(r), r)
    return Ruling(second.said, [*first.tried, *second.tried])


def _rules_for(r: Reading) -> tuple[Rule, ...]:
    """The rules for the kind of program that waits, the strongest evidence first."""
    if r.editor:
        return BY_MEMORY
    if r.full_screen and not r.canonical:
        return FULL_SCREEN
    if r.traits.shell and r.canonical:
        return SHELL_IN_LINES
    if r.traits.shell and not r.polls:
        return SHELL_BY_KEYS
    if r.canonical:
        return IN_LINES
    if r.kernel.out_of_sight:
        return FAR
    return BY_SCREEN


# asked of every reading: does anybody wait?


def _the_program_has_ended(r: Reading) -> Verdict | None:
    """The pane's process: `exit` in its shell, and tmux keeps the pane."""
    if r.seen.pane_dead or not r.kernel.subject:
        return GONE
    return None


def _input_is_not_read_yet(r: Reading) -> Verdict | None:
    """The screen is that of before: bash still shows the prompt at which `make` was typed."""
    if r.taken:
        return None
    return RUNS


def _nobody_reads(r: Reading) -> Verdict | None:
    """`make` prints `$ ` and goes on: it runs."""
    if r.kernel.waiter or r.kernel.out_of_sight:
        return None
    if r.how != POLLS:
        return RUNS
    # Yama hides which files a program polls: a prompt tells that the terminal is one of them.
    if r.pattern is not None or is_known(r.left, r.prompts):
        return None
    if r.question is None:
        return RUNS
    if not r.echo:
        return None
    return quiet(r.text, WEAK)


def _echo_is_off(r: Reading) -> Verdict | None:
    """sudo's `Password: `, `read -s`: what is typed there is not for others' eyes, and no pattern
    makes a command of it. dash's prompt after `stty -echo` is none of these."""
    if r.echo or not r.canonical or is_shell_prompt(r):
        return None
    if r.reads:
        return asks_secret(r, SETTLED)
    return asks_secret(r, STRONG if r.question else WEAK)


def _a_sign_asks(r: Reading) -> Verdict | None:
    """Django's `>>> ` behind `Select an option: `."""
    if r.has_asked and r.shown_prompt.strip() == ">>>":
        return asks_line(r, STRONG)
    return None


def _the_caller_knows_the_prompt(r: Reading) -> Verdict | None:
    """`prompt_pattern` has matched: `->` of a program that nobody knows."""
    if r.pattern is None:
        return None
    return Verdict(word=Word.READY, evidence=PATTERN, detail=r.pattern, after=QUICK)


FIRST: tuple[Rule, ...] = (
    _the_program_has_ended,
    _input_is_not_read_yet,
    _nobody_reads,
    _echo_is_off,
    _a_sign_asks,
    _the_caller_knows_the_prompt,
)


# by the line editor's memory: bash, zsh, gdb, python


def _editor_takes_a_key(r: Reading) -> Verdict | None:
    """`Display all 200 possibilities? (y or n)`, a search, vi's commands."""
    if r.editor_reads is Word.NEEDS_KEY:
        return asks_key(r, DRAWN)
    return None


def _editor_reads_an_answer(r: Reading) -> Verdict | None:
    """bash's `read -e -p 'Name: '`, zsh's `vared`."""
    if r.editor_reads is Word.NEEDS_INPUT:
        return asks(r, _until_drawn(r))
    return None


def _editor_draws_nothing(r: Reading) -> Verdict | None:
    """bash's `read -es -p 'Token: '`: a secret, whatever the words."""
    if r.editor and r.editor.hidden and r.editor.reads is Word.NEEDS_INPUT:
        return asks_secret(r, SETTLED)
    return None


def _editor_shows_no_prompt(r: Reading) -> Verdict | None:
    """Python's `input("Name: ")`: neither the form of a prompt, nor known as one. It reads a line,
    whatever is asked: gdb's pager, too, wants Enter."""
    if r.traits.shell or r.unfinished:
        return None
    has_prompt = has_form(r.shown_prompt) or is_known(r.shown_prompt, r.prompts)
    if has_prompt and not (r.asks_strongly or r.sign_asks):
        return None
    return asks_line(r, _until_drawn(r))


def _editor_wants_the_rest(r: Reading) -> Verdict | None:
    """bash's `> ` behind an open quote, by its memory; python's `... `, by its form."""
    by_form = r.unfinished and not r.traits.shell
    if by_form or r.editor_reads is Word.UNFINISHED:
        return unfinished(r, _until_drawn(r))
    return None


def _editor_of_a_shell(r: Reading) -> Verdict | None:
    """bash reads a command, whatever its prompt looks like."""
    if r.traits.shell:
        return ready_shell(_until_drawn(r))
    return None


def _editor_shows_a_prompt(r: Reading) -> Verdict | None:
    """gdb's `(gdb) `."""
    return ready(r, PROMPT, _until_drawn(r))


def _until_drawn(r: Reading) -> float:
    """Memory is exact, but what it tells may not be on the screen yet."""
    if r.editor is None or not r.editor.is_on(r.seen.line_left):
        return DRAWN
    if r.editor.prompt and not r.seen.left:
        return DRAWN
    return 0.0


BY_MEMORY: tuple[Rule, ...] = (
    _editor_takes_a_key,
    _editor_draws_nothing,
    _editor_reads_an_answer,
    _editor_shows_no_prompt,
    _editor_wants_the_rest,
    _editor_of_a_shell,
    _editor_shows_a_prompt,
)


# a program that draws the whole screen: vim, less, htop


def _full_screen_never_rests(r: Reading) -> Verdict | None:
    """top, htop, watch draw anew for ever: no pause is a turn."""
    if r.full > WEAK and r.still < DRAWN:
        return quiet("full screen", 0.0)
    return None


def _full_screen_waits(r: Reading) -> Verdict | None:
    """vim: whatever it shows, it takes keys. Where it is proven to sleep it has drawn all; fzf and
    top only listen."""
    if r.how <= SELECT:
        return waits_for_key(r, PAINTED)
    if r.reads:
        return waits_for_key(r, DRAWN)
    if r.kernel.out_of_sight:
        return waits_for_key(r, STRONG)
    return waits_for_key(r, _SLOW)


FULL_SCREEN: tuple[Rule, ...] = (_full_screen_never_rests, _full_screen_waits)
