"""What tests inherit of the place in which they run: nothing that a program in a pane goes by.

The user's locale, terminal, umask and settings (`PS1`, `LESS`, `ZDOTDIR`, `XDG_CONFIG_HOME` …) are
not the tests' business. The way to the network and the switches of the tests themselves stay.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

_KEPT = re.compile(
    """PATH|HOME|USER|LOGNAME|TMPDIR|XDG_CACHE_HOME|PYTHONPATH|DEBIAN_FRONTEND|OPENCODE_BIN
    |.*_proxy|.*_(?:CERTS?|CERT_FILE|CERT_DIR|CA_BUNDLE)
    |FUZZ|(?:TYPISTS|COMMANDS)(?:_SEED)?|(?:PYTEST|TMUX_TOOL_TEST|PIP)_.*""",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST = 30  # characters of a folder for sockets: a socket's path has at most 107
PLAIN = {"LANG": "C.UTF-8", "TERM": "xterm-256color", "SHELL": "/bin/bash"}


def temporary() -> str:
    """The folder for sockets, and for programs whose path is the first line of a script."""
    own = os.environ.get("TMPDIR", "")
    return own if re.fullmatch(rf"[\w/.-]{{1,{_LONGEST}}}", own) else "/tmp"


def has_read_manuals(data: Path) -> None:
    """fish believes that it has parsed all man pages, which takes it seconds of CPU when it first
    starts in a home. `data`: its data folder (XDG_DATA_HOME)."""
    (data / "fish/generated_completions").mkdir(parents=True, exist_ok=True)


def plain(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` without what is not kept."""
    kept = {name: value for name, value in environment.items() if _KEPT.fullmatch(name)}
    return kept | PLAIN


def enter() -> None:
    """This process, and all that it starts, inherit no more than that."""
    inherited = plain(os.environ)
    os.environ.clear()
    os.environ.update(inherited)
    os.umask(0o022)
