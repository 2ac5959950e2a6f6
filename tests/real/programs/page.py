"""A web server whose page takes 3 s, or with an argument needs a password; its port is in the file `port`."""

import http.server
import sys
import time
from pathlib import Path


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asks = len(sys.argv) > 1
        time.sleep(0 if asks else 3)
        self.send_response(401 if asks else 200)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.end_headers()
        self.wfile.write(b"page")

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
Path("new").write_text(str(server.server_port))
Path("new").rename("port")
server.serve_forever()
