"""liar MODE SECONDS FILE: shows each text of a JSON file for so long, and never reads.

MODE: canonical, raw or hidden. Between the texts it sleeps, waits for a child, for a thread, or for
a pipe, in turn. At its end it writes the moment into $TRUTH.
"""

import json
import os
import select
import subprocess
import sys
import termios
import threading
import time
import tty

mode, seconds, file = sys.argv[1], float(sys.argv[2]), sys.argv[3]


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
with open(file) as texts:
    lies = json.load(texts)
for number, text in enumerate(lies):
    os.write(1, text.encode("utf-8"))
    ways[number % len(ways)]()
with open(os.environ["TRUTH"], "w") as truth:
    truth.write(str(time.monotonic_ns()))
os.write(1, b"\033c")
time.sleep(0.3)  # what the terminal replies to its texts is read by nobody
termios.tcsetattr(0, termios.TCSAFLUSH, before)
