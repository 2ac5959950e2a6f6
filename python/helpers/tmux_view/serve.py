"""`tmux-tool view`: the terminal in a page on this machine, for whoever knows its address."""

from __future__ import annotations

import json
import secrets
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from ..tmux.settings import Settings
from .served.request import answer

_PAGE = Path(__file__).parents[1] / "tmux_cli/plugin/webui"
_FILES = {
    "": ("view.html", "text/html"),
    "view.css": ("view.css", "text/css"),
    "view.js": ("view.js", "text/javascript"),
    "terminal.js": ("terminal.js", "text/javascript"),
    "terminal.css": ("terminal.css", "text/css"),
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
    settings = Settings.load()
    port = 0
    left = iter(arguments)
    for word in left:
        value = next(left, "") if word == "--port" else ""
        if word == "--look":
            settings = replace(settings, view="look")
        elif word == "--port" and value.isdigit() and int(value) < 1 << 16:
            port = int(value)
        else:
            print(f"error: view takes [--port N] [--look], got {' '.join(arguments)}")
            return 1
    try:
        server = _Server(port, settings)
    except OSError as problem:
        print(f"error: port {port} cannot be used: {problem.strerror}; name another with --port")
        return 1
    print(f"{server.address}\nC-c ends it", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    return 0


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, settings: Settings):
        super().__init__(("127.0.0.1", port), _Request)
        self.token = secrets.token_urlsafe(24)
        self.settings = settings
        self.address = f"http://127.0.0.1:{self.server_port}/{self.token}/"


class _Request(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        name = self._name()
        file, kind = _FILES.get(name, ("", "")) if name is not None else ("", "")
        if not file:
            self._send(403, "text/plain", b"use the address that tmux-tool view has printed\n")
        else:
            self._send(200, f"{kind}; charset=utf-8", (_PAGE / file).read_bytes())

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
        reply = reply.result() if isinstance(reply, Future) else reply
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
        with suppress(ConnectionError):  # the page was closed while it waited
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: what is typed is nobody's business."""
