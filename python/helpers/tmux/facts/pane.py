"""One exact tmux pane: which one a target names; type there, press Enter, store, lock. The session,
created if it is missing, and windows of the agent's own.

Typing is conditional: the server checks a condition made from a look in the same call, so that no
key of a person's can come in between. What is typed reaches tmux by its standard input: arguments
stand in `ps` and in tmux's message log. It reaches this pane alone, past copy mode.
"""

import fcntl
import math
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from ..base import process, programs
from ..base.answer import quoted
from ..base.client import Ahead, TmuxError, as_command, as_word, rows_of, tmux, word
from ..base.settings import Settings
from .look import HOOK, NAMES, OPENED, SLACK, STAMP, STATE, Look, digest, load_key, look, nonce
from .readable import readable

_TYPED = "typed"  # what the server prints where a condition was true
_ENTERED = "entered"
# A tmux command that takes the millisecond in which a shell draws a text.
_IS_DRAWN = ("run-shell", "-d", "0.001")
_MOST_NAMES = 64  # of panes, the latest
TYPING = "typing"
TYPES_FOR = 20.0  # seconds at most: a text is drawn within 15
_LOCK_PAUSE = 0.004  # seconds between two tries for the lock


def same_stamp(seen: Look) -> str:
    """A tmux condition: since `seen` no key has come from an attached terminal, and no other caller
    has typed or answered."""
    number = re.split("[^0-9]", seen.state)[0]  # each record has another one
    return f"#{{==:{STAMP} #{{s/[^0-9].*//:{STATE}}},{seen.stamp} {number}}}"


def at_cell(seen: Look, cell: tuple[int, int]) -> str:
    """A tmux condition: as `same_stamp`, and the cursor is in `cell`."""
    place = "#{e|+:#{history_size},#{cursor_y}} #{cursor_x}"
    return f"#{{&&:{same_stamp(seen)},#{{==:{place},{cell[0]} {cell[1]}}}}}"


@dataclass(slots=True)
class Pane:
    """`name`: the caller's name for it; `seen`: the look that found it, whose `id` survives
    renaming, moving and swapping."""

    name: str
    seen: Look
    new: bool = False  # it was created just now
    notes: list[str] = field(default_factory=list)
    _ahead: Ahead = field(default_factory=Ahead)
    _before: str = ""  # a tmux command that the next look or typing begins with

    @property
    def id(self) -> str:
        """tmux's own name for it: `%3`."""
        return self.seen.id

    def look(self, above: int = SLACK) -> Look:
        """A look at the pane, and at so many rows above its screen. What is to be stored goes
        first."""
        seen = look(self.id, above, before=self._taken_before(), call=self._ahead.tmux)
        if seen.server != self.seen.server:  # started since, it has a pane of the same id
            raise TmuxError("the tmux server has ended", gone=True)
        return seen

    @staticmethod
    def reap() -> None:
        """Makes tmux take in the children that have ended: 3.3a may miss one until another ends."""
        tmux("run-shell", "-b", ":")

    @contextmanager
    def _buffer(self) -> Iterator[str]:
        """The name of a new buffer. If the call fails it may have been loaded."""
        name = f"tmux-tool-{nonce()}"
        try:
            yield name
        except TmuxError:
            with suppress(TmuxError):
                tmux("delete-buffer", "-b", name)
            raise

    def _paste(self, buffer: str, only_if: str, done: str, options: str = "") -> tuple[str, ...]:
        """The tmux command that types what is in the buffer, if the condition is true, and prints
        `done` then; it deletes the buffer."""
        # From 3.7 on tmux pastes control characters as text without -S.
        if self.seen.bracketed is not None:
            options += " -S"
        paste = f"paste-buffer -r{options} -b {buffer} -t {self.id} ; display-message -p {done}"
        return (*self._if(only_if, paste), ";", "delete-buffer", "-b", buffer)

    def _if(self, condition: str, command: str) -> tuple[str, ...]:
        """The tmux commands that run this one if the condition is true, and nothing in between.
        `if-shell` does too, but loses the memory of what it has parsed: before 3.7 2 kB a call."""
        hook = f"#{{?#{{==:{condition},1}},{HOOK},@}}"
        return (
            *("set-hook", "-p", "-t", self.id, HOOK, command, ";"),
            *("set-hook", "-R", "-t", self.id, hook, ";"),
            *("set-hook", "-pu", "-t", self.id, HOOK),
        )

    def _typing(self, buffer: str, only_if: str, options: str = "") -> tuple[str, ...]:
        """The tmux commands that type what comes by standard input, if the condition is true."""
        paste = self._paste(buffer, only_if, _TYPED, options)
        return ("load-buffer", "-b", buffer, "-", ";", *paste)

    def type(self, data: str, only_if: str = "1", bracketed: bool = False) -> bool:
        """Types `data` exactly (Enter is "\\r"), if the condition is true; returns whether it is.
        `bracketed`: as a bracketed paste if the program has turned that on."""
        before = self._taken_before()
        with self._buffer() as buffer:
            typing = self._typing(buffer, only_if, " -p" if bracketed else "")
            return _TYPED in tmux(*typing, stdin=data.encode(), before=before)

    def look_and_enter(
        self, enter_if: str, data: str = "", type_if: str = "0"
    ) -> tuple[Look, bool, bool]:
        """Looks, and presses Enter in the same tmux call if a condition is true.

        enter_if: the condition.
        data: it is typed before that, and a shell has drawn it by the look.
        type_if: the condition of that.

        Returns the look, whether the data was typed, and whether Enter was pressed.
        """
        call = self._ahead.tmux
        first: tuple[str, ...] = ()
        with self._buffer() as buffer:
            if data:
                call = partial(tmux, stdin=data.encode())
                first = (*self._typing(buffer, type_if), ";", *_IS_DRAWN, ";")
            enter = self._paste(buffer, enter_if, _ENTERED)
            then = ("set-buffer", "-b", buffer, "\r", ";", *enter)
            seen = look(self.id, first=first, then=then, before=self._taken_before(), call=call)

        return seen, _TYPED in seen.said, _ENTERED in seen.said

    def _taken_before(self) -> str:
        """The tmux command that the next look or typing begins with; it is left to the caller."""
        before = self._before
        self._before = ""
        return before

    def store(self, state: str, now: bool = True, only_if: str = "1") -> None:
        """Stores the state on the pane, if the condition is true, or in the call that looks or
        types next."""
        command = f"set-option -p -t {self.id} {STATE} {as_word(state)}"
        self._before = as_command(*self._if(only_if, command))
        if now:
            self._ahead.tmux(before=self._taken_before())

    def prepare(self) -> None:
        """Starts what the next look and the next record need, while nobody waits for it."""
        self._ahead.start()

    def end(self) -> None:
        """Stores what no look has stored yet (its caller has gone, perhaps, in between), and ends
        what was started ahead."""
        before = self._taken_before()
        if before:
            with suppress(TmuxError):
                self._ahead.tmux(before=before)
        self._ahead.end()

    @contextmanager
    def lock(self, limit: float, nap: Callable[[float], object], what: str = "") -> Iterator[bool]:
        """Holds the pane for one caller: threads, processes and chats take turns, and the kernel
        releases the lock when its holder dies. `what`: TYPING alone, which a call that waits does
        not. Yields whether it had to wait. Raises TmuxError after `limit` seconds."""
        path = f"{self.seen.socket_path}{self.id}{what}"  # in tmux's folder, its user's own
        end = time.monotonic() + limit
        waited = False

        while True:
            file = os.open(path, os.O_CREAT, 0o600)
            with suppress(BlockingIOError, FileNotFoundError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.stat(path).st_ino == os.fstat(file).st_ino:
                    break  # else its last holder has removed it

            os.close(file)
            waited = True
            if time.monotonic() > end:
                raise TmuxError(
                    f"another caller has been using {self.name} for {limit:g}s",
                    "wait for it with wait_ready and try again, or stop its program with interrupt",
                )

            nap(_LOCK_PAUSE)

        try:
            yield waited
        finally:
            with suppress(OSError):
                os.unlink(path)
            os.close(file)


# A window of the agent's own goes by its name.
_MADE = "@tmux_tool_made"  # on the pane that `open` made: another may be moved to its window
_OWN = f"#{{==:#{{{OPENED}}},#{{window_name}}}}"
# A name that has a colon, which tmux 3.8 allows, would end there.
_SESSION = "#{?#{m:*:*,#{session_name}},#{session_id},#{session_name}}"
_TARGET = f"{_SESSION}:#{{?{_OWN},#{{window_name}},#{{window_index}}.#{{pane_index}}}}"
_STACK = f"#{{window_stack_index}} #{{window_id}} #{{{OPENED}}}"


def find(target: str | None, settings: Settings) -> Pane:
    """The pane that `target` names exactly; for None or the session's name, the pane that the
    person looks at. A missing session is created. Raises TmuxError, whose hint lists the existing
    panes."""
    session = settings.session
    if target is not None and target.removesuffix(":") != session:
        return _exactly(target)

    seen, notes = _in_session(settings)
    new = bool(notes)
    if seen.opened:
        seen = _looked_at_last(session) or seen
    return Pane(session, seen, new, notes)


def _in_session(settings: Settings) -> tuple[Look, list[str]]:
    """The session's current pane, and a note where the session was created for it."""
    session = settings.session
    try:
        return look(f"={session}:"), []
    except TmuxError as problem:
        if not problem.gone:
            raise

    place = _create(settings)
    seen = look(f"={session}:")
    created = f"session {session} did not exist and was created in {place} (detached,"
    socket = seen.socket_path  # it is another one where TMUX_TMPDIR is not passed on
    attach = f"a person sees it with: tmux -S {socket} attach -t {session}"
    return seen, [f"{created} {seen.width}x{seen.height}); {attach}"]


def _looked_at_last(session: str) -> Look | None:
    """What the person looked at last, where they look at a window of the agent's own."""
    stack = [row.split() for row in rows_of("list-windows", "-t", f"={session}:", "-F", _STACK)]
    # 0 is the stack's current one, and those never looked at
    theirs = {int(place) or math.inf: id for place, id, *opened in stack if not opened}
    if not theirs:
        return None
    return look(theirs[min(theirs)])


def bind(pane: Pane, acts: bool) -> None:
    """From now on the name of `pane` stands for it. Where an answer has told another pane by that
    name (the person looks elsewhere, has split, moved or renamed), a call that `acts`, or waits for
    what that left, is refused once, with a TmuxError; what only looks is told by a note."""
    here = pane.id
    if pane.name == here:
        return

    bound = _bound(pane.seen.names)
    key = _key(pane.name)
    before = bound.pop(key, "")
    if before == here:
        return

    pairs = [f"{key}={id}" for key, id in [*bound.items(), (key, here)]]
    tmux("set-option", "-g", NAMES, " ".join(pairs[-_MOST_NAMES:]))
    if not before:
        return

    default = ":" not in pane.name
    leads = f"the person looks at {here} now" if default else f"{pane.name} leads to {here} now"
    if not acts:
        leads = f"the person has gone on to {here}" if default else leads
        pane.notes.append(f"{leads}; this answer is about it")
        return

    if before not in panes():
        what = f"the pane {before} has ended; nothing was typed"
        raise TmuxError(what, gone=True, rule="the pane of that name has ended")

    hint = f"say which is meant: pane {quoted(before)} or pane {quoted(here)};"
    hint += f" after read the same call goes to {here}; nothing was typed"
    what = f"the last answer was about {before}, and {leads}"
    raise TmuxError(what, hint, rule="the name leads to another pane")


def _bound(names: str) -> dict[str, str]:
    """The pane to which each name is bound, by its key."""
    return dict(one.split("=") for one in names.split())


def _key(name: str) -> str:
    """By what a name is bound: a window's may have any signs."""
    return f"{digest(name):x}"


def _exactly(target: str) -> Pane:
    """The pane with this target and no other; raises TmuxError with those that there are."""
    shown = target[:200]  # a longer one would not fit into tmux's message
    try:
        return Pane(target, look(_exact(shown)))
    except TmuxError as problem:
        targets = panes()
        if targets:
            load_key()

        names = "".join(rows_of("show-options", "-gqv", NAMES))
        told = _bound(names).get(_key(target), "")
        listed = next((id for id, name in targets.items() if name == target), "")
        for id in (told, listed):  # renamed, or another one has its name too
            if id in targets:
                by_now = f"{target} is {targets[id]} ({id}) by now"
                notes = [] if targets[id] == target else [by_now]
                return Pane(target, look(id), notes=notes)

        if not problem.gone:
            raise

        existing = ", ".join(f"{name} ({id})" for id, name in targets.items())
        hint = "there are no panes; leave out `pane`"
        if existing:
            hint = f"use one of: {existing}"

        raise TmuxError(f"there is no pane {quoted(shown)}", hint) from None


def _exact(target: str) -> str:
    """`target`, so that tmux compares whole names of sessions and windows, not their beginnings."""
    target = word(target)
    if target[:1] in "%@$":
        return target
    session, _, rest = target.removeprefix("=").partition(":")
    if rest and not re.match(r"\d+(?:\.|$)|[@%=.+{^$!-]", rest):
        return f"={session}:={rest}"
    return f"={session}:{rest}"


def _create(settings: Settings) -> str:
    """Creates the session; returns the directory in which it starts."""
    place = settings.directory or os.getcwd()
    size = ("-x", str(settings.width), "-y", str(settings.height))
    where = ("-c", word(place, expanded=True))
    stays = ("set-option", "-t", f"={settings.session}:", "destroy-unattached", "off")
    new = ("new-session", "-d", "-s", settings.session, *size, *where)

    for is_last in (False, True):  # the server was ending, and lost the session
        try:
            tmux(*readable(new, settings, is_first=True), ";", *stays)
            break
        except TmuxError as problem:
            if "duplicate session" in str(problem):  # another caller was faster, or a hook sleeps
                break
            if is_last:
                raise

    return place


def panes() -> dict[str, str]:
    """Id and target of every pane of the server; empty if there is no server. The sessions of a
    group share them."""
    found: dict[str, str] = {}
    for row in rows_of("list-panes", "-aF", f"#{{pane_id}} {_TARGET}"):
        id, _, target = row.partition(" ")
        found.setdefault(id, target)
    return found


def persons_view(session: str) -> str:
    """The window that people attached to the session see: `shared:0`."""
    shown = "#{session_name}:#{window_index}"
    return tmux("display-message", "-p", "-t", f"={session}:", shown).strip()


def open_window(name: str, directory: str | None, settings: Settings) -> Pane:
    """The agent's window `name` in the session, opened if there is none. The person's view stays.
    Raises TmuxError."""
    seen, notes = _in_session(settings)
    folder = seen.pane_current_path
    session = settings.session
    target = f"={session}:={name}"
    own = f"#{{==:#{{{OPENED}}},{name}}}"  # the person's may have the same name by now
    new = False
    try:
        ours = rows_of("list-windows", "-t", f"={session}:", "-f", own, "-F", "#{window_id}")
        seen = look(ours[0] if ours else target)
    except TmuxError as problem:
        if not problem.gone:
            raise
        place = word(directory or settings.directory or folder, expanded=True)
        # -S: not if there is one by now
        opens = ("new-window", "-d", "-S", "-t", f"={session}:", "-n", name, "-c", place)
        marks = (
            *("set-option", "-w", "-t", target, OPENED, name, ";"),
            *("set-option", "-p", "-t", target, _MADE, name, ";"),
            *("set-option", "-w", "-t", target, "allow-rename", "off"),
        )
        try:
            tmux(*readable(opens, settings), ";", *marks)
        except TmuxError as problem:
            if not problem.late:
                raise
            tmux(*marks)  # a hook that sleeps (after-new-window) has kept them back
        seen = look(target)
        new = True
    if not seen.opened:
        raise TmuxError(
            f"the person has a window {quoted(name)} in {session}; nothing was opened",
            "open one with another name",
        )
    return Pane(f"{session}:{name}", seen, new, notes)


def close_window(pane: Pane, half_typed: str) -> None:
    """Ends the window of the pane. Raises TmuxError if that must not be."""
    seen = pane.seen
    name = pane.name
    first = process.read(seen.pid)
    running = process.children(first) if first and programs.of(first.name).shell else [first]
    names = ", ".join(dict.fromkeys(each.name for each in running if each))
    alone = "#{&&:#{==:#{window_panes},1},#{!=:#{session_windows},1}}"

    if not (seen.opened and tmux("show-options", "-pqv", "-t", seen.id, _MADE).strip()):
        why = f"{name} is not a window that open made, or another pane is there"
        hint = "only the person may end their own windows"
    elif names:
        why = f"{names} is still running in {name}"
        hint = "end it first: with interrupt, its own way out, or kill %1 for a background job"
    elif half_typed:
        why = f"a half-typed line is in {name}: {quoted(half_typed)}"
        hint = "ask the person to finish or clear it"
    elif "1" not in tmux("display-message", "-p", "-t", seen.id, alone):
        why = f"{name} has other panes, or is its session's last window"
        hint = "leave it"
    else:
        tmux("kill-window", "-t", seen.id)
        return

    raise TmuxError(f"{why}; nothing was closed", hint)
