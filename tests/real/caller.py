"""Makes the agent's calls in a process of its own: caller.py ROOT WORLD.

A line of JSON (tool_args) comes in; one goes out: the answer and the moments (time.monotonic) at
which the call began and ended. In a world that is not readable `/proc` is denied to this process
as Yama does it, by tests/support/denied.py, which lies beside the copy of this file.
"""

from __future__ import annotations

import json
import os
import sys
import time


def serve(root: str, world: str) -> None:
    """Answers calls until the input ends."""
    if world != "readable":
        import denied

        os.environ[denied.VARIABLE] = denied.YAMA
        denied.enter()
    sys.path.insert(0, root)
    from python.helpers.tmux.actions import Call

    for line in sys.stdin:
        began = time.monotonic()
        text = Call().perform(json.loads(line))
        print(json.dumps([text, began, time.monotonic()]), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2])
