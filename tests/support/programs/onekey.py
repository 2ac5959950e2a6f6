"""onekey TEXT: show TEXT and wait for one key, as `Press any key` does, without echo."""

import os
import sys
import termios
import tty

before = termios.tcgetattr(0)
tty.setraw(0)
sys.stdout.write(sys.argv[1])
sys.stdout.flush()
key = os.read(0, 1)
termios.tcsetattr(0, termios.TCSADRAIN, before)
print("\r\ngot", key.decode())
