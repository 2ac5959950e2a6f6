"""`tmux-tool doctor`: one screen for a person who asks why it does not work, or how well it will.

Each check is a line: `ok`, or `do` and what to do.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from ..tmux.evidence.editor.line_editor import read_editor
from ..tmux.evidence.kernel.process import all_pids, text, until
from ..tmux.settings import BadSetting, Settings
from ..tmux.terminal.client import TmuxError, tmux, version_of
from .doctor_host import host_state
from .doctor_opencode import opencode_state
from .finding import Finding, do, ok
from .layout import version

_OLDEST_TMUX, _OLDEST_PYTHON = (3, 3), (3, 11)  # the oldest ones that the tests ran on
_SAMPLE_LIMIT = 10.0  # seconds for a server to start and a bash to show its prompt, when busy
_WIDTH = 96
_CONTAINER_SIGNS = ("/.dockerenv", "/run/.containerenv")  # of docker and podman
_OPEN_IT = (
    "To open it: sysctl kernel.yama.ptrace_scope=0 on the machine, "
    "or start the container with --cap-add SYS_PTRACE"
)


def doctor(root: Path) -> int:
    """Prints the findings. Returns 0 where all is ok, else 1."""
    findings = [
        _tmux(),
        _session(),
        _python(),
        *_evidence(),
        host_state(root),
        opencode_state(),
    ]
    print(f"tmux-tool {version()}")
    for finding in findings:
        mark = "ok" if finding.fine else "do"
        head = f"{mark}  {finding.about:<13}"
        wrapper = textwrap.TextWrapper(
            _WIDTH,
            initial_indent=head,
            subsequent_indent=" " * len(head),
            break_on_hyphens=False,
            break_long_words=False,
        )
        print(wrapper.fill(finding.text))
    return int(not all(finding.fine for finding in findings))


def _tmux() -> Finding:
    try:
        there = tmux("-V").strip().removeprefix("tmux ")
    except TmuxError as problem:
        image = "; in a container put that into its image" if _in_container() else ""
        return do("tmux", f"{problem}; {problem.hint}{image}")
    if version_of(there) < _OLDEST_TMUX:
        return do("tmux", f"{there} is older than what was tested (3.3a to 3.8): update it")
    return ok("tmux", there)


def _session() -> Finding:
    """And the settings, which name it."""
    try:
        settings = Settings.load()
    except BadSetting as problem:
        return do("settings", str(problem))
    changed = {k: v for k, v in asdict(settings).items() if v != getattr(Settings(), k)}
    note = "; set: " + ", ".join(f"{k}={v}" for k, v in changed.items()) if changed else ""
    facts = "#{session_windows} #{window_width}x#{window_height} #{session_attached} #{socket_path}"
    try:
        line = tmux("display-message", "-p", "-t", f"={settings.session}:", facts)
        windows, size, watchers, socket = line.split(maxsplit=3)
    except ValueError:
        return do("session", f"this tmux does not tell about it: {line.strip()[:60]!r}")
    except TmuxError as problem:
        if problem.hint:
            return do("session", f"{problem}; {problem.hint}")
        size = f"{settings.width}x{settings.height}"
        state = f"{settings.session} is not there yet; the first call creates it ({size})"
    else:
        state = f"{settings.session}: {size}, windows: {windows}, people who watch: {watchers}"
        state += f", server: {socket.strip()}"
    return ok("session", f"{state}; to watch: {_watch(settings.session)}{note}")


def _watch(session: str) -> str:
    command = f"tmux attach -t {session}"
    if not _in_container():
        return command
    return f"docker exec -it {platform.node()} {command}"


def _in_container() -> bool:
    return any(os.path.exists(sign) for sign in _CONTAINER_SIGNS)


def _python() -> Finding:
    there = platform.python_version()
    if sys.version_info < _OLDEST_PYTHON:
        return do("python", f"{there} is too old: 3.11 or newer is needed")
    return ok("python", f"{there} ({sys.executable})")


def _evidence() -> list[Finding]:
    """What of the evidence can be had here, strongest first."""
    if not text("/proc/self/stat"):
        state = "there is no /proc: the screen alone decides, more slowly; Linux has all of it"
        return [do("kernel", state)]
    try:
        with _bash_at_its_prompt() as pid:
            editor = until(lambda: read_editor(pid), _SAMPLE_LIMIT)
            syscall = text(f"/proc/{pid}/syscall")
    except (TmuxError, ValueError, OSError) as problem:
        return [do("evidence", f"cannot be tried: {problem}")]
    told = editor is not None and editor.exit_status is not None
    return [_kernel(syscall), _line_editor(syscall, told), _other_users()]


def _kernel(syscall: str) -> Finding:
    scope = text("/proc/sys/kernel/yama/ptrace_scope").strip()
    yama = f"kernel.yama.ptrace_scope is {scope}" if scope else "this kernel has no Yama"
    if syscall:
        return ok("kernel", f"who waits for the terminal can be read ({yama})")
    return do(
        "kernel",
        f"/proc/PID/syscall is closed ({yama}): turns are told right all the same, some of them "
        f"later or as `quiet`. {_OPEN_IT}",
    )


def _line_editor(syscall: str, told: bool) -> Finding:
    if told:
        return ok("line editor", "bash's prompt, typed line and exit status can be read")
    if syscall:
        return do("line editor", "this bash exports no variables: the screen decides there")
    return do(
        "line editor",
        "/proc/PID/mem is closed: prompts go by the screen, no exit status is told. As above",
    )


def _other_users() -> Finding:
    """sudo, su and services: whether what another user's program waits for can be read."""
    foreign = [pid for pid in all_pids() if _is_foreign(pid)]
    if not foreign:
        return ok("other users", "none has a program here")
    if any(text(f"/proc/{pid}/syscall") for pid in foreign):
        return ok("other users", "their programs (sudo, su) can be read too")
    return do(
        "other users",
        "their programs (sudo, su) are judged by the screen. To open them: run as root with "
        "CAP_SYS_PTRACE (docker: --cap-add SYS_PTRACE)",
    )


def _is_foreign(pid: int) -> bool:
    """Another user's, and no thread of the kernel."""
    try:
        return os.stat(f"/proc/{pid}").st_uid != os.geteuid() and bool(text(f"/proc/{pid}/cmdline"))
    except OSError:
        return False


@contextmanager
def _bash_at_its_prompt() -> Iterator[int]:
    """The pid of a bash in a tmux server of its own: the person's panes are not touched."""
    sockets = os.environ.get("TMUX_TMPDIR") or "/tmp"  # as tmux; a socket's path is short
    with tempfile.TemporaryDirectory(prefix="tmux-tool-", dir=sockets) as place:
        server = ("-S", f"{place}/socket", "-f", "/dev/null")
        bash = ("-e", "HISTFILE=", "bash", "--norc", "--noprofile")
        size = ("-x", "80", "-y", "24")
        tmux(*server, "new-session", "-d", *size, *bash, limit=_SAMPLE_LIMIT)
        try:
            yield int(tmux(*server, "display-message", "-p", "#{pane_pid}"))
        finally:
            tmux(*server, "kill-server")
