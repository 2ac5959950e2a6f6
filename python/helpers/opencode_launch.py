"""Bringing OpenCode up in a pane, finding it there again, and ending it.

What another process needs to find it again stands in a pane option: it lives as long as the pane. The password is only
in a 0600 file in a directory of its own, named there.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import struct
import tempfile
import termios
import time
from typing import Any

from . import opencode_screen as screen
from .opencode_api import Api, listener
from .opencode_reply import OpenCodeNotInstalled, OpenCodeStartFailed
from .opencode_run import carrying, end_all
from .tmux.mark import make
from .tmux.pane import Pane
from .tmux.probe import SHELLS, Probe, printed_bytes, probe
from .tmux.verdict import draft
from .tmux.view import View
from .tmux.wait import Watch, wait_ready

OPTION = "@opencode"
START_LIMIT = 15.0  # seconds; 3 to 4.5 are usual. While it still computes, on a loaded machine, three times that
READY_LIMIT = 5.0  # seconds a shell may take to show its prompt: a new session's has just begun
API_LIMIT = 3.0  # seconds that the API may come after the screen; it comes before it
TAKEN_LIMIT = (
    1.0  # seconds that a stranger must hold our port: while OpenCode ends, its own looks like one
)
END_LIMIT = 3.0  # seconds for each way of ending; 0.1 to 0.4 are usual
# What a killed TUI leaves on: full screen, mouse, bracketed paste, a hidden cursor, its own keys, colour.
MEND = "\033[?1049l\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?25h\033[<u\033[0m"

Record = dict[
    str, Any
]  # group and since (its start), directory, port, place (of the password), session, turn


def read(pane: Pane) -> Record | None:
    """The record of the OpenCode that this pane runs; what a dead one left behind is cleared away."""
    try:
        record = json.loads(pane.get_option(OPTION) or "null")
    except ValueError:
        record = None
    if record and not alive(record):
        clear(pane, record)
        return None
    return record


def write(pane: Pane, record: Record) -> None:
    record.setdefault("since", _stat(record["group"])[1] or None)
    pane.set_option(OPTION, json.dumps(record))


def clear(pane: Pane | None, record: Record) -> None:
    """Removes the password file and the pane's record, if the pane is still there."""
    if place := record.get("place"):
        shutil.rmtree(place, ignore_errors=True)
    with contextlib.suppress(RuntimeError):
        if pane and json.loads(pane.get_option(OPTION) or "null"):
            pane.set_option(OPTION, None)


def alive(record: Record) -> bool:
    """Whether its process group is still there: the same one, and more than a zombie."""
    try:
        os.killpg(record["group"], 0)
    except OSError:
        return False
    state, since, _ = _stat(record["group"])
    return state not in ("Z", "X") and record.get("since") in (None, since)


def _stat(pid: int) -> tuple[str, str, int]:
    """(state, start time, ticks of CPU used) of a process; blank where the system does not tell."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return fields[0], fields[19], int(fields[11]) + int(fields[12])
    except (OSError, IndexError):
        return "", "", 0


def api_of(record: Record) -> Api | None:
    """The API of a recorded OpenCode, if what listens there is that process. None: there is none, or a stranger."""
    if not record.get("port") or listener(record["port"], record["group"]) is not True:
        return None
    try:
        with open(os.path.join(record["place"], "password")) as file:
            api = Api(record["port"], file.read())
    except OSError:
        return None
    return api if api.secured() else None


def front(pane: Pane) -> tuple[View, Probe]:
    view = pane.look()
    return view, probe(view.pid, view.tty)


def found(pane: Pane) -> Record | None:
    """An OpenCode in front that a person started: there is no API to it, only its screen."""
    view, kernel = front(pane)
    record: Record = {"group": kernel.foreground, "directory": None}
    if (
        view.alternate and kernel.foreground and kernel.name not in SHELLS and alive(record)
    ):  # else its last frame only
        return record if screen.status(view.lines, view.width) else None
    return None


def fits(
    pane: Pane, record: Record, directory: str | None, channel: str, resume: str | None, exact: bool
) -> None:
    """Raises OpenCodeStartFailed where the OpenCode that this pane runs is not the one that is wanted."""
    if front(pane)[1].foreground not in (None, record["group"]):
        raise OpenCodeStartFailed(
            "this pane's OpenCode is not in front", "bring it back with fg, or end it"
        )
    there = record.get("directory")
    if directory and there and os.path.realpath(there) != os.path.realpath(directory):
        raise OpenCodeStartFailed(
            f"this pane already runs OpenCode in {there}", "exit() it first, or use another pane"
        )
    if channel == "http" and not exact:
        raise OpenCodeStartFailed(
            "the OpenCode in this pane has no API of ours", 'use channel="auto"'
        )
    if resume and not exact and resume != record.get("session"):
        raise OpenCodeStartFailed(
            "this pane already runs OpenCode with another conversation", "exit() it first"
        )


def launch(pane: Pane, words: list[str], channel: str, say: Any) -> tuple[Record, Api | None]:
    """Types the launch (`words`: program, directory, flags) at the pane's shell prompt and returns once the TUI takes
    input. Raises OpenCodeStartFailed with a reason, OpenCodeNotInstalled, TmuxError."""
    try:
        return _launch(pane, words, channel, say)
    except OpenCodeStartFailed as problem:
        if channel != "auto" or "Unauthorized" not in str(problem):
            raise  # else an older version (1.2, 1.15 seen), whose TUI does not tell its own server the password
        pane.press(["C-c"])  # the terminal's replies to it may stand at the prompt now
        return _launch(pane, words, "screen", say)


def _launch(pane: Pane, words: list[str], channel: str, say: Any) -> tuple[Record, Api | None]:
    watch = Watch(pane)
    ready = watch.wait(READY_LIMIT if front(pane)[1].name in SHELLS else 0.5)
    view, kernel = front(pane)
    if ready.word != "ready" or kernel.name not in SHELLS:
        raise OpenCodeStartFailed(
            f"{kernel.name or 'another program'} is in front in pane {pane.name} ({ready.word})",
            "end it, or use another pane",
        )
    if view.alternate:  # left on by a program that was killed
        view, kernel = _mended(pane, view)
    if half := draft(view.left, watch.scene(kernel).prompts):
        raise OpenCodeStartFailed(
            f"a half-typed line stands at the prompt: {half!r}", "ask its owner, or clear it"
        )
    record: Record = {"directory": words[1]}
    line, api = shlex.join(words), None
    if channel != "screen" and (hidden := _hidden_password(channel)):
        record["port"], record["place"] = _free_port(), hidden[0]
        api = Api(record["port"], hidden[1])
        key = os.path.join(record["place"], "password")
        # The shell reads the password: it is in no argument, on no screen and in no history.
        line = f"OPENCODE_SERVER_PASSWORD=$(cat {shlex.quote(key)}) {line} --port {record['port']} --hostname 127.0.0.1"
    try:
        mark = make(
            view,
            kernel,
            printed_bytes(view.server),
            line,
            True,
            prompt=True,
            own=None,
            size=len(line.encode()) + 1,
        )
        pane.type(line, mark=mark.as_dict())
        api = _up(pane, record, kernel.foreground or 0, words[0], api, say)
        if api is None and channel == "http":
            raise OpenCodeStartFailed(
                "OpenCode came up without its API", 'leave channel="auto" to go by the screen'
            )
    except BaseException:
        if record.get("group"):
            end(pane, record)
        clear(pane, record)
        raise
    if api is None and (place := record.pop("place", None)):
        shutil.rmtree(place, ignore_errors=True)
    return record, api


def _up(
    pane: Pane, record: Record, shell: int, command: str, api: Api | None, say: Any
) -> Api | None:
    began = taken = computed = time.monotonic()
    used, shown = 0, 0.0
    while (now := time.monotonic()) < began + START_LIMIT or now < min(
        computed + 3.0, began + 3 * START_LIMIT
    ):
        view, kernel = front(pane)
        if kernel.foreground and kernel.foreground != shell:
            record["group"] = kernel.foreground
            if (ticks := _stat(kernel.foreground)[2]) > used + 20:
                used, computed = ticks, now
        back = kernel.foreground == shell and not view.alternate
        if back and wait_ready(pane, timeout=0.5).word == "ready":
            raise _failure(pane, command)
        if view.alternate and screen.status(view.lines, view.width) == "idle":
            if api is None:
                return None
            shown = shown or now
            owner = listener(record["port"], record["group"])
            safe = api.secured() if owner else None
            if safe is False:
                raise OpenCodeStartFailed(
                    "this version ignores the password: its API is open to every user of this machine",
                    'update it, or use channel="screen"',
                )
            if safe:
                return api
            if now - shown > API_LIMIT:
                return None
        taken = (
            now
            if not api or listener(record["port"], record.get("group", 0)) is not False
            else taken
        )
        if now - taken > TAKEN_LIMIT:
            raise OpenCodeStartFailed(
                f"port {record['port']} was taken by another program meanwhile; OpenCode would stay "
                "blank for ever",
                "start again",
            )
        say("starting")
        time.sleep(0.05)  # each look costs a process, and OpenCode needs the processor
    shows = " / ".join(line.strip() for line in pane.look().lines if line.strip())[-300:]
    raise OpenCodeStartFailed(
        f"OpenCode took no input within {START_LIMIT:g} s; the screen shows {shows or 'nothing'}"
    )


def _failure(pane: Pane, command: str) -> OpenCodeStartFailed | OpenCodeNotInstalled:
    """The reason, from what stands between the launch line and the new prompt."""
    said = " ".join(" ".join(row.split()) for row in Watch(pane).output_rows()[:-1] if row.strip())
    missing = re.search(r"not found|unknown command|no such file", said, re.IGNORECASE)
    if missing and command.rpartition("/")[2] in said and "Error:" not in said:
        return OpenCodeNotInstalled(f"opencode is not installed: {said[-200:]}")
    return OpenCodeStartFailed(
        f"OpenCode did not start: {said[-600:] or 'it ended at once and said nothing'}"
    )


def _free_port() -> int:
    with socket.socket() as probe_socket:
        probe_socket.bind(("127.0.0.1", 0))
        return probe_socket.getsockname()[1]


def _hidden_password(channel: str) -> tuple[str, str] | None:
    """A directory of its own with a new password in a 0600 file, and the password. None where it cannot be written (a full
    disk) and the screen will do."""
    place, password = "", secrets.token_urlsafe(24)
    try:
        place = tempfile.mkdtemp(prefix="opencode-", dir=_own_place())
        with open(
            os.open(os.path.join(place, "password"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600),
            "w",
        ) as file:
            file.write(password)
    except OSError as problem:
        shutil.rmtree(place, ignore_errors=True)
        if channel == "auto":
            return None
        raise OpenCodeStartFailed(
            f"the password for its API could not be written: {problem}",
            'make room, or use channel="screen"',
        ) from None
    return place, password


def _own_place() -> str | None:
    """The user's runtime directory (memory, gone at logout), else the default for temporary files."""
    place = os.environ.get("XDG_RUNTIME_DIR", "")
    return place if place and os.access(place, os.W_OK | os.X_OK) else None


def end(pane: Pane | None, record: Record, quit: Any = None) -> None:
    """Ends OpenCode by `quit()`, then SIGTERM, then SIGKILL, each with its time; then waits for the shell's prompt."""
    group, password = record["group"], _password(record)
    for step in (
        quit,
        lambda: _signal(group, signal.SIGTERM, signal.SIGCONT),
        lambda: _kill(group, password),
    ):
        if step and alive(record):
            with contextlib.suppress(
                RuntimeError
            ):  # not heard in time is not unheard: it may be ending
                step()
            deadline = time.monotonic() + END_LIMIT
            while alive(record) and time.monotonic() < deadline:
                time.sleep(0.01)
    clear(pane, record)
    with contextlib.suppress(RuntimeError):
        if pane:
            wait_ready(pane, timeout=END_LIMIT)
            view, kernel = front(pane)
            if view.alternate and kernel.name in SHELLS:
                _mended(pane, view)


def _password(record: Record) -> bytes:
    try:
        with open(os.path.join(record["place"], "password"), "rb") as file:
            return b"OPENCODE_SERVER_PASSWORD=" + file.read()
    except (OSError, KeyError):
        return b""


def _signal(group: int, *which: int) -> None:
    for one in which:  # SIGCONT: a stopped process takes no other signal
        with contextlib.suppress(OSError):
            os.killpg(group, one)


def _kill(group: int, password: bytes) -> None:
    """It hung: what its tools started (it carries the password) is ended too."""
    rest = carrying(password) if password else set()
    _signal(group, signal.SIGKILL)
    end_all(rest, set)


def _mended(pane: Pane, view: View) -> tuple[View, Probe]:
    """The shell's own screen, and the shell there, after a program that could not put the terminal right any more."""
    with contextlib.suppress(OSError), open(view.tty, "w") as terminal:
        terminal.write(MEND)
        terminal.flush()
        for columns in (
            view.width - 1,
            view.width,
        ):  # the shell's prompt was on the other screen: it draws it again
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", view.height, columns, 0, 0))
            time.sleep(0.05)
    wait_ready(pane, timeout=END_LIMIT)
    return front(pane)
