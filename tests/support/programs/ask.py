"""ask QUESTION [SECONDS] [hidden]: after SECONDS write down the moment into $TRUTH, ask, read a line, say what came."""

import os
import sys
import termios
import time

question, seconds, hidden = sys.argv[1], float([*sys.argv, "0", "0"][2]), "hidden" in sys.argv[3:]
time.sleep(seconds)
before = termios.tcgetattr(0)
if hidden:
    silent = termios.tcgetattr(0)
    silent[3] &= ~termios.ECHO
    termios.tcsetattr(0, termios.TCSAFLUSH, silent)
with open(os.environ["TRUTH"] + ".new", "w") as file:
    file.write(str(time.monotonic_ns()))
os.replace(os.environ["TRUTH"] + ".new", os.environ["TRUTH"])
sys.stdout.write(question)
sys.stdout.flush()
try:
    line = os.read(0, 4096)
finally:
    termios.tcsetattr(0, termios.TCSADRAIN, before)
print("\nthank you" if hidden else "got " + line.decode().strip())
