"""The Pythons of REPL tests: 3.11, whose REPL is readline's, and a newer one, whose is not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PY311 = "/usr/bin/python3.11" if os.path.exists("/usr/bin/python3.11") else sys.executable


def _newer() -> str:
    """A Python 3.13 or newer that starts; "" where there is none."""
    found = [shutil.which("python3.13"), *Path(sys.base_prefix).parent.glob("3.1[3-9]*/bin/python")]
    for path in filter(None, found):
        if subprocess.run([path, "-V"], capture_output=True).returncode == 0:
            return str(path)
    return ""


PY313 = _newer()
