"""`tmux-tool view`: the terminal as a page on this machine, for everyone who knows its address."""

from __future__ import annotations

import argparse
import json
import secrets
import threading
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from ..tmux.client import TmuxError
from ..tmux.settings import Settings
from .served.feed import answer

_PAGE = Path(__file__).parents[1] / "tmux_cli/plugin/webui"
_HERE = "127.0.0.1", "localhost"  # another site's name that resolves to us is another Host
_TOKEN = secrets.token_urlsafe(24)  # of this process, which serves one page
_MOST_THREADS = 100  # one for each connection
_MOST_BYTES = 1_000_000  # of a request, which a paste may fill


def main(arguments: list[str]) -> int:
    """Serves until C-c. `arguments`: [--port N] [--look]. Returns the exit status.

    Raises TmuxError, BadValue.
    """
    parser = argparse.ArgumentParser(prog="tmux-tool view", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="of 127.0.0.1; default: a free one")
    parser.add_argument("--look", action="store_true", help="nothing can be typed")
    options = parser.parse_args(arguments)
    _Request.config = {"view": "look"} if options.look else {}
    Settings.load(_Request.config)
    try:
        handler = partial(_Request, directory=_PAGE)
        server = _Server(("127.0.0.1", options.port), handler)
    except (OSError, OverflowError) as problem:
        fault = f"port {options.port} cannot be used ({problem})"
        raise TmuxError(fault, "name another with --port") from None
    print(f"http://127.0.0.1:{server.server_port}/{_TOKEN}/\nC-c ends it", flush=True)
    with suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


class _Server(ThreadingHTTPServer):
    def verify_request(self, *_: object) -> bool:
        return threading.active_count() < _MOST_THREADS


class _Request(SimpleHTTPRequestHandler):
    config: dict[str, str]
    timeout = 10  # seconds for the rest of a request, or the next one
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the body waits 40 ms for an acknowledgement

    def handle(self) -> None:
        with suppress(OSError, ValueError, TypeError):  # it has ended, or no page has sent it
            super().handle()

    def parse_request(self) -> bool:
        """Refuses everything that was not sent by the page or by someone who knows the token."""
        if not super().parse_request():
            return False
        host, origin = self.headers.get("Host"), self.headers.get("Origin")
        token, _, name = self.path.removeprefix("/").partition("/")
        self.path = f"/{name or 'view.html'}"
        allowed = (
            secrets.compare_digest(token.encode(), _TOKEN.encode())
            and urlsplit(f"//{host}").hostname in _HERE
            and (self.command == "GET" or origin == f"http://{host}")
        )
        if not allowed:
            self.send_error(403, "use the address that tmux-tool view has printed")
        return allowed

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        if not 0 <= length <= _MOST_BYTES:
            raise ValueError
        data = json.loads(self.rfile.read(length))
        reply = json.dumps(answer(self.config, self.path[1:], data)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: object) -> None:
        """Logs nothing: typed text is private."""
