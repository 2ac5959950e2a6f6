"""Daemons on loopback, each for as long as its block lasts."""

import asyncio
import pwd
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.terminal import poll

_STARTS = 30.0  # seconds a service may take to start on a busy machine
_ENDS = 10.0  # seconds it may take to end: it waits for clients that it still serves
DELAY = 0.1  # seconds each way through the slow host


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def as_user(name: str) -> list[str]:
    """The words before a command that run it as that user."""
    user = pwd.getpwnam(name)
    numbers = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}"]
    return ["setpriv", *numbers, "--init-groups", "--inh-caps=-all"]


@contextmanager
def listening(command: list[str], port: int, log: Path, folder: Path = Path("/")) -> Iterator[None]:
    """The daemon that `command` starts in `folder`, from the moment it listens on the port."""
    with log.open("ab") as output:
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output}
        daemon = subprocess.Popen(command, cwd=folder, **streams)

    def listens() -> bool:
        assert daemon.poll() is None, f"{command[0]} has ended: {log.read_text()[-300:]}"
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", port)) == 0

    try:
        poll(listens, _STARTS, f"{command[0]} on its port")
        yield
    finally:
        daemon.terminate()
        try:
            daemon.wait(_ENDS)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()


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
    loop.call_later(0.1, loop.stop)  # they have ended then
