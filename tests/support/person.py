"""A person at the shared terminal: a tmux client attached on a pty, with keys of its own.

What it types reaches tmux the way a keyboard's keys do, so `session_activity`, the key tables, the
prefix key and copy mode take part. Nothing here uses `send-keys`.
"""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from tests.support.late import Late
from tests.support.run import run

PREFIX = "C-b"
_DEADLINE = 20.0  # seconds for tmux to attach, to read a key, to detach
_ESCAPE = 0.05  # seconds after a lone Escape, longer than the server's escape-time
_KEPT = 1 << 18  # bytes of the client's latest output that are kept
_KEYS = {  # what a terminal sends
    "Enter": "\r", "Tab": "\t", "BTab": "\x1b[Z", "Escape": "\x1b", "Space": " ", "BSpace": "\x7f", "Up": "\x1bOA",
    "C-Up": "\x1b[1;5A", "Down": "\x1bOB", "Right": "\x1bOC", "Left": "\x1bOD", "Home": "\x1b[1~", "End": "\x1b[4~",
    "IC": "\x1b[2~", "DC": "\x1b[3~", "PPage": "\x1b[5~", "NPage": "\x1b[6~"}


def sequence(key: str) -> str:
    """What a terminal sends for `key` (tmux's names: Up, C-c, M-b, x). Raises KeyError."""
    if len(key) == 1:
        return key
    if key in _KEYS:
        return _KEYS[key]
    if key.startswith("M-"):
        return "\x1b" + sequence(key[2:])
    if key.startswith("C-") and len(key) == 3:
        return chr(ord(key[2].upper()) & 0x1F)
    raise KeyError(key)


class Person:
    """A client attached to `session` in a terminal of `size` (columns, rows).

    tmux: the words before a tmux command, such as `["tmux", "-u"]`; environment: the client's.
    `flags` go to `attach` (`["-r"]` is a read-only client). The session's window takes the
    terminal's size, less the status line where that is on.
    """
    def __init__(
        self, session: str, size: tuple[int, int], tmux: Sequence[str], environment: Mapping[str, str],
        flags: list[str] | None = None,
    ):
        self._master, self._slave = pty.openpty()
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.terminal = os.ttyname(self._slave)
        self._tmux, self._environment = tmux, dict(environment)
        self._output, self._closed = bytearray(), False
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()
        attach = ["attach-session", *(flags or []), "-t", f"={session}"]
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *tmux, *attach], stdin=self._slave, stdout=self._slave, stderr=self._slave,
            env={**environment, "TERM": "xterm-256color"})
        self._wait(self._is_attached, "the client is not attached", 0.02)  # each look starts a tmux

    def __enter__(self) -> Person:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, text: str, *keys: str) -> None:
        """Type `text`, then press `keys`."""
        self.type(text)
        self.press(*keys)

    def type(self, text: str | bytes) -> None:
        """Type `text` at once, as a paste without brackets; returns when tmux has read it."""
        data = text.encode() if isinstance(text, str) else text
        while data:
            data = data[os.write(self._master, data[:1024]) :]
        self._wait(self._is_read, "tmux did not read what was typed")

    def press(self, *keys: str) -> None:
        """Press keys by tmux's names, one after the other."""
        for key in keys:
            self.type(sequence(key))
            if key == "Escape":
                time.sleep(_ESCAPE)

    def at_once(self, text: str, *keys: str) -> None:
        """Send text and keys in one write and return at once, without waiting for tmux."""
        os.write(self._master, (text + "".join(map(sequence, keys))).encode())

    def settle(self) -> None:
        """Return when tmux has read everything that was sent."""
        self._wait(self._is_read, "tmux did not read what was typed")

    def scroll_back(self, rows: int) -> None:
        """Open copy mode and scroll up by `rows`."""
        self.press(PREFIX, "[", *["C-Up"] * rows)

    def output(self) -> bytes:
        """What the client has written lately (at most 256 KiB)."""
        return bytes(self._output)

    def detach(self) -> None:
        """Leave with prefix d, as a person does."""
        self.press(PREFIX, "d")
        self.process.wait(_DEADLINE)

    def close(self) -> None:
        """The terminal is gone (SIGHUP). Once more does nothing."""
        if self._closed:
            return
        self._closed = True
        self.process.send_signal(signal.SIGHUP)
        try:
            self.process.wait(_DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._slave)
        self._reader.join(_DEADLINE)  # reading ends when tmux has closed the terminal too
        os.close(self._master)

    def _drain(self) -> None:
        with suppress(OSError):
            while data := os.read(self._master, 65536):
                self._output += data
                del self._output[:-_KEPT]

    def _is_attached(self) -> bool:
        assert self.process.poll() is None, f"attach has ended: {self.output()!r}"
        words = [*self._tmux, "list-clients", "-F", "#{client_tty}"]
        return self.terminal in run(*words, env=self._environment).stdout.split()

    def _is_read(self) -> bool:
        """Nothing waits in the terminal: the server reads it directly, in raw mode."""
        return not any(fcntl.ioctl(self._slave, termios.FIONREAD, bytes(4)))

    def _wait(self, condition, what: str, pause: float = 0.002) -> None:
        end = time.monotonic() + _DEADLINE
        while not condition():
            if time.monotonic() >= end:
                raise Late(what)
            time.sleep(pause)
