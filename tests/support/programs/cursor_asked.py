"""cursor_asked SECONDS: ask the terminal where the cursor is, as line editors do, and read a reply
that takes SECONDS; then ask a line."""

import contextlib
import os
import signal
import sys
import termios
import tty


def late(*_):
    raise InterruptedError


before = termios.tcgetattr(0)
tty.setraw(0)
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))
with contextlib.suppress(InterruptedError):  # nothing replies
    os.read(0, 16)
termios.tcsetattr(0, termios.TCSADRAIN, before)
input("Name: ")
