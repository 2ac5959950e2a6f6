"""`tmux-tool view`: the terminal as a page on this machine, for everyone who knows its address."""

from __future__ import annotations

import argparse
import json
import secrets
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from ..tmux.settings import Settings
from ..tmux.client import TmuxError
from .served.feed import answer

_PAGE = Path(__file__).parents[1] / "tmux_cli/plugin/webui"
_HERE = ("127.0.0.1", "localhost")  # another site's name that resolves to us is another Host
_TOKEN = secrets.token_urlsafe(24)  # of this process, which serves one page


def main(arguments: list[str]) -> int:
    """Serves until C-c. `arguments`: [--port N] [--look]. Returns the exit status.

    Raises TmuxError, BadSetting.
    """
    parser = argparse.ArgumentParser(prog="tmux-tool view", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="of 127.0.0.1; default: a free one")
    parser.add_argument("--look", action="store_true", help="nothing can be typed")
    options = parser.parse_args(arguments)
    _Request.settings = Settings.load({"view": "look"} if options.look else None)
    try:
        handler = partial(_Request, directory=_PAGE)
        server = ThreadingHTTPServer(("127.0.0.1", options.port), handler)
    except (OSError, OverflowError) as problem:
        fault = f"port {options.port} cannot be used ({problem})"
        raise TmuxError(fault, "name another with --port") from None
    print(f"http://127.0.0.1:{server.server_port}/{_TOKEN}/\nC-c ends it", flush=True)
    with suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


class _Request(SimpleHTTPRequestHandler):
    settings: Settings
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the body waits 40 ms for an acknowledgement

    def handle(self) -> None:
        with suppress(
            ConnectionError, ValueError
        ):  # it was closed while it waited, or no page has sent it
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
        data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = json.dumps(answer(self.settings, self.path[1:], data)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: object) -> None:
        """Logs nothing: typed text is private."""
