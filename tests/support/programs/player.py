"""player FILE: play the steps in FILE (JSON: [kind, value] …), then write down the moment into
$TRUTH and end.

say: print a line · part: print without a line break · pause: sleep · burn: compute · ask: as the
last step, ask and read a line · hide: the same without echo.
"""

import json
import os
import subprocess
import sys
import time


def truth():
    with open(os.environ["TRUTH"] + ".new", "w") as file:
        file.write(str(time.monotonic_ns()))
    os.replace(os.environ["TRUTH"] + ".new", os.environ["TRUTH"])


with open(sys.argv[1]) as file:
    steps = json.load(file)
for kind, value in steps:
    if kind in ("say", "part"):
        sys.stdout.write(value + "\n" * (kind == "say"))
        sys.stdout.flush()
    elif kind == "pause":
        time.sleep(value)
    elif kind == "burn":
        end = time.monotonic() + value
        while time.monotonic() < end:
            pass
    else:
        if kind == "hide":
            subprocess.run(["stty", "-echo"], check=True)
        truth()
        sys.stdout.write(value)
        sys.stdout.flush()
        sys.stdin.readline()
        if kind == "hide":
            subprocess.run(["stty", "echo"], check=True)
truth()
