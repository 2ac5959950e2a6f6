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
import socket
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
from ..tmux.client import TmuxError, tmux
from . import record
from .api import MOST_QUOTED, Api
from .record import Record
from .reply import INSTALL, OpenCodeError, OpenCodeNotInstalled, OpenCodeStartFailed, Patience

PROGRAM = str(Path(__file__).parent)  # main()
OLDEST = (1, 2, 27)  # the first whose server takes a password and a prompt's id, as measured
FIRST_OTHER = (2,)  # the first whose server has another API
TAG = "OPENCODE_PANE_TAG"  # environment variable of everything started for one server: a folder
VERSION_LIMIT = 60.0  # seconds for `opencode --version`; it takes 0.5 on an idle machine
ANSWER_LIMIT = 100.0  # seconds until the server must answer; 2 are usual
DRAWN_LIMIT = 15.0  # seconds for the TUI to show its cursor, unless a dialog hides it
QUIT_LIMIT = 5.0  # seconds for the TUI to end by itself; 0.1 to 0.4 are usual
END_LIMIT = 2.0  # seconds from SIGTERM to SIGKILL, and from that to the end; 0.4 are usual
REDRAW = 0.05  # seconds for a shell to draw its prompt at one size before it gets the next
FULL_SCREEN_OFF = "\033[?1049l"
# Mouse, bracketed paste, hidden cursor, keyboard protocol and colour that a killed TUI leaves on.
MODES_OFF = "\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l\033[?25h\033[<u\033[0m"
_COLOUR = re.compile(r"\033\[[\d;]*m")  # in OpenCode's words, also of an output that is no terminal
_PARENTS_DEATH, _NAME = 1, 15  # PR_SET_PDEATHSIG, PR_SET_NAME of prctl(2)

Popen = subprocess.Popen[Any]
Server = tuple[Api, Popen, Callable[..., Popen]]


def find(program: str = "") -> str:
    """The absolute path of `program`, else of $OPENCODE_BIN, else of `opencode`. Of several names
    between colons the first one found counts. Raises OpenCodeNotInstalled."""
    names = program or os.environ.get("OPENCODE_BIN") or "opencode"
    for found in filter(None, map(shutil.which, names.split(":"))):
        return os.path.abspath(found)
    raise OpenCodeNotInstalled(f"{names} is not installed")


def must_fit(program: str) -> None:
    """Raises OpenCodeStartFailed if `program` is not an OpenCode that can be used."""
    words, quiet, limit = [program, "--version"], subprocess.DEVNULL, VERSION_LIMIT
    try:
        done = subprocess.run(words, stdin=quiet, capture_output=True, text=True, timeout=limit)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise OpenCodeStartFailed(f"{program} --version failed: {problem}") from None
    said = (done.stdout or done.stderr).strip()[-MOST_QUOTED:]
    version = tuple(map(int, re.findall(r"\d+", said)[:3]))  # 1.18.33
    if not OLDEST <= version < FIRST_OTHER:
        oldest = ".".join(map(str, OLDEST))
        reason = f"{program} --version prints {said!r}; only {oldest} and newer 1.x can be used"
        raise OpenCodeStartFailed(reason, f"{INSTALL} installs one that works")


@contextmanager
def serving(directory: str, program: str, patience: Patience, pane: str = "") -> Iterator[Server]:
    """A server that answers only to its password, its process, and a function that starts other
    processes that end with it; afterwards all are ended. `pane`: where the owner runs, if in one.
    Raises OpenCodeStartFailed, OpenCodeTimedOut."""
    us, pipe, quiet = process.read(os.getpid()), subprocess.PIPE, subprocess.DEVNULL
    tag = f"{tempfile.gettempdir()}/opencode-{secrets.token_hex(8)}"
    words = [sys.executable, PROGRAM, "--keep", tag, pane, str(os.getpid())]
    keeper = subprocess.Popen(words, stdin=pipe, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        if pane and us:
            record.write(pane, Record(pid=us.pid, since=us.since, directory=directory))
        try:
            must_fit(program := find(program))
            server = _start(program, directory, tag, patience, bool(pane))
        except OSError as problem:
            raise OpenCodeStartFailed(f"OpenCode did not start: {problem}") from None
        yield server
    finally:
        keeper.communicate()  # closes its stdin; it ends when everything else has
        if keeper.returncode:  # it was killed
            sweep(tag)


def _start(program: str, directory: str, tag: str, patience: Patience, alone: bool) -> Server:
    """The server, once it answers. `alone`: this process has only one thread."""
    password, output = secrets.token_urlsafe(24), Path(tag, "output")
    os.mkdir(tag, 0o700)
    environment = {
        **os.environ,
        "OPENCODE_SERVER_PASSWORD": password,
        "OPENCODE_SERVER_USERNAME": "opencode",
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
            # It ends with its parent, even if the keeper is killed too.
            preexec_fn=(lambda: prctl(_PARENTS_DEATH, signal.SIGTERM)) if alone else None,
            **how,
        )

    with socket.create_server(("127.0.0.1", 0)) as trial:
        port = trial.getsockname()[1]
    with output.open("wb") as file:
        server = start(
            *("serve", "--port", str(port), "--hostname", "127.0.0.1"),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,  # C-z stops the TUI, not the turn
        )

    def must_live() -> None:
        if server.poll() is not None:
            said = _COLOUR.sub("", " ".join(output.read_text(errors="replace").split()))
            raise OpenCodeStartFailed(f"OpenCode's server has ended: {said[-MOST_QUOTED:]}")

    api = Api(port, password, patience, must_live)
    api.must_be_up()
    return api, server, start


def main(arguments: list[str]) -> int:
    """The program in the pane: DIRECTORY PROGRAM [CONVERSATION]."""
    if arguments[0] == "--keep":
        return _keep(*arguments[1:])
    directory, program, *session = arguments
    ctypes.CDLL(None).prctl(_NAME, b"opencode")  # the name that a look at the pane shows
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
    """Shows the TUI; returns when it or the server has ended."""
    (api, served, start), modes = server, termios.tcgetattr(0)
    if not session or not api.go_to(session, directory):
        api.begin()
    tui = start("attach", f"http://127.0.0.1:{api.port}", "--dir", directory, "-s", api.session)
    try:
        _until_drawn(pane, tui)
        record.change(pane, port=api.port, password=api.password, session=api.session)
        select.select([*map(os.pidfd_open, (tui.pid, served.pid))], [], [])
    finally:
        with suppress(TmuxError):
            record.change(pane, port=0)  # it takes no more turns
        _end(tui, api)
        with suppress(OSError, termios.error, TmuxError):
            if tui.returncode and os.tcgetpgrp(0) == os.getpgrp():  # it was killed, see _mend
                termios.tcsetattr(0, termios.TCSANOW, modes)
            else:
                left = Record(session=record.load(pane).session, directory=directory)
                record.write(pane, left if left.session else Record())


def _until_drawn(pane: str, tui: Popen) -> None:
    """Waits until the TUI has drawn its input: it may miss earlier events, even a permission."""
    look = ("display-message", "-p", "-t", pane, "#{alternate_on}#{cursor_flag}")
    process.until(lambda: tui.poll() is not None or "11" in tmux(*look), DRAWN_LIMIT)
    if tui.returncode is not None:
        reason = f"OpenCode's TUI ended at once (exit status {tui.returncode})"
        raise OpenCodeStartFailed(reason, "its pane may say why")


def _end(tui: Popen, api: Api) -> None:
    """Ends the TUI: by itself, which leaves its farewell, else by force."""
    for member in process.members(os.getpgrp()):
        if member.stopped:  # by the person: if continued, it would draw over the shell
            os.kill(member.pid, signal.SIGKILL)
    with suppress(OpenCodeError):  # it has ended, or has got the request all the same
        api.quit_tui()
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
        for pid in (found := process.carrying(f"{TAG}={tag}".encode())):
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
