"""A script (python3 -IS become_shell.py) that tmux starts in a new window: it allows everybody whom
the user's id allows it to read this process, and becomes the login shell that tmux would have
started.

The permission is kept by execve(2) and not inherited by fork(2): prctl(2), PR_SET_PTRACER.
"""

import os
from _signal import SIG_DFL, SIGPIPE, SIGXFSZ, signal  # the module `signal` takes 5 ms

_PR_SET_PTRACER = 0x59616D61
_ANYBODY = -1


def _environment() -> dict[bytes, bytes]:
    """As tmux made it: where the locale is "C", Python has added LC_CTYPE."""
    with open("/proc/self/environ", "rb") as file:
        pairs = [pair.partition(b"=") for pair in file.read().split(b"\0")]
    return {name: value for name, _, value in pairs if name}


def main() -> None:
    """Raises OSError if tmux names no shell that can be started."""
    environment = _environment()
    shell = environment[b"SHELL"]
    for number in (SIGPIPE, SIGXFSZ):  # which Python ignores, and a shell would pass on
        signal(number, SIG_DFL)

    try:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(_ANYBODY), 0, 0, 0)
    finally:  # without a C library to call, the shell starts as well
        os.execve(shell, [b"-" + os.path.basename(shell)], environment)


if __name__ == "__main__":
    main()
