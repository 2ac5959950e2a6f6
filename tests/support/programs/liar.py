"""liar MODE FILE PART: shows every fourth line of a file, and never reads; FILE is `noise`: random ones.

MODE: canonical, raw or hidden. Between the texts it sleeps, waits for a child, for a thread, or for
a pipe, in turn. At its end it writes the moment into $TRUTH.
"""

import os
import random
import select
import subprocess
import sys
import termios
import threading
import time
import tty

mode, file, *part = sys.argv[1:]
seconds = 0.02 if file == "noise" else 2.3  # longer than a weak form must be still


def noise():
    """Up to 80 bytes, mostly of what terminals and prompts are made of."""
    likely = "\x1b[?;0123456789hlHJKmABCD\r\n\t$#>: yn/()\x07\x08\x0e\x0f"
    signs = [*likely, *map(chr, random.sample(range(256), 20))]
    return "".join(random.choices(signs, k=random.randrange(1, 80)))


def waits_for_a_child():
    subprocess.run(["sleep", str(seconds)], check=True)


def waits_for_a_thread():
    thread = threading.Thread(target=time.sleep, args=[seconds])
    thread.start()
    thread.join()


def waits_for_a_pipe():
    reading, writing = os.pipe()
    poll = select.epoll()
    poll.register(reading, select.EPOLLIN)
    poll.poll(seconds)
    poll.close()
    os.close(reading)
    os.close(writing)


ways = [lambda: time.sleep(seconds), waits_for_a_child, waits_for_a_thread, waits_for_a_pipe]
before = termios.tcgetattr(0)
if mode == "raw":
    tty.setraw(0)
elif mode == "hidden":
    changed = termios.tcgetattr(0)
    changed[3] &= ~termios.ECHO
    termios.tcsetattr(0, termios.TCSANOW, changed)
if file == "noise":
    random.seed(mode)
    lies = [noise() for _ in range(160)]
else:
    with open(file, encoding="utf-8") as lines:
        lies = ["\r\n" + line.rstrip("\n") for line in lines][int(part[0]) :: 4]
for number, text in enumerate(lies):
    os.write(1, text.encode("utf-8"))
    ways[number % len(ways)]()
with open(os.environ["TRUTH"], "w") as truth:
    truth.write(str(time.monotonic_ns()))
os.write(1, b"\033c")
time.sleep(0.3)  # what the terminal replies to its texts is read by nobody
termios.tcsetattr(0, termios.TCSAFLUSH, before)
