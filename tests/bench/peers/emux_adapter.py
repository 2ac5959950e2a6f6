"""emux' `ask` core. `clear_first=False`: its Escape is meant for an AI's input box; a shell would
take it for a Meta key. Its own settle time (2.5 s) and interval (1 s): polled more often it answers
sooner, and four of the nine too soon."""

from __future__ import annotations

from emux.server import _capture_text, converse
from worker import Adapter, serve


class Emux(Adapter):
    package = "emux"

    def ask(
        self, text: str, timeout: float, submit: bool = True, settle: float = 2.5, poll: float = 1.0
    ) -> dict:
        result = converse(
            self.session,
            text,
            submit=submit,
            settle_seconds=settle,
            poll_interval=poll,
            max_seconds=timeout,
            clear_first=False,
        )
        if not result["ok"]:
            raise RuntimeError(str(result.get("error")))
        return result

    def do(self, text: str, timeout: float) -> str:
        return "ready" if self.ask(text, timeout)["settled"] else "timeout"

    def wait(self, timeout: float) -> str:
        return "ready" if self.ask("", timeout, submit=False)["settled"] else "timeout"

    def type(self, text: str) -> str:
        return str(self.ask(text, 0.25, settle=0.25, poll=0.25)["ok"])

    def read(self) -> str:
        return _capture_text(self.session, 100)


if __name__ == "__main__":
    serve(Emux)
