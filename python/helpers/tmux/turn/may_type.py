"""Whether text may be typed: takes readings for the dialogue's table, and raises its refusal."""

from __future__ import annotations

from ..evidence import programs
from ..evidence.editor.line_editor import Reads
from ..evidence.screen.line import Kind
from ..evidence.screen.prompts import has_form, is_prompt
from ..evidence.screen.view import View
from ..output import clean, squeezed
from ..terminal.client import TmuxError
from ..terminal.pane import Pane
from ..transcript.mark import Typed, cursor_cell, draft_of, goes_beyond, left_of
from ..words import ASKED, Word
from .dialogue import Act, Situation, refusal
from .rest import come_to_rest
from .scene import SILENT, Scene
from .watch import Watch
from .whose_turn import Turn, turn_once, whose_turn

_AT_PROMPT = 1.0  # seconds in which a shell finishes drawing its prompt
_STILL_LINE = 2.5  # seconds after which a line known only by its form, or a remote one, is still
_PROMPT_DRAWN = 0.6  # seconds in which a line editor draws its prompt, if it has one
_SECOND_LOOK = 0.1  # seconds; a person's Enter may be on its way
TRIES = 8  # decisions, and inputs, on a pane that changes meanwhile
NOTHING = "nothing was typed"
KEEPS_CHANGING = "keeps changing: someone types, or a program draws all the time"
WAIT = "wait with wait_ready, then try again"
_ASKS = (*ASKED, Word.UNFINISHED)
# After these words the agent's own program may have opened a full screen.
_RUNS = (Word.TIMED_OUT, Word.MATCHED, Word.QUIET, Word.NEEDS_KEY)


def may_type(watch: Watch, act: Act, one_key: bool = False) -> Turn:
    """Whose turn it is, if `act` is allowed now. `one_key`: one character is to be typed, as the
    answer to a line editor's question.

    Raises TmuxError if it is not allowed; the error says why and what to do. Nothing was typed.
    """
    must_take_input(watch.view, watch.pane)
    for _ in range(TRIES):
        drawn, view = come_to_rest(watch), watch.view
        here = at_prompt(watch) if act is Act.RUN else _drawn(watch)
        if here.persons:
            watch.nap(_SECOND_LOOK)
            watch.renew()
            here = whose_turn(watch)
        _must_be_allowed(watch, here, act, one_key=one_key, drawn=drawn)
        if watch.view is view or watch.is_undisturbed:
            return here  # else the decision was made on a later look
    raise TmuxError(f"{watch.pane.name} {KEEPS_CHANGING}", f"{WAIT}; {NOTHING}")


def _must_be_allowed(watch: Watch, here: Turn, act: Act, **more: bool) -> None:
    if found := refusal(_situation(watch, here, act, **more)):
        raise TmuxError(found.message, f"{found.hint}; {NOTHING}")


def at_prompt(watch: Watch) -> Turn:
    """Whose turn it is, once there is a prompt for a command, or a line typed at one. Raises
    TmuxError if there is none in time."""
    limit = _STILL_LINE if has_form(watch.view.left) else _AT_PROMPT
    reported = watch.mark.open if watch.memory.is_answered else ""

    def is_clear(here: Turn) -> bool:
        """Whether waiting any longer is useless; so it is while the reported question is asked."""
        return _is_at_prompt(here) or (here.word in _ASKS and here.word == reported)

    recall_stillness(watch)
    here = turn_once(watch, is_clear, limit)
    if not _is_at_prompt(here):
        scene = watch.scene()
        if watch.view.alternate or scene.reads_at in (Reads.KEY, Reads.VI_COMMAND):
            _must_be_allowed(watch, here, Act.RUN)
        advice = "use send to answer or type ahead, wait_ready to wait, interrupt to stop it"
        if here.word is Word.QUIET or (scene.shell and not scene.proven):
            known = "if that is its prompt, wait_ready with a prompt_pattern that matches it"
            advice = f"{known}; else {advice}"
        if here.word is Word.NEEDS_KEY:
            way = programs.of(here.program).leave
            advice = f"use keys, or leave it: {way}" if way else "use keys, interrupt to stop it"
        raise TmuxError(_not_at_prompt(watch, here), f"{advice}; nothing was typed")
    return here


def recall_stillness(watch: Watch) -> None:
    """The answer that reported `quiet` has waited: that counts while nothing has changed."""
    if watch.memory.is_answered and watch.mark.open == Word.QUIET and watch.at_mark:
        watch.clocks.was_still(SILENT)


def _is_at_prompt(here: Turn) -> bool:
    at_prompt = (here.at_prompt or here.ready) and not here.unfinished
    return bool(here.persons) or at_prompt


def _not_at_prompt(watch: Watch, here: Turn) -> str:
    name, verdict = watch.pane.name, here.verdict
    if verdict is None:
        return f"{here.program} is in front in {name} and is still running"
    return f"{here.program} is in front in {name} and {verdict.word} ({verdict.detail})"


def _situation(
    watch: Watch, here: Turn, act: Act, one_key: bool = False, drawn: bool = True
) -> Situation:
    view, mark = watch.view, watch.mark
    answered = watch.memory.is_answered
    scene = watch.scene()
    reads, shell_asks = scene.reads_at, here.word is Word.NEEDS_KEY and scene.shell
    shown = watch.first or mark.screen or not answered or mark.open in _RUNS
    vi_shown = programs.of(here.program).vi_command
    return Situation(
        act=act,
        program=here.program,
        word=here.word,
        running=here.running,
        persons=clean(here.persons),
        at_question=not here.at_prompt,
        own=clean(here.own),
        ahead=waits_ahead(watch, here),
        beside=clean(_typed_beside(watch, here)),
        open=mark.open if answered else "",
        another=_is_another(watch, here),
        asks_otherwise=asks_otherwise(watch, here),
        screen_opened=view.alternate and not shown,
        screen_typed=clean(_typed_on_screen(watch)),
        vi_command=reads is Reads.VI_COMMAND or bool(vi_shown and vi_shown.match(view.left)),
        undrawn=not (drawn or view.alternate),
        one_key=(reads is Reads.KEY or shell_asks) and not one_key,
    )


def waits_ahead(watch: Watch, here: Turn) -> bool:
    """Whether an unseen line, begun before its reader asked, may be waiting for it. In canonical
    mode the kernel keeps what is typed while a program runs."""
    mark, typed = watch.mark, watch.pending
    asks = here.word in (Word.READY, Word.NEEDS_INPUT, Word.UNFINISHED)
    if not watch.kernel.canonical:
        return False
    if here.word is Word.NEEDS_PASSWORD == mark.open:
        return watch.at_mark and typed is None and not watch.nobody_typed_since_answer
    if not asks:
        return False
    if typed is not None:
        return typed.enter and typed.typed is not Typed.KEYS and not watch.nobody_typed
    ran = mark.open in (Word.TIMED_OUT, Word.MATCHED, Word.QUIET)
    return (mark.ahead and watch.at_mark) or (ran and not watch.nobody_typed_since_answer)


def _typed_beside(watch: Watch, here: Turn) -> str:
    """The text left of the cursor while a program runs in canonical mode, if a key came since."""
    left = watch.view.left.strip()
    if not here.running or watch.view.alternate or not left or watch.nobody_typed:
        return ""
    if is_prompt(left, watch.prompts()):
        return ""  # the prompt of a shell that is stopped, or busy
    return "" if watch.is_own(left) else left


def _drawn(watch: Watch) -> Turn:
    """Whose turn it is, once a line editor has drawn its prompt, or a remote continuation prompt
    has been still."""
    reported = watch.mark.open == Word.UNFINISHED

    def goes_on(scene: Scene) -> bool:
        return bool(scene.remote and scene.continuation and not reported)

    def is_drawn(here: Turn) -> bool:
        if here.verdict is not None or (
            here.line.kind is not Kind.NONE and watch.memory.is_answered
        ):
            return True
        scene = watch.scene()
        unseen = scene.reads and not (scene.proven or scene.cooked or scene.alternate)
        return not (watch.editor or scene.editing_shell or unseen or goes_on(scene))

    return turn_once(watch, is_drawn, _STILL_LINE if goes_on(watch.scene()) else _PROMPT_DRAWN)


def _is_another(watch: Watch, here: Turn) -> bool:
    """Whether another program waits than when an answer last showed the pane."""
    before, now = watch.mark.reader, [watch.view.pid, watch.kernel.foreground]
    if not watch.memory.is_answered or here.verdict is None or None in [*before, *now]:
        return False
    return before[:1] == now[:1] and before != now


def may_press(watch: Watch) -> Turn:
    """Whose turn it is, if keys may be pressed now: not in a dead pane, nor if another program than
    the one that was shown would get them. Raises TmuxError."""
    must_take_input(watch.view, watch.pane)
    here = whose_turn(watch)
    _must_be_allowed(watch, here, Act.KEYS)
    return here


def asks_otherwise(watch: Watch, here: Turn) -> bool:
    """Whether another question is asked than the one that was shown. A program may redraw a
    question that it draws itself: there a change counts only if a key has come since."""
    view, asked, shown = watch.view, watch.mark.asked, watch.mark.question
    if here.verdict is None or not shown:
        return False
    if asked and (watch.kernel.canonical or watch.editor is not None):
        other = left_of(view.left, asked[1]) != asked[2] and bool(view.left.strip())
        return other and asked[3] == view.width
    detail = here.verdict.detail
    same = draft_of(detail) == shown or goes_beyond(squeezed(detail), shown)
    return not (same or watch.nobody_typed_since_answer)


def _typed_on_screen(watch: Watch) -> str:
    """The text left of the cursor in a full screen, if it is not the one that was shown and a key
    may have come since."""
    view, mark = watch.view, watch.mark
    shown = view.alternate and mark.screen_cell and not watch.pending
    if not shown or watch.nobody_typed_since_answer:
        return ""
    return "" if cursor_cell(view) == mark.screen_cell else view.left.rstrip() or "keys"


def must_take_input(view: View, pane: Pane) -> None:
    """Raises TmuxError if nothing can be typed into the pane."""
    if view.dead:
        raise TmuxError(
            f"the program in {pane.name} has ended (exit status {view.dead_status or 'unknown'})",
            f"start it anew: tmux respawn-pane -t {view.id}; {NOTHING}",
        )
    if view.input_off:
        raise TmuxError(
            f"input to {pane.name} is switched off",
            f"switch it on: tmux select-pane -e -t {view.id}; {NOTHING}",
        )
