"""An input line in a box, as AI command lines draw one; works for 2 s and says what came."""

import os
import sys
import termios
import time
import tty

EDGE = "+" + "-" * 40 + "+\r\n"
before = termios.tcgetattr(0)
tty.setraw(0)
sys.stdout.write(EDGE + "| > " + " " * 37 + "|\r\n" + EDGE + "  ? for shortcuts")
sys.stdout.write("\x1b[2A\r\x1b[4C")  # the cursor goes back behind the sign
sys.stdout.flush()
line = b""
while not line.endswith(b"\r"):
    key = os.read(0, 100)
    line += key
    os.write(1, key.strip(b"\r"))
os.write(1, b"\x1b[3B\r\nworking\r\n")
time.sleep(2)
termios.tcsetattr(0, termios.TCSADRAIN, before)
print("sent", line.strip().decode())
