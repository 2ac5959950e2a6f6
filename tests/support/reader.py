"""The test's side of raw_reader.py: a pane that stores its input, byte for byte."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from tests.conftest import Terminal, poll

PROGRAM = Path(__file__).parent / "programs/raw_reader.py"
END = b"\x04\x04"


def as_typed(text: str) -> bytes:
    """The bytes of `text` as a keyboard sends them: a line break is the Enter key."""
    return text.replace("\r\n", "\n").replace("\n", "\r").encode()


class Reader:
    """A raw reader in a pane of `terminal`."""
    def __init__(self, terminal: Terminal, file: Path, *options: str):
        self.terminal, self.file, self.seen = terminal, file, 0
        self.command = shlex.join([sys.executable, "-S", "-E", str(PROGRAM), str(file), *options])

    def start(self, **more) -> Reader:
        """The shared session with the reader as its only program."""
        self.terminal.start(self.command, **more)
        return self.wait()

    def wait(self) -> Reader:
        poll(self.file.exists, what="the raw reader")
        return self

    @property
    def all(self) -> bytes:
        return self.file.read_bytes()

    def expect(self, data: bytes, what: object = "") -> None:
        """Next comes `data` and, as far as can be seen now, nothing else."""
        poll(lambda: self.file.stat().st_size >= self.seen + len(data), what=f"{len(data)} bytes {what!r:.200}")
        came = self.all[self.seen :]
        assert came == data, f"{what!r:.300}: came {came!r:.500}, wanted {data!r:.500}"
        self.seen += len(data)

    def nothing_more(self, pane: str = "shared:") -> None:
        """Since the last `expect` nothing came: what a person types now comes next. Bytes in a
        terminal keep their order."""
        self.terminal.tmux("send-keys", "-t", f"={pane}", "C-d", "C-d")
        self.expect(END, "nothing but the end mark")
