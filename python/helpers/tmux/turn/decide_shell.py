"""A shell whose memory is closed: a command, the rest of one, or an answer? Pure; see `decide`.

In canonical mode it is a script, a builtin `read`, or the prompt of a shell without a line editor:
how many bytes it reads tells. In raw mode its line editor waits, for a command or for an answer:
the kernel's bits are the same, and the text tells, the known prompts first.

A job may print behind what the shell has drawn, and the cursor then stands in an empty row: what
was told there still waits, as long as nothing was typed.
"""

from ..base.words import Word
from ..facts.kernel import READ
from ..facts.line import has_form, is_plain_prompt
from .reading import Reading
from .verdict import (
    DRAWN,
    RUNS,
    SETTLED,
    STRONG,
    Verdict,
    asks,
    asks_key,
    asks_line,
    asks_secret,
    ready_shell,
    unfinished,
)

_ANSWERS = (1, 4096)  # bytes that a builtin `read` asks for at once, in bash 4096

# its prompt: what remains where nothing else is read


def _shell_wants_the_rest(r: Reading) -> Verdict | None:
    """dash's `> `; fish has none, but indents."""
    if r.at_known_prompt or r.traits.indents:
        return None
    if r.unfinished:
        return unfinished(r, SETTLED)
    return None


def _shell_prompt_is_back(r: Reading) -> Verdict | None:
    """After Enter a shell's prompt is the last that it draws before it sleeps: where a known one
    stands, all is there. (After a key fish draws a proposal behind it.)"""
    if r.at_known_prompt and r.state.sent.enter:
        return ready_shell(0.0)
    return None


def _shell_prompt_is_drawn(r: Reading) -> Verdict | None:
    """`$ `, `❯ `, or nothing if that is its prompt."""
    if _has_no_prompt_yet(r):
        return None
    return ready_shell(SETTLED)


def _shell_prompt_is_covered(r: Reading) -> Verdict | None:
    """A job in the background prints over it all the time, while the shell itself sleeps."""
    if r.asleep > STRONG:
        return ready_shell(0.0)
    return None


def _shell_prompt_is_to_come(r: Reading) -> Verdict | None:
    """zsh edits a line before it has drawn its prompt."""
    return ready_shell(STRONG)


def _has_no_prompt_yet(r: Reading) -> bool:
    """Whether nothing stands left of the cursor, though this shell has a prompt."""
    return r.seen.blank and "" not in r.prompts


_PROMPT = (
    _shell_wants_the_rest,
    _shell_prompt_is_back,
    _shell_prompt_is_drawn,
    _shell_prompt_is_covered,
    _shell_prompt_is_to_come,
)


# in canonical mode


def _shell_only_listens(r: Reading) -> Verdict | None:
    """It may have something else to do."""
    if r.reads:
        return None
    return RUNS


def _script_reads_a_line(r: Reading) -> Verdict | None:
    """`sh setup.sh` has no prompt."""
    if r.kernel.script:
        return asks_line(r, SETTLED)
    return None


def _shell_reads_an_answer(r: Reading) -> Verdict | None:
    """`read -p 'Name: ' name`, and `read -t 3`, which selects."""
    if is_shell_prompt(r) or _looks_like_prompt(r) or r.prompt_was_told:
        return None
    if r.is_below_prompt and not r.reads_answer:  # a job asks
        return None
    return asks_line(r, SETTLED)


def is_shell_prompt(r: Reading) -> bool:
    """Whether it is proven that a shell reads a command in canonical mode: a block (dash 8192
    bytes, bash --noediting 1024), or, where the size is not known, at a known prompt. With the echo
    off its `read` leaves the old one there."""
    if not r.traits.shell or r.kernel.script or r.how != READ:
        return False
    if r.kernel.waiter.size:
        return r.kernel.waiter.size not in _ANSWERS

    if r.echo:
        covered = r.prompt_was_told and r.seen.blank
        return r.at_known_prompt or covered

    return r.at_known_prompt and r.has_drawn and not r.reads_answer


def _looks_like_prompt(r: Reading) -> bool:
    """Where the size is not known, the form tells, but not of what the agent's `read` shows."""
    if r.how != READ or r.kernel.waiter.size or r.reads_answer:
        return False
    if r.line is None:
        return False
    return r.line.known or has_form(r.line.prompt)


SHELL_IN_LINES = (
    _shell_only_listens,
    _script_reads_a_line,
    _shell_reads_an_answer,
    *_PROMPT,
)


# in raw mode


def _rest_is_indented(r: Reading) -> Verdict | None:
    """fish shows the rest of `if true` by two spaces."""
    if not r.traits.indents or not r.seen.left:
        return None
    if _has_no_prompt_yet(r):
        return unfinished(r, DRAWN)
    return None


def _shell_echoes_a_key(r: Reading) -> Verdict | None:
    """bash's `read -n1`, zsh's `read -k1` leave the kernel's echo on, line editors never."""
    if r.echo:
        return asks_key(r, SETTLED)
    return None


def _shell_reads_a_secret_by_keys(r: Reading) -> Verdict | None:
    """`Password: ` of `read -s -n1` in a loop that draws stars, before the first; a PIN's `read -s
    -N 4`."""
    if not r.traits.polls or r.how != READ:
        return None
    if r.question is not None and r.question.word is Word.NEEDS_PASSWORD:
        return asks_secret(r, SETTLED)
    return None


def _shell_reads_a_key(r: Reading) -> Verdict | None:
    """`read -s -n1` reads, where bash's editor polls."""
    if r.traits.polls and r.how == READ:
        return asks_key(r, SETTLED)
    return None


def _key_was_asked(r: Reading) -> Verdict | None:
    """zsh's `correct 'pint' to 'print' [nyae]?`, behind which a job has printed: nothing was typed
    since."""
    if not r.seen.blank or r.state.told.subject != r.kernel.subject:
        return None
    if r.state.open == Word.NEEDS_KEY and r.no_key and not r.state.sent:
        return asks_key(r, SETTLED)
    return None


def _script_edits_an_answer(r: Reading) -> Verdict | None:
    """`bash setup.sh` calls `read -e`: a script has no prompt."""
    if r.kernel.script:
        return _asks_in_editor(r)
    return None


def _shell_edits_an_answer(r: Reading) -> Verdict | None:
    """`read -e -p 'Go on? [y/N] '`, or the agent has called `read`, `vared`. Since its prompt was
    told it has read nothing: what asks there is a job. So it is behind or below a prompt at which
    nobody has called `read`."""
    if r.at_known_prompt or r.prompt_was_told or r.is_below_prompt:
        return None
    if r.line and r.line.typed and is_plain_prompt(r.line.prompt):
        return None
    if r.asks_strongly or r.reads_answer:
        return _asks_in_editor(r)
    return None


def _shell_shows_another_text(r: Reading) -> Verdict | None:
    """`Your name `: its prompts are known, and this is none of them."""
    if r.at_known_prompt or r.prompt_was_told or r.line is not None:
        return None
    if r.prompts and not r.seen.blank:
        return _asks_in_editor(r)
    return None


def _asks_in_editor(r: Reading) -> Verdict:
    """A line editor that reads an answer: of the form alone depends how sure that is."""
    return asks(r, SETTLED if r.asks_strongly else STRONG)


SHELL_BY_KEYS = (
    _rest_is_indented,
    _shell_echoes_a_key,
    _shell_reads_a_secret_by_keys,
    _shell_reads_a_key,
    _key_was_asked,
    _script_edits_an_answer,
    _shell_edits_an_answer,
    _shell_shows_another_text,
    *_PROMPT,
)
