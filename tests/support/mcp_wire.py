"""A client of `tmux-tool mcp` that sends and gets plain lines, well-formed or not."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import urllib.request
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from tests.support.run import TMUX_TOOL
from tests.support.terminal import DEADLINE

CLIENT = {"capabilities": {}, "clientInfo": {"name": "wire", "version": "1"}}
ENVELOPE = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


class Wire:
    """A server and what it says, message by message. Ends with the block."""
    def __init__(self, version: str | None = "2025-06-18", tool: Path = TMUX_TOOL):
        pipe = subprocess.PIPE
        # A shell ignores C-c for what it runs in the background, these tests perhaps.
        heeds_c_c = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
        streams = {"stdin": pipe, "stdout": pipe, "stderr": pipe}
        self.process: Any = subprocess.Popen([sys.executable, tool, "mcp"], preexec_fn=heeds_c_c, **streams)
        self._heard: queue.Queue[bytes] = queue.Queue()
        self._deaf = threading.Event()
        self._last = 0
        threading.Thread(target=self._listen, daemon=True).start()
        if version:
            self.ask("initialize", protocolVersion=version, **CLIENT)
            self.tell("notifications/initialized")

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait()
        self._deaf.set()
        for stream in (self.process.stdin, self.process.stderr):
            with suppress(BrokenPipeError):
                stream.close()

    def _listen(self) -> None:
        output, rest = self.process.stdout, b""
        while not self._deaf.is_set():
            if not select.select([output], [], [], 0.02)[0]:
                continue
            chunk = os.read(output.fileno(), 65_536)
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._heard.put(line)
            if not chunk:
                break
        output.close()  # before its end is heard: what is asked then meets a closed pipe
        self._heard.put(b"")

    def deaf(self) -> None:
        """Close its output."""
        self._deaf.set()
        while self.hear():
            pass

    def put(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        self.put(json.dumps(message).encode() + b"\n")

    def hear(self, deadline: float = DEADLINE):
        """The next message; None at the end of the output."""
        line = self._heard.get(timeout=deadline)
        return json.loads(line) if line else None

    def begin(self, method: str, **params) -> int:
        self._last += 1
        self.send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        return self._last

    def ask(self, method: str, **params) -> dict:
        """The response; what comes before it is a fault."""
        id = self.begin(method, **params)
        message = self.hear()
        assert message["id"] == id, message
        return message

    def tell(self, method: str, **params) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def alive(self) -> None:
        """It answers, and has said nothing else before."""
        id = f"alive {self._last}"
        self.send({"jsonrpc": "2.0", "id": id, "method": "ping"})
        assert self.hear() == {"jsonrpc": "2.0", "id": id, "result": {}}

    def children(self) -> list[int]:
        task = Path(f"/proc/{self.process.pid}/task")
        return [int(pid) for thread in os.listdir(task) for pid in (task / thread / "children").read_text().split()]

    def threads_of_calls(self) -> int:
        """Beside the one that waits for the end and the one that reads."""
        return len(os.listdir(f"/proc/{self.process.pid}/task")) - 2


@asynccontextmanager
async def connected(mode="auto", command=sys.executable, args=(str(TMUX_TOOL), "mcp"), env=None, **more):
    import mcp  # half a second, in every worker

    parameters = mcp.StdioServerParameters(command=command, args=list(args), env={**os.environ, **(env or {})})
    async with asyncio.timeout(60), mcp.Client(parameters, mode=mode, **more) as client:
        yield client


def text(result) -> str:
    return result.content[0].text


def typed_there(address: str, pane: str, text: str) -> None:
    """What the page sends for a person's keys."""
    origin = address.rpartition("/")[0].rpartition("/")[0]
    call = json.dumps({"pane": pane, "items": [["text", text], ["key", "Enter"]]}).encode()
    request = urllib.request.Request(f"{address}tmux_type", call, {"Origin": origin})
    with urllib.request.urlopen(request, timeout=DEADLINE) as reply:
        assert json.load(reply) == {}
