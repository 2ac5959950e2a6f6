"""What no answer has shown: read here, told by report, and only then noted as told.

`news` answers and changes nothing; `remember` is the one place that notes on the record what has
been told. A program either prints lines, which transcript reads, or draws the whole screen: then
what has changed on it is told, and above that the lines that came before it was opened.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from .answer import counted, quoted
from .cells import trimmed
from .look import Look, digest, ordinary, painted
from .place import Behind, Place, new_rows, place_at, since
from .screen import colours, filled, highlighted, shown
from .state import State
from .transcript import AtCursor, Shown, at_cursor, begins, not_on_screen, up_to_the_cursor
from .turn import Turn
from .watch import Watch
from .words import ASKS

UNCHANGED = "(screen unchanged)"


@dataclass(frozen=True, kw_only=True)
class News:
    """A body and notes about it. The rest is what the pane remembers once they are told."""

    body: list[str]
    notes: list[str]
    rule: str = ""  # the one that said where output begins
    place: Place | None  # from here on nothing is told
    screen: int = 0  # group of the program that draws it
    alternate: bool = False  # on a screen of its own
    rows: list[int]  # digests of all rows of the screen
    marks: list[int]  # digests of what is highlighted on it
    colours: int


def remember(state: State, told: News) -> None:
    """Notes on the record what an answer tells."""
    state.place = told.place
    state.screen, state.alternate = told.screen, told.alternate
    state.rows, state.marks, state.colours = told.rows, told.marks, told.colours


def news(watch: Watch, here: Turn, whole: bool = False) -> News:
    """What no answer has shown, as it stands now. `whole`: all of a screen."""
    if draws(watch.state, here):
        return _of_a_screen(watch, here, whole)
    return _of_lines(watch, here)


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


# lines


def _of_lines(watch: Watch, here: Turn) -> News:
    state = watch.state
    seen = _high_enough(watch, here.reading.seen)
    behind = since(state.place, seen)
    if seen.alternate_on:  # what is above is the ordinary screen's
        own = [line for line in behind.lines if line.row >= seen.history_size]
        behind = Behind(own, behind.lost)
    (lines, lost), rule = _found(Shown(seen=seen, state=state, behind=behind))
    lines = up_to_the_cursor(lines, here, seen)
    body, notes = [line.text.rstrip() for line in lines], list[str]()
    if lost:
        body = trimmed(body)
        if lines or state.sent.enter:  # else keys have emptied a draft: nothing was lost
            notes.append(lost)
    place = state.place
    if lines or here.reading.taken:
        output = at_cursor(here) is AtCursor.OUTPUT
        place = place_at(seen, whole=output, prompt=not output)
    return News(
        body=body,
        notes=notes,
        rule=rule,
        place=place,
        rows=[digest(line.text) for line in seen.lines if line.row >= seen.history_size],
        marks=state.marks,
        colours=state.colours,
    )


def _found(facts: Shown) -> tuple[Behind, str]:
    ruling = begins(facts)
    return ruling.said or facts.behind, ruling.rule


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


# screens


class _Picture(NamedTuple):
    """A screen as a program has drawn it."""

    rows: list[str]  # without filler
    marks: dict[int, str]  # what is highlighted, by its digest
    colours: int


class _Before(NamedTuple):
    """What stood on the ordinary screen before a program drew."""

    lines: list[str]  # that no answer has shown
    old: int  # rows at the top of what it draws on that are not its own
    place: Place


def _of_a_screen(watch: Watch, here: Turn, whole: bool) -> News:
    """All of a screen the first time, then what has changed on it."""
    state, reading, seen = watch.state, here.reading, here.reading.seen
    group, alternate = reading.kernel.foreground, seen.alternate_on
    first = whole or (state.screen, state.alternate) != (group, alternate)
    picture = _picture_of(seen)
    lines, notes, place, old = list[str](), list[str](), state.place, 0
    if not whole:
        lines, old, place = _before_it_drew(state, seen, first)
    if lines:
        count = counted(len(lines), "line")
        notes.append(f"{count} came before {reading.program} opened its screen")
    rows = [""] * old + picture.rows[old:]
    new = new_rows([] if first else state.rows, rows)
    return News(
        body=[*lines, *_changes(state, picture, rows, new, first)],
        notes=[*notes, *_marked(state, picture, seen, new, first)],
        rule="a screen",
        place=place,
        screen=group,
        alternate=alternate,
        rows=[digest(row) for row in picture.rows],
        marks=list(picture.marks),
        colours=picture.colours,
    )


def _picture_of(seen: Look) -> _Picture:
    drawn = painted(seen.id)
    marks = {digest(repr(mark)): mark.text for mark in highlighted(drawn)}
    return _Picture(filled(seen.screen), marks, colours(drawn, seen))


def _before_it_drew(state: State, seen: Look, first: bool) -> _Before:
    """What came on the ordinary screen since the last answer; a box that was drawn there may have
    scrolled away since."""
    if seen.alternate_on:
        behind = ordinary(seen)
        lines, lost = since(state.place, behind)
        if lost or state.screen and not state.alternate:
            lines = not_on_screen(lines, state)
        texts = trimmed(line.text for line in lines if line.row <= behind.row)
        return _Before(texts, 0, place_at(behind, whole=True))
    lines, lost = since(state.place, seen)
    old = 0
    if first and lines and not lost:
        old = max(lines[0].row - seen.history_size, 0)
    above = [line.text for line in not_on_screen(lines, state) if line.row < seen.history_size]
    top = place_at(replace(seen, cursor_y=0, cursor_x=0), whole=True)
    return _Before(trimmed(above) if first else [], old, top)


def _changes(
    state: State, picture: _Picture, rows: list[str], new: list[int], first: bool
) -> list[str]:
    """The rows that are new, and how many others there are."""
    if not first and picture.colours == state.colours:
        return [UNCHANGED]
    texts = shown(rows)
    body = [texts[at] for at in new]
    unchanged = len([row for row in rows if row]) - len(new)
    if unchanged or not new:
        body.append(f"({counted(unchanged, 'row')} unchanged; read shows all)")
    return body


def _marked(state: State, picture: _Picture, seen: Look, new: list[int], first: bool) -> list[str]:
    """What is highlighted or holds the cursor, where it moved."""
    marks = picture.marks
    told = [text for mark, text in marks.items() if first or mark not in state.marks]
    if told:
        return [f"highlighted: {', '.join(map(quoted, told))}"]
    on = seen.screen[seen.cursor_y].strip()
    if first or new or not on or picture.colours == state.colours:
        return []
    return [f"the cursor is on {quoted(on)}"]
