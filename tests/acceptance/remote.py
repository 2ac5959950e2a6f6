"""ssh to this machine, at once or with a delay, for programs that shall run behind it."""

from __future__ import annotations

import queue
import shlex
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.devbox import devbox

DELAY = 0.1  # seconds each way through the slow host


@contextmanager
def hosts(folder: Path) -> Iterator[Path]:
    """A folder with `ssh` in it, whose hosts are `devbox` and the slow `farbox`."""
    with devbox(folder, forced=False) as binaries:
        config = folder / "ssh_config"
        near = config.read_text()
        port = int(near.split("Port ")[1].split()[0])
        with _delayed(port) as far:
            config.write_text(
                near
                + near.replace("Host devbox", "Host farbox").replace(f"Port {port}", f"Port {far}")
            )
            yield binaries


def command(binaries: Path, host: str, folder: Path, there: str) -> str:
    """The command line that starts `there` in `folder` on `host`."""
    words = f"cd {shlex.quote(str(folder))} && LANG=C.UTF-8 exec {there}"
    return f"{binaries}/ssh -t {host} {shlex.quote(words)}"


@contextmanager
def _delayed(port: int) -> Iterator[int]:
    """The port of a proxy before `port` that passes every byte on DELAY seconds later."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            with suppress(OSError):  # the server is closed
                while True:
                    here, _ = server.accept()
                    there = socket.create_connection(("127.0.0.1", port))
                    _carry(here, there)
                    _carry(there, here)

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def _carry(source: socket.socket, target: socket.socket) -> None:
    """Threads that pass on what comes, each piece at its moment, until one end closes."""
    pieces: queue.Queue[tuple[float, bytes]] = queue.Queue()

    def read() -> None:
        data = b"-"
        while data:
            try:
                data = source.recv(65536)
            except OSError:
                data = b""
            pieces.put((time.monotonic() + DELAY, data))

    def write() -> None:
        with suppress(OSError):
            while True:
                moment, data = pieces.get()
                time.sleep(max(moment - time.monotonic(), 0))
                if not data:
                    return target.shutdown(socket.SHUT_WR)
                target.sendall(data)

    for work in (read, write):
        threading.Thread(target=work, daemon=True).start()
