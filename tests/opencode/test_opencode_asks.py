"""What OpenCode asks, a permission or a question, and who answers it."""

import json

import pytest

from python.helpers.opencode_cli import (
    OpenCodeError,
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeSession,
)
from python.helpers.tmux_cli.conversation import conversation


def test_a_permission_is_needed_and_given(session, place):
    with pytest.raises(OpenCodePermissionNeeded) as caught:
        session.send("FAKE:bash echo given > proof.txt")
    assert (caught.value.tool, caught.value.command) == ("bash", "echo given > proof.txt")
    assert caught.value.patterns and not (place.project / "proof.txt").exists()
    place.see("Allow once")
    session.answer("once")
    assert session.wait().text.startswith("TOOL SAID:")
    assert (place.project / "proof.txt").read_text() == "given\n"


def test_a_permission_that_the_status_has_shown_is_refused(session, place):
    session.submit("FAKE:bash touch never.txt")
    place.until(lambda: session.status == "needs permission")
    session.answer("reject")
    reply = session.wait()
    assert (reply.finish, reply.text, str(reply)) == ("rejected", "", "(rejected: no text)")
    assert not (place.project / "never.txt").exists()


def test_an_answer_that_fits_nothing_is_refused(session):
    with pytest.raises(OpenCodeError, match="nothing waits"):
        session.answer("once")
    with pytest.raises(OpenCodePermissionNeeded):
        session.send("FAKE:bash id")
    with pytest.raises(OpenCodeError, match="does not answer a permission"):
        session.answer("maybe")
    assert session.status == "needs permission"


def test_an_answer_is_not_given_to_what_was_asked_after_the_person_answered(session, place):
    with pytest.raises(OpenCodePermissionNeeded) as first:
        session.send("FAKE:commands echo the first > 1.txt | echo the second > 2.txt")
    place.see("Allow once")
    place.person.press("Enter")
    watcher = OpenCodeSession().adopt()
    place.until(lambda: watcher.status.request not in (None, first.value.request))
    with pytest.raises(OpenCodePermissionNeeded) as second:
        session.answer("once")
    assert {first.value.command[-5:], second.value.command[-5:]} == {"1.txt", "2.txt"}
    assert len(list(place.project.glob("[12].txt"))) == 1
    session.answer("once")
    session.wait()
    assert len(list(place.project.glob("[12].txt"))) == 2


def test_a_permission_that_the_person_gives_lets_the_wait_go_on(session, place):
    with pytest.raises(OpenCodePermissionNeeded, match="echo by hand"):
        session.send("FAKE:bash echo by hand")
    place.see("Allow once")
    place.person.press("Enter")
    place.until(lambda: session.status != "needs permission")
    assert str(session.wait()) == "TOOL SAID: by hand\n"


def test_a_permission_to_write_names_the_file(session, place):
    file = str(place.project / "new.txt")
    with pytest.raises(OpenCodePermissionNeeded) as caught:
        session.send("FAKE:tool write " + json.dumps({"filePath": file, "content": "x"}))
    assert caught.value.command.endswith("new.txt")


def test_a_subagents_permission_counts_as_its_own(session):
    task = {"description": "d", "prompt": "FAKE:bash echo sub", "subagent_type": "general"}
    with pytest.raises(OpenCodePermissionNeeded, match="echo sub"):
        session.send("FAKE:tool task " + json.dumps(task))
    session.answer("once")
    assert "TOOL SAID: sub" in str(session.wait())


@pytest.mark.parametrize(("choice", "finish"), [("Beta", "stop"), ("reject", "rejected")])
def test_a_question_is_asked_and_answered(session, choice, finish):
    with pytest.raises(OpenCodeQuestionAsked) as caught:
        session.send("FAKE:question")
    assert caught.value.question == "Which one?" and caught.value.options == ["Alpha", "Beta"]
    assert session.status == "needs answer"
    session.answer(choice)
    reply = session.wait()
    assert reply.finish == finish and ('"Which one?"="Beta"' in reply.text) == (choice == "Beta")


def test_the_command_line_asks_and_is_answered(session, place, capsys, monkeypatch):
    monkeypatch.chdir(place.project)
    assert conversation(["FAKE:bash", "echo", "answered"]) == 1
    asked = "error: OpenCode needs permission for bash: echo answered. tmux-tool opencode --answer"
    assert f"{asked} once|always|reject\n" in capsys.readouterr().out
    assert conversation(["--answer"]) == 1 and session.status == "needs permission"
    assert "--answer once|always|reject" in capsys.readouterr().out
    assert conversation(["--answer", "once"]) == 0
    assert "TOOL SAID: answered" in capsys.readouterr().out
    monkeypatch.chdir(place.root)
    assert conversation(["what does this repo do?"]) == 1
    refused = f"error: this pane already runs OpenCode in {place.project}. "
    assert capsys.readouterr().out == f"{refused}tmux-tool opencode --exit ends it\n"
