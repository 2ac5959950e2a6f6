"""A full-screen program that is killed at the first key."""

import os
import sys
import termios
import tty

before = termios.tcgetattr(0)
tty.setraw(0)
sys.stdout.write("\x1b[?1049h\x1b[HFULL SCREEN PROGRAM")
sys.stdout.flush()
os.read(0, 1)
sys.stdout.write("\x1b[?1049l")
sys.stdout.flush()
termios.tcsetattr(0, termios.TCSADRAIN, before)
print("Traceback: it crashed")
sys.stdout.flush()
os.kill(os.getpid(), 9)
