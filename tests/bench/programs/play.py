"""play NAME: act the script NAME as a program would, and note in $TRUTH (monotonic ns) the moment it was over or asked.

A script is a JSON list of steps in the folder $SCRIPTS, else in this one. More arguments are
ignored: they only appear in the shell's echo.
"""

import json
import os
import sys
import termios
import time
from collections.abc import Callable

TRUTH = os.open(os.environ["TRUTH"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
stamped = False


def out(text):
    data = text.encode()
    while data:
        data = data[os.write(1, data) :]


def stamp():
    global stamped
    if not stamped:
        stamped = True
        os.write(TRUTH, b"%d\n" % time.monotonic_ns())


def busy(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def progress(steps, delay):
    for step in range(steps + 1):
        out(f"\r[{'#' * (step * 30 // steps):30}] {step * 100 // steps}%")
        time.sleep(delay)


def lines(count):
    out("".join(f"{number}: a line of output\n" for number in range(count)))


def ask(question, echo=True):
    """What follows is a blocking read: the stamp is the moment from which an answer is right."""
    mode = termios.tcgetattr(0)
    if not echo:
        termios.tcsetattr(0, termios.TCSAFLUSH, [*mode[:3], mode[3] & ~termios.ECHO, *mode[4:]])
    out(question)
    stamp()
    os.read(0, 4096)
    termios.tcsetattr(0, termios.TCSANOW, mode)


ACTS: dict[str, Callable[..., object]] = {
    "print": out, "pause": time.sleep, "busy": busy, "progress": progress, "lines": lines, "ask": ask, "stamp": stamp,
    "clear": lambda: out("\x1b[H\x1b[2J\x1b[3J"),
}

with open(os.path.join(os.environ.get("SCRIPTS", ""), sys.argv[1])) as file:
    for name, *arguments in json.load(file):
        ACTS[name](*arguments)
stamp()
os._exit(0)
