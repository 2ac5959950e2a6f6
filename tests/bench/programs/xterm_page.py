"""A page with xterm.js, and a bash on a pty behind its WebSocket: what the live view is measured beside.

Arguments: the folder of the npm package @xterm/xterm, and what runs in the pty. Prints its address.
"""

import base64
import fcntl
import hashlib
import os
import pty
import struct
import sys
import termios
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PACKAGE = Path(sys.argv[1])
FILES = {"/xterm.mjs": ("lib/xterm.mjs", "text/javascript"), "/xterm.css": ("css/xterm.css", "text/css")}
COLUMNS, ROWS = 120, 40
PAGE = f"""<!doctype html><link rel="stylesheet" href="xterm.css"><div id="it"></div><script type="module">
import {{ Terminal }} from "/xterm.mjs";
const terminal = new Terminal({{ cols: {COLUMNS}, rows: {ROWS}, scrollback: 2000 }});
terminal.open(document.querySelector("#it"));
const socket = new WebSocket(`ws://${{location.host}}/pty`);
socket.binaryType = "arraybuffer";
socket.onmessage = ({{ data }}) => terminal.write(new Uint8Array(data));
terminal.onData((data) => socket.send(new TextEncoder().encode(data)));
terminal.focus();
</script>"""


class Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path == "/pty":
            return self.terminal()
        file, kind = FILES.get(self.path, ("", "text/html"))
        body = (PACKAGE / file).read_bytes() if file else PAGE.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def terminal(self) -> None:
        """RFC 6455: frames of up to 65,535 bytes; what comes from a page is masked."""
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        pid, tty = pty.fork()
        if not pid:
            os.execvp(sys.argv[2], sys.argv[2:])
        fcntl.ioctl(tty, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        threading.Thread(target=self.prints, args=[tty], daemon=True).start()
        while head := self.rfile.read(2):
            length = head[1] & 127
            if length == 126:
                length = int.from_bytes(self.rfile.read(2))
            mask = self.rfile.read(4)
            data = bytes(byte ^ mask[at % 4] for at, byte in enumerate(self.rfile.read(length)))
            if head[0] & 15 == 8:
                break
            os.write(tty, data)
        os.kill(pid, 9)
        os.waitpid(pid, 0)

    def prints(self, tty: int) -> None:
        try:
            while data := os.read(tty, 65_535):
                head = struct.pack("!BBH", 130, 126, len(data))
                if len(data) < 126:
                    head = struct.pack("!BB", 130, len(data))
                self.connection.sendall(head + data)
        except OSError:  # one of both ends is closed
            return

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Request)
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
