"""Runs in a pane: prints each text of a JSON list at the start of a line and writes how many cells the cursor moved.

cell_widths.py IN OUT       (asks the terminal itself: CSI 6n)
"""

import json
import os
import sys
import tty
from pathlib import Path

tty.setraw(0)
moved = []
for text in json.loads(Path(sys.argv[1]).read_text()):
    os.write(1, b"\r\x1b[2K" + text.encode() + b"\x1b[6n")
    answer = b""
    while not answer.endswith(b"R"):
        answer += os.read(0, 64)
    moved.append(int(answer.rpartition(b";")[2][:-1]) - 1)
with open(sys.argv[2] + ".part", "w") as out:
    json.dump(moved, out)
os.replace(sys.argv[2] + ".part", sys.argv[2])
os.read(0, 1)
