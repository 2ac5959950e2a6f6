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
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..tmux import process
from .http_channel import Api
from .record import LAUNCH, PASSWORD, TAG, Record, clear
from .reply import OpenCodeNotInstalled, OpenCodeStartFailed, Progress
from .screen import Frame
from .terminal import Front, Terminal, TmuxError, View, until

START_LIMIT = 60.0  # seconds; 3 to 4.5 are usual, 10 times that on a loaded machine
API_LIMIT = 3.0  # seconds until the API must listen, once the screen is there; it does before
TAKEN_LIMIT = 1.0  # seconds of a stranger on our port: an OpenCode that ends looks like one
QUIT_LIMIT = 3.0  # seconds for ending by itself; 0.1 to 0.4 are usual
END_LIMIT = 9.0  # seconds for all of an end; what it lacks then is the shell's to do
SHELL_LIMIT = 2.0  # seconds for the shell's prompt to be back
BACK_LIMIT = 0.5  # seconds in which a shell in front shows that it is at its prompt again
EVERY = 0.1  # seconds between two looks: each costs a process, and OpenCode needs the processor
LINE = f' eval "$(tmux show -pv {LAUNCH})"'  # the blank keeps it out of most histories
# bash without HISTCONTROL=ignorespace remembers the line; negative places are bash 5's
FORGET = f"case $(HISTTIMEFORMAT= history 1) in *{LAUNCH}*) history -d -1;; esac 2>/dev/null; "
_UNAUTHORIZED = re.compile(r"\b401\b|Unauthorized")
# What a line editor makes of a terminal's answers that the OpenCode which asked has not read:
# "11;rgb:0000/0000/0000", "[?2026;2$y", "1R", "62;c", ">|tmux 3.3a"; zsh finds our line with the
# last one. Nothing too: the kernel may hold what a shell without a line editor has not read yet.
_REPLIES = re.compile(
    rf"(?:{re.escape(LINE)})?"
    r"(?:\]?\d*;rgb:[\da-f/]+\\?|\[?\??[\d;]*(?:\$y|[\d;][cnRtu])|P?>\|\S+ [\w.]+(?:\x1b?\\)?|\s)*"
)
_MISSING = re.compile(r"not found|unknown command|no such file", re.IGNORECASE)


class NotExact(OpenCodeStartFailed):
    """This version cannot be used over its API: 1.2 to 1.17 do not tell their own TUI the password,
    older ones have no such API."""


def existing(terminal: Terminal, progress: Progress) -> Record | None:
    """The OpenCode that this pane runs, whoever started it. What a killed caller left is put right:
    a start is waited for, an end is finished, the traces of one that is gone are cleared."""
    record = Record.load(terminal)
    if record is not None:
        if record.alive and record.up and not record.ending:
            return record
        if not record.up and not record.ending and _is_starting(terminal, record):
            password = terminal.get_option(PASSWORD)
            api = Api(record.port, password) if record.port and password else None
            with contextlib.suppress(OpenCodeStartFailed, OpenCodeNotInstalled):
                return _come_up(terminal, record, api, progress)
        end(terminal, Record.load(terminal) or record)
    front = terminal.front()
    if not front.view.alternate or not front.group or front.is_shell:
        return None  # a shell in front of a stopped one shows its last frame
    record = Record(up=True).with_group(front.group)
    return record if record.alive and Frame(front.view).status is not None else None


def _is_starting(terminal: Terminal, record: Record) -> bool:
    """Whether OpenCode runs, or is about to: its caller was killed before it was up."""
    return record.alive or (terminal.wait_for_shell() is None and bool(record.processes()))


def api_of(terminal: Terminal, record: Record) -> Api | None:
    """The API of a recorded OpenCode, if what listens there is that process."""
    api = Api(record.port, terminal.get_option(PASSWORD)) if record.port else None
    return api if api and api.password and api.is_of(record.group) else None


def launch(
    terminal: Terminal, words: list[str], session: str | None, channel: str, progress: Progress
) -> Record:
    """Types the launch (`words`: program, directory, flags, which name the conversation `session`
    already) at the pane's shell prompt and returns once the TUI takes input. Raises
    OpenCodeStartFailed, OpenCodeNotInstalled."""
    try:
        return _launch(terminal, words, session, channel != "screen", progress)
    except OpenCodeNotInstalled:
        own = shutil.which(words[0])
        if not own or os.path.isabs(words[0]):
            raise
        own = os.path.abspath(own)  # the pane's shell may be elsewhere
        progress.tell(f"the pane's shell finds no {words[0]}, so {own} is started")
        return launch(terminal, [own, *words[1:]], session, channel, progress)
    except NotExact:
        if channel == "http":
            raise
        typed = terminal.half_typed()
        if typed is not None and _REPLIES.fullmatch(typed):
            terminal.press(["C-c"])
        return _launch(terminal, words, session, False, progress)


def _launch(
    terminal: Terminal, words: list[str], session: str | None, exact: bool, progress: Progress
) -> Record:
    shell = _free_shell(terminal)
    tag = secrets.token_hex(8)
    record = Record(shell=shell.group, directory=words[1], tag=tag, session=session)
    line, api = f"{TAG}={record.tag} {shlex.join(words)}", None
    if exact:
        record = replace(record, port=_free_port())
        api = Api(record.port, secrets.token_urlsafe(24))
        terminal.set_option(PASSWORD, api.password)
        # The shell reads the password itself: it is in no argument and on no screen.
        key = f"OPENCODE_SERVER_PASSWORD=$(tmux show -pv {PASSWORD})"
        line = f"{key} {line} --port {record.port} --hostname 127.0.0.1"
    try:
        terminal.set_option(LAUNCH, (FORGET if shell.name == "bash" else "") + line)
        record.save(terminal)
        try:
            terminal.type_command(LINE)
        except TmuxError as problem:
            raise OpenCodeStartFailed(str(problem), "or use another pane") from None
        return _come_up(terminal, record, api, progress)
    except BaseException:
        end(terminal, Record.load(terminal) or record)
        raise


def _free_shell(terminal: Terminal) -> Front:
    """The shell that waits at its prompt, on its own screen."""
    shell = terminal.wait_for_shell()
    if shell is None:
        name = terminal.front().name or "another program"
        reason = f"{name} is in front in pane {terminal.name}"
        raise OpenCodeStartFailed(reason, "end it, or use another pane")
    if shell.view.alternate:  # left on by a program that was killed
        terminal.mend(shell.view)
        terminal.wait_for_shell()
    return shell


def _come_up(terminal: Terminal, record: Record, api: Api | None, progress: Progress) -> Record:
    """Waits until OpenCode takes input, and its API answers."""
    deadline = time.monotonic() + START_LIMIT
    api_deadline = port_deadline = None
    while (now := time.monotonic()) < deadline:
        front = terminal.front()
        if not record.group and front.group in _groups(record):
            record = record.with_group(front.group).save(terminal)
        at_shell = front.group == record.shell and not front.view.alternate
        if at_shell and (shell := terminal.wait_for_shell(BACK_LIMIT)):
            raise _failure(shell)
        if front.view.alternate and record.group and Frame(front.view).status is not None:
            api_deadline = api_deadline or now + API_LIMIT
            if api is None or _is_ready(api, record):
                terminal.set_option(LAUNCH, None)
                return replace(record, up=True).save(terminal)
            if now > api_deadline and api.is_of(record.group) is None:
                raise NotExact("OpenCode came up without its API")
        strange = api is not None and api.is_of(record.group) is False
        port_deadline = (port_deadline or now + TAKEN_LIMIT) if strange else None
        if port_deadline and now > port_deadline:
            reason = f"port {record.port} was taken by another program; OpenCode would stay blank"
            raise OpenCodeStartFailed(reason, "start again")
        progress.say("starting")
        time.sleep(EVERY)
    shows = " / ".join(row.strip() for row in front.view.lines if row.strip())[-300:]
    raise OpenCodeStartFailed(f"OpenCode took no input in time; the screen shows {shows or 'none'}")


def _is_ready(api: Api, record: Record) -> bool:
    """Whether the API is OpenCode's own and answers to the password alone."""
    secured = api.is_secured() if api.is_of(record.group) else None
    if secured is False:
        raise OpenCodeStartFailed(
            "this version ignores the password: its API is open to every user of this machine",
            'update it, or use channel="screen"',
        )
    return bool(secured)


def _failure(front: Front) -> OpenCodeStartFailed | OpenCodeNotInstalled:
    """The reason, from the rows between the launch line and the new prompt."""
    rows = below_launch(front.view, front.view.row - 1)
    text = " ".join(" ".join(row.split()) for row in rows if row.strip())
    if _MISSING.search(text) and "Error:" not in text:
        return OpenCodeNotInstalled(f"opencode is not installed: {text[-200:]}")
    reason = f"OpenCode did not start: {text[-600:] or 'it ended at once and said nothing'}"
    return (NotExact if _UNAUTHORIZED.search(text) else OpenCodeStartFailed)(reason)


def below_launch(view: View, last: int | None = None) -> Sequence[str]:
    """The lines below the last launch line, up to the one on row `last`; all where none is in
    sight."""
    lines = view.joined.upto(last).texts
    begin = max((i + 1 for i, line in enumerate(lines) if LINE.strip() in line), default=0)
    return lines[begin:]


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def end(terminal: Terminal, record: Record, quit: Callable[[], object] | None = None) -> None:
    """Ends OpenCode and all that it started, by `quit()`, SIGTERM, SIGKILL, each with its time;
    then the shell's screen is back and nothing is left on the pane."""
    began = time.monotonic()
    own = process.members(record.group) if record.alive else []
    started = record.processes() | _with_children(own)
    with contextlib.suppress(TmuxError):
        replace(record, ending=True).save(terminal)
    if quit and record.alive:
        with contextlib.suppress(RuntimeError):  # not heard in time: it may be ending all the same
            quit()
        until(lambda: not record.alive, began + QUIT_LIMIT - time.monotonic())
    # A launcher last: with it the shell takes the terminal, which OpenCode then would put back into
    # canonical mode, below the line editor.
    process.end_processes(started - {record.group})
    process.end_processes(started, record.processes)
    clear(terminal)

    def wait_for_shell() -> None:
        left = began + END_LIMIT - time.monotonic()
        terminal.wait_for_shell(max(0.0, min(SHELL_LIMIT, left)))

    with contextlib.suppress(TmuxError):
        wait_for_shell()
        front = terminal.front()
        # What ended late may have taken the prompt with its screen; a killed one leaves its screen.
        if front.is_shell and (front.view.alternate or not front.view.left.strip()):
            terminal.mend(front.view)
            wait_for_shell()


def _groups(record: Record) -> set[int]:
    return {one.group for one in map(process.read, record.processes()) if one}


def _with_children(queue: list[process.Process]) -> set[int]:
    """The processes and all that descends from them, whatever group it moved to."""
    found: set[int] = set()
    while queue:
        one = queue.pop()
        found.add(one.pid)
        queue += filter(None, map(process.read, set(process.children(one)) - found))
    return found
