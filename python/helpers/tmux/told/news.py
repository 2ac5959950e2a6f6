"""What no answer has shown: read here, told by report, and only then noted as told.

`news` answers and changes nothing; `remember` is the one place that notes on the record what has
been told. A program either prints lines, which transcript reads, or draws the whole screen: then
what has changed on it is told, and above that the lines that came before it was opened.
`of_lines` and `of_a_screen` are pure: all that they depend on is given to them.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..base.answer import REST, counted, quoted
from ..base.cells import Line, trimmed
from ..base.words import ASKS
from ..facts.look import Look, digest, ordinary, painted
from ..facts.place import Behind, Changes, Place, changes, place_at, since
from ..facts.screen import (
    BOX,
    Mark,
    colours,
    cursors_row,
    filled,
    highlighted,
    shown,
    unframed,
    visible,
)
from ..facts.state import State
from ..turn.turn import Turn
from ..turn.watch import Watch
from .transcript import AtCursor, Shown, at_cursor, begins, not_among, up_to_the_cursor

UNCHANGED = "(screen unchanged)"
_PAGES = (":", "(END)")  # less asks so for a key; with -X, as git calls it, on the ordinary screen
_MOST_GONE = 5  # rows that are named
_FEW = 3  # times as many rows stood there as are unchanged


@dataclass(frozen=True, kw_only=True)
class News:
    """A body and notes about it. The rest is what the pane remembers once they are told."""

    body: list[str]
    notes: list[str]
    rule: str  # the one that said where output begins
    place: Place | None  # from here on nothing is told
    screen: int = 0  # the process, or its group, that draws it
    alternate: bool = False  # on a screen of its own
    rows: list[int]  # digests of all rows of the screen
    top_cell: Place | None  # of the screen, below what stands above it
    marks: list[int] = field(default_factory=list)  # digests of what is highlighted on it
    colours: int = 0


def remember(state: State, told: News) -> None:
    """Notes on the record what an answer tells."""
    state.place = told.place
    state.screen = told.screen
    state.alternate = told.alternate
    state.rows = told.rows
    state.top_cell = told.top_cell
    state.marks = told.marks
    state.colours = told.colours


def news(watch: Watch, here: Turn, whole: bool = False) -> News:
    """What no answer has shown, as it stands now. `whole`: all of a screen."""
    state = watch.state
    seen = here.seen
    if not tells_a_screen(state, here):
        return of_lines(state, here, _high_enough(watch, seen))

    then = watch.pane.seen.screen
    if whole:
        return of_a_screen(state, here, painted(seen.id), None, then)

    behind = seen
    if seen.alternate_on:
        behind = ordinary(seen)
    return of_a_screen(state, here, painted(seen.id), behind, then)


def tells_a_screen(state: State, here: Turn) -> bool:
    """Whether the program draws the whole screen, the ordinary one too: dialog, top's questions."""
    reading = here.reading
    if reading.full_screen:
        return True
    if here.at_rest or reading.canonical or reading.editor or reading.shell_edits:
        return False
    if reading.text in _PAGES and not reading.traits.remote:
        return True
    if state.screen == reading.kernel.foreground:
        return True
    return reading.seen.keypad_flag and bool(reading.seen.below) and here.word in ASKS


def _high_enough(watch: Watch, seen: Look) -> Look:
    """A look that holds all that stands behind the place, or everything in reach."""
    place = watch.state.place
    if not place:
        return seen
    if since(place, seen).lost or place.is_moved(seen):
        return watch.pane.look(seen.history_size)
    if seen.lines[0].row > place.history:
        return watch.pane.look(watch.above(place))
    return seen


# lines


def of_lines(state: State, here: Turn, seen: Look) -> News:
    """The lines from where output begins to where it ends. `seen`: high enough."""
    behind = since(state.place, seen)
    if seen.alternate_on:  # what is above is the ordinary screen's
        own = [line for line in behind.lines if line.row >= seen.history_size]
        behind = Behind(own, behind.lost)

    found, rule = begins(Shown(seen=seen, state=state, behind=behind))
    lines = up_to_the_cursor(found.lines, here, seen)
    body = [line.text.rstrip() for line in lines]
    notes = []

    if found.lost:
        body = trimmed(body)
        if lines or state.sent.enter:  # else keys have emptied a draft: nothing was lost
            notes.append(found.lost)

    return News(
        body=body,
        notes=notes,
        rule=rule,
        place=_place_behind(lines, state, here, seen),
        rows=[digest(line.text) for line in seen.lines if line.row >= seen.history_size],
        top_cell=first_cell(seen),
        alternate=seen.alternate_on,
    )


def _place_behind(lines: list[Line], state: State, here: Turn, seen: Look) -> Place | None:
    """From where on nothing is told: the cursor, unless the input that is awaited is unread."""
    if not lines and not here.reading.taken:
        return state.place
    output = at_cursor(here) is AtCursor.OUTPUT
    return place_at(seen, whole=output, prompt=not output)


def first_cell(seen: Look) -> Place:
    """The first cell of the screen."""
    return replace(place_at(replace(seen, cursor_y=0, cursor_x=0), whole=True), below=[])


# screens


class _Picture(NamedTuple):
    """A screen as a program has drawn it."""

    rows: list[str]  # without filler
    marks: dict[int, Mark]  # what is highlighted, by its digest
    colours: int


class _Before(NamedTuple):
    """What stood on the ordinary screen before a program drew."""

    lines: list[str]  # that no answer has shown
    old: int  # rows at the top of what it draws on that are not its own
    place: Place | None


def of_a_screen(
    state: State, here: Turn, painted: str, behind: Look | None, then: list[str]
) -> News:
    """All of a screen the first time, then what has changed on it. `painted`: its rows with their
    colours; `behind`: the ordinary screen, None if all of it is to be shown; `then`: the rows of
    the screen when the call began."""
    reading = here.reading
    seen = here.seen
    alternate = seen.alternate_on
    program = reading.kernel.foreground  # a script, on the ordinary screen
    if alternate:
        program = reading.kernel.subject
    first = not behind or (state.screen, state.alternate) != (program, alternate)
    before = _before_it_drew(state, seen, behind, first)
    picture = _picture(painted, seen)
    rows = [""] * before.old + picture.rows[before.old :]
    changed = _changed(state, rows, first)
    notes = []
    if before.lines:
        count = counted(len(before.lines), "line")
        notes.append(f"{count} came before {reading.program} opened its screen")
    if first or picture.colours != state.colours:
        texts = shown(rows)
        body = [*(texts[at] for at in changed.new), *_rest(changed, then)]
        notes += _marked(state, picture, seen, changed.new, first)
    else:
        body = [UNCHANGED]
    return News(
        body=[*before.lines, *body],
        notes=notes,
        rule="a screen",
        place=before.place,
        screen=program,
        alternate=alternate,
        rows=[digest(row) for row in picture.rows],
        top_cell=first_cell(seen),
        marks=list(picture.marks),
        colours=picture.colours,
    )


def _picture(painted: str, seen: Look) -> _Picture:
    """The screen of a program; `painted`: its rows with their colours."""
    marks = {digest(repr(mark)): mark for mark in highlighted(painted)}
    rows = filled(visible(painted, seen.screen))
    return _Picture(rows, marks, colours(painted, seen))


def _before_it_drew(state: State, seen: Look, behind: Look | None, first: bool) -> _Before:
    """What came on the ordinary screen since the last answer; a box that was drawn there may have
    scrolled away since."""
    if not behind:
        return _Before([], 0, state.place)

    lines, lost = since(state.place, behind)
    if seen.alternate_on:
        drew_there = bool(state.screen) and not state.alternate
        if lost or drew_there:
            lines = not_among(state.rows, lines)
        texts = trimmed(line.text for line in lines if line.row <= behind.row)
        return _Before(texts, 0, place_at(behind, whole=True))

    top = first_cell(seen)
    if not first:
        return _Before([], 0, top)

    old = 0
    if lines and not lost:
        old = max(lines[0].row - seen.history_size, 0)

    above = [line.text for line in not_among(state.rows, lines) if line.row < seen.history_size]
    return _Before(trimmed(above), old, top)


def _changed(state: State, rows: list[str], first: bool) -> Changes:
    """What has changed on a screen. Where hardly a row is as it was, all are new: a list that was
    filtered is read as a whole."""
    whole = changes([], rows)
    if first:
        return whole
    changed = changes(state.rows, rows)
    if changed.unchanged * _FEW < sum(map(bool, state.rows)):
        return whole
    return changed


def _rest(changed: Changes, then: list[str]) -> list[str]:
    """How many other rows there are, and which have gone: `(4 unchanged, 2 gone: 'b', 'c'; …)`."""
    if changed.gone:
        texts = {digest(row): unframed(row).strip() for row in then}
        names = [quoted(texts[known]) for known in changed.gone if known in texts]
        named = ""
        if 0 < len(names) <= _MOST_GONE:
            named = f": {', '.join(names)}"
        return [f"({changed.unchanged} unchanged, {len(changed.gone)} gone{named}; {REST}"]

    if changed.unchanged:
        return [f"({counted(changed.unchanged, 'row')} unchanged; {REST}"]
    return []


def _marked(state: State, picture: _Picture, seen: Look, new: list[int], first: bool) -> list[str]:
    """What a person's eye is drawn to: what is highlighted, else the row of the cursor, where it
    has moved. A box has its cursor in a field from the beginning, and may scroll."""
    marks = [mark for known, mark in picture.marks.items() if first or known not in state.marks]
    if marks:
        return [f"highlighted: {', '.join(quoted(mark.text) for mark in marks)}"]

    on = cursors_row(seen)
    if not on:
        return []

    in_a_box = seen.screen[seen.cursor_y].strip()[:1] in BOX
    several = new != [seen.cursor_y]  # one row tells it by itself
    if not (first or new) or (in_a_box and several):
        return [f"the cursor is on {quoted(on)}"]
    return []
