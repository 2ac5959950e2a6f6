"""Maps a file called libreadline.so that it writes itself, with a symbol table and variables like
readline's, or wrong ones; then waits for a key behind `lie> `, in raw mode.

lying_memory FOLDER honest | table | size | fuse

`fuse`: the file is on a file system of its own, seen by itself alone, where no read ever ends.
"""

import ctypes
import mmap
import os
import signal
import struct
import sys
import tty

folder, kind = sys.argv[1:]
PROMPT, LINE, VALUES, STRINGS, SYMBOLS, DYNAMIC = 0x20000, 0x31000, 0x400, 0x800, 0x200, 0x100
prompt = b"lie> "
values = {  # name: size, value; an address is made absolute below
    "rl_readline_state": (8, 0xC), "rl_end": (4, 4), "rl_point": (4, 4), "_rl_keymap": (8, 0),
    "rl_line_buffer": (8, LINE), "rl_display_prompt": (8, PROMPT), "rl_prompt": (8, PROMPT),
    "vi_movement_keymap": (8, 0),
}
names, symbols, data = b"\0", b"", b""
for name, (size, value) in values.items():
    symbols += struct.pack("<IBBHQQ", len(names), 17, 0, 1, VALUES + len(data), size)
    names += name.encode() + b"\0"
    data += value.to_bytes(8, "little")
where = 1 << 40 if kind == "table" else STRINGS
tags = ((5, where), (6, SYMBOLS), (10, 1 << 40 if kind == "size" else len(names)), (0, 0))
dynamic = b"".join(struct.pack("<qQ", *tag) for tag in tags)
head = b"\x7fELF\x02\x01".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 1, 64, 0, 0)
header = struct.pack("<IIQQQQQQ", 2, 4, DYNAMIC, DYNAMIC, 0, len(dynamic), len(dynamic), 8)
size = 0x40000
path = os.path.join(folder, "libreadline.so.8")


def mounted() -> None:
    """In root's own mount namespace. A child answers each request but a read, for a minute."""
    libc, private = ctypes.CDLL(None), 0x44000  # MS_REC, MS_PRIVATE
    libc.unshare(0x20000)  # CLONE_NEWNS
    libc.mount(None, b"/", None, private, None)
    fuse = os.open("/dev/fuse", os.O_RDWR)
    how = f"fd={fuse},rootmode=40000,user_id=0,group_id=0".encode()
    if libc.mount(b"never", folder.encode(), b"fuse", 0, how):
        sys.exit("no FUSE")
    if os.fork():
        return os.close(fuse)
    signal.alarm(60)
    whole = struct.pack("<6Q10I", 2, size, *[0] * 7, 0o100644, 1, *[0] * 5)
    replies = {1: struct.pack("<4Q2I", 2, *[0] * 5) + whole, 3: bytes(16) + whole}
    replies |= {14: bytes(16), 26: struct.pack("<4I2H11I", 7, 31, *[0] * 15)}  # open, init
    while True:
        _, kind, number, _ = struct.unpack_from("<IIQQ", os.read(fuse, 1 << 17))
        if kind != 15:  # a read
            said = replies.get(kind, b"")
            os.write(fuse, struct.pack("<IiQ", 16 + len(said), 0 if said else -38, number) + said)


if kind == "fuse":
    mounted()
    never = mmap.mmap(os.open(path, os.O_RDONLY), size, access=mmap.ACCESS_READ)
    path = os.path.expanduser("~/unused")
with open(path, "wb+") as file:
    file.truncate(size)
    image = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_COPY)
base = ctypes.addressof(ctypes.c_char.from_buffer(image))
parts = {0: head + header, DYNAMIC: dynamic, SYMBOLS: symbols, STRINGS: names, PROMPT: prompt, LINE: b"half"}
parts[VALUES] = data[: 4 * 8] + b"".join(struct.pack("<Q", base + at) for at in (LINE, PROMPT, PROMPT))
for at, part in parts.items():
    image[at : at + len(part)] = part
tty.setraw(0)
os.write(1, b"lie> half")
while os.read(0, 1) != b"q":
    pass
