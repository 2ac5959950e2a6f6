"""Starting OpenCode in a pane, finding it there again, and what its TUI shows."""

import os
import re
import shlex
import shutil
import sys
import time

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
from .reply import OpenCodeNotInstalled, OpenCodeStartFailed, Patience
from .server import PROGRAM

START_LIMIT = 120.0  # seconds; 5 are usual, ten times that on a loaded machine
QUIET_LIMIT = 2.0  # seconds in which the program in front may end, say why, or show a prompt
SILENT_LIMIT = 30.0  # seconds from Enter until the program in the pane must have begun
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
    if target is None and directory:
        for id in [pane.id, *tmux("list-panes", "-s", "-t", pane.id, "-F", "#{pane_id}").split()]:
            there = record.load(id)
            if there.alive and same(there.directory, directory):
                if id != pane.id:
                    patience.tell(f"continues in pane {id}, where OpenCode runs")
                return find(id, settings)
    return pane


def started(
    pane: Pane, directory: str | None, resume: str | None, command: str, patience: Patience
) -> bool:
    """Returns once the OpenCode of the pane takes prompts: one that runs or is starting there, or
    a new one, for `directory` or the current one. Returns whether this call has started it. Raises
    OpenCodeError."""
    typed, session, refusal, limit = False, "", "", time.monotonic() + QUIET_LIMIT
    while patience.left:
        late = time.monotonic() > limit  # before this look: what a refusal waited for may be up
        there = record.load(pane.id)
        fits = same(there.directory, directory)
        if there.alive and not fits:
            reason = f"this pane already runs OpenCode in {there.directory}"
            raise OpenCodeStartFailed(reason, "exit() it first, or use another pane")
        if there.alive and there.address:
            if typed and there.session == session:
                patience.tell(f"continues the conversation {session}")
            return typed
        if there.error:
            record.write(pane.id, Record())
            if typed:
                missing = there.hint == OpenCodeNotInstalled.hint
                kind = OpenCodeNotInstalled if missing else OpenCodeStartFailed
                raise kind(there.error, there.hint)
        elif there.alive or f" {PROGRAM} " in (front := _front(view := pane.look(0))):
            limit = time.monotonic() + QUIET_LIMIT  # it is starting, or about to end
        elif _BY_HAND.search(front):
            refusal = f"the OpenCode in pane {pane.name} was started by hand and has no API. "
            refusal += "Ask the user to leave it with /exit; then start() continues what it did"
        elif not typed:
            session = resume or (there.session if fits else "") or _left(view)
            line = _line(directory or there.directory or os.getcwd(), session, command)
            refusal = _typed(pane, line)
            if typed := not refusal:
                limit = time.monotonic() + SILENT_LIMIT
        if late and time.monotonic() > limit:
            reason = refusal or "the program that runs OpenCode did not begin, or was ended"
            raise OpenCodeStartFailed(reason, f"Pane {pane.name} shows why; or use another one")
        patience.pause("starting")
    raise OpenCodeStartFailed("OpenCode is not up in time", "start() again waits, exit() ends it")


def _front(view: Look) -> str:
    """The processes in front, one per line."""
    shell = process.read(view.pid)
    found = process.members(shell.foreground) if shell else []
    words = (f"{each.name}\0{process.fact(each.pid, 'cmdline')}" for each in found)
    return "\n".join(words).replace("\0", " ")


def _line(directory: str, session: str, command: str) -> str:
    """What starts it, with the `opencode` that the pane's shell finds now, else with the one in the
    caller's PATH."""
    program = f"opencode:{shutil.which('opencode') or ''}"
    if command or os.environ.get("OPENCODE_BIN"):
        program = program_of(command)
    words = [sys.executable, PROGRAM, directory, program, session]
    return f"exec {shlex.join(words)}"


def _typed(pane: Pane, line: str) -> str:
    """Has the pane's shell run `line`; returns why it was not typed."""
    tmux("set-option", "-p", "-t", pane.id, LINE, line)
    answer = Call().answer({"action": "run", "text": TYPED, "timeout": 0, "pane": pane.id})
    if answer.word is Word.SENT:
        return ""
    record.change(pane.id, line="")
    return answer.detail or answer.first


def _left(view: Look) -> str:
    """The conversation of an OpenCode that was started and ended by hand just before: its farewell
    is directly above the prompt."""
    rows = [row for row in view.screen if row.strip()]
    ids = _LEFT.findall("\n".join(rows[-FAREWELL_ROWS:]))
    return ids[-1] if ids and LINE not in "".join(rows) else ""


def shell_is_in_front(pane: Pane) -> bool:
    shell = process.read(pane.look(0).pid)
    return not shell or shell.foreground == shell.group


def show(pane: str, there: Record, wire: Wire) -> None:
    """Has the TUI show the conversation, except where a draft of a person's may be lost by it."""
    if wire.FOLLOWS:
        wire.show()
    elif there.shown != wire.session and there.stamp == record.stamp(pane):
        record.change(pane, wanted=wire.session)
        wire.quit_tui(there.tui)
        process.until(lambda: record.load(pane).shown == wire.session, SHOW_LIMIT)
        record.change(pane, wanted="")
