"""What one look at a pane shows: tmux's state, the visible rows and the lines above them. Pure."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from functools import cached_property

from ...output import cells, pieces


@dataclass(frozen=True)
class Lines:
    """Lines of a pane, with wrapped rows joined. `rows[i]`: the row on which `texts[i]` begins,
    counted from the oldest row of the history."""

    texts: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    columns: int = 0  # of the pane

    @property
    def first(self) -> int:
        """The row of the first line; 0 if there is none."""
        return self.rows[0] if self.rows else 0

    def upto(self, row: int | None) -> Lines:
        """The lines that begin at `row` or above it; all if `row` is None."""
        if row is None:
            return self
        count = sum(start <= row for start in self.rows)
        return Lines(self.texts[:count], self.rows[:count], self.columns)

    def at(self, row: int) -> str:
        """The line that spans `row`; "" if there is none."""
        return next(reversed(self.upto(row).texts), "")

    def last_row(self, at: int) -> int:
        """The row on which the line number `at` ends."""
        return self.rows[at] + _height(self.texts[at], self.columns) - 1

    def since(self, row: int) -> list[str]:
        """The lines from `row` on; a line that spans it is split there."""
        return self.split(row)[1]

    def split(self, row: int) -> tuple[list[str], list[str]]:
        """The lines above `row`, and those from there on; a line that spans it is split."""
        at = next((i for i, start in enumerate(self.rows) if start >= row), len(self.rows))
        above, below = list(self.texts[:at]), list(self.texts[at:])
        end = self.rows[at] if at < len(self.rows) else row
        if at and _height(above[-1], self.columns) > row - self.rows[at - 1]:
            head, tail = cells(above[-1], (row - self.rows[at - 1]) * self.columns)
            above[-1], below = head, [tail, *below]
        elif at:  # erased rows
            below = [""] * (end - row) + below
        return above, below

    @cached_property
    def physical(self) -> dict[int, str]:
        """Each row and its text, without trailing spaces. A row into which a line had wrapped is
        not part of the line's text once it was erased."""
        texts: dict[int, str] = {}
        row = self.first
        for start, text in zip(self.rows, self.texts, strict=True):
            texts.update((erased, "") for erased in range(row, start))
            short = len(text) <= self.columns and text.isascii()
            rows = [text] if short else pieces(text, self.columns)
            for row, piece in enumerate(rows, start):
                texts[row] = piece.rstrip()
            row += 1
        return texts


@dataclass(frozen=True, slots=True)
class Stamp:
    """When a key last came from an attached terminal. tmux stores whole seconds, so another key in
    the second of a look would not show (`settled` is then false)."""

    value: str = ""
    settled: bool = False
    second: int = 0  # since the epoch


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One look at a pane. Sizes and places are in cells."""

    at: float  # monotonic seconds, when the look began
    now: int  # seconds since the epoch, by the server's clock
    id: str
    pid: int  # the pane's first process
    tty: str
    dead: bool
    dead_status: str
    in_mode: bool  # a person scrolls: copy mode or another
    scrolled: int  # lines by which they have scrolled back
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
    title: str
    path: str
    opened: str  # the name under which `open` made the window, "" for any other
    default: str  # of its session: the pane that the last answer without `pane` was about
    status: str  # the last command's exit status, if the shell reports it to tmux
    command_runs: str  # "1" or "0" if the shell reports that, else ""
    stamp: Stamp
    people: int  # terminals attached to its session, or to one in a group
    latest_person: int  # seconds since the epoch at which the last of them attached; 0: none
    unseen_people: int  # control-mode clients that show the pane: their keys leave no stamp
    bracketed: bool | None  # the program has turned bracketed paste on; None before tmux 3.7
    keypad: bool  # application keypad mode
    left_over: bool = False  # it is the alternate screen of a killed program, which a shell uses
    memory: dict[str, str] = field(default_factory=dict)  # values of OPTIONS
    printed: int | None = None  # bytes that the server had read before it; None: unknown
    lines: tuple[str, ...] = ()  # the visible rows
    joined: Lines = field(default_factory=Lines)  # those and some above, wrapped rows joined

    @property
    def nobody_is_attached(self) -> bool:
        """Whether neither a terminal nor a control-mode client shows the pane."""
        return not (self.people or self.unseen_people)

    @property
    def silent(self) -> float:
        """Seconds without output. tmux stores whole seconds, so it may be one too few."""
        return max(self.now - self.activity - 1.0, 0.0)

    @property
    def is_full_screen(self) -> bool:
        """Whether its program draws the whole screen: the alternate one, or, as top does, with a
        hidden cursor and in keypad mode."""
        return self.alternate or (self.keypad and not self.cursor_visible)

    @property
    def ended(self) -> str:
        """How an answer describes a dead pane."""
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
        lines = self.joined.upto(self.row)
        if not lines.rows or self.alternate:
            return self.left
        above = (self.row - lines.rows[-1]) * self.width
        return cells(lines.texts[-1], above)[0] + self.left

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
    def cell(self) -> tuple[int, int]:
        """The cursor's row, counted in the same way, and its column."""
        return self.row, self.cursor_x

    def row_below(self, down: int) -> int:
        """The row of the cursor once a text has moved it `down` rows. If that scrolls a full
        history, tmux drops its oldest tenth (grid_collect_history), which renumbers the rows."""
        size, limit, bottom = self.history_size, self.history_limit, self.height - 1
        for _ in range(self.cursor_y + down - bottom if limit else 0):
            size += 1 - self._tenth * (size >= limit)
        return size + min(self.cursor_y + down, bottom)

    def rows_down(self, row: int) -> int:
        """By how many rows a text has moved the cursor, which is now on `row`. Text that a program
        draws below the cursor (node's preview) may have scrolled more rows away."""
        ways = [row - self.row + self._tenth * dropped for dropped in range(10)]
        exact = (down for down in ways if down >= 0 and self.row_below(down) == row)
        return next(exact, (row - self.row) % self._tenth)

    def rows_trimmed(self, row: int) -> range:
        """The rows on which `row` of an earlier look may be now: it moves up only when tmux drops a
        tenth of the history."""
        return range(row, -1, -self._tenth)

    @property
    def _tenth(self) -> int:
        return max(self.history_limit // 10, 1)

    @property
    def last(self) -> str:
        """The last line that is not empty."""
        return next(filter(str.strip, reversed(self.lines)), "")

    @property
    def last_padded(self) -> str:
        """`last` with the spaces up to the cursor if it is on that line."""
        below = any(map(str.strip, self.lines[self.cursor_y + 1 :]))
        return self.left + self.right if self.left.strip() and not below else self.last

    @property
    def history_is_full(self) -> bool:
        """Whether rows may have been dropped. tmux drops a tenth of the history when it is full."""
        return 0 < self.history_limit * 9 // 10 - 1 <= self.history_size

    @property
    def digest(self) -> int:
        """The digest of the text on the screen: if it differs, something was drawn."""
        return digest("\n".join(self.lines))

    @property
    def shows(self) -> tuple:
        """What a person sees: if equal twice, nothing was drawn in between."""
        return (
            self.lines,
            self.cursor_x,
            self.cursor_y,
            self.history_size,
            self.alternate,
            self.cursor_visible,
        )


def digest(text: str) -> int:
    """What identifies a text that is not stored."""
    return zlib.crc32(text.encode("utf-8", "replace"))


def placed(texts: list[str], end: int, columns: int, whole: bool) -> Lines:
    """Joined lines and the rows on which they begin, counted upwards from `end`, the row below the
    last: a line whose further rows were erased is shorter than its rows. `whole`: the first line is
    the pane's first."""
    rows, kept = [], []
    for text in reversed(texts):
        text = text.expandtabs()
        end -= _height(text, columns)
        rows.append(max(end, 0))
        kept.append(text.rstrip())
    if rows and whole:
        rows[-1] = 0
    return Lines(tuple(reversed(kept)), tuple(reversed(rows)), columns)


def _height(text: str, columns: int) -> int:
    """The rows that `text` takes: a wide character that does not fit goes to the next row."""
    if text.isascii():
        return max(-(-len(text) // columns), 1)
    return sum(1 for _ in pieces(text, columns))
