"""spin.py SECONDS: a spinner in a raw terminal, ten times a second."""

import sys
import termios
import time
import tty

end = time.monotonic() + float(sys.argv[1])
before = termios.tcgetattr(0)
tty.setraw(0)
step = 0
while time.monotonic() < end:
    sys.stdout.write(f"\r{'-/|+'[step % 4]} thinking (esc to interrupt) {step}")
    sys.stdout.flush()
    time.sleep(0.1)
    step += 1
termios.tcsetattr(0, termios.TCSADRAIN, before)
print()
