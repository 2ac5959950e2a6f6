"""The only door through which anything is typed: what is remembered of it, and the receipt.

Everybody types here: `run`, `send`, `keys`, `interrupt`, and the launch of OpenCode.
"""

from __future__ import annotations

import time

from ..answer import Answer
from ..evidence.kernel.probe import probe
from ..evidence.screen.typed import answer_line, typed_line
from ..output import squeezed
from ..terminal.client import TmuxError
from ..terminal.keys import echo_of
from ..transcript.memory import SENT, Sent, sent_value
from ..turn.front import Front, front
from ..turn.may_type import NOTHING, may_type, must_take_input
from ..turn.scene import Scene
from ..turn.watch import Watch
from ..words import Word

_SETTLE = 0.25  # seconds in which a program that reads at all has read what was typed
_DRAWS = 1.0  # seconds in which a line editor has woken and drawn what keys made of the line
_ENTER_GAP = 0.15  # seconds before Enter where text and Enter in one go are a paste (Codex: 0.12)
_BRACKETS = 12  # bytes around a bracketed paste, which every line-editing shell asks for
_CANONICAL_LINE = 4095  # bytes of a line that the kernel keeps in canonical mode
_TAIL = 60  # characters by which the end of a long echo is found
_ENDS_LINE = {"Enter", "C-c", "C-d", "C-j", "C-m"}


def type_text(watch: Watch, text: str, enter: bool, *, gap: float | None = None) -> Front:
    """Type `text`, then Enter, after all that could forbid it was looked at; who was in front.

    Raises TmuxError, and then nothing was typed. The watch follows what was sent.
    """
    here = may_type(watch, key=not enter and len(text) == 1)
    view, scene = watch.view, watch.scene()
    last = _unended(watch, text, here.program if scene.cooked else "")
    own = here.own
    secret = _is_secret(scene)
    prompt = _hidden_prompt(here, scene) if here.prompt is None else here.prompt
    at_prompt = here.at_prompt or prompt is not None
    # What answers a question may be a secret: it is kept nowhere.
    keep = (at_prompt or here.running) and not secret
    block = not scene.cooked and ("\n" in text or "\t" in text)
    sent = new_sent(
        watch,
        size=len(text.encode()) + enter + _BRACKETS * (block and scene.shell),
        text=own + text if keep else None,
        tail=text[-_TAIL:] if keep else "",
        cells=0 if secret else len(squeezed(own + text)),
        enter=enter,
        prompt=prompt,
        expected=at_prompt or scene.expected,
        typed="" if enter or secret or not at_prompt else own + text,
        unended=0 if enter else last,
        left=view.left.removesuffix(own),
    )
    if here.ready and here.prompt:
        watch.book.learn(watch.kernel.subject, here.prompt)
    reads_lines = here.at_prompt or scene.cooked or here.word is Word.NEEDS_INPUT
    if gap is None:
        gap = 0.0 if reads_lines else _ENTER_GAP
    watch.pane.type(text, enter, sent=sent, block=block, gap=gap)
    watch.follow(sent, None if secret else own + text)
    return here


def _hidden_prompt(here: Front, scene: Scene) -> str | None:
    """What has the form of a prompt, of a program that hides its state: it is learned by typing."""
    if here.verdict is None and scene.form and not (scene.cooked or scene.continuation):
        return scene.left.strip()
    return None


def _is_secret(scene: Scene) -> bool:
    """What is typed now may be a password."""
    return (scene.cooked and not scene.kernel.echo) or scene.asks_password


def _unended(watch: Watch, text: str, cooked: str) -> int:
    """Bytes of the last line, with what is typed of it already. Raises
    TmuxError where a program `cooked` in canonical mode would lose some of it."""
    sent = watch.sent
    begun = sent.unended if sent and sent.foreground == watch.kernel.foreground else 0
    lines = [len(line.encode()) for line in text.split("\n")]
    lines[0] += begun
    if cooked and max(lines) > _CANONICAL_LINE:
        raise TmuxError(
            f"argument 'text' has a line of {max(lines)} bytes; {cooked} reads in canonical mode,"
            f" where the kernel keeps {_CANONICAL_LINE} bytes of a line",
            f"send shorter lines, or write it to a file; {NOTHING}",
        )
    return lines[-1]


def _ahead(watch: Watch) -> list[str]:
    """Texts that were sent before and that no answer covers yet."""
    sent = watch.sent
    if sent is None or watch.memory.is_answered:
        return []
    return [*sent.ahead, *([sent.text] if sent.text else [])]


def new_sent(watch: Watch, **what) -> Sent:
    """The record of what is about to be typed into what the watch shows now."""
    view, kernel = watch.view, watch.kernel
    facts = {
        "pid": view.pid,
        "at": time.time(),
        "foreground": kernel.foreground,
        "subject": kernel.subject,
        "awake": kernel.awake,
        "taken": kernel.taken,
        "left": view.left,
        "alternate": view.alternate,
        "printed": view.printed,
        "digest": view.digest,
        "row": view.row,
        "history": view.history_size,
        "ahead": _ahead(watch),
    }
    return Sent(**(facts | what))


def press_keys(watch: Watch, keys: list[str]) -> bool:
    """Press keys, named as tmux names them; True if a person's copy mode was left for it."""
    view = watch.view
    must_take_input(view, watch.pane)
    here = front(watch)
    ends = not _ENDS_LINE.isdisjoint(keys)
    scene = watch.scene()
    secret = _is_secret(scene)
    echo = None if secret else echo_of(keys)
    asked = here.typed is not None and not here.at_prompt
    at_prompt = here.typed is not None and here.at_prompt and not here.unfinished
    prompt = here.prompt if here.ready else _hidden_prompt(here, scene)
    sent = new_sent(
        watch,
        size=0,
        text=None if asked and echo != "^C" else echo,
        cells=len(squeezed(echo or "")),
        enter=ends,
        prompt=prompt,
        expected=here.at_prompt,
    )
    left_copy_mode = watch.pane.press(keys, sent=sent, view=view)
    watch.follow(sent, sent.text)
    at_prompt |= prompt is not None
    if (at_prompt or asked) and not here.persons and not ends:
        # What the keys made of the line (Up: an older command) is the agent's own too.
        _settle(watch, sent)
        line = typed_line(watch) if at_prompt else answer_line(watch)
        text = (line.text if line else "") or ""
        sent.typed = text if at_prompt else ""  # an answer may be a secret
        sent.cells = len(squeezed(text))
        watch.pane.set_option(SENT, sent_value(sent))
    return left_copy_mode


def _settle(watch: Watch, sent: Sent) -> None:
    """Waits until the line editor has read the keys and drawn the line, at most _DRAWS seconds."""
    end = watch.clock() + _DRAWS
    before = None
    while watch.clock() < end:
        watch.nap(0.005)
        kernel, view = watch.read_kernel(), watch.look()
        now = (kernel.awake, view.lines, view.cursor_x)
        woken = kernel.canonical or kernel.awake != sent.awake  # the kernel draws canonical lines
        if now == before and not kernel.unread and woken:
            return
        before = now


def receipt(word: Word, did: str, text: str, watch: Watch, whole: bool = True) -> Answer:
    """What was sent or pressed, and whether somebody took it: `sent 37 lines, 1312 bytes to x`."""
    lines = text.count("\n") + 1
    size = f" {lines} lines, {len(text.encode())} bytes" if lines > 1 else ""
    pane = watch.pane.name
    head, without, tail = did.partition(" without")
    to = "in" if word is Word.PRESSED else "to"
    first = f"{head}{size} {to} {pane}{without}{tail}"
    program = not_taken_by(watch, whole)
    if program:
        first += f"; not read yet: {program} runs in the foreground"
    return Answer(word=word, first=first, pane=pane)


def not_taken_by(watch: Watch, whole: bool) -> str:
    """ "" when what was sent has been read within _SETTLE seconds, else who runs instead of reading
    it. `whole`: it ended in Enter or was keys, so a reader of whole lines would have got it."""
    sent = watch.sent
    end = watch.clock() + _SETTLE
    while sent is not None:
        kernel = probe(watch.view.pid, watch.view.tty)
        waits = kernel.waiter is not None or kernel.hidden or kernel.canonical is False
        if not kernel.alive or kernel.blind:
            break
        changed = kernel.foreground != sent.foreground
        read = changed or sent.was_taken(kernel, True) or (waits and not whole)
        if read and not kernel.unread:
            break  # whoever waited has read it, and may have started something
        if watch.clock() > end:
            return "" if waits and not kernel.unread else kernel.name
        watch.nap(0.004)
    return ""
