"""`tmux-tool doctor`: one screen for a person who asks why it does not work, or how well it will.

Each check is a line, `ok`, or `do` and what to do; a command to copy has a line of its own.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ..opencode.reply import INSTALL
from ..tmux.actions import Call
from ..tmux.evidence.kernel.process import text
from ..tmux.settings import BadSetting, Settings
from ..tmux.terminal.client import TmuxError, tmux, version_of
from .earlier import content, earlier_files
from .install import is_whole, releases, twins_in
from .layout import PLUGIN, InstallError, layout_of, version

_OLDEST_TMUX, _OLDEST_PYTHON = (3, 3), (3, 11)  # the oldest ones that the tests ran on
_TELLS_PASTING = (3, 7)  # tmux from here on tells whether a program has bracketed paste on
_OPENCODE = (1, 2, 27), (2,)  # from the one to before the other: those with the API
_LIMIT = 20.0  # seconds for `opencode --version`; it takes 0.5 on an idle machine
_OPEN = "sysctl kernel.yama.ptrace_scope=0    # or start the container with --cap-add SYS_PTRACE"
_CONTAINER_SIGNS = ("/.dockerenv", "/run/.containerenv")  # of docker and podman


class Finding(NamedTuple):
    """`fine`: nothing is to be done; `command`: to be copied."""

    about: str
    fine: bool
    text: str
    command: str = ""


def doctor(root: Path) -> int:
    """Prints the findings. Returns 0 if all works, 1 if there is something to do."""
    print(f"tmux-tool {version()}")
    status = 0
    for finding in _findings(root):
        print(f"{'ok' if finding.fine else 'do'}  {finding.about:<13}{finding.text}")
        if finding.command:
            print(f"{'':17}{finding.command}")
        status |= not finding.fine
    return status


def _findings(root: Path) -> Iterator[Finding]:
    there, fine = platform.python_version(), sys.version_info >= _OLDEST_PYTHON
    yield Finding("python", fine, there if fine else f"{there}: 3.11 or newer is needed")
    try:
        there = tmux("-V").strip().removeprefix("tmux ")
        fine = version_of(there) >= _OLDEST_TMUX
        yield Finding("tmux", fine, there if fine else f"{there} is older than 3.3: update it")
        yield _session(Settings.load())
        yield from _evidence()
        modes = "bracketed paste" if version_of(there) >= _TELLS_PASTING else "keypad mode"
        known = f"a prompt behind ssh or docker is known by {modes} and by the screen"
        yield Finding("remote turns", True, known)
    except BadSetting as problem:
        yield Finding("settings", False, str(problem))
    except TmuxError as problem:
        yield Finding("tmux", False, str(problem), problem.hint)
    yield _host(root.resolve())
    yield _opencode()


def _session(settings: Settings) -> Finding:
    name = settings.session
    watch = f"tmux attach -t {name}"
    if any(map(os.path.exists, _CONTAINER_SIGNS)):
        watch = f"docker exec -it {platform.node()} {watch}"
    try:
        clients = tmux("list-clients", "-t", f"={name}:", "-F", "#{client_control_mode}")
    except TmuxError as problem:
        if problem.hint:
            raise
        return Finding("session", True, f"{name} is not there yet; the first call creates it")
    people = clients.split().count("0")  # control clients are programs
    return Finding("session", True, f"{name}, {people or 'nobody'} attached; to watch it:", watch)


def _evidence() -> Iterator[Finding]:
    """What of the evidence can be read here: tried at a bash in a tmux server of its own."""
    try:
        with _own_server():
            answer = Call(settings=Settings()).answer({"action": "run", "text": "true"})
            pid = tmux("display-message", "-p", "-t", "=shared:", "#{pane_pid}").strip()
            kernel = bool(text(f"/proc/{pid}/syscall"))
    except (TmuxError, OSError) as problem:
        yield Finding("evidence", False, f"cannot be tried: {problem}")
        return
    if kernel:
        yield Finding("kernel", True, "who waits for the terminal can be read")
    else:
        closed = "/proc/PID/syscall is closed: some turns are told late, or as `quiet`; to open it:"
        yield Finding("kernel", False, closed, _OPEN)
    editor = answer.exit_status is not None
    known = "its memory, with prompt, typed line and exit status, can be read"
    closed = "its memory is closed: prompts are known by the screen, no exit status is told"
    yield Finding("line editor", editor, known if editor else closed)


@contextmanager
def _own_server() -> Iterator[None]:
    """The person's panes are not touched."""
    before = dict(os.environ)
    place = tempfile.mkdtemp(prefix="tmux-tool-", dir=before.get("TMUX_TMPDIR"))
    os.environ.pop("TMUX", None)
    os.environ |= {"TMUX_TMPDIR": place, "HISTFILE": ""}
    try:
        size = ("-x", "80", "-y", "24")
        bash = ("bash", "--norc", "--noprofile")
        tmux("-f", os.devnull, "new-session", "-d", "-s", "shared", *size, *bash, limit=_LIMIT)
        yield
        tmux("kill-server")
    finally:
        os.environ.clear()
        os.environ.update(before)
        shutil.rmtree(place, ignore_errors=True)


def _host(root: Path) -> Finding:
    if not root.exists():
        return Finding("host", True, f"no Agent Zero in {root}; the command line needs none")
    again = f"tmux-tool install {root}    # from the project's folder"
    try:
        base = root / layout_of(root).base
    except InstallError as problem:
        return Finding("host", False, str(problem))
    found = releases(root)
    place = found[0] if found else base
    wrong = [
        *(name for name, texts in twins_in(root).items() if content(root / name) not in texts),
        *(str(folder) for folder in found if folder.parent != base or not is_whole(folder)),
    ]
    state = "installed in"
    if earlier_files(root):
        state = "an earlier edition, or a copy made by hand, is in"
    elif not found:
        state = "not installed in"
    elif wrong or len(found) > 1:
        state = f"installed, but not whole ({' '.join(wrong[:1])}), in"
    elif base == root / PLUGIN.base and (base / ".toggle-0").exists():
        state = "switched off in the host's list of plugins:"
    fine = state == "installed in"
    return Finding("host", fine, f"{state} {place}", "" if fine else again)


def _opencode() -> Finding:
    binary = os.environ.get("OPENCODE_BIN") or shutil.which("opencode")
    if not binary:
        return Finding("OpenCode", True, "not installed; only conversations with it need it")
    with tempfile.TemporaryDirectory(prefix="tmux-tool-") as home:  # it makes folders there
        environment = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
        environment["HOME"] = home
        try:
            said = subprocess.run(
                [binary, "--version"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_LIMIT,
                env=environment,
            )
            answer = said.stdout or said.stderr
        except (OSError, subprocess.TimeoutExpired) as problem:
            answer = str(problem)
    numbers = re.findall(r"\d+", answer)[:3]
    fine = _OPENCODE[0] <= tuple(map(int, numbers)) < _OPENCODE[1]
    asks = "" if fine else "; conversations need 1.2.27 or newer, below 2:"
    text = f"{answer.strip()[:60]} ({binary}){asks}"
    return Finding("OpenCode", fine, text, "" if fine else f"{INSTALL}@1")
