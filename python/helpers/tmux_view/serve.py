"""`tmux-tool view`: the terminal as a page on this machine, for everyone who knows its address."""

from __future__ import annotations

import argparse
import io
import json
import secrets
import socket
import threading
import time
import zlib
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from ..tmux.base.client import TmuxError
from ..tmux.base.settings import Settings
from .served.feed import answer

_PAGE = Path(__file__).parents[1] / "tmux_cli/plugin/webui"
_HERE = (  # another site's name that resolves to us is another Host
    "127.0.0.1",
    "localhost",
)
_TOKEN = secrets.token_urlsafe(24)  # of this process, which serves one page
_MOST_THREADS = 100  # one for each connection
_MOST_BYTES = 1_000_000  # of a request, which a paste may fill
_LONGEST = 10.0  # seconds for the rest of a request, or the next one
_HEADERS = {
    "X-Frame-Options": "DENY",  # in another site's frame a person might be led to press keys
    "Referrer-Policy": "no-referrer",  # the address has the token
    "X-Content-Type-Options": "nosniff",
}


def main(arguments: list[str]) -> int:
    """Serves until C-c. `arguments`: [--port N] [--look]. Returns the exit status.

    Raises TmuxError, BadValue.
    """
    parser = argparse.ArgumentParser(
        prog="tmux-tool view",
        description=__doc__,
    )
    parser.add_argument(
        "--port",
        type=int,
        default=0,
        help="of 127.0.0.1; default: a free one",
    )
    parser.add_argument(
        "--look",
        action="store_true",
        help="nothing can be typed",
    )
    options = parser.parse_args(arguments)
    config = {}
    if options.look:
        config = {"view": "look"}

    server, address = begin(config, options.port)
    print(f"{address}\nC-c ends it", flush=True)
    with suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


def begin(config: dict[str, str], port: int = 0) -> tuple[ThreadingHTTPServer, str]:
    """A server that does not serve yet, and its address. Raises TmuxError, BadValue."""
    Settings.load(config)
    _Request.config = config
    try:
        handler = partial(_Request, directory=_PAGE)
        server = _Server(("127.0.0.1", port), handler)
    except (OSError, OverflowError) as problem:
        fault = f"port {port} cannot be used ({problem})"
        raise TmuxError(fault, "name another with --port") from None

    return server, f"http://127.0.0.1:{server.server_port}/{_TOKEN}/"


class _Server(ThreadingHTTPServer):
    def verify_request(self, *_: object) -> bool:
        return threading.active_count() < _MOST_THREADS


class _Arriving(socket.SocketIO):
    """Ends a request that arrives byte by byte."""

    until = 0.0

    def readinto(self, buffer: memoryview) -> int | None:  # type: ignore[override]
        if time.monotonic() > self.until:
            raise TimeoutError
        return super().readinto(buffer)


class _Request(SimpleHTTPRequestHandler):
    config: dict[str, str]
    timeout = _LONGEST
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the body waits 40 ms for an acknowledgement

    def setup(self) -> None:
        super().setup()
        self.arriving = _Arriving(self.connection, "r")
        self.rfile = io.BufferedReader(self.arriving)

    def handle(self) -> None:
        # It has ended, or no page has sent it.
        with suppress(OSError, ValueError, TypeError, RecursionError):
            super().handle()

    def handle_one_request(self) -> None:
        self.arriving.until = time.monotonic() + _LONGEST
        super().handle_one_request()

    def parse_request(self) -> bool:
        """Refuses everything that was not sent by the page or by someone who knows the token."""
        if not super().parse_request():
            return False

        token, _, name = self.path.removeprefix("/").partition("/")
        self.path = f"/{name or 'view.html'}"
        if self._is_ours(token):
            return True

        self.send_error(403, "use the address that tmux-tool view has printed")
        return False

    def _is_ours(self, token: str) -> bool:
        host, origin = self.headers.get("Host"), self.headers.get("Origin")
        if not secrets.compare_digest(token.encode(), _TOKEN.encode()):
            return False
        if urlsplit(f"//{host}").hostname not in _HERE:
            return False
        return self.command == "GET" or origin == f"http://{host}"

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        if not 0 <= length <= _MOST_BYTES:
            raise ValueError

        data = json.loads(self.rfile.read(length))
        said = answer(self.config, self.path[1:], data)
        reply = json.dumps(said, separators=(",", ":")).encode()
        # Of a full screen, whose rows resemble each other, a fifth is left; a few letters grow.
        packed = zlib.compress(reply)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        if len(packed) < len(reply):
            reply = packed
            self.send_header("Content-Encoding", "deflate")

        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def end_headers(self) -> None:
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Logs nothing: typed text is private."""
