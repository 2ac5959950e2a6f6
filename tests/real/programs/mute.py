"""A server that takes one connection and says nothing for 4 s; its port is in the file `port`."""

import socket
import time
from pathlib import Path

server = socket.create_server(("127.0.0.1", 0))
Path("port").write_text(str(server.getsockname()[1]))
connection, _ = server.accept()
time.sleep(4)
connection.close()
