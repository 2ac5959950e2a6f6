"""What runs in the pane: `python3 …/opencode DIRECTORY`; with `--keep`, the keeper of a server.

The folder itself is the program, and finds its package by its own place: hosts keep it in
different ones."""

import sys
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).resolve().parent

sys.path[0] = str(FOLDER.parents[1])
role, first = ("server", 2) if sys.argv[1:2] == ["--keep"] else ("pane", 1)
sys.exit(import_module(f"{FOLDER.parent.name}.{FOLDER.name}.{role}").main(sys.argv[first:]))
