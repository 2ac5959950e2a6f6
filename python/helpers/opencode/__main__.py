"""What runs in the pane: `python3 …/opencode DIRECTORY`. The folder itself is the program, which
finds its package by its own place: hosts keep it in different ones."""

import sys
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[0] = str(FOLDER.parents[1])
sys.exit(import_module(f"{FOLDER.parent.name}.{FOLDER.name}.server").main(sys.argv[1:]))
