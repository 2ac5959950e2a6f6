"""Whether something may be typed: the readings for the dialogue's table, and its refusal raised."""

from __future__ import annotations

from ..evidence.editor.line_editor import Reads
from ..evidence.kernel.probe import SHELLS
from ..evidence.screen.line import Kind
from ..evidence.screen.programs import shows_vi_mode
from ..evidence.screen.view import View, digest
from ..output import clean
from ..terminal.client import TmuxError
from ..terminal.pane import Pane
from ..transcript.mark import left_of
from ..words import Word
from .dialogue import Act, Situation, refusal
from .scene import Scene
from .watch import Watch
from .whose_turn import Turn, turn_once, whose_turn

_DRAWN = 0.6  # seconds in which a line editor has drawn its prompt, or it has none
_REMOTE = 2.5  # seconds in which a remote line is known to stand still
_SECOND_LOOK = 0.1  # seconds; a person's Enter may be on its way
NOTHING = "nothing was typed"


def may_type(watch: Watch, act: Act, one_key: bool = False) -> Turn:
    """Whose turn it is, where `act` is allowed now. `one_key`: one character is to be typed, as an
    answer to a line editor's question.

    Raises TmuxError where it is not; it says why and what to do, and nothing was typed.
    """
    must_take_input(watch.view, watch.pane)
    here = _drawn(watch)
    if here.persons:
        watch.nap(_SECOND_LOOK)
        watch.look()
        watch.read_kernel()
        here = whose_turn(watch)
    found = refusal(_situation(watch, here, act, one_key))
    if found is not None:
        raise TmuxError(found.message, f"{found.hint}; {NOTHING}")
    return here


def _situation(watch: Watch, here: Turn, act: Act, one_key: bool) -> Situation:
    view, mark = watch.view, watch.mark
    answered = watch.memory.is_answered
    reads = watch.editor.reads if watch.editor else None
    vi_shown = shows_vi_mode(here.program, view.left)
    return Situation(
        act=act,
        program=here.program,
        word=here.word,
        running=here.running,
        persons=clean(here.persons),
        at_question=not here.at_prompt,
        own=clean(here.own),
        ahead=waits_ahead(watch, here),
        open=mark.open if answered else "",
        asks_otherwise=_asks_otherwise(watch, here),
        full_screen=view.alternate,
        screen_shown=watch.first or bool(mark.screen) or watch.memory.turn_is_open,
        screen_typed=clean(_typed_on_screen(watch)),
        vi_command=reads is Reads.VI_COMMAND or vi_shown,
        reads_key=reads is Reads.KEY,
        one_key=one_key,
    )


def waits_ahead(watch: Watch, here: Turn) -> bool:
    """May a line that was begun before this prompt came wait for a shell that reads whole lines?"""
    if not watch.kernel.canonical or here.word is not Word.READY or here.program not in SHELLS:
        return False
    typed = watch.input
    if watch.memory.is_answered:
        return watch.mark.ahead
    return bool(typed and typed.enter) and not watch.nobody_typed


def _drawn(watch: Watch) -> Turn:
    """Whose turn it is, once a line editor has drawn its prompt, or a remote one the sign for a
    further row stands still."""
    told = watch.mark.open == Word.UNFINISHED

    def goes_on(scene: Scene) -> bool:
        return bool(scene.remote and scene.continuation and not told)

    def is_drawn(here: Turn) -> bool:
        if here.verdict is not None or (
            here.line.kind is not Kind.NONE and watch.memory.is_answered
        ):
            return True
        scene = watch.scene()
        unseen = scene.reads and not (scene.proven or scene.cooked or scene.alternate)
        return not (watch.editor or scene.editing_shell or unseen or goes_on(scene))

    return turn_once(watch, is_drawn, _REMOTE if goes_on(watch.scene()) else _DRAWN)


def _asks_otherwise(watch: Watch, here: Turn) -> bool:
    """Is a line read at another question than the one that was shown? Menus draw theirs again and
    again."""
    view, asked = watch.view, watch.mark.asked
    reads_line = watch.kernel.canonical or watch.editor is not None
    if here.verdict is None or not reads_line or not asked or asked[3] != view.width:
        return False
    return left_of(view.left, asked[1]) != asked[2] and bool(view.left.strip())


def _typed_on_screen(watch: Watch) -> str:
    """What is left of the cursor in a full screen, where it is not what was shown, and a key may
    have come since."""
    view, mark = watch.view, watch.mark
    if not view.alternate or not mark.screen_cell or watch.nobody_typed_since_answer:
        return ""
    if not watch.memory.is_answered:
        return ""
    left, cell = view.left.rstrip(), [view.cursor_y, view.cursor_x]
    same = digest(left) == mark.screen_line[1] and cell == mark.screen_cell
    return "" if same else left or "keys"


def must_take_input(view: View, pane: Pane) -> None:
    """Raises TmuxError where nothing can be typed into the pane."""
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
