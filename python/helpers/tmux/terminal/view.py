"""One reading of a pane: tmux's state, its visible rows and the lines above them, from one call."""

from __future__ import annotations

import secrets
import time
import zlib
from dataclasses import dataclass, field

from ..evidence.kernel.probe import printed_bytes
from ..output import cells, clean, pieces
from ..transcript.memory import OPTIONS
from .client import Kind, TmuxError, tmux, version_of

_NUMBERS = (
    "pane_pid pane_dead pane_in_mode alternate_on cursor_x cursor_y cursor_flag pane_width"
    " pane_height history_size history_limit pid pane_input_off pane_synchronized window_activity"
).split()
_WORDS = "pane_id pane_tty pane_dead_status version".split()
_STATE = "|".join(f"#{{{name}}}" for name in (*_WORDS, *_NUMBERS))
# Free text, a line each: a name may hold the separator.
OPENED = "@tmux_tool_opened"  # on a window: `open` made it
STATUS = "pane_command_status"  # tmux 3.8 and newer, of a shell that reports by OSC 133
DEFAULT = (
    "@tmux_tool_default"  # on a session: the pane that the last answer without `pane` was about
)
# Not pane_current_command: for it the server reads /proc, which moves `printed_bytes`.
_TEXTS = (OPENED, DEFAULT, STATUS, *OPTIONS, "pane_current_path")  # it may hold line breaks: last
SLACK = 40  # rows above the screen that a look brings along: what a short command scrolled away
_MOST_ABOVE = 1_000_000_000  # a number that tmux cannot hold counts as none
_server = 0  # pid of the tmux server that answered last
_CUT = "the tmux server ended in the middle of its answer"  # it breaks off and its client exits 0


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a pane with wrapped rows joined. `rows[i]`: the row, counted from the oldest of the
    history, on which `texts[i]` begins."""

    texts: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    columns: int = 0  # of the pane

    @property
    def first(self) -> int:
        """The row of the first line; 0 where there is none."""
        return self.rows[0] if self.rows else 0

    def upto(self, row: int | None) -> Lines:
        """The lines that begin at `row` or above it; all where `row` is None."""
        if row is None:
            return self
        count = sum(start <= row for start in self.rows)
        return Lines(self.texts[:count], self.rows[:count], self.columns)

    def split(self, row: int) -> tuple[list[str], list[str]]:
        """The lines above `row`, and those from it on; a line that spans it is split there."""
        at = next((i for i, start in enumerate(self.rows) if start >= row), len(self.rows))
        above, below = list(self.texts[:at]), list(self.texts[at:])
        spans = at > 0 and (at == len(self.rows) or self.rows[at] > row)
        if spans and _height(above[-1], self.columns) > row - self.rows[at - 1]:
            head, tail = cells(above[-1], (row - self.rows[at - 1]) * self.columns)
            above[-1], below = head, [tail, *below]
        return above, below


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One reading of a pane. Sizes and places in cells."""

    at: float  # seconds since the epoch, when it was asked for
    id: str
    pid: int  # the pane's first process
    tty: str
    dead: bool
    dead_status: str
    in_mode: bool  # a person scrolls: copy mode or another
    alternate: bool
    cursor_x: int
    cursor_y: int
    cursor_visible: bool
    width: int
    height: int
    history_size: int  # rows above the screen
    history_limit: int
    server: int  # pid of the tmux server
    version: tuple[int, int]
    input_off: bool
    synchronized: bool
    activity: int  # seconds since the epoch of the window's last output
    path: str
    opened: str  # the name under which `open` made the window, "" for any other
    default: str  # of its session: the pane that the last answer without `pane` was about
    status: str  # the last command's exit status where tmux knows it
    memory: dict[str, str] = field(default_factory=dict)  # values of memory.OPTIONS
    printed: int | None = None  # bytes the server had read before; None: not known
    lines: tuple[str, ...] = ()  # the visible rows
    joined: Lines = field(default_factory=Lines)  # those and some above, wrapped rows joined

    def silent(self, now: float) -> float:
        """Seconds without output until `now` (since the epoch). tmux knows the second, so it may be
        one too few."""
        return max(now - self.activity - 1.0, 0.0)

    @property
    def ended(self) -> str:
        """What is said of a dead pane."""
        status = self.dead_status or "unknown"
        again = f"tmux respawn-pane -t {self.id} starts it anew"
        return f"its program ended (exit status {status}); {again}"

    @property
    def left(self) -> str:
        """The text left of the cursor, on its row."""
        return self._at_cursor()[0]

    @property
    def wrapped_left(self) -> str:
        """The text left of the cursor, from the beginning of its line, which may be rows above."""
        lines = self.joined
        at = max((at for at, row in enumerate(lines.rows) if row <= self.row), default=None)
        if at is None or self.alternate:
            return self.left
        above = (self.row - lines.rows[at]) * self.width
        return cells(lines.texts[at], above)[0] + self.left

    @property
    def right(self) -> str:
        """The text from the cursor on, on its row."""
        return self._at_cursor()[1]

    def _at_cursor(self) -> tuple[str, str]:
        if self.cursor_y >= len(self.lines):
            return "", ""
        return cells(self.lines[self.cursor_y], self.cursor_x)

    @property
    def row(self) -> int:
        """The cursor's row counted from the oldest row of the history."""
        return self.history_size + self.cursor_y

    @property
    def last(self) -> str:
        """The last line that is not blank."""
        return next((line for line in reversed(self.lines) if line.strip()), "")

    @property
    def last_padded(self) -> str:
        """`last` with the blanks up to the cursor where it is on that line."""
        below = any(line.strip() for line in self.lines[self.cursor_y + 1 :])
        return self.left + self.right if self.left.strip() and not below else self.last

    @property
    def history_is_full(self) -> bool:
        """May rows have been dropped? tmux drops a tenth of the history when it is full."""
        return 0 < self.history_limit * 9 // 10 - 1 <= self.history_size

    @property
    def digest(self) -> int:
        """Of the text on the screen: another one means that something was drawn."""
        return zlib.crc32("\n".join(self.lines).encode())

    @property
    def shows(self) -> tuple:
        """What a person sees: equal twice means nothing was drawn in between."""
        return (
            self.lines,
            self.cursor_x,
            self.cursor_y,
            self.history_size,
            self.alternate,
            self.cursor_visible,
        )


def view_of(target: str, above: int = SLACK) -> View:
    """The view of one pane with at least `above` rows above its screen, as far as there are any.

    Raises TmuxError, kind NO_TARGET or NO_SERVER where there is no such pane.
    """
    global _server
    above = min(above, _MOST_ABOVE)
    at, printed = time.time(), printed_bytes(_server) if _server else None
    mark = f":{secrets.token_hex(8)}"
    show = ("display-message", "-p", "-t", target)
    asks = [word for name in _TEXTS for word in (*show, f":#{{{name}}}", ";")]
    # display-message answers for a missing target with another pane's; capture-pane fails properly.
    capture = ("capture-pane", "-p", "-t", target)
    answer = tmux(
        *(*show, _STATE, ";", *asks, *show, mark, ";", *capture, ";", *show, mark, ";"),
        *(*capture, "-J", "-S", str(-above)),
    ).split("\n")
    if answer.count(mark) != 2:
        raise TmuxError(_CUT, kind=Kind.NO_SERVER)
    first = answer.index(mark)
    second = answer.index(mark, first + 1)
    state = dict(zip((*_WORDS, *_NUMBERS), answer[0].split("|"), strict=False))
    number = {name: int(state[name] or 0) for name in _NUMBERS}
    texts = _texts(answer[1:first])
    rows = [row.expandtabs() for row in answer[first + 1 : second]]  # 3.8 gives tabs back as tabs
    height, history = number["pane_height"], number["history_size"]
    before, _server = _server, number["pid"]
    return View(
        at=at,
        printed=printed if before == _server else None,
        id=state["pane_id"],
        pid=number["pane_pid"],
        tty=state["pane_tty"],
        dead=bool(number["pane_dead"]),
        dead_status=state["pane_dead_status"],
        in_mode=bool(number["pane_in_mode"]),
        alternate=bool(number["alternate_on"]),
        cursor_x=number["cursor_x"],
        cursor_y=number["cursor_y"],
        cursor_visible=bool(number["cursor_flag"]),
        width=number["pane_width"],
        height=height,
        history_size=history,
        history_limit=number["history_limit"],
        server=number["pid"],
        version=version_of(state["version"]),
        input_off=bool(number["pane_input_off"]),
        synchronized=bool(number["pane_synchronized"]),
        activity=number["window_activity"],
        path=" ".join(clean(texts["pane_current_path"]).split("\n")),
        opened=texts[OPENED],
        default=texts[DEFAULT],
        status=texts[STATUS],
        memory={name: texts[name] for name in OPTIONS},
        lines=tuple((rows + [""] * height)[:height]),
        joined=placed(answer[second + 1 : -1], max(history - above, 0), number["pane_width"]),
    )


def _texts(lines: list[str]) -> dict[str, str]:
    """The values of _TEXTS. Each begins with ":"; a path may hold line breaks."""
    values: list[str] = []
    for line in lines:
        if line.startswith(":") and len(values) < len(_TEXTS):
            values.append(line[1:])
        elif values:
            values[-1] += "\n" + line
    return dict(zip(_TEXTS, values, strict=False))


def placed(texts: list[str], first: int, columns: int) -> Lines:
    """Joined lines with the rows on which they begin, the first on row `first`."""
    rows, kept, row = [], [], first
    for text in texts:
        text = text.expandtabs()
        rows.append(row)
        kept.append(text.rstrip())
        row += _height(text, columns)
    return Lines(tuple(kept), tuple(rows), columns)


def _height(text: str, columns: int) -> int:
    """Rows that `text` takes: a wide character that does not fit goes to the next row."""
    if text.isascii():
        return max(-(-len(text) // columns), 1)
    return sum(1 for _ in pieces(text, columns))
