"""The OpenCode that is installed: where it is, which wire it has, what its first start changes."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from .http_wire import MOST_QUOTED
from .reply import INSTALL, OpenCodeNotInstalled, OpenCodeStartFailed
from .wire_1 import Wire1
from .wire_2 import Wire2

Wire = Wire1 | Wire2
WIRES: dict[int, type[Wire]] = {1: Wire1, 2: Wire2}
KNOWN = "1.2.27 and newer 1.x, or 2.0.4 and newer 2.x,"
VERSION_LIMIT = 60.0  # seconds for `opencode --version`; it takes 0.5 on an idle machine


def find(program: str = "") -> str:
    """The absolute path of `program`, else of $OPENCODE_BIN, else of `opencode`. Of several names
    between colons the first one found counts. Raises OpenCodeNotInstalled."""
    names = program or os.environ.get("OPENCODE_BIN") or "opencode"
    for found in filter(None, map(shutil.which, names.split(":"))):
        return os.path.abspath(found)
    raise OpenCodeNotInstalled(f"{names.strip(':')} is not installed")


def must_fit(program: str) -> type[Wire]:
    """The wire of the OpenCode `program`. Raises OpenCodeStartFailed if it cannot be used."""
    words, quiet, limit = [program, "--version"], subprocess.DEVNULL, VERSION_LIMIT
    try:
        done = subprocess.run(words, stdin=quiet, capture_output=True, text=True, timeout=limit)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise OpenCodeStartFailed(f"{program} --version failed: {problem}") from None
    said = (done.stdout or done.stderr).strip()[-MOST_QUOTED:]
    version = tuple(map(int, re.findall(r"\d+", said)[:3]))  # 1.18.33, opencode v2.0.16
    wire = WIRES.get(version[0]) if version else None
    if wire and version >= wire.OLDEST:
        return wire
    reason = f"{program} --version prints {said!r}; only {KNOWN} can be used"
    raise OpenCodeStartFailed(reason, f"{INSTALL} installs one that works")


def say_once(wire: type[Wire]) -> None:
    """Raises OpenCodeStartFailed before a first start that would change an older line's data, but
    not a second time: a file beside them says that it was said. Raises OSError."""
    changed, line = wire.changes(), wire.OLDEST[0]
    if changed and not (said := Path(f"{changed}.before-{line}")).exists():
        reason = f"this first start of OpenCode {line} would change {changed} for good: older ones"
        reason += " could not go on with their conversations any more"
        said.write_text(reason)
        hint = "The next call does it. To keep both, first `export OPENCODE_DB=FILE` where it runs"
        raise OpenCodeStartFailed(reason, hint)
