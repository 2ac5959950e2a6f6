"""What only OpenCode 2 has: a TUI that cannot be told what to show, and line 1's data."""

import sqlite3
from contextlib import closing

import pytest
from hermetic import DOUBLE, Desk

from python.helpers.opencode import launch
from python.helpers.opencode_cli import OpenCodeSession, OpenCodeStartFailed, opencode_run


@pytest.fixture
def desk(model):
    with Desk(model, DOUBLE) as here:
        yield here


def test_another_conversation_is_another_tui_unless_somebody_has_typed(desk):
    session = OpenCodeSession(desk.project).start()
    session.turn("FAKE:say the first")
    first = session.session_id
    session.reset()
    desk.until(lambda: "the first" not in desk.screen())
    assert session.send("FAKE:say the second").note == ""
    desk.see("the second")
    session.start(resume=first)
    desk.see("the first")
    assert "the second" not in desk.screen()

    desk.type("half a thought")
    desk.see("half a thought")
    session.reset()
    for prompt in ("the third", "the fourth"):
        reply = session.send(f"FAKE:say {prompt}")
        assert (reply.text, reply.note) == (prompt, launch.ELSEWHERE)
    assert "> half a thought" in desk.screen() and "the first" in desk.screen()
    desk.person.press("C-u")
    desk.type("/exit", "Enter")
    desk.until(lambda: session.status == "gone")
    session.start()
    desk.see("the fourth")
    assert session.send("FAKE:say the fifth").note == ""

    desk.type("/new", "Enter")  # a person who goes elsewhere is left there
    desk.see("Ask anything")
    assert session.turn("FAKE:say still ours") == "still ours"
    assert "Ask anything" in desk.screen()


def lines_database(path, *tables):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database:
        for table in tables:
            database.execute(f"create table {table} (id text)")


def test_a_first_start_that_changes_line_1s_data_is_announced_once(desk, monkeypatch):
    path = desk.home / "data/opencode/opencode.db"
    lines_database(path, "session", "message")
    with pytest.raises(OpenCodeStartFailed, match=f"{path} for good.*OPENCODE_DB=FILE"):
        OpenCodeSession(desk.project).start()
    desk.until(desk.is_clean)
    OpenCodeSession(desk.project).start().exit()
    path.with_name("opencode.db.before-2").unlink()
    lines_database(path, "session", "session_v2")
    assert opencode_run("FAKE:say ran", directory=str(desk.project)).text == "ran"
    lines_database(desk.root / "other.db", "session")
    monkeypatch.setenv("OPENCODE_DB", str(desk.root / "other.db"))
    with pytest.raises(OpenCodeStartFailed, match=r"other\.db for good"):
        opencode_run("FAKE:say ran", directory=str(desk.project))
