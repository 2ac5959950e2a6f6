"""OpenCode's own record of its conversations, read from the database that its process has open.

The tables are the same in 1.2.27, 1.3.2, 1.14.41, 1.15.13, 1.17.0 and 1.18.33 (tried). They hold
what `opencode export` prints, but that costs the start of a process and this a millisecond. Text is
there once it is complete. Nothing is written; a reader holds nobody up (write-ahead log).
"""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from typing import Any
from urllib.parse import quote

from ..tmux.evidence.kernel import process
from .reply import INSTALL, OpenCodeError
from .turns import CLOCK_SLACK, Message, Turn

LOCK_LIMIT = 1.0  # seconds for a writer to be done
_NAME = re.compile(r"/opencode[^/]*\.db$")  # …/opencode/opencode.db; opencode-dev.db
_MESSAGES = "select id, data from message where session_id = ? and time_created >= ? order by id"
_PARTS = "select message_id, data from part where session_id = ? and time_created >= ? order by id"
_PROMPTS = (
    "select message.session_id, message.id, message.data, part.data from part, session, "
    "(select * from message order by rowid desc limit 500) as message "
    "where part.message_id = message.id and session.id = message.session_id "
    "and session.parent_id is null and message.time_created >= ? order by message.id"
)
_NEWEST = "select id, data from message where session_id = ? order by id desc limit 1"
_RUNNING = (
    "with recursive tree(id) as (select ? union select session.id from session, tree "
    "where session.parent_id = tree.id) select part.data from part, tree "
    "where part.session_id = tree.id and json_extract(part.data, '$.state.status') = 'running' "
    "order by part.id"
)


class Database:
    """The database of the OpenCode that is process group `group`. Raises OpenCodeError where it
    cannot be read."""

    def __init__(self, group: int):
        self.path = next(filter(_NAME.search, open_paths(group)), "")
        if not self.path:
            reason = "what OpenCode has answered cannot be read: it is before 1.2, or not yours"
            raise OpenCodeError(reason, f"update it: {INSTALL}")

    def rows(self, statement: str, *values: object) -> list[tuple]:
        try:
            place = f"file:{quote(self.path)}?mode=ro"
            with contextlib.closing(sqlite3.connect(place, uri=True, timeout=LOCK_LIMIT)) as data:
                return data.execute(statement, values).fetchall()
        except sqlite3.Error as problem:
            raise OpenCodeError(f"OpenCode's conversations cannot be read: {problem}") from None

    def find(self, turn: Turn, whole: bool = True) -> list[tuple[str, str]]:
        """(conversation, message) of every message that is the prompt `turn`; see Turn.is_in."""
        found = {}
        for session, id, info, part in self.rows(_PROMPTS, _milliseconds(turn)):
            message = _message(id, info, json.loads(part))
            if turn.is_in(message, whole):
                found[session, id] = True  # a prompt may have several parts
        return list(found)

    def messages(self, session: str | None, turn: Turn) -> list[Message]:
        """The conversation's messages from the time of `turn` on, oldest first."""
        since = _milliseconds(turn)
        found = self.rows(_MESSAGES, session, since)
        messages = {id: _message(id, data) for id, data in found}
        for message, data in self.rows(_PARTS, session, since):
            if message in messages:
                messages[message]["parts"].append(json.loads(data))
        return list(messages.values())

    def newest(self, session: str | None) -> Message | None:
        """The last message, without its parts; None too where `session` is None."""
        for id, data in self.rows(_NEWEST, session):
            return _message(id, data)
        return None

    def running_tools(self, session: str) -> list[dict[str, Any]]:
        """The parts of the tools that run or wait to be allowed, in subagents too, oldest first."""
        return [json.loads(data) for (data,) in self.rows(_RUNNING, session)]


def _message(id: str, data: str, *parts: dict[str, Any]) -> Message:
    return {"info": {**json.loads(data), "id": id}, "parts": [*parts]}


def _milliseconds(turn: Turn) -> float:
    return (turn.at - CLOCK_SLACK) * 1000


def open_paths(group: int) -> list[str]:
    """What the group's processes have open: files and sockets."""
    return [path for one in process.members(group) for path in process.open_files(one.pid).values()]
