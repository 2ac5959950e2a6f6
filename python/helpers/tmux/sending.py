"""Typing and pressing for the agent: what forbids it, the mark that is left, and a receipt that is true."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass

from .client import TmuxError
from .mark import Mark, make
from .output import clean, squeezed, width
from .pane import Pane
from .probe import Probe, printed_bytes, probe
from .verdict import Scene, decide, draft
from .view import MEMORY, View
from .wait import Watch

_SETTLE = 0.25  # seconds in which a program that reads at all has read what was typed
_ENTER_GAP = 0.15  # seconds before Enter where text and Enter in one go count as a paste (Codex: within 0.12)
_CANONICAL_LINE = 4095  # bytes of a line that the kernel keeps in canonical mode
_SECOND_LOOK = 0.1  # seconds
_ENDS_LINE = {"Enter", "C-c", "C-d", "C-j", "C-m"}


@dataclass(frozen=True, slots=True)
class _Front:
    """Who is in front at one moment, and what stands at its prompt."""

    kernel: Probe
    scene: Scene
    word: str  # the verdict's; "" while something runs
    standing: (
        str | None
    )  # the half-typed line at the prompt; None where there is none, or it cannot be told
    ours: bool  # it is the agent's own, or there is no such line

    @property
    def ready(self) -> bool:
        return self.word == "ready"


def _front(watch: Watch) -> _Front:
    kernel = probe(watch.view.pid, watch.view.tty)
    scene = watch.scene(kernel)
    verdict = None if kernel.unread else decide(scene)
    word = verdict.word if verdict else ""
    standing = _draft(watch.view, scene) if word == "ready" else None
    return _Front(kernel, scene, word, standing, not standing or _is_own(_own(watch), standing))


def _own(watch: Watch) -> str:
    return (watch.mark.own if watch.mark else None) or ""


def type_text(watch: Watch, text: str, enter: bool) -> Mark:
    """Type after all that could forbid it was looked at. Raises TmuxError, and then nothing was typed."""
    pane = watch.pane
    _must_take_input(watch.view, pane)
    front = _front(watch)
    if not front.ours:  # a second look: its Enter may be on its way
        watch.nap(_SECOND_LOOK)
        watch.look()
        front = _front(watch)
    view, kernel, scene = watch.view, front.kernel, front.scene
    if front.standing and not front.ours:
        behind = (
            re.split(r"\s{2,}", view.right)[0].rstrip() if front.standing not in view.right else ""
        )
        raise TmuxError(
            f"a half-typed line stands at the prompt: {clean(front.standing + behind)!r}",
            "it is the person's: ask them, or clear it with interrupt; nothing was typed",
        )
    begun = watch.mark.half if watch.mark and watch.mark.foreground == kernel.foreground else 0
    lines = [len(line.encode()) for line in text.split("\n")]
    longest = max([begun + lines[0], *lines[1:]])
    if scene.cooked and longest > _CANONICAL_LINE:
        raise TmuxError(
            f"argument 'text' has a line of {longest} bytes; {scene.program} reads in canonical mode, where the "
            f"kernel keeps {_CANONICAL_LINE} bytes of a line",
            "send shorter lines, or write it to a file; nothing was typed",
        )
    at_prompt = front.word in ("ready", "unfinished")
    own = "" if front.ready and not front.standing else _own(watch)
    secret = (scene.cooked and not kernel.echo) or scene.password
    mark = make(
        view,
        kernel,
        printed_bytes(view.server),
        None if secret else own + text,
        enter,
        size=len(text.encode()) + enter,
        prompt=front.ready,
        expected=at_prompt and scene.expected,
        own=own + text if at_prompt and not (enter or secret) else None,
        previous=watch.mark.text if watch.mark and watch.mark.enter else None,
        half=0 if enter else (lines[-1] if len(lines) > 1 else longest),
    )
    mark.left = scene.left.removesuffix(own)
    reads_lines = at_prompt or scene.cooked or front.word == "needs input"
    pane.type(text, enter, mark=mark.as_dict(), gap=0.0 if reads_lines else _ENTER_GAP)
    watch.follow()
    return mark


def press_keys(watch: Watch, keys: list[str]) -> tuple[Mark, bool]:
    """Press keys, named as tmux names them; True if a person's copy mode had to be left for it. Raises TmuxError."""
    view, pane = watch.view, watch.pane
    _must_take_input(view, pane)
    front = _front(watch)
    ends = not _ENDS_LINE.isdisjoint(keys)
    mark = make(
        view,
        front.kernel,
        printed_bytes(view.server),
        None,
        ends,
        size=0,
        prompt=front.ready,
        own=None,
    )
    left = pane.press(keys, mark=mark.as_dict(), view=view)
    if (
        front.ready and front.ours and not ends
    ):  # what the keys made of the line (Up: an older command) is the agent's too
        mark.own = _settled(watch)
        pane.set_option(MEMORY[0], json.dumps(mark.as_dict()))
    watch.follow()
    return mark, left


def _settled(watch: Watch) -> str | None:
    """The half-typed line once the line editor has read the keys and drawn it, at most _SETTLE seconds from now."""
    end = time.monotonic() + _SETTLE
    before = None
    while True:
        watch.nap(0.005)
        kernel, view = probe(watch.view.pid, watch.view.tty), watch.look()
        now = (kernel.awake, view.lines, view.cursor_x)
        if (now == before and not kernel.unread) or time.monotonic() > end:
            return half_typed(watch)
        before = now


def taken(watch: Watch, mark: Mark, whole: bool) -> str:
    """ "" when what was sent has been read within _SETTLE seconds, else who runs instead of reading it. `whole`: it ended in
    Enter or was keys, so a reader of whole lines would have got it."""
    end = time.monotonic() + _SETTLE
    while True:
        kernel = probe(watch.view.pid, watch.view.tty)
        waits = kernel.waiter is not None or kernel.hidden or kernel.canonical is False
        if not kernel.alive or kernel.blind:
            return ""
        read = (
            kernel.foreground != mark.foreground
            or mark.was_taken(kernel, True)
            or (waits and not whole)
        )
        if read and not kernel.unread:
            return ""  # whoever waited has read it, and may have started something
        if time.monotonic() > end:
            return "" if waits and not kernel.unread else kernel.name
        watch.nap(0.004)


def half_typed(watch: Watch) -> str | None:
    """What somebody has half typed at the prompt, wherever the cursor stands in it; None where it cannot be told."""
    return _draft(watch.view, watch.scene(probe(watch.view.pid, watch.view.tty)))


def _draft(view: View, scene: Scene) -> str | None:
    rows, line = list(view.lines[: view.cursor_y]), view.left
    while (
        rows and sum(map(width, rows[-1])) >= view.width
    ):  # wrapped rows, which zsh does not mark as such
        line = rows.pop() + line
    standing = draft(line, scene.prompts)
    if standing == "" and view.right[:1].strip():  # the person has pressed Home
        return view.right.strip()
    return standing


def _is_own(own: str, standing: str) -> bool:
    """Is the half-typed line the agent's own? Of a long one only its beginning is remembered."""
    last = squeezed(own.rpartition("\n")[2])
    return last != "" and (
        last == squeezed(standing) or (len(last) > 200 and squeezed(standing)[-200:] in last)
    )


def _must_take_input(view: View, pane: Pane) -> None:
    if view.dead:
        raise TmuxError(
            f"the program in {pane.name} has ended (exit status {view.dead_status or 'unknown'})",
            f"start it anew: tmux respawn-pane -t {view.id}; nothing was typed",
        )
    if view.input_off:
        raise TmuxError(
            f"input to {pane.name} is switched off",
            f"switch it on: tmux select-pane -e -t {view.id}; nothing was typed",
        )
