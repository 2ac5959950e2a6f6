"""Starting OpenCode in a pane, finding it there again, and what its TUI shows."""

import os
import re
import shlex
import shutil
import sys
import time
from contextlib import suppress

from ..tmux import process
from ..tmux.actions import Call
from ..tmux.client import tmux
from ..tmux.look import Look
from ..tmux.pane import Pane, find
from ..tmux.settings import Settings
from ..tmux.words import Word
from . import record
from .installed import Wire
from .installed import find as program_of
from .record import LINE, Record, same
from .reply import OpenCodeError, OpenCodeNotInstalled, OpenCodeStartFailed, Patience
from .server import PROGRAM

START_LIMIT = 120.0  # seconds; 5 are usual, ten times that on a loaded machine
QUIET_LIMIT = 2.0  # seconds in which the program in front may end, say why, or show a prompt
SILENT_LIMIT = 30.0  # seconds from Enter until the program in the pane must have begun
READ_LIMIT = 0.5  # seconds for a shell to show that it has done with the line
SHOW_LIMIT = 15.0  # seconds for another TUI to take the place of the one that is there
FAREWELL_ROWS = 4  # last rows, with the prompt, which may have two
# What is typed: a short row whatever the folders are called, for every shell, as sh reads it.
TYPED = f" sh -c 'eval \"$(tmux show -pv {LINE})\"'"
ELSEWHERE = "the screen shows another conversation, where the user has typed: /exit, then start()"
_BY_HAND = re.compile(r"^\.?opencode", re.MULTILINE)
_LEFT = re.compile(r"opencode(?:\.exe)? -s (ses_\w+)")  # "Continue  opencode -s ses_1a2b"


def pane_of(target: str | None, directory: str | None, patience: Patience) -> Pane:
    """The pane `target`; if it is None, the one in the session that runs OpenCode for `directory`:
    the person may look at another window by now. Raises TmuxError, BadValue."""
    settings = Settings.load()
    pane = find(target, settings)
    if target is not None or not directory:
        return pane

    others = tmux("list-panes", "-s", "-t", pane.id, "-F", "#{pane_id}").split()
    for id in [pane.id, *others]:
        there = record.load(id)
        if there.alive and same(there.directory, directory):
            # A line, so that nobody looks for it where it is not.
            if id != pane.id:
                patience.tell(f"continues in pane {id}, where OpenCode runs")
            return find(id, settings)
    return pane


def must_be_free(session: str, pane: str = "") -> None:
    """Raises OpenCodeStartFailed if the conversation runs in another pane: two servers know nothing
    of each other's turns. Raises TmuxError."""
    if other := record.elsewhere(session, pane):
        reason = f"the conversation {session} runs in pane {other}"
        raise OpenCodeStartFailed(reason, f"use pane={other!r}, or end it there")


def started(
    pane: Pane, directory: str | None, resume: str | None, command: str, patience: Patience
) -> bool:
    """Returns once the OpenCode of the pane takes prompts: one that runs or is starting there, or
    a new one, for `directory` or the current one. Returns whether this call has started it. Raises
    OpenCodeError."""
    way = _Way()
    way.may_take(QUIET_LIMIT)
    while patience.left:
        # Before this look: what it waited for may be up by now.
        late = time.monotonic() > way.limit
        there = record.load(pane.id)

        if there.alive and not same(there.directory, directory):
            reason = f"this pane already runs OpenCode in {there.directory}"
            raise OpenCodeStartFailed(reason, "exit() it first, or use another pane")

        if there.alive and there.address:
            if way.session:
                how = "continues" if there.session == way.session else "does not find"
                patience.tell(f"{how} the conversation {way.session}")
            return way.typed

        if there.error:
            record.leave(pane.id)
            if way.typed:
                raise _failure(there)
        elif there.alive:
            way.may_take(QUIET_LIMIT)
        else:
            way.refusal = _stepped(pane, way, there, directory, resume, command)

        if late and time.monotonic() > way.limit:
            reason = way.refusal or "the program that runs OpenCode did not begin, or was ended"
            raise OpenCodeStartFailed(reason, f"Pane {pane.name} shows why; or use another one")

        patience.pause("starting")
    raise OpenCodeStartFailed("OpenCode is not up in time", "start() again waits, exit() ends it")


def _failure(there: Record) -> OpenCodeError:
    """As the program in the pane has told it."""
    if there.hint == OpenCodeNotInstalled.hint:
        return OpenCodeNotInstalled(there.error)
    return OpenCodeStartFailed(there.error, there.hint)


class _Way:
    """How far a start has come."""

    typed = False  # the line that starts it, by this call
    session = ""  # the conversation that it is to continue
    refusal = ""  # why the line cannot be typed

    def may_take(self, seconds: float) -> None:
        """From now on."""
        self.limit = time.monotonic() + seconds


def _stepped(
    pane: Pane, way: _Way, there: Record, directory: str | None, resume: str | None, command: str
) -> str:
    """Does the next step towards an OpenCode in a pane without one; returns why it cannot."""
    view = pane.look(0)
    front = _front(view)

    if f" {PROGRAM} " in front:
        way.may_take(QUIET_LIMIT)  # it is starting, or about to end
        return ""

    if _BY_HAND.search(front):
        reason = f"the OpenCode in pane {pane.name} was started by hand and has no API. "
        return reason + "Ask the user to leave it with /exit; then start() continues what it did"

    if way.typed:
        if shell_is_in_front(pane):
            _must_not_have_failed(pane)
        return ""

    # What has ended here, of the same directory, is continued, unless it goes on elsewhere.
    left = there.session
    if not same(there.directory, directory) or record.elsewhere(left, pane.id):
        left = ""
    way.session = resume or left or _left(view)

    place = directory or there.directory or os.getcwd()
    refusal = _typed(pane, _line(place, way.session, command))
    if not refusal:
        way.typed = True
        way.may_take(SILENT_LIMIT)
    return refusal


def _typed(pane: Pane, line: str) -> str:
    """Has the pane's shell run `line`; returns why it was not typed."""
    tmux("set-option", "-p", "-t", pane.id, LINE, line)
    call = {
        "action": "run",
        "text": TYPED,
        "timeout": 0,
        "pane": pane.id,
    }
    answer = Call().answer(call)
    if answer.word is Word.SENT:
        return ""

    record.change(pane.id, line="")
    return answer.detail or answer.first


def _must_not_have_failed(pane: Pane) -> None:
    """Raises OpenCodeStartFailed if the shell waits for its next command: the line has not started
    it, as where a shell does not know its tmux."""
    call = {
        "action": "wait_ready",
        "timeout": READ_LIMIT,
        "pane": pane.id,
    }
    answer = Call().answer(call)

    # "no server running on /tmp/tmux-0/default", "sh: tmux: not found"; not the line itself.
    rows = answer.text.split("\n")[1:]
    said = " ".join(row for row in rows if LINE not in row)
    if answer.word is Word.READY and "tmux" in said:
        hint = f"Pane {pane.name} shows more; its shell must reach its own tmux"
        raise OpenCodeStartFailed(f"the line that starts OpenCode has ended: {said}", hint)


def _front(view: Look) -> str:
    """The processes in front, one per line."""
    shell = process.read(view.pid)
    if not shell:
        return ""

    rows = []
    for each in process.members(shell.foreground):
        words = process.fact(each.pid, "cmdline").replace("\0", " ")
        rows.append(f"{each.name} {words}")
    return "\n".join(rows)


def _line(directory: str, session: str, command: str) -> str:
    """What starts it, with the `opencode` that the pane's shell finds now, else with the one in the
    caller's PATH."""
    program = f"opencode:{shutil.which('opencode') or ''}"

    if command or os.environ.get("OPENCODE_BIN"):
        program = program_of(command)

    words = [sys.executable, PROGRAM, directory, program, session]
    return f"exec {shlex.join(words)}"


def _left(view: Look) -> str:
    """The conversation of an OpenCode that was started and ended by hand just before: its farewell
    is directly above the prompt."""
    rows = [row for row in view.screen if row.strip()]
    ids = _LEFT.findall("\n".join(rows[-FAREWELL_ROWS:]))

    # Behind our own line it is the farewell of a TUI of ours.
    if not ids or LINE in "".join(rows):
        return ""
    return ids[-1]


def shell_is_in_front(pane: Pane) -> bool:
    """Whether nothing else is, as far as the kernel tells."""
    shell = process.read(pane.look(0).pid)
    return not shell or shell.foreground == shell.group


def is_shown(there: Record, wire: Wire) -> bool:
    """Whether the TUI shows the conversation, or is about to."""
    return wire.FOLLOWS or wire.session in (there.shown, there.wanted)


def show(pane: str, there: Record, wire: Wire) -> None:
    """Has the TUI show the conversation, except where a draft of a person's may be lost by it."""
    if wire.FOLLOWS:
        wire.show()
        return

    # It cannot be told: the program in the pane starts another one.
    if is_shown(there, wire) or there.stamp != record.stamp(pane):
        return

    record.change(pane, wanted=wire.session)
    with suppress(OSError):  # it has ended
        wire.quit_tui(there.tui)
    process.until(lambda: record.load(pane).shown == wire.session, SHOW_LIMIT)
