"""`tmux-tool doctor`: one screen for a person who asks why it does not work, or how well it will.

Each check is a line: `ok`, or `do` and what to do. A command to copy has a line of its own.
"""

import json
import os
import platform
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..opencode.reply import INSTALL, OpenCodeError
from ..opencode.server import find, must_fit
from ..tmux.actions import Call
from ..tmux.base.answer import Word
from ..tmux.base.client import TmuxError, tmux, version_of
from ..tmux.base.process import can_be_read, fact
from ..tmux.base.settings import BadValue, Settings
from ..tmux.facts.readable import readable
from .clients import states
from .earlier import content, earlier_files
from .install import differing, releases
from .layout import PLUGIN, InstallError, layout_of, release, version

_OLDEST_TMUX = (3, 3)  # the oldest on which the tests ran
_TMUX_START = 20.0  # seconds for a tmux server to start on a busy machine
_FIRST_PROMPT = 30.0  # seconds; some profiles wait for a lock, or for the network
_SLOW = 1.5  # seconds until a prompt that a person notices
_OPEN = "sudo sysctl kernel.yama.ptrace_scope=0    # until the machine starts again"
_OPEN_OUTSIDE = f"""docker run --cap-add SYS_PTRACE …    # with your other options: a new container
cap_add: [SYS_PTRACE]    # the same in a compose file; then: docker compose up -d
{_OPEN}; for all that runs there"""
_CONTAINERS = ("/.dockerenv", "/run/.containerenv")
_SHELL = "export SHELL=/bin/bash"


class Finding(NamedTuple):
    """`fine`: there is nothing to do; `command`: one to copy, or one of several lines."""

    about: str
    fine: bool
    text: str
    command: str = ""


def doctor(root: Path) -> int:
    """Prints the findings. Returns 0 if all works, 1 if there is something to do."""
    print(f"tmux-tool {version()}, Python {platform.python_version()}")
    status = 0
    for finding in _findings(root):
        print(f"{'ok' if finding.fine else 'do'}  {finding.about:<13}{finding.text}")
        for line in finding.command.splitlines():
            print(f"{'':17}{line}")
        status |= not finding.fine

    return status


def _findings(root: Path) -> Iterator[Finding]:
    yield _host(root)

    try:
        there = tmux("-V").split()[-1]
        fine = version_of(there) >= _OLDEST_TMUX
        yield Finding("tmux", fine, f"{there} (3.3 or newer is needed)")

        # tmux tells of it in words that help nobody.
        sockets = os.environ.get("TMUX_TMPDIR")
        if sockets and not os.access(sockets, os.W_OK | os.X_OK):
            missing = f"TMUX_TMPDIR is {sockets}, where nothing can be written"
            yield Finding(
                "tmux", False, f"{missing}; to take the usual place:", "unset TMUX_TMPDIR"
            )
            return

        settings = _settings(root / PLUGIN.base / "config.json")
        yield _session(settings)
        yield from _evidence(Settings(readable=settings.readable))
    except BadValue as problem:
        yield Finding("settings", False, str(problem))
    except TmuxError as problem:
        yield Finding("tmux", False, str(problem), problem.hint)
    except OSError as problem:
        yield Finding("tmux", False, f"{problem.filename}: {problem.strerror}")

    yield from _clients()
    yield _opencode()  # in another home


def _settings(gear: Path) -> Settings:
    """As the tool reads them; `gear`: what the host's page has saved. Raises BadValue."""
    try:
        saved = dict(json.loads(content(gear) or b"{}") or {})  # the host takes empty as not set
    except (ValueError, TypeError) as problem:
        raise BadValue(f"{gear}: {problem}; save the plugin's settings again") from None
    return Settings.load(saved)


def _session(settings: Settings) -> Finding:
    name = settings.session
    try:
        clients = tmux("list-clients", "-t", f"={name}:", "-F", "#{client_control_mode}")
        socket = tmux("display-message", "-p", "-t", f"={name}:", "#{socket_path}").strip()
    except TmuxError as problem:
        if not problem.gone:
            raise
        return Finding("session", True, f"{name} is not there yet; the first call creates it")

    people = clients.split().count("0")  # control clients are programs
    watch = f"tmux -S {socket} attach -t {name}"  # it is another one where TMUX_TMPDIR is not kept
    if Path("/.dockerenv").exists():  # in a container
        watch = f"docker exec -it {platform.node()} {watch}"
    return Finding("session", True, f"{name}, {people or 'nobody'} attached; to watch it:", watch)


def _evidence(settings: Settings) -> Iterator[Finding]:
    """What can be read here: of the person's shell, in a tmux server of its own, whose environment
    this process keeps, so other calls of tmux come first."""
    with tempfile.TemporaryDirectory(
        prefix="tmux-tool-",
        dir=os.environ.get("TMUX_TMPDIR"),
        ignore_cleanup_errors=True,
    ) as place:
        os.environ.update(TMUX_TMPDIR=place, TMUX="", HISTFILE="", fish_history="")
        new = readable(("new-session", "-d", "-s", settings.session), settings, is_first=True)
        start = (*new, ";", "set-option", "-s", "exit-empty", "off")
        asked = ("show-options", "-gv", "default-shell")
        shell = tmux("-f", os.devnull, *start, ";", *asked, limit=_TMUX_START).strip()
        try:
            yield from _tried(shell, settings)
        finally:
            tmux("kill-server")


def _tried(shell: str, settings: Settings) -> Iterator[Finding]:
    began = time.monotonic()
    wait = {"action": "wait_ready", "timeout": _FIRST_PROMPT}
    first = Call(settings=settings).answer(wait)
    seconds = time.monotonic() - began
    answer = Call(settings=settings).answer({"action": "run", "text": "true"})

    pid = tmux("list-sessions", "-F", "#{pane_pid}").strip()
    if not pid:
        yield Finding("shell", False, f"{shell} ends at once; start Agent Zero with:", _SHELL)
        return

    if first.word == Word.TIMED_OUT:
        late = f"{shell} has no prompt after {seconds:.0f}s; what its profile waits for:"
        yield Finding("shell", False, late, f"{shell} -lix")
        return

    if seconds > _SLOW:
        late = f"{shell} has its first prompt after {seconds:.1f}s: its profile is slow"
        yield Finding("shell", True, late)

    known = answer.exit_status is not None
    advice = ""  # on the shell; what the kernel hides comes first
    if pid.isdigit() and can_be_read(False) and fact(int(pid), "syscall"):
        yield Finding("kernel", True, "which process waits for the terminal can be read")
        advice = _SHELL
    else:
        yield _closed(known)

    if known:
        text = f"the prompt, typed line and exit status of {shell} can be read"
        yield Finding("line editor", True, text)
    else:
        closed = f"{shell}'s memory is closed: the screen decides, no exit status is known"
        yield Finding("line editor", False, closed, advice)


def _closed(known: bool) -> Finding:
    """What Yama closes, and how to open it; `known`: the shells that the tool starts are read."""
    text = "programs are closed (Yama's ptrace_scope): no exit statuses, some turns come late or"
    text += " are `quiet`"
    if known:
        text = "only shells that the tool starts can be read (Yama's ptrace_scope): its session's"
        text += " first, those of `open`; in others no exit statuses"

    # Root that may not do it is in a container, from which nothing opens it.
    if not os.geteuid() or any(map(os.path.exists, _CONTAINERS)):
        outside = f"{text}; to open all, on Docker's own machine one of:"
        return Finding("kernel", known, outside, _OPEN_OUTSIDE)

    return Finding("kernel", known, f"{text}; to open all:", _OPEN)


def _host(root: Path) -> Finding:
    if not root.exists():
        return Finding("host", True, f"no Agent Zero in {root}; the command line needs none")

    try:
        new = release(layout_of(root))
    except InstallError as problem:
        return Finding("host", False, str(problem))

    folder = root / new.folder
    if not releases(root) and not earlier_files(root):
        how = f"tmux-tool install {root}    # from the project's folder"
        return Finding("host", False, f"not installed in {root}; to install it:", how)

    if earlier_files(root) or differing(root, new.tree | new.placed):
        again = f"tmux-tool install {root}    # from the project's folder"
        return Finding("host", False, f"{root} is not exactly {version()}; to repair it:", again)

    if (folder.parent / ".toggle-0").exists():
        return Finding("host", False, "switched off in the host's list of plugins")
    return Finding("host", True, f"installed in {folder}")


def _opencode() -> Finding:
    try:
        program = find()
    except OpenCodeError:
        return Finding("OpenCode", True, "not installed; only conversations with it need it")

    with tempfile.TemporaryDirectory(prefix="tmux-tool-") as home:  # OpenCode creates folders there
        os.environ["HOME"] = home
        try:
            must_fit(program)
        except OpenCodeError as problem:
            return Finding("OpenCode", False, problem.reason, f"{INSTALL}@1")

    return Finding("OpenCode", True, f"{program} can be used")


def _clients() -> Iterator[Finding]:
    """Of the MCP clients that are there, which have our server."""
    found = list(states())
    if not found:
        return

    have = [client for client, right, _ in found if right]
    without = [client for client, right, _ in found if right is None]
    text = f"the server is set up in {', '.join(have) or 'no client'}"
    how = ""
    if without:
        text += f", could be in {', '.join(without)}:"
        how = f"tmux-tool mcp install {without[0]}"

    yield Finding("MCP", True, text, how)
    for client, right, wrong in found:
        if right is False:
            yield Finding("MCP", False, f"{client}: {wrong}", f"tmux-tool mcp install {client}")
