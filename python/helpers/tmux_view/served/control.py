"""A tmux client in control mode that stays: a command costs a seventh of a process.

It sends no size and takes no output, so no window changes and no program is slowed.
"""

from __future__ import annotations

import re
import secrets
import socket
import subprocess
from collections.abc import Iterable

from ...tmux.terminal.client import CALL_LIMIT, TmuxError

# -E: the session's environment stays that of the person's own client.
_ATTACH = ["tmux", "-u", "-C", "attach-session", "-E", "-f", "no-output,ignore-size", "-t"]
# Around a block there are only tmux's own lines, so it goes from the first begin (the 1: of a
# command of ours) to the last end: one like it further up is text.
_BLOCK = re.compile(r"^%begin (\d+ \d+ 1)\n(.*)^%(end|error) \1\n", re.M | re.S)
_OCTAL = {byte: f"\\{byte:03o}" for byte in range(256) if not chr(byte).isalpha() or byte > 127}


class Control:
    """A client of `session`."""

    def __init__(self, session: str):
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(CALL_LIMIT)
        self._lines = self._socket.makefile("rb")
        with theirs:
            pipe = theirs.fileno()
            self._process = subprocess.Popen(
                [*_ATTACH, f"={session}"], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
            )

    def run(self, line: str) -> str:
        """What the command in `line` prints. Raises TmuxError."""
        end = f"{secrets.token_hex(16)}\n"  # no program can draw it: none has seen it
        section = b""
        try:
            self._socket.sendall(f"{line}\ndisplay-message -p {end}".encode())
            while (came := self._lines.readline()) != end.encode():
                if not came:
                    raise ConnectionError
                section += came
        except OSError:
            raise TmuxError("the terminal is lost; looking for it again") from None
        return printed(section.decode("utf-8", "replace"))

    def close(self) -> None:
        """Leaves the session."""
        self._lines.close()
        self._socket.close()
        self._process.kill()
        self._process.wait()


def written(commands: Iterable[list[str]]) -> str:
    """Commands as a line for tmux's parser: in quotes and octal nothing means anything to it."""
    return " ; ".join(" ".join(map(_quoted, words)) for words in commands)


def _quoted(word: str) -> str:
    return f'"{word.encode().decode("latin-1").translate(_OCTAL)}"'


def printed(section: str) -> str:
    """What the first command in `section` printed, whatever a program has drawn there. Pure.

    Raises TmuxError for one that failed, or was cut off.
    """
    block = _BLOCK.search(section)
    if not block or block[3] == "error":
        raise TmuxError(block[2].strip() if block else "tmux broke off")
    return block[2]
