"""Bringing OpenCode up in a pane, finding it there again, and ending it."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shlex
import shutil
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ..tmux import process
from .api import Api, is_own_port
from .database import members
from .record import LAUNCH, PASSWORD, TAG, Record, clear
from .reply import OpenCodeNotInstalled, OpenCodeStartFailed, Progress
from .screen import Frame
from .terminal import Front, Terminal, TmuxError

START_LIMIT = 15.0  # seconds; 3 to 4.5 are usual
COMPUTES = 3.0  # seconds more after it last computed, on a loaded machine,
LONGEST_START = 45.0  # and at most so many
COMPUTED = 20  # hundredths of a second of CPU that count as such
API_LIMIT = 3.0  # seconds that the API may come after the screen; it comes before it
TAKEN_LIMIT = 1.0  # seconds of a stranger on our port: an OpenCode that ends looks like one
QUIT_LIMIT = 2.0  # seconds for ending by itself; 0.1 to 0.4 are usual
END_LIMIT = 2.0  # seconds for each signal
SHELL_LIMIT = 2.0  # seconds for the shell's prompt to be back
EVERY = 0.05  # seconds between two looks: each costs a process, and OpenCode needs the processor
LINE = f' eval "$(tmux show -pv {LAUNCH})"'  # the blank keeps it out of most histories
# bash without HISTCONTROL=ignorespace remembers the line; negative places are bash 5's
FORGET = f"case $(HISTTIMEFORMAT= history 1) in *{LAUNCH}*) history -d -1;; esac 2>/dev/null; "
UNAUTHORIZED = re.compile(r"\b401\b|Unauthorized")  # an older TUI does not tell its own server
_MISSING = re.compile(r"not found|unknown command|no such file", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What is to be started: `words` are program, directory and flags."""

    words: list[str]
    exact: bool  # with the API
    must_be_exact: bool


class Unauthorized(OpenCodeStartFailed):
    """This version cannot be used with a password."""


def existing(terminal: Terminal, progress: Progress) -> Record | None:
    """The OpenCode that this pane runs, whoever started it. What a killed caller left is put right:
    a start is waited for, an end is finished, the traces of one that is gone are cleared."""
    record = Record.load(terminal)
    if record is None:
        clear(terminal)
        return _started_by_hand(terminal)
    if record.alive and not record.ending:
        return record
    if not record.group and terminal.wait_for_shell() is None and record.processes():
        return _come_up(terminal, record, api_of(terminal, record, asked=False), progress)
    end(terminal, record)
    return _started_by_hand(terminal)


def _started_by_hand(terminal: Terminal) -> Record | None:
    """There is no API to it, only its screen."""
    front = terminal.front()
    if not front.view.alternate or not front.group or front.is_shell:
        return None  # a shell in front of a stopped one shows its last frame
    record = Record().with_group(front.group)
    return record if record.alive and Frame(front.view).status is not None else None


def api_of(terminal: Terminal, record: Record, asked: bool = True) -> Api | None:
    """The API of a recorded OpenCode; `asked`: only if it is known to be it that answers there."""
    password = terminal.option(PASSWORD)
    if not record.port or not password:
        return None
    api = Api(record.port, password)
    if asked and not (is_own_port(record.port, record.group) and api.is_secured()):
        return None
    return api


def launch(terminal: Terminal, plan: Launch, progress: Progress) -> Record:
    """Types the launch at the pane's shell prompt and returns once the TUI takes input. Raises
    OpenCodeStartFailed with a reason, OpenCodeNotInstalled, TmuxError."""
    try:
        return _launch(terminal, plan, progress)
    except OpenCodeNotInstalled:
        own = shutil.which(plan.words[0])
        if not own or os.path.isabs(plan.words[0]):
            raise
        progress.tell(f"the pane's shell finds no {plan.words[0]}, so {own} is started")
        return _launch(terminal, replace(plan, words=[own, *plan.words[1:]]), progress)
    except Unauthorized:  # 1.2 to 1.17
        if plan.must_be_exact:
            raise
        terminal.press("C-c")  # the terminal's replies to it may be at the prompt now
        return _launch(terminal, replace(plan, exact=False), progress)


def _launch(terminal: Terminal, plan: Launch, progress: Progress) -> Record:
    shell = _free_shell(terminal)
    record = Record(shell=shell.group, directory=plan.words[1], tag=secrets.token_hex(8))
    line, api = f"{TAG}={record.tag} {shlex.join(plan.words)}", None
    if plan.exact:
        record = replace(record, port=_free_port())
        terminal.set_option(PASSWORD, password := secrets.token_urlsafe(24))
        api = Api(record.port, password)
        # The shell reads the password itself: it is in no argument and on no screen.
        key = f"OPENCODE_SERVER_PASSWORD=$(tmux show -pv {PASSWORD})"
        line = f"{key} {line} --port {record.port} --hostname 127.0.0.1"
    try:
        terminal.set_option(LAUNCH, (FORGET if shell.name == "bash" else "") + line)
        record.save(terminal)
        _type(terminal)
        record = _come_up(terminal, record, api, progress)
        if plan.must_be_exact and not record.port:
            reason = "OpenCode came up without its API"
            raise OpenCodeStartFailed(reason, 'leave channel="auto" to go by the screen')
        return record
    except BaseException:
        end(terminal, Record.load(terminal) or record)
        raise


def _free_shell(terminal: Terminal) -> Front:
    """The shell that waits at its prompt, on its own screen."""
    shell = terminal.wait_for_shell()
    if shell is None:
        name = terminal.front().name or "another program"
        raise OpenCodeStartFailed(
            f"{name} is in front in pane {terminal.name}", "end it, or use another pane"
        )
    if shell.view.alternate:  # left on by a program that was killed
        terminal.mend(shell.view)
        terminal.wait_for_shell()
    return shell


def _type(terminal: Terminal) -> None:
    try:
        terminal.type_command(LINE)
    except TmuxError as problem:
        raise OpenCodeStartFailed(str(problem), "or use another pane") from None


class _Patience:
    """How long a start may take: longer while it computes."""

    def __init__(self) -> None:
        self._began = self._computed = time.monotonic()
        self._ticks = 0

    def lasts(self, group: int) -> bool:
        now, leader = time.monotonic(), process.read(group) if group else None
        if leader and leader.ticks > self._ticks + COMPUTED:
            self._ticks, self._computed = leader.ticks, now
        age = now - self._began
        return age < START_LIMIT or (now < self._computed + COMPUTES and age < LONGEST_START)


def _come_up(terminal: Terminal, record: Record, api: Api | None, progress: Progress) -> Record:
    """Waits until OpenCode takes input. The record without a port where its API did not come."""
    patience = _Patience()
    shown = strange = None  # time.monotonic() since when
    while patience.lasts(record.group):
        front, now = terminal.front(), time.monotonic()
        if not record.group and front.group in _groups(record):
            record = record.with_group(front.group).save(terminal)
        back_at_shell = front.group == record.shell and not front.view.alternate
        if back_at_shell and terminal.wait_for_shell(EVERY * 10):
            raise _failure(terminal)
        if front.view.alternate and record.group and Frame(front.view).status is not None:
            shown = shown or now
            if api is None or _is_ready(api, record):
                break
            if now > shown + API_LIMIT:
                terminal.set_option(PASSWORD, None)
                record = replace(record, port=0)
                break
        if api and is_own_port(record.port, record.group) is False:
            strange = strange or now
            _refuse_stranger(record, now - strange)
        else:
            strange = None
        progress.say("starting")
        time.sleep(EVERY)
    else:
        shows = " / ".join(row.strip() for row in terminal.look().lines if row.strip())[-300:]
        reason = f"OpenCode took no input in time; the screen shows {shows or 'nothing'}"
        raise OpenCodeStartFailed(reason)
    terminal.set_option(LAUNCH, None)
    return record.save(terminal)


def _is_ready(api: Api, record: Record) -> bool:
    """Whether the API is OpenCode's own and answers to the password alone."""
    secured = api.is_secured() if is_own_port(record.port, record.group) else None
    if secured is False:
        raise OpenCodeStartFailed(
            "this version ignores the password: its API is open to every user of this machine",
            'update it, or use channel="screen"',
        )
    return bool(secured)


def _refuse_stranger(record: Record, seconds: float) -> None:
    if seconds > TAKEN_LIMIT:
        raise OpenCodeStartFailed(
            f"port {record.port} was taken by another program meanwhile; OpenCode would stay blank",
            "start again",
        )


def _failure(terminal: Terminal) -> OpenCodeStartFailed | OpenCodeNotInstalled:
    """The reason, from the rows between the launch line and the new prompt."""
    view = terminal.look()
    rows = list(view.lines[: view.cursor_y])
    begin = max((i + 1 for i, row in enumerate(rows) if LINE.strip() in row), default=0)
    text = " ".join(" ".join(row.split()) for row in rows[begin:] if row.strip())
    if _MISSING.search(text) and "Error:" not in text:
        return OpenCodeNotInstalled(f"opencode is not installed: {text[-200:]}")
    reason = f"OpenCode did not start: {text[-600:] or 'it ended at once and said nothing'}"
    return (Unauthorized if UNAUTHORIZED.search(text) else OpenCodeStartFailed)(reason)


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def end(terminal: Terminal, record: Record, quit: Callable[[], object] | None = None) -> None:
    """Ends OpenCode and all that it started, by `quit()`, SIGTERM, SIGKILL, each with its time;
    then the shell's screen is back and nothing is left on the pane."""
    rest = record.processes() | _with_children(members(record.group) if record.group else [])
    with contextlib.suppress(TmuxError):
        replace(record, ending=True).save(terminal)
    if quit and record.alive:
        with contextlib.suppress(RuntimeError):  # not heard in time: it may be ending all the same
            quit()
        terminal.until(lambda: not record.alive, QUIT_LIMIT)
    if record.alive:
        process.end_group(record.group, END_LIMIT)
    process.end_processes([pid for pid in rest if process.alive(pid)], limit=END_LIMIT)
    clear(terminal)
    with contextlib.suppress(TmuxError):
        terminal.wait_for_shell(SHELL_LIMIT)
        front = terminal.front()
        if front.view.alternate and front.is_shell:
            terminal.mend(front.view)
            terminal.wait_for_shell(SHELL_LIMIT)


def _groups(record: Record) -> set[int]:
    return {one.group for one in map(process.read, record.processes()) if one}


def _with_children(pids: Iterable[int]) -> set[int]:
    """The processes and all that descends from them, whatever group it moved to."""
    found: set[int] = set()
    queue = list(pids)
    while queue:
        one = process.read(queue.pop())
        if one and one.pid not in found:
            found.add(one.pid)
            queue.extend(process.children(one))
    return found
