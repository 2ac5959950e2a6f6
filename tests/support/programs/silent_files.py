"""A FUSE file system that answers until its one file, libreadline.so.8, is mapped by a child, and
never again. The child waits for a key in raw mode. Needs root.

silent_files FOLDER
"""

import ctypes
import mmap
import os
import struct
import sys
import tty

folder = os.fsencode(sys.argv[1])
fuse = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={fuse},rootmode=40000,user_id=0,group_id=0".encode()
if ctypes.CDLL(None).mount(b"silent", folder, b"fuse", 0, options):
    sys.exit("cannot mount")
child = os.fork()
if not child:
    os.close(fuse)
    file = os.open(os.path.join(folder, b"libreadline.so.8"), os.O_RDONLY)
    image = mmap.mmap(file, 4096, prot=mmap.PROT_READ)
    tty.setraw(0)
    os.write(1, b"mapped")
    while os.read(0, 1) != b"q":
        pass
    os._exit(0)
FILE = (2, 4096, 8, 0, 0, 0, 0, 0, 0, 0o100644, 1, 0, 0, 0, 4096, 0)  # its attributes
ANSWERS = {  # by operation: lookup, getattr, open, init
    1: struct.pack("<QQQQIIQQQQQQIIIIIIIIII", 2, 0, 1, 1, 0, 0, *FILE),
    3: struct.pack("<QIIQQQQQQIIIIIIIIII", 1, 0, 0, *FILE),
    14: struct.pack("<QII", 1, 0, 0),
    26: struct.pack("<IIIIHHIIHH", 7, 31, 0, 0, 12, 9, 4096, 1, 1, 0).ljust(64, b"\0"),
}
operation = 0
while operation != 14:
    request = os.read(fuse, 1 << 17)
    operation, unique = struct.unpack_from("<4xIQ", request)
    answer = ANSWERS.get(operation, b"")
    error = 0 if operation in ANSWERS else -38
    os.write(fuse, struct.pack("<IiQ", 16 + len(answer), error, unique) + answer)
os.waitpid(child, 0)
