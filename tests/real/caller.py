"""Makes the agent's calls in processes of their own: caller.py ROOT WORLD SOCKET.

Each connection to the socket is served by a fork, which need not import the tool again. A line of
JSON (tool_args) comes in; one goes out: the answer and the moments (time.monotonic) at which the
call began and ended. In a world that is not readable `/proc` is denied to this process
as Yama does it, by tests/support/denied.py, which lies beside the copy of this file.
"""

import gc
import json
import os
import signal
import socket
import sys
import time


def listen(root: str, world: str, path: str) -> None:
    """Forks for each caller, until it is killed."""
    if world != "readable":
        import denied

        os.environ[denied.VARIABLE] = denied.YAMA
        denied.enter()
    sys.path.insert(0, root)
    import python.helpers.tmux.actions

    gc.freeze()  # a fork's collections would copy all that was imported
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path + ".new")
        server.listen(64)
        os.rename(path + ".new", path)
        while True:
            connection, _ = server.accept()
            if os.fork():
                connection.close()
            else:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                server.close()
                serve(connection, python.helpers.tmux.actions.Call)
                os._exit(0)


def serve(connection: socket.socket, call: type) -> None:
    """Answers calls until the connection ends."""
    with connection.makefile("rw", encoding="utf-8") as stream:
        for line in stream:
            began = time.monotonic()
            text = call().answer(json.loads(line)).text
            print(json.dumps([text, began, time.monotonic()]), file=stream, flush=True)


if __name__ == "__main__":
    listen(*sys.argv[1:])
