"""bar.py COMMAND: runs it on a terminal of its own, a row lower, and draws a bar below, as apt does for dpkg."""

import os
import pty
import select
import sys
import termios
import tty

COLUMNS, ROWS = os.get_terminal_size(0)


def bar(share: str) -> None:
    os.write(1, f"\0337\033[{ROWS};0f\033[42mProgress: [{share}]\033[49m\0338".encode())


pid, master = pty.fork()
if not pid:
    os.execvp("sh", ["sh", "-c", sys.argv[1]])
termios.tcsetwinsize(master, (ROWS - 1, COLUMNS))
before = termios.tcgetattr(0)
tty.setraw(0)
flags = termios.tcgetattr(0)
flags[3] |= termios.ISIG  # C-c is the kernel's
flags[1] |= termios.OPOST
termios.tcsetattr(0, termios.TCSANOW, flags)
os.write(1, f"\n\0337\033[0;{ROWS - 1}r\0338\033[1A".encode())  # the bar's row does not scroll
bar(" 20%")
try:
    while True:
        for file in select.select([0, master], [], [])[0]:
            data = os.read(file, 4096)
            os.write(master if file == 0 else 1, data)
except OSError:  # it has ended
    pass
os.write(1, f"\0337\033[0;{ROWS}r\0338\033[J".encode())
termios.tcsetattr(0, termios.TCSANOW, before)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
