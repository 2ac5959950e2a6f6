"""OpenCodeSession for code that has put this folder on its path, wherever the skill lies."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[4]))
from python.helpers.opencode_cli import *  # noqa: F403
