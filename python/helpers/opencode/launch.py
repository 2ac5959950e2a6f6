"""Bringing OpenCode up in a pane, and finding it there again."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shlex
import socket
import time
from dataclasses import replace

from ..tmux.evidence.kernel.process import working_directory
from .http_channel import HttpChannel
from .instance import (
    ENDING,
    LAUNCH,
    LINE,
    PASSWORD,
    RECORD,
    SENDING,
    STARTING,
    TAG,
    UP,
    Instance,
    below_launch,
)
from .reply import OpenCodeError, OpenCodeNotInstalled, OpenCodeStartFailed, Progress
from .run import flags_of, program
from .screen import Frame
from .terminal import Front, Terminal, TmuxError

START_LIMIT = 60.0  # seconds; 3 to 4.5 are usual, 10 times that on a loaded machine
API_LIMIT = 3.0  # seconds until the API must listen, once the screen is there; it does before
BACK_LIMIT = 0.5  # seconds in which a shell in front shows that it is at its prompt again
EVERY = 0.1  # seconds between two looks: each costs a process, and OpenCode needs the processor
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
    older ones have no such API or do not ask for one."""


def terminal_of(target: str | None, directory: str | None, progress: Progress) -> Terminal:
    """The target's; where none is named, the one in the session that runs OpenCode for `directory`
    already: the person may look at another window by now."""
    here = Terminal(target)
    for terminal in here.beside(RECORD) if target is None else ():
        there = Instance.load(terminal)
        if there and there.alive and there.is_for(directory):
            if terminal.id != here.id:
                progress.tell(f"goes on in pane {terminal.name}, where OpenCode runs")
            return terminal
    return here


def found(terminal: Terminal, progress: Progress) -> Instance | None:
    """The OpenCode that this pane runs, whoever started it; else the one that it ran until somebody
    ended it, not `alive` and cleared away. What a killed caller left is put right: a start is
    waited for, an end is finished."""
    instance, ended = Instance.load(terminal), None
    if instance is not None:
        if instance.phase in (UP, SENDING) and instance.alive:
            return instance
        begins = instance.phase == STARTING and (instance.alive or not terminal.wait_for_shell())
        if begins and instance.processes():
            with contextlib.suppress(OpenCodeStartFailed, OpenCodeNotInstalled):
                return _come_up(instance, progress)
        ended = None if instance.phase == ENDING else replace(instance)
        instance.end()
    front = terminal.front()
    if not front.view.alternate or not front.group or front.is_shell:
        return ended  # a shell in front of a stopped one shows its last frame
    place = working_directory(front.group)
    persons = Instance(terminal=terminal, directory=place).set_group(front.group)
    return persons if persons.alive and Frame(front.view).status is not None else ended


def launch_after(
    ended: Instance | None, new: Instance, command: str, channel: str, progress: Progress
) -> Instance:
    """launch(); what was `ended` by somebody and is for the same directory goes on, unless `new`
    has a conversation already."""
    lost = ended.session if ended and not new.session and ended.is_for(new.directory) else None
    if ended and lost:
        progress.tell(f"OpenCode was ended; its conversation {lost} goes on")
        was = {**ended.started_with, **new.started_with}
        flags = flags_of(model=was.get("-m"), agent=was.get("--agent"))
        place = ended.directory or new.directory
        new = replace(new, directory=place, flags=flags, session=lost)
    new = replace(new, directory=new.directory or os.getcwd())
    try:
        if not os.path.isdir(new.directory):
            raise OpenCodeStartFailed(f"there is no directory {new.directory}")
        return launch(new, command, channel, progress)
    except OpenCodeError as problem:
        if not lost:
            raise
        raise type(problem)(problem.reason, and_goes_on(problem.hint, lost)) from None


def and_goes_on(hint: str, session: str) -> str:
    """`hint`, and how the conversation that somebody ended is not lost."""
    what = f"start(resume={session!r}) goes on with the conversation that was ended"
    return f"{hint}; {what}" if hint else what


def launch(new: Instance, command: str, channel: str, progress: Progress) -> Instance:
    """Types what starts `new` at the pane's shell prompt and returns it once the TUI takes input.
    Raises OpenCodeStartFailed, OpenCodeNotInstalled."""
    try:
        return _launched(new, command, channel != "screen", progress)
    except OpenCodeNotInstalled:
        if os.path.isabs(command):
            raise
        own = program(command)
        progress.tell(f"the pane's shell finds no {command}, so {own} is started")
        return launch(new, own, channel, progress)
    except NotExact:
        if channel == "http":
            raise
        typed = new.terminal.half_typed()
        if typed is not None and _REPLIES.fullmatch(typed):
            new.terminal.press(["C-c"])
        return launch(new, command, "screen", progress)


def _launched(new: Instance, command: str, exact: bool, progress: Progress) -> Instance:
    terminal, shell = new.terminal, _free_shell(new.terminal)
    port, tag = _free_port() if exact else 0, secrets.token_hex(8)
    instance = replace(new, phase=STARTING, shell=shell.group, port=port, tag=tag)
    words = [command, new.directory, *new.flags, *flags_of(new.session)]
    line = f"{TAG}={tag} {shlex.join(words)}"
    if exact:
        # The shell reads the password itself: it is in no argument and on no screen.
        key = f"OPENCODE_SERVER_PASSWORD=$(tmux show -pv {PASSWORD})"
        line = f"{key} {line} --port {port} --hostname 127.0.0.1"
    try:
        instance.save()
        if exact:
            terminal.set_secret(PASSWORD, secrets.token_urlsafe(24))
        terminal.set_option(LAUNCH, (FORGET if shell.name == "bash" else "") + line)
        try:
            terminal.type_command(LINE)
        except TmuxError as problem:
            raise OpenCodeStartFailed(str(problem), "or use another pane") from None
        return _come_up(instance, progress)
    except BaseException:
        instance.end()
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


def _come_up(instance: Instance, progress: Progress) -> Instance:
    """Waits until OpenCode takes input, and its API answers."""
    terminal, api = instance.terminal, HttpChannel(instance) if instance.port else None
    deadline, shown_at = time.monotonic() + START_LIMIT, None
    while (now := time.monotonic()) < deadline:
        front = terminal.front()
        if not instance.group and front.group in instance.processes():
            instance.set_group(front.group).save()
        at_shell = front.group == instance.shell and not front.view.alternate
        if at_shell and (shell := terminal.wait_for_shell(BACK_LIMIT)):
            raise _failure(shell)
        if front.view.alternate and instance.group and Frame(front.view).status is not None:
            if api is None or _is_ready(api):
                terminal.set_option(LAUNCH, None)
                return instance.save(phase=UP)
            shown_at = shown_at or now
            if now > shown_at + API_LIMIT and api.is_ours() is None:
                raise NotExact("OpenCode came up without its API")
        progress.say("starting")
        time.sleep(EVERY)
    if api and api.is_ours() is False:  # then OpenCode's screen stays blank
        raise OpenCodeStartFailed(f"port {api.port} was taken by another program", "start again")
    shows = " / ".join(row.strip() for row in front.view.lines if row.strip())[-300:]
    raise OpenCodeStartFailed(f"OpenCode took no input in time; the screen shows {shows or 'none'}")


def _is_ready(api: HttpChannel) -> bool:
    """Whether the API is OpenCode's own and answers to the password alone."""
    if not api.is_ours():
        return False
    nobody = HttpChannel(api.instance)
    nobody.password = ""
    answers = (nobody.health(), api.health())
    if answers != (401, 200) and 0 not in answers:
        raise NotExact("this version's API is open to every user of this machine")
    return 0 not in answers


def _failure(front: Front) -> OpenCodeStartFailed | OpenCodeNotInstalled:
    """The reason, from the rows between the launch line and the new prompt."""
    rows = below_launch(front.view, front.view.row - 1)
    text = " ".join(" ".join(row.split()) for row in rows if row.strip())
    if _MISSING.search(text) and "Error:" not in text:
        return OpenCodeNotInstalled(f"opencode is not installed: {text[-200:]}")
    reason = f"OpenCode did not start: {text[-600:] or 'it ended at once and said nothing'}"
    return (NotExact if _UNAUTHORIZED.search(text) else OpenCodeStartFailed)(reason)


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]
