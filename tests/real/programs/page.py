"""A page that takes 3 s; its port is in the file `port`."""

import http.server
import time
from pathlib import Path


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(3)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"page")

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
Path("port").write_text(str(server.server_port))
server.serve_forever()
