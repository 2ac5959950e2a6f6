"""Runs in a pane: takes the terminal raw and writes every byte that arrives to a file, until the end mark (C-d twice).

    raw_reader.py FILE [--brackets] [--screen]

`--brackets` asks for bracketed paste, as line editors do; `--screen` takes the full (alternate) screen, as editors do.
The file is made when the terminal is raw: who waits for it types into a raw terminal.
"""

import os
import sys
import tty

END = b"\x04\x04"


def main() -> None:
    tty.setraw(0)
    if "--brackets" in sys.argv:
        os.write(1, b"\x1b[?2004h")
    if "--screen" in sys.argv:
        os.write(1, b"\x1b[?1049h\x1b[HFULL SCREEN")
    with open(sys.argv[1], "wb", buffering=0) as out:
        last = b""
        while last != END:
            came = os.read(0, 1 << 16)
            if not came:
                break
            out.write(came)
            last = (last + came)[-2:]


if __name__ == "__main__":
    main()
