"""The OpenCode in one pane that a session has started or adopted. The pane's record is read anew
for each call, because another process may have used it too."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .http_channel import HttpError
from .launch import below_launch, end
from .record import Record
from .reply import OpenCodeError, OpenCodeGone, Progress
from .screen import session_left
from .terminal import BUSY, GONE, Terminal, TmuxError
from .turns import Channel


class Attachment:
    """To the OpenCode that `channel` leads to, in the pane `terminal`."""

    def __init__(self, terminal: Terminal, channel: Channel, record: Record):
        self.terminal, self.channel = terminal, channel
        self.save(record, session=channel.session)

    @contextlib.contextmanager
    def hold(self, deadline: float, report: Progress) -> Iterator[None]:
        """Holds the pane. Raises OpenCodeGone where OpenCode ended meanwhile."""
        try:
            with held(self.terminal, deadline, report):
                yield
        except (HttpError, TmuxError):
            self.record()
            raise

    def record(self) -> Record:
        """The pane's record of our OpenCode. Raises OpenCodeGone where that has ended."""
        try:
            record = Record.load(self.terminal)
        except TmuxError as problem:
            if problem.kind in GONE:
                raise self._gone() from None
            raise
        if record is None or record.group != self.channel.group:
            raise self._gone()
        self.channel.session = record.session
        if not record.alive:
            end(self.terminal, record)
            raise self._gone()
        return record

    def save(self, record: Record, **facts: Any) -> Record:
        return replace(record, **facts).save(self.terminal)

    def end(self) -> str | None:
        """Ends it; the id to resume with."""
        with contextlib.suppress(OpenCodeGone, TmuxError):
            end(self.terminal, self.record(), self.channel.quit)
        return self._session()

    def _gone(self) -> OpenCodeGone:
        return gone(self._session())

    def _session(self) -> str | None:
        if self.channel.session is None:
            with contextlib.suppress(TmuxError):
                self.channel.session = session_left(below_launch(self.terminal.front().view))
        return self.channel.session


@contextlib.contextmanager
def held(terminal: Terminal, deadline: float, report: Progress) -> Iterator[None]:
    """Holds the pane; another caller's turn is waited for."""

    def nap(seconds: float) -> None:
        report.say("waits for another caller of this pane")
        time.sleep(seconds)

    try:
        with terminal.lock(deadline - time.monotonic(), nap):
            yield
    except TmuxError as problem:
        if problem.kind != BUSY:
            raise
        reason = f"another caller uses pane {terminal.name}"
        raise OpenCodeError(reason, "try again when it is done") from None


def gone(session: str | None) -> OpenCodeGone:
    hint = f"start({f'resume={session!r}' if session else ''}) goes on"
    return OpenCodeGone("OpenCode is not running", hint, session_id=session)
