"""ssh HOST [COMMAND …]: what ssh is to a terminal, without a server.

The command (bash) runs on a terminal of its own below a process that is no child of this one, and
this one, in raw mode, carries bytes over a socket.
"""

import fcntl
import os
import pty
import select
import shutil
import socket
import struct
import sys
import termios
import tty

words = sys.argv[2:] or ["bash", "--norc", "--noprofile"]
here, there = socket.socketpair()


def serve():
    """The other end, which outlives its parent at once."""
    if os.fork():
        os._exit(0)
    os.setsid()
    child, terminal = pty.fork()
    if not child:
        shell = ["sh", "-c", " ".join(words)] if len(words) == 1 else words
        os.execvp(shell[0], shell)
    columns, rows = shutil.get_terminal_size()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    for name in (0, 1, 2):
        os.close(name)
    while True:
        ready, _, _ = select.select([terminal, there], [], [])
        for one in ready:
            try:
                data = os.read(one if one == terminal else there.fileno(), 65536)
            except OSError:  # the command has ended
                data = b""
            if not data:
                os._exit(0)
            os.write(there.fileno() if one == terminal else terminal, data)


first = os.fork()
if not first:
    here.close()
    serve()
os.waitpid(first, 0)
there.close()
before = termios.tcgetattr(0)
tty.setraw(0)
try:
    while True:
        ready, _, _ = select.select([0, here], [], [])
        if here in ready:
            data = here.recv(65536)
            if not data:
                break
            os.write(1, data)
        if 0 in ready:
            here.sendall(os.read(0, 65536))
finally:
    termios.tcsetattr(0, termios.TCSADRAIN, before)
