"""Other programs, by their screen: what do they wait for? Pure; see `decide`.

Where the kernel collects lines, one that reads needs a line, and its screen tells for what. In raw
mode all programs sleep alike, those that edit a line and those that take a key; many only listen
beside their work. So the screen must stand still, and forms are asked in the order in which they
can be trusted: a known prompt, a strong question, the rest of a command, a REPL's prompt; then what
is drawn around the cursor is a menu; then weak forms. Out of sight not even that somebody waits is
known: of a program whose line editor showed itself when a command was typed, it must show itself
again.
"""

import re
from dataclasses import replace

from ..base.cells import in_one_line
from ..facts.kernel import READ, SELECT
from ..facts.line import has_choice_of_keys, has_form, is_of_library, is_repl, question
from .reading import Reading
from .verdict import (
    DRAWN,
    EDITOR,
    LISTENS,
    PAINTED,
    PROMPT,
    QUICK,
    RUNS,
    SETTLED,
    SILENT,
    STRONG,
    WEAK,
    Verdict,
    asks,
    asks_key,
    asks_line,
    quiet,
    ready,
    unfinished,
    waits_for_key,
)

_POINTS = re.compile(r"\s*[❯▸▶➤]\s")  # to one of several
_FIRST = 1.0  # seconds for the first prompt of a program that is out of sight


# the kernel collects lines: only a process that sleeps in a read can need one


def _prompt_in_lines(r: Reading) -> Verdict | None:
    """`>>> ` of a python without readline."""
    if not r.at_known_prompt and not is_repl(r.seen.left):
        return None
    return ready(r, PROMPT, SETTLED if r.reads else STRONG)


def _prompt_is_covered(r: Reading) -> Verdict | None:
    """`>>> tick`, `box$ noise`: a thread, a job has printed behind the prompt that was told. node
    draws what is typed elsewhere then: it takes a line by `send`."""
    if not r.prompt_was_told:
        return None
    in_empty_row = _is_proven(r) and r.seen.blank
    if in_empty_row or r.kernel.out_of_sight:
        return replace(ready(r, PROMPT, STRONG), detail=in_one_line(r.prompts[0]))
    return None


def _rest_in_lines(r: Reading) -> Verdict | None:
    """Its `... `."""
    if r.reads and r.unfinished:
        return unfinished(r, SETTLED)
    return None


def _line_is_read(r: Reading) -> Verdict | None:
    """`rm -i`, `cat`: the kernel proves it, whatever is asked."""
    if r.reads:
        return asks_line(r, SETTLED)
    return None


def _question_in_lines(r: Reading) -> Verdict | None:
    """A Go program asks `Name: ` and polls the network beside the terminal."""
    if r.asks_strongly:
        return asks(r, STRONG)
    if r.question:
        return asks(r, WEAK)
    return None


def _question_above(r: Reading) -> Verdict | None:
    """`What is it?` of node's readline, of asyncio, which only listens: the cursor is in the next
    row. A text with a colon may be a heading of what comes."""
    above = question(r.last_new)
    if above is None or not r.seen.blank:
        return None
    if above.text.endswith("?") or is_of_library(above.text):
        return asks(r, WEAK)
    return quiet(above.text, WEAK)


def _far_form_in_lines(r: Reading) -> Verdict | None:
    """`$ ` behind telnet, which nothing proves."""
    if r.traits.remote and has_form(r.text):
        return quiet(r.text, WEAK)
    return None


def _only_listens(r: Reading) -> Verdict | None:
    """A server that would take commands prints its log."""
    return RUNS


IN_LINES = (
    _prompt_in_lines,
    _prompt_is_covered,
    _rest_in_lines,
    _line_is_read,
    _question_in_lines,
    _question_above,
    _far_form_in_lines,
    _only_listens,
)


# raw mode


def _prompt_by_keys(r: Reading) -> Verdict | None:
    """`db> `, known from before, and nothing is drawn around it."""
    if r.at_known_prompt and not r.seen.draws:
        return ready(r, PROMPT, QUICK)
    return None


def _switch_without_a_cursor(r: Reading) -> Verdict | None:
    """`? Add tests? › (y/N)`, as prompt libraries draw it: one key or arrow keys choose."""
    if r.seen.cursor_flag or not r.asks_strongly:
        return None
    if is_of_library(r.text):
        return asks_key(r, _until_drawn(r))
    return None


def _choice_of_keys(r: Reading) -> Verdict | None:
    """`Stage this hunk [y,n,q,a,d,e,?]? `: git with interactive.singleKey reads one."""
    if r.how == READ and has_choice_of_keys(r.text):
        return asks_key(r, DRAWN)
    return None


def _list_below(r: Reading) -> Verdict | None:
    """`? Action: ` above `❯ Upload`: what is typed there chooses, or filters."""
    if r.question and r.seen.cursor_flag and _POINTS.match("".join(r.seen.below[:1])):
        return asks_key(r, _until_drawn(r))
    return None


def _strong_question_by_keys(r: Reading) -> Verdict | None:
    """`Go on? [y/N] `."""
    if r.asks_strongly:
        return asks(r, _until_drawn(r))
    return None


def _filter_by_keys(r: Reading) -> Verdict | None:
    """fzf's `> `, beside which it lists what has come by a pipe: what is typed there chooses."""
    if r.kernel.piped and has_form(r.text):
        return waits_for_key(r, STRONG)
    return None


def _rest_by_keys(r: Reading) -> Verdict | None:
    """node's `... `."""
    if r.unfinished:
        return unfinished(r, QUICK)
    return None


def _repl_by_keys(r: Reading) -> Verdict | None:
    """`mysql> `, alone in its row."""
    if is_repl(r.text):
        return ready(r, PROMPT, QUICK)
    return None


def _field_of_a_form(r: Reading) -> Verdict | None:
    """A text field among rows that are drawn around it: `? Package name: ` above a hint."""
    if not r.seen.draws or not r.seen.cursor_flag or r.seen.keypad_flag:
        return None
    if _asks_by_form(r):
        return asks(r, _until_sure(r))
    return None


def _menu(r: Reading) -> Verdict | None:
    """A list from which a key chooses: rows below the cursor, or no cursor. A hidden cursor alone
    makes none: an interrupted spinner has left it so to node's `> `."""
    if not r.seen.draws:
        asks_at_end = _asks_by_form(r) and not r.seen.right.strip()
        if r.seen.cursor_flag or asks_at_end:
            return None
    return waits_for_key(r, PAINTED if _is_proven(r) else _until_sure(r))


def _asks_by_form(r: Reading) -> bool:
    """Whether a question or a prompt stands left of the cursor."""
    return r.question is not None or has_form(r.text)


def _sign_by_keys(r: Reading) -> Verdict | None:
    """The `> ` below Symfony's `Pick one:`."""
    if r.sign_asks:
        return asks(r, STRONG)
    return None


def _form_by_keys(r: Reading) -> Verdict | None:
    """node's `> `."""
    if has_form(r.text):
        return ready(r, PROMPT, STRONG)
    return None


def _typed_line_by_keys(r: Reading) -> Verdict | None:
    """`db> select`: somebody has begun a line at a prompt."""
    if r.line is None:
        return None
    if r.line.known or is_repl(r.line.prompt):
        return ready(r, PROMPT, STRONG)
    return None


def _answer_is_read(r: Reading) -> Verdict | None:
    """`Name: ` of PHP's readline(), of Ruby's Readline: a question, and it sleeps in a read."""
    if r.how == READ and r.question:
        return asks(r, DRAWN)
    return None


def _key_is_read(r: Reading) -> Verdict | None:
    """less at its `:`, a getch: a text stands there, and it sleeps in a read."""
    if r.how == READ and r.text:
        return waits_for_key(r, QUICK)
    return None


def _key_is_read_blindly(r: Reading) -> Verdict | None:
    """`read -s -n1` of a script: nothing stands there. Where a prompt will come again the terminal
    itself may have been asked, and have to reply."""
    if r.how != READ or r.expected:
        return None
    return waits_for_key(r, QUICK if r.last_new else STRONG)


def _question_by_keys(r: Reading) -> Verdict | None:
    """`Name: ` of a prompt library."""
    if r.question:
        return asks(r, _until_sure(r))
    return None


def _terminal_is_polled(r: Reading) -> Verdict | None:
    """bc: it polls the terminal alone, and shows nothing."""
    if r.reads and r.how != READ:
        return asks(r, _until_sure(r))
    return None


def _key_was_answered(r: Reading) -> Verdict | None:
    """vitest has drawn what `f` shows, and rests."""
    if not r.state.sent or r.state.sent.enter:
        return None
    if r.has_drawn:
        return quiet(r.program, LISTENS)
    return None


def _nothing_is_proven(r: Reading) -> Verdict | None:
    """A program that listens to the terminal and does something else: vitest."""
    return quiet(r.program, WEAK if r.text else SILENT)


def _is_proven(r: Reading) -> bool:
    """Whether it sleeps until this terminal has input, and does nothing else."""
    return r.how <= SELECT


def _until_drawn(r: Reading) -> float:
    """Who is proven to sleep has drawn all: the kernel is only a little late."""
    if _is_proven(r):
        return DRAWN
    return STRONG


def _until_sure(r: Reading) -> float:
    """After Enter a program that only listens may go on with its work."""
    if r.state.sent.enter and not _is_proven(r):
        return LISTENS
    return STRONG


BY_SCREEN = (
    _prompt_by_keys,
    _switch_without_a_cursor,
    _choice_of_keys,
    _list_below,
    _strong_question_by_keys,
    _filter_by_keys,
    _rest_by_keys,
    _repl_by_keys,
    _prompt_is_covered,
    _field_of_a_form,
    _menu,
    _sign_by_keys,
    _form_by_keys,
    _typed_line_by_keys,
    _answer_is_read,
    _key_is_read,
    _key_is_read_blindly,
    _question_by_keys,
    _terminal_is_polled,
    _question_above,
    _key_was_answered,
    _nothing_is_proven,
)


# out of sight: ssh, docker, a program of root's


def _far_prompt(r: Reading) -> Verdict | None:
    """`box$ `, as before."""
    if _far_runs(r) or _far_typed(r) or not r.at_known_prompt:
        return None
    return ready(r, _far_evidence(r), DRAWN)


def _far_typed_line(r: Reading) -> Verdict | None:
    """`box$ rm -r`: somebody has begun a line at a known prompt."""
    if _far_runs(r) or not _far_typed(r):
        return None
    return ready(r, _far_evidence(r), STRONG)


def _far_strong_question(r: Reading) -> Verdict | None:
    """`root@box's password: `."""
    if r.asks_strongly:
        return asks(r, STRONG)
    return None


def _far_rest(r: Reading) -> Verdict | None:
    """`> `, where another prompt is known; fish's indent."""
    if _far_runs(r) or not r.prompts:
        return None

    indented = r.expected and r.seen.left and not r.text  # nothing but blanks stands there
    if not r.unfinished and not indented:
        return None
    if r.again:
        return unfinished(r, DRAWN)
    return unfinished(r, STRONG if r.edits else WEAK)


def _far_repl(r: Reading) -> Verdict | None:
    """`>>> `; other words before `>` only where a line editor shows itself, or of a program that
    was just started."""
    if is_repl(r.text, sure=not r.edits):
        return ready(r, _far_evidence(r), STRONG)
    if _far_is_new(r) and is_repl(r.text):
        return ready(r, PROMPT, WEAK)
    return None


def _far_form_in_editor(r: Reading) -> Verdict | None:
    """Another `box$ `, and a line editor shows itself."""
    if r.edits and has_form(r.text):
        return ready(r, EDITOR, STRONG)
    return None


def _far_first_form(r: Reading) -> Verdict | None:
    """The first `box$ ` behind ssh's welcome."""
    if _far_is_new(r) and has_form(r.text):
        return ready(r, PROMPT, _FIRST)
    return None


def _far_editor_asks(r: Reading) -> Verdict | None:
    """`read -e -p 'Name '`: bracketed paste is on, and no prompt stands there."""
    if not r.edits or not r.seen.bracketed:
        return None
    if r.text:
        return asks(r, STRONG)
    return ready(r, EDITOR, WEAK)


def _far_text_is_quoted(r: Reading) -> Verdict | None:
    """`Name: `, or `box$ ` of a shell that is not known: nothing proves it."""
    if _asks_by_form(r):
        return quiet(r.text, WEAK)
    return None


def _far_is_silent(r: Reading) -> Verdict | None:
    """ssh, while a command runs there, or waits without a word."""
    return quiet(r.program, SILENT)


def _far_runs(r: Reading) -> bool:
    """Whether a command was typed in a line editor that has not come back."""
    return r.expected and r.state.sent.edits and not r.edits


def _far_is_new(r: Reading) -> bool:
    """Whether it has just been started: nothing was typed at it, nothing of it is known."""
    return not r.expected and not r.prompts


def _far_typed(r: Reading) -> str:
    """What somebody has typed at a known prompt. Where our Enter was pressed it is the echo of our
    own text, which fish gives back further below if it cannot parse it."""
    if r.line is None or not r.line.known:
        return ""
    sent = r.state.sent
    below = sent.place is None or r.seen.row > sent.place.row
    if sent.enter and r.no_key and not (below and sent.is_text(r.line.typed)):
        return ""
    return r.line.typed


def _far_evidence(r: Reading) -> str:
    """What shows the prompt of a program out of sight."""
    if r.edits:
        return EDITOR
    return PROMPT


FAR = (
    _far_prompt,
    _far_typed_line,
    _far_strong_question,
    _far_rest,
    _far_repl,
    _far_form_in_editor,
    _far_first_form,
    _far_editor_asks,
    _prompt_is_covered,
    _far_text_is_quoted,
    _far_is_silent,
)
