"""What no answer has shown: read here, told by report, and only then noted as told.

`news` answers and changes nothing; `remember` is the one place that notes on the record what has
been told. A program either prints lines, which transcript reads, or draws the whole screen: then
what has changed on it is told, and above that the lines that came before it was opened.
`of_lines` and `of_a_screen` are pure: all that they depend on is given to them.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from .answer import counted, quoted
from .cells import Line, trimmed
from .look import Look, digest, ordinary, painted
from .place import Behind, Place, new_rows, place_at, since
from .screen import colours, filled, highlighted, shown
from .state import State
from .transcript import Shown, begins, is_output, not_on_screen, up_to_the_cursor
from .turn import Turn
from .watch import Watch
from .words import ASKS

UNCHANGED = "(screen unchanged)"


@dataclass(frozen=True, kw_only=True)
class News:
    """A body and notes about it. The rest is what the pane remembers once they are told."""

    body: list[str]
    notes: list[str]
    rule: str  # the one that said where output begins
    place: Place | None  # from here on nothing is told
    screen: int = 0  # group of the program that draws it
    alternate: bool = False  # on a screen of its own
    rows: list[int]  # digests of all rows of the screen
    top: int  # rows above it
    marks: list[int]  # digests of what is highlighted on it
    colours: int


def remember(state: State, told: News) -> None:
    """Notes on the record what an answer tells."""
    state.place = told.place
    state.screen, state.alternate = told.screen, told.alternate
    state.rows, state.top = told.rows, told.top
    state.marks, state.colours = told.marks, told.colours


def news(watch: Watch, here: Turn, whole: bool = False) -> News:
    """What no answer has shown, as it stands now. `whole`: all of a screen."""
    state, seen = watch.state, here.reading.seen
    if not draws(state, here):
        return of_lines(state, here, _high_enough(watch, seen))
    if whole:
        return of_a_screen(state, here, painted(seen.id), None)
    behind = ordinary(seen) if seen.alternate_on else seen
    return of_a_screen(state, here, painted(seen.id), behind)


def draws(state: State, here: Turn) -> bool:
    """Whether the program draws the whole screen, the ordinary one too: dialog, top's questions."""
    reading = here.reading
    if reading.full_screen:
        return True
    if here.at_rest or reading.canonical or reading.editor or reading.shell_edits:
        return False
    if state.screen == reading.kernel.foreground:
        return True
    menu = reading.seen.keypad_flag and bool(reading.seen.below)
    return menu and here.word in ASKS


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
        top=seen.history_size,
        marks=state.marks,
        colours=state.colours,
    )


def _place_behind(lines: list[Line], state: State, here: Turn, seen: Look) -> Place | None:
    """From where on nothing is told: the cursor, unless the input that is awaited is unread."""
    if not lines and not here.reading.taken:
        return state.place
    output = is_output(here)
    return place_at(seen, whole=output, prompt=not output)


# screens


class _Picture(NamedTuple):
    """A screen as a program has drawn it."""

    rows: list[str]  # without filler
    marks: dict[int, str]  # what is highlighted, by its digest
    colours: int
    cursor: str  # the row that holds it


class _Before(NamedTuple):
    """What stood on the ordinary screen before a program drew."""

    lines: list[str]  # that no answer has shown
    old: int  # rows at the top of what it draws on that are not its own
    place: Place | None


def of_a_screen(state: State, here: Turn, painted: str, behind: Look | None) -> News:
    """All of a screen the first time, then what has changed on it. `painted`: its rows with their
    colours; `behind`: the ordinary screen, None if all of it is to be shown."""
    reading, seen = here.reading, here.reading.seen
    group, alternate = reading.kernel.foreground, seen.alternate_on
    first = not behind or (state.screen, state.alternate) != (group, alternate)
    before = _before_it_drew(state, seen, behind, first)
    picture = _picture(painted, seen)
    new = new_rows([] if first else state.rows, _own_rows(picture, before))
    notes = []
    if before.lines:
        count = counted(len(before.lines), "line")
        notes.append(f"{count} came before {reading.program} opened its screen")
    return News(
        body=[*before.lines, *_changes(state, picture, before, new, first)],
        notes=[*notes, *_marked(state, picture, new, first)],
        rule="a screen",
        place=before.place,
        screen=group,
        alternate=alternate,
        rows=[digest(row) for row in picture.rows],
        top=seen.history_size,
        marks=list(picture.marks),
        colours=picture.colours,
    )


def _picture(painted: str, seen: Look) -> _Picture:
    marks = {digest(repr(mark)): mark.text for mark in highlighted(painted)}
    cursor = seen.screen[seen.cursor_y].strip()
    return _Picture(filled(seen.screen), marks, colours(painted, seen), cursor)


def _own_rows(picture: _Picture, before: _Before) -> list[str]:
    """The rows that the program has drawn."""
    return [""] * before.old + picture.rows[before.old :]


def _before_it_drew(state: State, seen: Look, behind: Look | None, first: bool) -> _Before:
    """What came on the ordinary screen since the last answer; a box that was drawn there may have
    scrolled away since."""
    if not behind:
        return _Before([], 0, state.place)
    lines, lost = since(state.place, behind)
    if seen.alternate_on:
        drew_there = bool(state.screen) and not state.alternate
        if lost or drew_there:
            lines = not_on_screen(lines, state)
        texts = trimmed(line.text for line in lines if line.row <= behind.row)
        return _Before(texts, 0, place_at(behind, whole=True))
    top = place_at(replace(seen, cursor_y=0, cursor_x=0), whole=True)
    if not first:
        return _Before([], 0, top)
    old = 0
    if lines and not lost:
        old = max(lines[0].row - seen.history_size, 0)
    above = [line.text for line in not_on_screen(lines, state) if line.row < seen.history_size]
    return _Before(trimmed(above), old, top)


def _changes(
    state: State, picture: _Picture, before: _Before, new: list[int], first: bool
) -> list[str]:
    """The rows that are new, and how many others there are."""
    if not first and picture.colours == state.colours:
        return [UNCHANGED]
    rows = _own_rows(picture, before)
    texts = shown(rows)
    body = [texts[at] for at in new]
    unchanged = len([row for row in rows if row]) - len(new)
    if unchanged or not new:
        body.append(f"({counted(unchanged, 'row')} unchanged; read shows all)")
    return body


def _marked(state: State, picture: _Picture, new: list[int], first: bool) -> list[str]:
    """What is highlighted or holds the cursor, where it moved."""
    marks = picture.marks
    told = [text for mark, text in marks.items() if first or mark not in state.marks]
    if told:
        return [f"highlighted: {', '.join(map(quoted, told))}"]
    if first or new or picture.colours == state.colours:
        return []
    return [f"the cursor is on {quoted(picture.cursor)}"] if picture.cursor else []
