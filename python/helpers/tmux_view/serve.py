"""`tmux-tool view`: the terminal in a page on this machine, for whoever knows its address."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..tmux.settings import BadSetting, Settings
from .served.request import answer

_PAGE = Path(__file__).parents[1] / "tmux_cli/plugin/webui"
_FILES = ("view.html", "view.css", "view.js", "terminal.js", "draw.js", "keys.js", "terminal.css")
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
_HERE = ("127.0.0.1", "localhost")  # a page elsewhere whose name leads here has another Host
_LONGEST_BODY = 2_000_000  # bytes of a request
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def main(arguments: list[str]) -> int:
    """Serves until C-c. `arguments`: [--port N] [--look]. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="tmux-tool view", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="of 127.0.0.1; default: a free one")
    parser.add_argument("--look", action="store_true", help="nothing can be typed")
    options = parser.parse_args(arguments)
    try:
        settings = Settings.load({"view": "look"} if options.look else None)
        server = _Server(options.port, settings)
    except BadSetting as problem:
        print(f"error: {problem}")
        return 1
    except (OSError, OverflowError) as problem:
        print(f"error: port {options.port} cannot be used ({problem}); name another with --port")
        return 1
    print(f"{server.address}\nC-c ends it", flush=True)
    with suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, settings: Settings):
        super().__init__(("127.0.0.1", port), _Request)
        self.token = secrets.token_urlsafe(24)
        self.settings = settings
        self.address = f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that was closed while it waited is none."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Request(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the body waits 40 ms for the headers' receipt

    def do_GET(self) -> None:
        name = self._name()
        name = "view.html" if name == "" else name
        if name in _FILES:
            self._send(200, _KINDS[Path(name).suffix], (_PAGE / name).read_bytes())
        else:
            self._send(403, "text/plain", b"use the address that tmux-tool view has printed\n")

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(min(length, _LONGEST_BODY))
        name = self._name()
        origin = f"http://{self.headers.get('Host')}"
        json_only = self.headers.get_content_type() == "application/json"
        if not (name and json_only and self.headers.get("Origin") == origin):
            self.close_connection = True
            self._send(403, "text/plain", b"refused\n")
            return
        try:
            data = json.loads(body)
        except ValueError:
            data = None
        reply = answer(self.server.settings, name, data)
        self._send(200, "application/json", json.dumps(reply).encode())

    def _name(self) -> str | None:
        """What is asked for, behind the token; None without it, or under a name of elsewhere."""
        host = urlsplit(f"//{self.headers.get('Host')}").hostname
        token, _, name = self.path.removeprefix("/").partition("/")
        known = secrets.compare_digest(token.encode(), self.server.token.encode())
        return name if known and host in _HERE else None

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": len(body)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: what is typed is nobody's business."""
