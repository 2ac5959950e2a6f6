"""The Pythons of REPL tests, as a shell takes them: one whose REPL is readline's, and a newer one, whose is not."""

import os
import shlex
import shutil
import sys
from pathlib import Path

_THIS = shlex.quote(sys.executable)
_OLD = "/usr/bin/python3.11"
PY311 = _OLD if os.path.exists(_OLD) else f"env PYTHON_BASIC_REPL=1 {_THIS}"


def is_program(path: str | Path) -> bool:
    """Whether it is a binary, so not a script that looks for one, as pyenv has."""
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def _newer() -> str:
    """A Python 3.13 or newer; "" where there is none."""
    found = [shutil.which("python3.13"), *Path(sys.base_prefix).parent.glob("3.1[3-9]*/bin/python")]
    return next((shlex.quote(str(path)) for path in found if path and is_program(path)), "")


PY313 = _newer()
