"""An OpenCode server on loopback, the TUI in front of it, and the end of both.

The owner is the program in the pane, or the caller of opencode_run(), which shows no TUI. When the
TUI, server or owner ends, the keeper, a process that outlives them, ends the others.
"""

import ctypes
import os
import re
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..tmux import process
from ..tmux.answer import clean
from ..tmux.client import TmuxError, tmux
from . import record
from .http_wire import MOST_QUOTED
from .installed import Wire, find, must_fit, say_once
from .record import Record
from .reply import OpenCodeError, OpenCodeStartFailed, OpenCodeTimedOut, Patience

PROGRAM = str(Path(__file__).parent)  # main()
TAG = "OPENCODE_PANE_TAG"  # environment variable of everything started for one server: a folder
ANSWER_LIMIT = 100.0  # seconds until the server must answer; 2 are usual
DRAWN_LIMIT = 15.0  # seconds for the TUI to show its cursor, unless a dialog hides it
QUIT_LIMIT = 5.0  # seconds for the TUI to end by itself; 0.1 to 0.4 are usual
END_LIMIT = 2.0  # seconds from SIGTERM to SIGKILL, and from that to the end; 0.4 are usual
REDRAW = 0.05  # seconds for a shell to draw its prompt at one size before it gets the next
FULL_SCREEN_OFF = "\033[?1049l"
# Mouse, bracketed paste, hidden cursor, keyboard protocol and colour that a killed TUI leaves on.
MODES_OFF = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?25h\033[<u\033[0m"
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+(?=\D)")  # which only a server that has it prints
_PARENTS_DEATH = 1  # PR_SET_PDEATHSIG of prctl(2)

Popen = subprocess.Popen[Any]
Server = tuple[Wire, Popen, Callable[..., Popen]]


@contextmanager
def serving(directory: str, program: str, patience: Patience, pane: str = "") -> Iterator[Server]:
    """A server that answers only to its password, its process, and a function that starts other
    processes that end with it; afterwards all are ended. `pane`: where the owner runs, if in one.
    Raises OpenCodeStartFailed, OpenCodeTimedOut."""
    us, pipe, quiet = process.read(os.getpid()), subprocess.PIPE, subprocess.DEVNULL
    tag = tempfile.mkdtemp(prefix="opencode-")  # for this user alone
    words = [sys.executable, PROGRAM, "--keep", tag, pane, str(os.getpid())]
    keeper = subprocess.Popen(words, stdin=pipe, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        if pane and us:
            record.write(pane, Record(pid=us.pid, since=us.since, folder=tag, directory=directory))
        try:
            wire = must_fit(program := find(program))
            say_once(wire)
            server = _start(wire, program, directory, tag, patience, bool(pane))
        except OSError as problem:
            raise OpenCodeStartFailed(f"OpenCode did not start: {problem}") from None
        yield server
    finally:
        keeper.communicate()  # closes its stdin; it ends when everything else has
        if keeper.returncode:  # it was killed
            sweep(tag)


def _start(
    kind: type[Wire], program: str, directory: str, tag: str, patience: Patience, alone: bool
) -> Server:
    """The server, once it answers. `alone`: this process has only one thread."""
    password, output = secrets.token_urlsafe(24), Path(tag, "output")
    (kept := record.password_file(tag)).touch(0o600)
    kept.write_text(password)
    environment = {
        **os.environ,
        **kind.variables(password),
        "BUN_TMPDIR": tag,  # each start leaves 19 MB of libraries there
        "PWD": directory,
        TAG: tag,
    }
    prctl = ctypes.CDLL(None).prctl

    def start(*words: str, **how: Any) -> Popen:
        return subprocess.Popen(
            [program, *words],
            env=environment,
            cwd=directory,
            close_fds=False,  # it holds the keeper's stdin open until that can find it by its tag
            # It ends with its parent, before the shell knows: later it would set the terminal's
            # modes back under the shell's prompt.
            preexec_fn=(lambda: prctl(_PARENTS_DEATH, signal.SIGKILL)) if alone else None,
            **how,
        )

    with output.open("wb") as file:
        # C-z stops the TUI, not the turn: another session.
        how = {"stdin": subprocess.PIPE, "stdout": file, "stderr": file, "start_new_session": True}
        server = start(*kind.serve(), **how)

    def must_live() -> None:
        if server.poll() is not None:
            said = " ".join(clean(output.read_text(errors="replace")).split())
            raise OpenCodeStartFailed(f"OpenCode's server has ended: {said[-MOST_QUOTED:]}")

    # Only then is the port its own: another user may be faster, and would get the password.
    while not (address := _ADDRESS.search(output.read_text(errors="replace"))):
        must_live()
        if not patience.left:
            raise OpenCodeTimedOut("OpenCode's server is not up", "The machine may be busy")
        patience.pause("waits for OpenCode's server")
    wire = kind(address[0], password, patience, must_live, directory=directory)
    wire.must_be_up()
    return wire, server, start


def main(arguments: list[str]) -> int:
    """The program in the pane: DIRECTORY PROGRAM [CONVERSATION]."""
    if arguments[0] == "--keep":
        return _keep(*arguments[1:])
    directory, program, *session = arguments
    Path("/proc/self/comm").write_text("opencode")  # the name that a look at the pane shows
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit())
    pane = os.environ["TMUX_PANE"]
    with suppress(TmuxError):  # the pane has gone
        try:
            with serving(directory, program, Patience(ANSWER_LIMIT), pane) as server:
                _show(pane, server, directory, *session)
        except OpenCodeError as problem:
            print(problem, flush=True)
            record.write(pane, Record(error=problem.reason, hint=problem.hint))
    return 0


def _show(pane: str, server: Server, directory: str, session: str = "") -> None:
    """Shows the TUI, and another one where a caller wants another conversation; returns when it or
    the server has ended."""
    (wire, served, start), modes = server, termios.tcgetattr(0)
    if not session or not wire.go_to(session):
        wire.begin()
    record.change(pane, version=wire.OLDEST[0], session=wire.session)
    stamp, tui = record.stamp(pane), start(*wire.tui_words())
    try:
        while True:
            if _draws(pane, tui):
                shown = {"shown": wire.session, "stamp": stamp, "tui": tui.pid}
                record.change(pane, address=wire.address, **shown)
            _until_one_ends(tui, served)
            if not (wanted := record.load(pane).wanted):
                return
            wire.session = wanted
            stamp, tui = record.stamp(pane), start(*wire.tui_words())
    finally:
        with suppress(TmuxError):
            record.change(pane, address="")  # it takes no more turns
        _end(tui, wire)
        with suppress(OSError, termios.error, TmuxError):
            # One of them was killed: see _mend.
            died = served.poll() is not None or tui.returncode
            if died and os.tcgetpgrp(0) == os.getpgrp():
                termios.tcsetattr(0, termios.TCSANOW, modes)
            else:
                session = record.load(pane).session
                record.write(pane, Record(session=session, directory=directory))


def _until_one_ends(*processes: Popen) -> None:
    ends = [os.pidfd_open(each.pid) for each in processes]
    select.select(ends, [], [])
    for end in ends:
        os.close(end)


def _draws(pane: str, tui: Popen) -> bool:
    """Waits until the TUI has drawn its input: it may miss earlier events, even a permission.
    Returns whether it has not ended instead."""
    look = ("display-message", "-p", "-t", pane, "#{alternate_on}#{cursor_flag}")
    process.until(lambda: tui.poll() is not None or "11" in tmux(*look), DRAWN_LIMIT)
    return tui.returncode is None


def _end(tui: Popen, wire: Wire) -> None:
    """Ends the TUI: by itself, which leaves its farewell, else by force."""
    for member in process.members(os.getpgrp()):
        if member.state == "T":  # by the person: if continued, it would draw over the shell
            os.kill(member.pid, signal.SIGKILL)
    with suppress(OpenCodeError, OSError):  # it has ended, or has got the request all the same
        wire.quit_tui(tui.pid)
    with suppress(subprocess.TimeoutExpired):
        tui.wait(QUIT_LIMIT)
    tui.kill()
    tui.wait()


def _keep(tag: str, pane: str, owner: str) -> int:
    """The keeper: waits for the end of its stdin, which is the end of its owner."""
    os.read(0, 1)
    sweep(tag)
    with suppress(TmuxError, OSError):  # the pane has gone
        if pane and record.load(pane).pid == int(owner):  # the owner or its TUI was killed
            record.write(pane, Record())
            _mend(pane)
    return 0


def sweep(tag: str) -> None:
    """Ends all processes with the tag, and those that they start meanwhile; removes the folder."""

    def signalled(number: int) -> set[int]:
        for pid in (found := process.carrying(f"{TAG}={tag}")):
            with suppress(OSError):  # it has ended
                os.kill(pid, number)
        return found

    signalled(signal.SIGTERM)
    signalled(signal.SIGCONT)  # a stopped process would not get the other signal
    process.until(lambda: not signalled(0), END_LIMIT)
    process.until(lambda: not signalled(signal.SIGKILL), END_LIMIT)
    shutil.rmtree(tag, ignore_errors=True)


def _mend(pane: str) -> None:
    """Turns off what a killed TUI has left on in its terminal."""
    form = "#{pane_tty} #{pane_width} #{pane_height} #{alternate_on}"
    tty, width, height, full = tmux("display-message", "-p", "-t", pane, form).split()
    terminal = os.open(tty, os.O_WRONLY | os.O_NOCTTY)
    os.write(terminal, (FULL_SCREEN_OFF * int(full) + MODES_OFF).encode())
    for columns in (int(width) - 1, int(width)):  # another size: the shell draws its prompt again
        termios.tcsetwinsize(terminal, (int(height), columns))
        time.sleep(REDRAW)
