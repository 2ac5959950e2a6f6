"""The live view for what a person is to answer: no client and no model sees what is typed there.

A client that opens addresses ("elicitation" in its "url" mode) is offered the page while
`wait_ready` waits for the person. Whether it was opened decides nothing: the person may answer in
the terminal too.
"""

import threading
from functools import cache
from typing import Any

from ..tmux.base.client import TmuxError
from ..tmux.base.settings import BadValue, Settings
from .mcp_wire import Json

_FAILS = ["copilot-cli"]  # 1.0.102 says that it opens addresses, and fails where it is asked to
_MESSAGE = (
    "The shared terminal waits for your answer. Type it on this page: neither the agent nor this"
    " program sees a password."
)


def opens_addresses(capabilities: Any) -> bool:
    """Whether a client that declares these shows a person an address."""
    match capabilities:
        case {"elicitation": {"url": dict()}}:
            return True
    return False


def calls_again(client: Any) -> bool:
    """Whether a client makes a call again that asks for something first."""
    match client:
        case {"name": str(name)} if name in _FAILS:
            return False
    return True


def offer(name: object, arguments: Json) -> Json | None:
    """The parameters of the offer, where this call waits for a person and the page can be had."""
    waits = name == "wait_ready" and str(arguments.get("person")).lower() == "true"
    address = _address() if waits else None
    if not address:
        return None
    return {"mode": "url", "message": _MESSAGE, "url": address}


@cache
def _address() -> str | None:
    """The page's, which is served from now on; None where nobody may type there."""
    from ..tmux_view.serve import begin  # an HTTP server would double the start's time

    try:
        if Settings.load().view != "type":
            return None
        server, address = begin({})
    except (TmuxError, BadValue):
        return None

    threading.Thread(target=server.serve_forever, daemon=True).start()
    return address
