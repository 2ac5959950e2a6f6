"""ssh to this machine, with or without a delay, for programs that are to run behind it."""

from __future__ import annotations

import asyncio
import shlex
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.devbox import devbox
from tests.support.services import free_port

DELAY = 0.1  # seconds each way through the slow host
_ENDS = 0.1  # seconds in which cancelled tasks have ended


@contextmanager
def hosts(folder: Path) -> Iterator[Path]:
    """A folder with `ssh` in it, whose hosts are `devbox` and the slow `farbox`."""
    with devbox(folder, forced=False) as binaries:
        config = folder / "ssh_config"
        near = config.read_text()
        port = int(near.split("Port ")[1].split()[0])
        with delayed(port) as far:
            other = near.replace("Host devbox", "Host farbox").replace(f"Port {port}", f"Port {far}")
            config.write_text(near + other)
            yield binaries


def command(binaries: Path, host: str, folder: Path, there: str) -> str:
    """The command line that starts `there` in `folder` on `host`."""
    words = f"cd {shlex.quote(str(folder))} && LANG=C.UTF-8 exec {there}"
    return f"{binaries}/ssh -t {host} {shlex.quote(words)}"


@contextmanager
def delayed(port: int) -> Iterator[int]:
    """The port of a proxy before `port` that gives every byte on DELAY seconds later."""
    own, loop = free_port(), asyncio.new_event_loop()
    kept: set[asyncio.Task | None] = set()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            loop.call_later(DELAY, writer.write, data)
        loop.call_later(DELAY, writer.close)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kept.add(asyncio.current_task())  # nothing else holds on to it: it may be collected
        there, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(carry(reader, back), carry(there, writer), return_exceptions=True)

    loop.run_until_complete(asyncio.start_server(connected, "127.0.0.1", own))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield own
    loop.call_soon_threadsafe(_cancel_all, loop)
    thread.join()


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.call_later(_ENDS, loop.stop)
