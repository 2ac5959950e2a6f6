"""What somebody has typed that nobody has read yet, before its prompt or question came.

In canonical mode the kernel shows what is typed as it comes, and keeps it until the line ends. Then
a prompt is written behind it, and nothing tells the two apart but this: what is on the screen and
was written by nobody was typed. Source: proc(5), io: rchar and wchar.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..output import clean
from ..transcript.memory import Shown
from ..transcript.places import needs_more, since_place
from ..turn.watch import Watch

_SIGNALS = ("^C", "^Z", "^\\")  # what the kernel shows for them; they drop what was typed
_SHOWN = 0.02  # seconds in which tmux has read what was written


@dataclass(frozen=True, slots=True)
class Ahead:
    """What was typed ahead: at least `count` characters wait for certain; 0: some may."""

    count: int
    text: str = ""  # where it is known exactly

    def __str__(self) -> str:
        return repr(clean(self.text)) if self.text else f"{self.count} or more characters"


def typed_ahead(watch: Watch) -> Ahead | None:
    """What somebody has typed ahead since the last answer, or before it; None where nothing shows
    that it waits."""
    shown, moved = watch.shown, _moved(watch)
    if shown is None or shown.read is None or shown.wrote is None or moved is None:
        return None
    read, wrote = moved[0] - shown.read, moved[1] - shown.wrote
    lines, own = _lines_since(watch, shown), _own(watch)
    if read < 0 or wrote < 0 or lines is None or own is None:
        return None  # other programs: the pane was respawned
    if any(sign in line for line in lines for sign in _SIGNALS):
        return None
    typed = max(least_bytes(lines, watch.view.left) - wrote - own, 0)
    waits = shown.ahead + typed - read
    if waits <= 0:
        return Ahead(0) if waits < 0 < typed else None
    return Ahead(waits, lines[-1].strip() if typed == waits and not (wrote or own) else "")


def counted(watch: Watch, place: Shown, waited: bool, behind: str) -> Shown:
    """`place`, with what is needed to tell of it later what is typed ahead. `waited`: the answer
    did not only look; `behind`: what is typed there, behind the place."""
    shown, moved, ahead = watch.shown, _moved(watch), typed_ahead(watch)
    rest = (watch.view.right, *watch.view.lines[watch.view.cursor_y + 1 :])
    if moved is None or shown is None or any(row.strip() for row in rest):
        return place  # what is behind the cursor would count as new where it is not drawn over
    # Else what was written may not be on the screen yet; the earlier count is too low, so safe.
    still = waited and (watch.kernel.waiter is not None or _is_still(watch, moved))
    wrote = moved[1] if still else shown.wrote
    count = max(ahead.count - len(behind), 0) if ahead else 0
    return replace(place, read=moved[0], wrote=wrote, ahead=count)


def _is_still(watch: Watch, moved: tuple[int, int]) -> bool:
    """Is all that was written on the screen that was looked at last?"""
    shows = watch.view.shows
    watch.nap(_SHOWN)
    return watch.look().shows == shows and _moved(watch) == moved


def least_bytes(lines: list[str], left: str) -> int:
    """The least number of bytes that draw `lines`, of which the last is at the cursor, behind
    `left`: a tab, or one sequence, may draw many blanks."""
    drawn = [" ".join(line.split()) for line in lines if line.strip()]
    behind = bool(drawn) and left != left.rstrip() and left.strip() != ""
    return sum(map(len, drawn)) + max(len(drawn) - 1, 0) + behind


def _moved(watch: Watch) -> tuple[int, int] | None:
    """Bytes that the programs on the terminal have ever read and written: no longer counted."""
    return None


def _lines_since(watch: Watch, shown: Shown) -> list[str] | None:
    """What has come to the screen since, behind the place; None where that cannot be told, as where
    a program has drawn over what was above it."""
    view = watch.view
    lines = view.joined.upto(view.row)
    if not shown.known or shown.width != view.width or needs_more(view, lines, shown):
        return None
    since, below = since_place(view, lines, shown), lines.split(shown.row)[1]
    if since.cleared or since.dropped:
        return None
    if since.lines == below[1:]:
        return since.lines
    old = shown.line.rstrip()
    if since.lines != below or not below or not below[0].startswith(old):
        return None
    return [below[0][len(old) :], *below[1:]]


def _own(watch: Watch) -> int | None:
    """Bytes that the agent has sent since the last answer; None where these are not known."""
    sent = watch.sent
    if sent is None or watch.memory.is_answered:
        return 0
    text = watch.text if watch.text is not None else sent.text
    if text is None or sent.cut or not sent.size:
        return None
    return sum(len(one) + 1 for one in (*sent.ahead, text))
