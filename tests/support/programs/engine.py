"""engine PROMPT SECONDS: a console with a prompt of its own that waits for more than the terminal;
each line is a second's work, whose end goes into $TRUTH."""

import os
import select
import sys
import time

prompt, seconds = sys.argv[1], float(sys.argv[2])
other, _ = os.pipe()
while True:
    with open(os.environ["TRUTH"] + ".new", "w") as file:
        file.write(str(time.monotonic_ns()))
    os.replace(os.environ["TRUTH"] + ".new", os.environ["TRUTH"])
    sys.stdout.write(prompt)
    sys.stdout.flush()
    select.select([0, other], [], [])
    line = os.read(0, 4096).decode().strip()
    if line in ("", "quit"):
        break
    time.sleep(seconds)
    print("done with", line, flush=True)
