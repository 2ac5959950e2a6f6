"""emux' `ask` core. `clear_first=False`: its Escape is meant for an AI's input box; a shell would
take it for a Meta key. Its own settle time (2.5 s) and interval (1 s): polled more often it answers
sooner, and four of the nine too soon."""

from emux.server import converse
from worker import Adapter, serve


class Emux(Adapter):
    package = "emux"

    def do(self, text: str, timeout: float) -> str:
        settles = {"settle_seconds": 2.5, "poll_interval": 1.0, "max_seconds": timeout}
        result = converse(self.session, text, submit=True, clear_first=False, **settles)
        if not result["ok"]:
            raise RuntimeError(str(result.get("error")))
        return "ready" if result["settled"] else "timeout"


if __name__ == "__main__":
    serve(Emux)
