"""raw_reader FILE: every byte that is typed goes into FILE as it comes; the count of bytes is
painted on the screen, so that a tool which looks for a reaction of the screen finds one. The file
is made when the terminal is raw."""

import os
import sys
import tty

tty.setraw(0)
os.write(1, b"0 bytes")
with open(sys.argv[1], "wb", buffering=0) as file:
    total = 0
    while came := os.read(0, 1 << 16):
        file.write(came)
        total += len(came)
        os.write(1, b"\r%d bytes" % total)
