"""An interpreter that a test has started: it enters the world of its parent. See ../denied.py."""

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location("denied", Path(__file__).parents[1] / "denied.py")
_denied = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_denied)
_denied.enter()
