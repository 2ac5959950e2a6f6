"""tmux driven through one control-mode client that stays, at a seventh of a process's cost.

The client sends no size and takes no output, so no window changes and no program is slowed.
"""

from __future__ import annotations

import os
import re
import secrets
import select
import subprocess
import time
from contextlib import suppress

from ...tmux.terminal.client import CALL_LIMIT, Kind, TmuxError, tmux

_END_LIMIT = 1.0  # seconds a client has to leave by itself when its input ends
_BEGIN = re.compile(r"%begin (\d+ \d+ 1)")  # the 1: of a command that came from the client
_ONE_WORD = re.compile(r"[\w%@=:.,-]+|;")  # all others are quoted; no word has a quote in it


def connected(session: str) -> Control | Plain:
    """The way to look at and type into the server that has `session`. Raises TmuxError."""
    option = tmux("show-options", "-Av", "-t", f"={session}:", "destroy-unattached").strip()
    # Where that is on, the session would end when a client leaves it.
    return Control(session) if option in ("", "off", "0") else Plain()


class Plain:
    """A tmux process for each command."""

    pause = 0.2  # seconds between two looks at least

    def run(self, command: list[str], stdin: str = "") -> list[str]:
        """The lines that it printed. Raises TmuxError."""
        return tmux(*command, stdin=stdin.encode("utf-8", "replace")).split("\n")[:-1]

    def close(self) -> None:
        """Nothing stays."""


class Control(Plain):
    """A client of `session` in control mode."""

    pause = 0.0

    def __init__(self, session: str):
        # -E: the session's environment stays that of the person's own client.
        attach = ("attach-session", "-E", "-f", "no-output,ignore-size", "-t", f"={session}")
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            ["tmux", "-u", "-C", *attach], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
        self._came = b""

    def run(self, command: list[str], stdin: str = "") -> list[str]:
        if stdin:
            return super().run(command, stdin)
        token = secrets.token_hex(16)  # no program can draw it: none has seen it
        assert self._process.stdin
        try:
            self._process.stdin.write(f"{written(command)}\ndisplay-message -p {token}\n".encode())
            self._process.stdin.flush()
        except OSError:
            raise TmuxError("the session has ended", kind=Kind.NO_SERVER) from None
        return printed(self._until(token))

    def _until(self, token: str) -> list[str]:
        """The lines before the one that is `token`."""
        end = f"\n{token}\n".encode()
        assert self._process.stdout
        output = self._process.stdout.fileno()
        limit = time.monotonic() + CALL_LIMIT
        while end not in self._came:
            left = limit - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                raise TmuxError("tmux does not answer", kind=Kind.NO_ANSWER)
            data = os.read(output, 1 << 16)
            if not data:
                raise TmuxError("the session has ended", kind=Kind.NO_SERVER)
            self._came += data
        section, self._came = self._came.split(end, 1)
        return section.decode("utf-8", "replace").split("\n")

    def close(self) -> None:
        """Leaves the session."""
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                pipe and pipe.close()
        try:
            self._process.wait(_END_LIMIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def written(command: list[str]) -> str:
    """A command as a line for tmux's parser. A lone ";" separates commands."""
    return " ".join(one if _ONE_WORD.fullmatch(one) else f"'{one}'" for one in command)


def printed(section: list[str]) -> list[str]:
    """What the first command in `section` printed, whatever a program has drawn there. Pure.

    Around a block there are only tmux's own lines, so it ends at the last line that ends it: one
    like it further up is text. Raises TmuxError for one that failed.
    """
    begins = [at for at, line in enumerate(section) if _BEGIN.fullmatch(line)]
    words = section[begins[0]].removeprefix("%begin ") if begins else ""
    ends = [at for at, line in enumerate(section) if line in (f"%end {words}", f"%error {words}")]
    if not ends:
        raise TmuxError("tmux broke off", kind=Kind.NO_SERVER)
    body = section[begins[0] + 1 : ends[-1]]
    if section[ends[-1]].startswith("%error"):
        raise TmuxError(" ".join(body), kind=Kind.NO_TARGET)
    return body
