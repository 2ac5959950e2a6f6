"""Asks for a PIN as systemd-ask-password does: in raw mode, with a hint that the first key erases."""

import os
import sys
import termios
import tty

before = termios.tcgetattr(0)
tty.setcbreak(0)
sys.stdout.write("Disk PIN: (press TAB for no echo)")
sys.stdout.flush()
size = 0
while os.read(0, 1) not in (b"\n", b"\r"):
    size += 1
    sys.stdout.write("\rDisk PIN: \x1b[K" + "*" * size)
    sys.stdout.flush()
termios.tcsetattr(0, termios.TCSADRAIN, before)
print(f"\n{size} digits")
