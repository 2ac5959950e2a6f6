"""What one OpenCodeSession holds of the OpenCode in its pane: the pane, the channel to it, and the
pane's record, which is read anew for each call, because another process may have used it too."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .http_channel import HttpError
from .launch import end
from .record import Record, clear
from .reply import OpenCodeGone, OpenCodeTimedOut, Progress
from .screen import session_left
from .terminal import BUSY, GONE, Terminal, TmuxError
from .turns import Channel


class Attachment:
    """To the pane `terminal`. `channel`: None until OpenCode runs there, and once it was ended;
    `session`: the conversation, as it was last heard of."""

    def __init__(self, terminal: Terminal, earlier: Attachment | None):
        self.terminal = terminal
        self.channel: Channel | None = None
        self.session: str | None = earlier.session if earlier else None
        self._group = 0  # OpenCode's process group

    def attach(self, channel: Channel, record: Record) -> None:
        self.channel, self._group = channel, record.group
        self.save(record, session=channel.session)

    @contextlib.contextmanager
    def hold(self, deadline: float, report: Progress) -> Iterator[None]:
        """Holds the pane; another caller's turn is waited for. Raises OpenCodeGone where OpenCode
        ended meanwhile."""

        def nap(seconds: float) -> None:
            report.say("waits for another caller of this pane")
            time.sleep(seconds)

        try:
            with self.terminal.lock(deadline - time.monotonic(), nap):
                yield
        except (HttpError, TmuxError) as problem:
            if getattr(problem, "kind", "") == BUSY:
                reason = f"another caller uses pane {self.terminal.name}"
                raise OpenCodeTimedOut(reason, "try again when it is done") from None
            if self.channel:
                self.record()
            raise

    def record(self) -> Record:
        """The pane's record of our OpenCode. Raises OpenCodeGone where that has ended."""
        try:
            record = Record.load(self.terminal)
        except TmuxError as problem:
            if problem.kind in GONE:
                raise self.gone() from None
            raise
        if self.channel is None or record is None or record.group != self._group:
            raise self.gone()
        self.session = record.session
        if not record.alive:
            clear(self.terminal)
            raise self.gone()
        return record

    def live(self) -> tuple[Channel, Record]:
        record = self.record()
        assert self.channel
        self.channel.session = record.session
        return self.channel, record

    def save(self, record: Record, **facts: Any) -> Record:
        record = replace(record, **facts).save(self.terminal)
        self.session = record.session
        return record

    def end(self) -> str | None:
        """Ends it; the id to resume with."""
        channel, self.channel = self.channel, None
        if channel:
            with contextlib.suppress(TmuxError):
                if record := Record.load(self.terminal):
                    self.session = record.session or self.session
                    end(self.terminal, record, channel.quit)
                self.session = self.session or session_left(self.terminal.front().view)
        return self.session

    def gone(self) -> OpenCodeGone:
        if self.session is None:
            with contextlib.suppress(TmuxError):
                self.session = session_left(self.terminal.front().view)
        return gone(self.session)


def gone(session: str | None) -> OpenCodeGone:
    hint = f"start({f'resume={session!r}' if session else ''}) goes on"
    return OpenCodeGone("OpenCode is not running", hint, session_id=session)
