"""Starting OpenCode in a pane, finding it there again, and what its TUI shows."""

import os
import re
import shlex
import sys
import time

from ..tmux.actions import Call
from ..tmux.base import process
from ..tmux.base.client import tmux
from ..tmux.base.settings import Settings
from ..tmux.base.words import Word
from ..tmux.facts.look import Look
from ..tmux.facts.pane import Pane, find
from . import record
from .record import LINE, Record, same
from .reply import OpenCodeError, OpenCodeNotInstalled, OpenCodeStartFailed, Patience
from .server import NAME, PROGRAM
from .server import find as program_of

START_LIMIT = 120.0  # seconds; 5 are usual, ten times that on a loaded machine
QUIET_LIMIT = 2.0  # seconds in which what is in front may end, or show a prompt
READ_LIMIT = 0.5  # seconds for a shell to show that it has done with the line
FAREWELL_ROWS = 4  # last rows, with the prompt, which may have two
# What is typed: a short row whatever the folders are called, for every shell, as sh reads it. The
# pane is named: without it tmux takes the one that is looked at.
TYPED = f" sh -c 'eval \"$(tmux show -pvt {{}} {LINE})\"'"
_BY_HAND = re.compile(r"^\.?opencode", re.MULTILINE)
_LEFT = re.compile(r"opencode(?:\.exe)? -s (ses_\w+)")  # "Continue  opencode -s ses_1a2b"


def pane_of(target: str | None, directory: str | None, patience: Patience) -> Pane:
    """The pane `target`; if it is None, the one in the session that runs OpenCode for `directory`:
    the person may look at another window by now. Raises TmuxError, BadValue."""
    settings = Settings.load()
    pane = find(target, settings)
    if target is not None or not directory:
        return pane

    for id in [pane.id, *tmux("list-panes", "-s", "-t", pane.id, "-F", "#{pane_id}").split()]:
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
    for other in tmux("list-panes", "-a", "-F", "#{pane_id}").split():
        there = record.load(other)
        if other != pane and there.session == session and there.alive:
            raise OpenCodeStartFailed(
                f"the conversation {session} runs in pane {other}",
                f"use pane={other!r}, or end it there",
            )


def started(
    pane: Pane, directory: str | None, resume: str | None, command: str, patience: Patience
) -> bool:
    """Returns once the OpenCode of the pane takes prompts: one that runs or is starting there, or
    a new one, for `directory` or the current one. Returns whether this call has started it. Raises
    OpenCodeError."""
    way = _Way()
    free = time.monotonic()  # when nothing was in the way
    while patience.left:
        looked = time.monotonic()
        there = record.load(pane.id)
        refusal = ""

        if there.alive and not same(there.directory, directory):
            raise OpenCodeStartFailed(
                f"this pane already runs OpenCode in {there.directory}",
                "exit() it first, or use another pane",
            )

        if there.alive and there.address:
            if there.session == way.session:
                patience.tell(f"continues the conversation {way.session}")
            return way.typed

        if there.error:
            record.leave(pane.id)
            if way.typed:
                raise _failure(there)
        elif not there.alive:
            refusal = _stepped(pane, way, there, directory, resume, command)

        # On a loaded machine a look takes long, and what was in the way may be gone after it.
        if not refusal:
            free = time.monotonic()
        elif looked > free + QUIET_LIMIT:
            raise OpenCodeStartFailed(refusal, f"Pane {pane.name} shows why; or use another one")

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


def _stepped(
    pane: Pane, way: _Way, there: Record, directory: str | None, resume: str | None, command: str
) -> str:
    """Does the next step towards an OpenCode in a pane without one; returns why it cannot."""
    view = pane.look(0)
    front = _front(view)

    if f" {PROGRAM} " in front:
        return ""  # it is starting, or about to end

    if _BY_HAND.search(front):
        return (
            f"the OpenCode in pane {pane.name} was started by hand and has no API. "
            "Ask the user to leave it with /exit; then start() continues what it did"
        )

    if way.typed:
        _must_not_have_ended(pane, there)
        return ""

    # What has ended here, of the same directory, is continued.
    left = ""
    if same(there.directory, directory):
        left = there.session

    way.session = resume or left or _left(view)
    if way.session:
        must_be_free(way.session, pane.id)

    place = directory or there.directory or os.getcwd()
    refusal = _typed(pane, _line(pane.id, place, way.session, command))
    way.typed = not refusal
    return refusal


def _typed(pane: Pane, line: str) -> str:
    """Has the pane's shell run `line`; returns why it was not typed."""
    tmux("set-option", "-p", "-t", pane.id, LINE, line)
    answer = Call().answer(
        {"action": "run", "text": TYPED.format(pane.id), "timeout": 0, "pane": pane.id}
    )
    if answer.word is Word.SENT:
        return ""

    # A caller was killed before Enter: what it has typed is taken back, and typed anew.
    if answer.rule == "a text is left over" and LINE in answer.detail:
        Call().answer({"action": "interrupt", "pane": pane.id})

    record.change(pane.id, line="")
    return answer.detail or answer.first


def _must_not_have_ended(pane: Pane, there: Record) -> None:
    """Raises OpenCodeStartFailed if the shell waits for its next command, and the record is still
    what it was: the line has started nothing, as where a shell does not know its tmux."""
    answer = Call().answer({"action": "wait_ready", "timeout": READ_LIMIT, "pane": pane.id})

    if answer.word is Word.READY and record.load(pane.id) == there:
        # "no server running on /tmp/tmux-0/default", "sh: tmux: not found"
        said = " ".join(answer.text.split())
        raise OpenCodeStartFailed(
            f"the line that starts OpenCode has ended: {said}",
            f"Pane {pane.name} shows more; its shell must reach its own tmux",
        )


def _front(view: Look) -> str:
    """The processes in front, one per line."""
    shell = process.read(view.pid)
    if not shell:
        return ""

    rows = [
        f"{each.name} {process.fact(each.pid, 'cmdline')}"
        for each in process.members(shell.foreground)
    ]
    return "\n".join(rows).replace("\0", " ")


def _line(pane: str, directory: str, session: str, command: str) -> str:
    """What starts it, with the `opencode` that the pane's shell finds now if none is named."""
    program = NAME

    if command or os.environ.get("OPENCODE_BIN"):
        program = program_of(command)

    words = [sys.executable, PROGRAM, pane, directory, program, session]
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
