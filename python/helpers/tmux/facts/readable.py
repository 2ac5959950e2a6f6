"""The shell of a window that the tool opens, so that the tool may read it.

Yama (`kernel.yama.ptrace_scope` 1) denies a process the memory of all that it has not started
itself; tmux's shells are the server's. A process may name who else may read it, and that is kept
when it becomes another program (security/yama/yama_lsm.c). So tmux starts become_shell.py, which
allows it and becomes the shell that tmux would have started.

It allows everybody, as scope 0 does: a user's processes that reach tmux's socket can type into the
shell and read its screen anyway, and the callers have no ancestor in common (`docker exec`).
"""

import shlex
import sys
from pathlib import Path

from ..base import process as proc
from ..base.client import as_command, word
from ..base.settings import Settings

_NAME = "/base/become_shell.py"
_SCRIPT = f"{Path(__file__).parents[1]}{_NAME}"
_LAUNCHER = (sys.executable, "-IS", _SCRIPT)
# A tmux format: whether a pane was started so; `respawn-pane` starts it so again.
LAUNCHED = f"#{{m:*{_NAME}*,#{{pane_start_command}}}}"
_HAS_ITS_OWN = "#{default-command}"  # what the person's tmux starts instead of a shell
_SHELL = "#{b:default-shell}"
# fish reads its whole configuration for `-c`, and has no memory that we read.
_TAKES_C = f"#{{m/r:^(bash|zsh)$,{_SHELL}}}"


def readable(new: tuple[str, ...], settings: Settings, is_first: bool = False) -> tuple[str, ...]:
    """`new`, a tmux command that opens a window in the session, so that its shell can be read; as
    it is where nothing denies that, or where the person has chosen what tmux starts. `is_first`: it
    creates the session."""
    if settings.readable == "off" or proc.can_be_read(False) or not proc.can_be_read(True):
        return new

    at = ("-t", f"={settings.session}:")
    if not is_first:
        return ("if-shell", "-F", *at, _HAS_ITS_OWN, as_command(*new), as_command(*new, *_LAUNCHER))

    # By itself the window would have the launcher's name at first: it gets the shell's, and names
    # itself again once that is there.
    launched = as_command(*new, "-n", _SHELL, *_LAUNCHER)
    named = as_command("set-option", "-uw", "-t", f"={settings.session}:^", "automatic-rename")
    launched += " ; " + as_command("run-shell", "-b", "-d", "1", "-C", named)
    if settings.readable == "all":
        chosen = as_command("set-option", "-F", *at, "default-command", _default_command())
        launched += " ; " + as_command("if-shell", "-F", _TAKES_C, chosen)

    return ("start-server", ";", "if-shell", "-F", _HAS_ITS_OWN, as_command(*new), launched)


def _default_command() -> str:
    """What the shell runs with `-c` for the person's windows; it is the same without the script. A
    function, because tmux names a window by the first word."""
    start = f"test -e {shlex.quote(_SCRIPT)} && exec {shlex.join(_LAUNCHER)}"
    return f'{_SHELL} () {{ {word(start, expanded=True)}; exec "$SHELL" -l; }}; {_SHELL}'


def has_become_shell(first: proc.Process) -> bool:
    """Whether the first process of a pane that was started so has allowed it: tmux has started
    the script, and that a shell."""
    words = proc.fact(first.pid, "cmdline")
    return bool(words) and _NAME not in words and proc.link(first.parent, "exe") != first.exe
