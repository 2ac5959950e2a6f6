"""Bringing OpenCode up in a pane, and finding it there again."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import time
from pathlib import Path

from ..tmux.actions import Call
from ..tmux.evidence.kernel import process
from ..tmux.settings import BadSetting, Settings
from ..tmux.terminal.client import GONE, Kind, TmuxError, tmux
from ..tmux.terminal.pane import Pane
from ..tmux.terminal.view import View
from ..tmux.terminal.windows import find
from ..tmux.words import Word
from . import program, record, reply
from .record import FAILED, RECORD, UP, Record
from .reply import OpenCodeError, OpenCodeStartFailed, Progress

FOLDER = Path(__file__).parent

__all__ = ["GONE", "Kind", "Pane", "TmuxError", "pane_of", "started", "wait_for_shell"]

START_LIMIT = 120.0  # seconds; 4 to 6 are usual, ten times that on a loaded machine
SHELL_LIMIT = 10.0  # seconds that a new session's shell may take to show its prompt,
REFUSED_LIMIT = 2.0  # and in which what is in front of an old one may end
SILENT_LIMIT = 15.0  # seconds from Enter until the program in the pane must have begun
EVERY = 0.1  # seconds between two looks: each costs a process, and OpenCode needs the processor
FAREWELL_ROWS = 4  # above the cursor; a prompt may have two
BY_HAND = "ask the user to leave it with /exit: start() then goes on with its conversation"
_LEFT = re.compile(r"opencode(?:\.exe)? -s (ses_\w+)")  # it leaves "Continue  opencode -s ses_1a2b"


def pane_of(target: str | None, directory: str | None, report: Progress) -> Pane:
    """The target's; where none is named, the one in the session that runs OpenCode for `directory`
    already: the person may look at another window by now. Raises TmuxError."""
    try:
        found = find(target, Settings.load())
    except BadSetting as problem:
        raise OpenCodeError(str(problem), "change it or take it back") from None
    pane = found.pane
    if target is not None or directory is None or _runs_for(pane.id, directory):
        return pane
    form = f"#{{?{RECORD},#{{pane_id}},}}"
    for other in tmux("list-panes", "-s", "-t", pane.id, "-F", form).split():
        if _runs_for(other, directory):
            report.tell(f"goes on in pane {other}, where OpenCode runs")
            return find(other, Settings.load()).pane
    return pane


def _runs_for(pane: str, directory: str) -> bool:
    there, _ = record.load(pane)
    return bool(there and there.alive and _same(there.directory, directory))


def _same(one: str, other: str | None) -> bool:
    """Whether they are one directory. None: any."""
    return other is None or os.path.realpath(one) == os.path.realpath(other)


def started(
    pane: Pane, directory: str | None, resume: str | None, command: str, report: Progress
) -> Record:
    """The OpenCode of the pane, once it takes prompts: the one that runs there, or comes up there,
    or one that is started, for `directory` or the current one. Raises OpenCodeStartFailed,
    OpenCodeNotInstalled."""
    began, typed, refusal = time.monotonic(), 0.0, None
    while (now := time.monotonic()) < began + START_LIMIT:
        there, turn = record.load(pane.id)
        if there and not there.alive:
            record.clear(pane.id, there.tag)
            if typed and there.state == FAILED:
                raise reply.error_of(there.error or {})
        elif there and there.state == UP:
            if not _same(there.directory, directory):
                reason = f"this pane already runs OpenCode in {there.directory}"
                raise OpenCodeStartFailed(reason, "exit() it first, or use another pane")
            return there
        elif there is None and typed and now > typed + SILENT_LIMIT:
            reason = "the program that runs OpenCode did not begin"
            raise OpenCodeStartFailed(reason, f"pane {pane.name} may say why")
        elif there is None and not typed:
            view = pane.look()
            if refusal and now > began + (SHELL_LIMIT if _is_new(view) else REFUSED_LIMIT):
                raise refusal
            ended = turn.session if turn.directory and _same(turn.directory, directory) else ""
            place = directory or (ended and turn.directory) or os.getcwd()
            refusal = _type(pane, view, place, resume or ended or _left(view), command, report)
            typed = 0.0 if refusal else time.monotonic()
        report.say("starting")
        time.sleep(EVERY)
    reason = f"OpenCode is not up after {START_LIMIT:g} s"
    raise OpenCodeStartFailed(reason, "start() again waits on, exit() ends it")


def _type(
    pane: Pane, view: View, directory: str, session: str, command: str, report: Progress
) -> OpenCodeStartFailed | None:
    """Types the line that starts it, or gives the error where that is refused."""
    leader = process.read(view.pid)
    group = process.members(leader.foreground) if leader else []
    if any(one.name.lstrip(".").startswith("opencode") for one in group):
        reason = f"the OpenCode in pane {pane.name} was started by hand and has no API"
        raise OpenCodeStartFailed(reason, BY_HAND)
    words = [_python(), str(FOLDER), directory, *_program(view, command)]
    line = " " + shlex.join([*words, *(["-s", session] if session else [])])
    answer = Call().answer({"action": "run", "text": line, "timeout": 0, "pane": pane.id})
    if answer.word is not Word.SENT:
        return OpenCodeStartFailed(answer.detail or answer.first, "or use another pane")
    if session:
        report.tell(f"the conversation {session} goes on")
    return None


def _python() -> str:
    """The caller's own, by its short name where that is it."""
    found = shutil.which("python3")
    same = found and os.path.realpath(found) == os.path.realpath(sys.executable)
    return "python3" if same else sys.executable


def _program(view: View, command: str) -> list[str]:
    """What the line has to name: nothing, where the pane's shell was born with an opencode."""
    variables = process.content(f"/proc/{view.pid}/environ").decode("utf-8", "replace").split("\0")
    path = next((one[5:] for one in variables if one.startswith("PATH=")), "")
    wanted = command or os.environ.get("OPENCODE_BIN") or ""
    if not wanted and shutil.which("opencode", path=path):
        return []
    return [program.find(wanted)]


def _left(view: View) -> str:
    """The conversation of an OpenCode that was started and ended by hand just before: its farewell
    is the last thing above the prompt."""
    rows = [row for row in view.lines if row.strip()]
    ids = _LEFT.findall("\n".join(rows[-FAREWELL_ROWS:]))
    return ids[-1] if ids and not any(str(FOLDER) in row for row in rows) else ""


def _is_new(view: View) -> bool:
    """Whether nothing has been drawn yet: its shell begins."""
    return not any(row.strip() for row in view.lines)


def wait_for_shell(pane: Pane, deadline: float) -> None:
    """Returns once the pane's shell is in front again."""

    def in_front() -> bool:
        shell = process.read(pane.look().pid)
        return shell is None or shell.foreground == shell.group

    process.until(in_front, deadline - time.monotonic())
