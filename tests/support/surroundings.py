"""What tests inherit of the place in which they run: nothing that a program in a pane goes by.

The user's locale, terminal, umask and settings (`PS1`, `LESS`, `ZDOTDIR`, `XDG_CONFIG_HOME` …) are
not the tests' business. The way to the network and the switches of the tests themselves stay.
"""

import os
import pwd
import re
from collections.abc import Mapping
from pathlib import Path

_KEPT = re.compile(
    """PATH|HOME|TMPDIR|XDG_CACHE_HOME|PYTHONPATH|DEBIAN_FRONTEND|OPENCODE_BIN|CI
    |https?_proxy|ftp_proxy|all_proxy|.*_(?:CERTS?|CERT_FILE|CERT_DIR|CA_BUNDLE)
    |FUZZ|TYPISTS|COMMANDS|SEED|(?:PYTEST|TMUX_TOOL_TEST|PIP)_.*""",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST = 30  # characters of a folder for sockets: a socket's path has at most 107
# A run's own folder: all that it writes lies in there, and all that it starts inherits this.
FOLDER = "TMUX_TOOL_TEST_FOLDER"


def user() -> str:
    """Who runs the tests, whatever LOGNAME says; a number, where that has no name."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


PLAIN = {
    "LANG": "C.UTF-8", "TERM": "xterm-256color", "SHELL": "/bin/bash", "USER": user(), "LOGNAME": user(),
    **dict.fromkeys(("no_proxy", "NO_PROXY"), "127.0.0.1,localhost"),  # the tests' servers are no proxy's business
}


def temporary() -> str:
    """The folder for sockets, and for programs whose path is the first line of a script: this run's.
    Its length does not depend on the user's settings, where it can be chosen."""
    if FOLDER in os.environ:
        return os.environ[FOLDER]
    own = os.environ.get("TMPDIR", "")
    if os.access("/tmp", os.W_OK | os.X_OK) or not re.fullmatch(rf"[\w/.-]{{1,{_LONGEST}}}", own):
        return "/tmp"
    return own


def has_read_manuals(data: Path) -> None:
    """fish believes that it has parsed all man pages, which takes it seconds of CPU when it first
    starts in a home. `data`: its data folder (XDG_DATA_HOME)."""
    (data / "fish/generated_completions").mkdir(parents=True, exist_ok=True)


def plain(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` without what is not kept."""
    return {name: value for name, value in environment.items() if _KEPT.fullmatch(name)} | PLAIN


def enter() -> None:
    """This process, and all that it starts, inherit no more than that."""
    inherited = plain(os.environ)
    os.environ.clear()
    os.environ.update(inherited)
    os.umask(0o022)
