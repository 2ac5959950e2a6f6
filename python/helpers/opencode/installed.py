"""The OpenCode that is installed: where it is, which wire it has, what its first start changes."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from .reply import INSTALL, OpenCodeNotInstalled, OpenCodeStartFailed
from .turn import MOST_QUOTED
from .wire_1 import Wire1
from .wire_2 import Wire2

Wire = Wire1 | Wire2
WIRES: dict[int, type[Wire]] = {1: Wire1, 2: Wire2}
KNOWN = "1.2.27 and newer 1.x, or 2.0.4 and newer 2.x,"
VERSION_LIMIT = 60.0  # seconds for `opencode --version`; it takes 0.5 on an idle machine
# A row of its own: a wrapper may say more ("Now using node v20.1.0", "2.1.0 is available").
_VERSION = re.compile(r"^(?:opencode )?v?(\d+)\.(\d+)\.(\d+)\S*$", re.MULTILINE)


def find(program: str = "") -> str:
    """The absolute path of `program`, else of $OPENCODE_BIN, else of `opencode`. Of several names
    between colons the first one found counts. Raises OpenCodeNotInstalled."""
    names = program or os.environ.get("OPENCODE_BIN") or "opencode"
    for found in filter(None, map(shutil.which, names.split(":"))):
        return os.path.abspath(found)
    raise OpenCodeNotInstalled(f"{names.strip(':')} is not installed")


def must_fit(program: str) -> type[Wire]:
    """The wire of the OpenCode `program`. Raises OpenCodeStartFailed if it cannot be used."""
    said = _printed(program)
    reason = f"{program} --version prints {said[-MOST_QUOTED:]!r}"
    versions = _VERSION.findall(said)
    if not versions:
        raise OpenCodeStartFailed(reason, "It must print its version: run it in the pane")
    version = tuple(map(int, versions[-1]))
    wire = WIRES.get(version[0])

    if wire and version >= wire.OLDEST:
        return wire
    hint = f"{INSTALL} installs one that works"
    raise OpenCodeStartFailed(f"{reason}; only {KNOWN} can be used", hint)


def _printed(program: str) -> str:
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=VERSION_LIMIT,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise OpenCodeStartFailed(f"{program} --version failed: {problem}") from None
    return (done.stdout or done.stderr).strip()


def say_once(wire: type[Wire]) -> None:
    """Raises OpenCodeStartFailed before a first start that would change an older line's data, but
    not a second time: a file beside them says that it was said. Raises OSError."""
    changed, line = wire.ruins(), wire.OLDEST[0]
    if changed and not (said := Path(f"{changed}.before-{line}")).exists():
        reason = f"this first start of OpenCode {line} would change {changed} for good: older ones"
        reason += " could not go on with their conversations any more"
        said.write_text(reason)
        hint = "The next call does it. To keep both, first `export OPENCODE_DB=FILE` where it runs"
        raise OpenCodeStartFailed(reason, hint)
