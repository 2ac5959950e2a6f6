"""ssh to this machine, at once or with a delay, for programs that shall run behind it."""

from __future__ import annotations

import queue
import random
import shlex
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.devbox import devbox

DELAY = 0.1  # seconds each way through the slow host
JITTER = 0.06  # seconds more, at most, through the rough one


@contextmanager
def hosts(folder: Path) -> Iterator[Path]:
    """A folder with `ssh` in it, whose hosts are `devbox`, the slow `farbox` and `roughbox`, whose
    delay varies."""
    with devbox(folder, forced=False) as binaries:
        config = folder / "ssh_config"
        near = config.read_text()
        port = int(near.split("Port ")[1].split()[0])
        with _delayed(port) as far, _delayed(port, JITTER) as rough:
            others = (("farbox", far), ("roughbox", rough))
            config.write_text(near + "".join(_host(near, port, *other) for other in others))
            yield binaries


def _host(near: str, port: int, name: str, own: int) -> str:
    return near.replace("Host devbox", f"Host {name}").replace(f"Port {port}", f"Port {own}")


def command(binaries: Path, host: str, folder: Path, there: str) -> str:
    """The command line that starts `there` in `folder` on `host`."""
    words = f"cd {shlex.quote(str(folder))} && LANG=C.UTF-8 exec {there}"
    return f"{binaries}/ssh -t {host} {shlex.quote(words)}"


@contextmanager
def _delayed(port: int, jitter: float = 0.0) -> Iterator[int]:
    """The port of a proxy before `port` that passes every byte on DELAY seconds later, and at most
    `jitter` seconds after that, in order."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            with suppress(OSError):  # the server is closed
                while True:
                    here, _ = server.accept()
                    there = socket.create_connection(("127.0.0.1", port))
                    _carry(here, there, jitter)
                    _carry(there, here, jitter)

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def _carry(source: socket.socket, target: socket.socket, jitter: float) -> None:
    """Threads that pass on what comes, each piece at its moment, until one end closes."""
    pieces: queue.Queue[tuple[float, bytes]] = queue.Queue()

    def read() -> None:
        data = b"-"
        while data:
            try:
                data = source.recv(65536)
            except OSError:
                data = b""
            pieces.put((time.monotonic() + DELAY + random.uniform(0, jitter), data))

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
