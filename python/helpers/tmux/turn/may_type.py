"""What forbids typing into a pane: each raises TmuxError, which says what to do instead."""

from __future__ import annotations

from ..output import clean
from ..terminal.client import TmuxError
from ..terminal.pane import Pane
from ..terminal.view import View
from ..transcript.memory import Shown
from ..typing.type_ahead import typed_ahead
from ..words import Word
from .front import Front, front, front_once, must_take_letters
from .scene import Scene
from .watch import Watch

_DRAWN = 0.6  # seconds in which a line editor has drawn its prompt, or it has none
_REMOTE = 2.5  # seconds in which a remote line is known to stand still
_SECOND_LOOK = 0.1  # seconds; a person's Enter may be on its way
_COMMAND_LINE = (":", "/", "?")  # what vi and less show before a command or what is searched for
_ASKING = 3  # rows at the end in which an editor asks: nano's `Search: ` has two of help below it
_LESS = ":"  # less shows it before anything is typed too
NOTHING = "nothing was typed"


def may_type(watch: Watch, key: bool = False) -> Front:
    """Who is in front. Raises TmuxError where a person's half-typed line is there, or nothing can
    be typed. `key`: it is one character, as an answer to a line editor's question."""
    must_take_input(watch.view, watch.pane)
    here = drawn(watch)
    if here.persons:
        watch.nap(_SECOND_LOOK)
        watch.look()
        watch.read_kernel()
        here = front(watch)
    if here.persons:
        asks = here.word is Word.NEEDS_INPUT or not watch.scene().shell
        where = "the question" if asks and not here.at_prompt else "the prompt"
        raise TmuxError(
            f"a half-typed line is at {where}: {clean(here.persons)!r}",
            "it is not yours: ask the person to finish or clear it, or work in a window of your"
            f" own (action open); {NOTHING}",
        )
    must_not_wait(watch, here.own)
    must_take_letters(watch, here.program, key)
    return here


def may_interrupt(watch: Watch) -> Front:
    """Who is in front. Raises TmuxError where C-c would drop what a person has typed, or nothing
    can be typed."""
    must_take_input(watch.view, watch.pane)
    must_be_shown(watch)
    here = drawn(watch)
    if here.persons:
        may_type(watch)  # looks again, and raises where the line is still there
        here = front(watch)
    must_not_wait(watch, here.own)
    return here


def must_not_wait(watch: Watch, own: str) -> None:
    """Raises TmuxError where somebody has typed ahead, and the kernel keeps it for whoever reads
    next. `own`: what the agent has typed there."""
    ahead = typed_ahead(watch)
    if ahead and ahead.count > len(own):
        raise TmuxError(
            f"somebody has typed ahead, and nobody has read it: {ahead}",
            "it is not yours: ask the person to end or clear it, or work in a window of your own"
            f" (action open); keys C-c would drop it; {NOTHING}",
        )


def must_be_empty(here: Front) -> None:
    """Raises TmuxError where a command would be typed behind the agent's own half-typed line."""
    if here.own:
        raise TmuxError(
            f"a half-typed line, your own, is at the prompt: {clean(here.own)!r}",
            f"clear it with keys C-c, or end it with keys Enter; {NOTHING}",
        )


def drawn(watch: Watch) -> Front:
    """Who is in front, once a line editor has drawn its prompt, or a remote one the sign for a
    further row stands still."""
    told = watch.shown is not None and watch.shown.asked == Word.UNFINISHED

    def goes_on(scene: Scene) -> bool:
        return bool(scene.remote and scene.continuation and not told)

    def is_drawn(here: Front) -> bool:
        if here.verdict is not None or (here.typed is not None and watch.memory.is_answered):
            return True
        scene = watch.scene()
        unseen = scene.reads and not (scene.proven or scene.cooked or scene.alternate)
        return not (watch.editor or scene.editing_shell or unseen or goes_on(scene))

    return front_once(watch, is_drawn, _REMOTE if goes_on(watch.scene()) else _DRAWN)


def must_still_ask(watch: Watch) -> None:
    """Raises TmuxError where the last answer told of a question or a password prompt that somebody
    has answered since: what is sent now would be run by a shell, or answer another question."""
    shown = watch.shown
    asked = (Word.NEEDS_INPUT, Word.NEEDS_PASSWORD)
    if shown is None or shown.asked not in asked or not watch.memory.is_answered:
        return
    here = front(watch)
    hidden = shown.asked == Word.NEEDS_PASSWORD
    gone = here.ready or here.running or (hidden and here.word not in (None, Word.NEEDS_PASSWORD))
    if gone or _asks_otherwise(watch, here, shown):
        what = "password prompt" if hidden else "question"
        raise TmuxError(
            f"the {what} is no longer there: somebody has answered it",
            f"see what came of it with wait_ready; {NOTHING}",
        )


def must_be_shown(watch: Watch) -> None:
    """Raises TmuxError where a full screen is not as an answer has shown it: somebody has opened it
    since an answer that told of a prompt, or types on it. What is sent would end up there."""
    view, shown, sent = watch.view, watch.shown, watch.sent
    if not view.alternate or shown is None:
        return
    program = watch.scene().program
    if not shown.screen and not watch.memory.turn_is_open:
        raise TmuxError(
            f"{program} fills the screen: somebody has opened it since the last answer",
            f"see it with read first; {NOTHING}",
        )
    is_last = sent is None or sent.at <= shown.screen_covers
    typed = typed_since(view, shown.screen_left, shown.screen_row) if is_last else ""
    if typed:
        raise TmuxError(
            f"somebody types in {program}: {clean(typed)!r}",
            f"ask the person to finish or clear it, or see it with read first; {NOTHING}",
        )


def typed_since(view: View, left: str, row: int) -> str:
    """What is typed since `left` was left of the cursor in the row `row` of a full screen: behind
    that, or where the program asks: a command line of vi's or less's, the last rows."""
    now, moved = view.left.rstrip(), view.cursor_y != row
    if row < 0 or now == left:
        return ""
    if not moved and now.startswith(left):
        return now[len(left) :].strip()
    asks = view.height - _ASKING
    begun = now.startswith(_COMMAND_LINE) and view.cursor_y == view.height - 1
    begun = begun and (moved or now != _LESS)
    asked = row < asks <= view.cursor_y and any(map(str.isalnum, now))
    return now if begun or asked else ""


def _asks_otherwise(watch: Watch, here: Front, shown: Shown) -> bool:
    """Is a line read at another question than `shown`? Menus draw theirs again and again."""
    reads_line = watch.kernel.canonical or watch.editor is not None
    if here.verdict is None or not reads_line or shown.width != watch.view.width:
        return False
    then, now = shown.line.strip(), watch.view.left.strip()
    return bool(then and now) and not (now.startswith(then) or then.startswith(now))


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
