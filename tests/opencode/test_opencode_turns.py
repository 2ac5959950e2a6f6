"""One OpenCode in the pane: every way in which a turn can end, on both lines."""

import json
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hermetic import ROOT

from python.helpers import opencode_cli as cli
from python.helpers.opencode import http_wire, record, reply
from python.helpers.opencode_cli import OpenCodePermissionNeeded, OpenCodeSession
from python.helpers.tmux.actions import Call
from python.helpers.tmux.base.client import TmuxError
from python.helpers.tmux.base.settings import Settings
from python.helpers.tmux.facts.pane import find
from python.helpers.tmux_cli.command import main
from tests.support.killed import stopped

MARKDOWN = "# Title\n\nSome **bold** and `code`.\n\n- one\n- two\n\n```python\nprint('[x]  y')\n```\n\n"
MARKDOWN += "| a | b |\n|---|---|\n| 1 | 2 |"
ANSWERS = [(f"FAKE:say {MARKDOWN}", MARKDOWN, "stop"), ("FAKE:length", "as far as it went", "length")]
ANSWERS += [("FAKE:cut 1", "RECOVERED", "stop")]
GATE = "while [ ! -e {} ]; do sleep 0.1; done"
SHELL = {"1": "bash", "2": "shell"}  # what a line calls that tool


@pytest.fixture
def anew(session, line):
    """Begins a conversation that the person sees, and returns it."""
    def begin():
        if line == "1":
            session.reset()
        else:  # the person may have pressed keys, which keeps its TUI where it is
            session.exit()
            session.start()
        return session
    return begin


@pytest.fixture
def slowly(anew, place):
    """Begins a turn of so many words, 0.05 s each; returns when word 9 is on the screen."""
    def begin(words):
        one = anew()
        place.until(lambda: "w9 " not in place.screen())
        one.submit(f"FAKE:slow n={words} delay=0.05")
        place.see("w9 ")
    return begin


@pytest.mark.real
def test_two_turns_remember_and_the_person_sees_them(session, place):
    assert session.turn("Please remember the number 4711.") == "I will remember 4711."
    reply = session.send("What number was it?")
    assert (str(reply), reply.finish, reply.note) == ("The number is 4711.", "stop", "")
    assert reply.session_id == session.session_id and session.session_id.startswith("ses_")
    assert reply.tokens["total"] == 110 and reply.cost == 0 and 0 < reply.duration < 100
    place.see("What number was it?")
    place.see("The number is 4711.")
    assert "opencode in front" in Call().answer({"action": "read"}).text.partition("\n")[0]
    assert session.status == "idle" and session.wait() == reply


BLANKS = "  outer blanks, a\ttab, two\r\nlines, #{pid} $(id) `id` ;, 🙂‍↕️ é 漢字 \u200b, \x1b[201~ [31m  "
LINES = "\n".join(f"line {i}" for i in range(300))
EXACTLY = ["/exit", "exit", "!echo x", "see @p.txt", f"{BLANKS}\n{LINES}\n" + "x y " * 10_000]


@pytest.mark.real
def test_a_prompt_arrives_exactly(session, model):
    for prompt in EXACTLY:
        session.send(prompt)
        assert model.prompts()[-1] == prompt
    session.reset()


@pytest.mark.parametrize(("prompt", "text", "finish"), ANSWERS)
def test_an_answer_comes_as_it_was_written(session, model, prompt, text, finish, version):
    model.counts.clear()
    reply = session.send(prompt)
    if prompt == "FAKE:cut 1" and (1, 14) <= version < (1, 18):  # these take it for an answer
        assert reply.text == "half an ans" and reply.finish in ("other", "unknown")
    else:
        assert reply.text.endswith(text) and reply.finish == finish


@pytest.mark.real
def test_a_permission_is_needed_and_given(session, place, line):
    with pytest.raises(OpenCodePermissionNeeded) as caught:
        session.send("FAKE:bash seq 7 7 > proof.txt")
    assert (caught.value.tool, caught.value.command) == (SHELL[line], "seq 7 7 > proof.txt")
    assert caught.value.patterns and not (place.project / "proof.txt").exists()
    place.see("Allow once")
    session.answer("always")
    assert session.wait().text.startswith("TOOL SAID:")
    assert (place.project / "proof.txt").read_text() == "7\n"
    assert session.turn("FAKE:bash seq 7 7 > proof.txt").startswith("TOOL SAID:")


def test_a_refused_permission_ends_the_turn_or_with_words_goes_on(session, place):
    with pytest.raises(cli.OpenCodeError, match="nothing waits"):
        session.answer("once")
    session.submit("FAKE:bash touch never.txt")
    place.until(lambda: session.status == "needs permission")  # which counts as shown
    with pytest.raises(cli.OpenCodeError, match="answers no permission"):
        session.answer("maybe")
    session.answer("reject")
    reply = session.wait()
    assert (reply.finish, reply.text, str(reply)) == ("rejected", "", "(rejected: no text)")
    assert not (place.project / "never.txt").exists()
    with pytest.raises(OpenCodePermissionNeeded):
        session.send("FAKE:bash rm -r build")
    session.answer("reject", message="use the bin")
    reply = session.wait()
    assert reply.finish == "stop" and "use the bin" in reply.text


def test_an_answer_is_not_given_to_what_was_asked_after_the_person_answered(session, place):
    with pytest.raises(OpenCodePermissionNeeded) as first:
        session.send("FAKE:bash echo the first > 1.txt || echo the second > 2.txt")
    place.see("Allow once")
    place.person.press("Enter")
    status = session._now()[1].status
    place.until(lambda: status().request not in (None, first.value.request))
    with pytest.raises(OpenCodePermissionNeeded) as second:
        session.answer("once")
    assert {first.value.command[-5:], second.value.command[-5:]} == {"1.txt", "2.txt"}
    assert len(list(place.project.glob("[12].txt"))) == 1
    session.answer("once")
    session.wait()
    assert len(list(place.project.glob("[12].txt"))) == 2


def test_whoever_asks_the_words_are_there(session, place):
    """A tool that writes, and a subagent, whose permission counts as the conversation's own."""
    file = json.dumps({"filePath": str(place.project / "new.txt"), "content": "x"})
    task = {"description": "d", "prompt": "FAKE:bash echo sub", "subagent_type": "general"}
    for prompt, words in (("write " + file, "new.txt"), ("task " + json.dumps(task), "echo sub")):
        with pytest.raises(OpenCodePermissionNeeded, match=words):
            session.send("FAKE:tool " + prompt)
        place.see("Allow once")
        place.person.press("Enter")
        place.until(lambda: session.status != "needs permission")
        assert "TOOL SAID: " in str(session.wait())
    session.submit("FAKE:tool " + prompt)  # refused to a subagent, the turn goes on
    place.until(lambda: session.status == "needs permission")
    session.answer("reject")
    assert session.wait().text.startswith("TOOL SAID: ")


@pytest.mark.real
@pytest.mark.parametrize(("choice", "finish"), [("Beta", "stop"), ("reject", "rejected")])
def test_a_question_is_asked_and_answered(session, choice, finish):
    with pytest.raises(cli.OpenCodeQuestionAsked) as caught:
        session.send("FAKE:question")
    assert caught.value.question == "Which one?" and caught.value.options == ["Alpha", "Beta"]
    assert session.status == "needs answer"
    for none in [[]], []:
        with pytest.raises(cli.OpenCodeError, match=r"does not answer 1 question\(s\)\. each takes a label"):
            session.answer(*none)
    session.answer(choice)
    reply = session.wait()
    assert reply.finish == finish and ('"Which one?"="Beta"' in reply.text) == (choice == "Beta")


def test_the_command_line_asks_and_is_answered(session, place, line, capsys, monkeypatch):
    monkeypatch.chdir(place.project)
    assert main(["opencode", "FAKE:bash", "echo", "answered"], "") == 1
    asked = f"error: OpenCode needs permission for {SHELL[line]}: echo answered."
    assert f"{asked} tmux-tool opencode --answer once|always|reject\n" in capsys.readouterr().out
    assert main(["opencode", "--answer"], "") == 1 and session.status == "needs permission"
    assert "--answer once|always|reject" in capsys.readouterr().out
    assert main(["opencode", "--answer", "once"], "") == 0
    assert "TOOL SAID: answered" in capsys.readouterr().out
    for words, says in (("--status", "idle"), ("--wait", "TOOL SAID: answered"), ("--wait --timeout 9", "TOOL SAID")):
        assert main(["opencode", *words.split()], "") == 0
        assert capsys.readouterr().out.startswith(says)
    assert main(["opencode", "--timeout", "1", "FAKE:slow n=300 delay=0.05"], "") == 1
    assert "tmux-tool opencode --wait, or --interrupt" in capsys.readouterr().out
    assert main(["opencode", "--interrupt"], "") == 0
    assert capsys.readouterr().out == "idle\n"
    identity = session.session_id
    assert main(["opencode", "--reset"], "") == 0
    assert capsys.readouterr().out.endswith(f"{session.session_id}\n") and session.session_id != identity
    monkeypatch.chdir(place.root)
    assert main(["opencode", "what does this repo do?"], "") == 1
    refused = f"error: this pane already runs OpenCode in {place.project}. "
    assert capsys.readouterr().out == f"{refused}tmux-tool opencode --exit ends it\n"
    with pytest.raises(cli.OpenCodeGone):
        OpenCodeSession(place.root, pane="shared").adopt()


def test_a_timeout_quotes_the_newest_text_and_the_turn_goes_on(session, slowly):
    slowly(90)
    lasts = []
    for _ in range(2):
        with pytest.raises(cli.OpenCodeTimedOut, match="characters seen: ") as caught:
            session.wait(timeout=0.5)
        assert caught.value.status == "busy" and "SLOW-DONE" not in caught.value.text
        lasts.append(int(caught.value.text.split()[-1][1:]))
    assert 1 <= lasts[0] < lasts[1]
    assert session.wait().text.endswith("w90 SLOW-DONE")


@pytest.mark.parametrize("when", ["at once", "in mid-turn", "by Escape", "at a permission"])
def test_an_interrupted_turn_has_what_came_and_the_next_one_works(session, place, slowly, when, version):
    def escaped():
        place.person.press("Escape")
        time.sleep(0.4)  # two at once are one Alt-Escape
        return session.status == "idle"
    kept = version > (1, 4)  # before it nothing of a step that is ended before it is whole
    if when in ("in mid-turn", "by Escape"):
        slowly(400)
    else:
        permission = when == "at a permission"
        session.submit("FAKE:bash sleep 77" if permission else "FAKE:slow n=400 delay=0.05")
        place.until(lambda: not permission or session.status == "needs permission")
    if when == "by Escape":  # while a caller waits, who has heard what was not kept
        with ThreadPoolExecutor(1) as pool:
            waited = pool.submit(session.wait, timeout=60)
            place.see("w19 ")
            place.until(escaped)
            reply = waited.result()
        assert re.search(r"w\d+ w\d+ ", reply.text)  # from when it heard
    else:
        session.interrupt()
        reply = session.wait(timeout=60)
    assert reply.finish in ("aborted", *["rejected"] * ("permission" in when))
    assert "SLOW-DONE" not in reply.text
    assert "w9" in reply.text or when in ("at once", "at a permission") or not kept
    assert session.status == "idle" and session.turn("FAKE:say next") == "next"


@pytest.mark.real
def test_a_providers_error_has_its_text(session):
    for prompt, says in (("error 400", "provider says 400"), ("nonsense", "JSON")):
        with pytest.raises(cli.OpenCodeTurnFailed, match=says):
            session.send(f"FAKE:{prompt}")


def test_a_provider_that_is_late_or_hangs_is_visible(session, place, line, model):
    model.counts.clear()
    session.submit("FAKE:error 429 1")
    place.until(lambda: session.status == "retrying")
    assert session.status.description == f"retrying, attempt {line}: fake provider says 429"
    assert session.wait().text == "RECOVERED"
    count = len(model.requests)
    session.submit("FAKE:hang")
    place.until(lambda: len(model.requests) > count)
    with pytest.raises(cli.OpenCodeTimedOut, match="no text seen yet"):
        session.wait(timeout=0.3)
    session.interrupt()
    assert session.wait().finish == "aborted"


def joined(session, place, prompt, gate, refused=()):
    """The person sends a prompt while our turn works, which ends once the file `gate` is there; what is refused
    then."""
    with pytest.raises(OpenCodePermissionNeeded):
        session.send("FAKE:bash " + GATE.format(gate))
    place.see("Allow once")
    session.answer("once")
    place.until(lambda: place.fact("cursor_flag") == "1")
    place.type(prompt, "Enter")
    place.see("QUEUED")
    for act in refused:
        with pytest.raises(cli.OpenCodeError, match="of the user's own"):
            act()
    (place.project / gate).touch()


def test_a_prompt_of_the_persons_that_takes_the_turn_over_is_noted(anew, place):
    session = anew()
    joined(session, place, "FAKE:say to the person", "go.txt")
    reply = session.wait()
    assert "to the person" in reply.text and "'FAKE:say to the person'" in reply.note
    assert not session.send("FAKE:say mine again").note


@pytest.mark.thorough
def test_what_a_turn_asks_that_the_person_has_joined_is_for_them(anew, place):
    one = anew()
    joined(one, place, "FAKE:bash echo joined", "joined.txt")
    place.until(lambda: one.status.theirs and "Allow once" in place.screen())
    with pytest.raises(cli.OpenCodeTimedOut, match="of the user's own, needs permission"):
        one.wait(timeout=2)
    place.person.press("Enter")
    reply = one.wait()
    assert "joined" in reply.text and "echo joined" in reply.note


@pytest.mark.thorough
def test_what_is_asked_in_another_conversation_of_the_persons_is_not_ours(anew, place):
    one = anew()
    one.turn("FAKE:say here")
    place.type("/new", "Enter")
    place.see("Ask anything")
    place.type("FAKE:bash echo elsewhere", "Enter")
    place.see("Allow once")
    assert one.status == "idle" and one.wait().text == "here"
    with pytest.raises(cli.OpenCodeError, match="nothing waits"):
        one.answer("once")
    one.interrupt()
    assert "Allow once" in place.screen()
    place.person.press("Enter")
    place.see("TOOL SAID: elsewhere")
    assert one.turn("FAKE:say again here") == "again here"


@pytest.mark.thorough
def test_a_permission_is_answered_while_the_person_has_stopped_the_screen(anew, place):
    one = anew()
    with pytest.raises(OpenCodePermissionNeeded):
        one.send("FAKE:bash echo stopped")
    place.see("Allow once")
    place.person.press("C-z")
    place.until(lambda: place.fact("pane_current_command") == "bash")
    one.answer("once")
    assert "stopped" in one.wait().text
    place.type("fg", "Enter")
    place.until(lambda: place.fact("pane_current_command") != "bash")
    assert one.turn("FAKE:say on") == "on"


@pytest.fixture
def theirs(anew, place, session):
    """A prompt of the person's own, which asks them."""
    one = anew()
    one.turn("FAKE:say mine")  # to which wait() goes back
    (place.project / "theirs.txt").unlink(missing_ok=True)
    place.type("FAKE:bash touch theirs.txt", "Enter")
    place.see("Allow once")
    place.until(lambda: one.status.theirs)
    yield one
    if one.status != "idle":
        place.person.press("Enter")
        place.until(lambda: one.status == "idle")


@pytest.mark.real
def test_a_persons_own_turn_is_theirs_to_answer_and_to_end(theirs, place):
    status, identity = theirs.status, theirs.session_id
    assert (status, status.request) == ("busy", None)
    assert "at a prompt of the user's own, needs permission" in status.description
    for act in (lambda: theirs.answer("once"), theirs.interrupt, theirs.reset):
        with pytest.raises(cli.OpenCodeError, match="of the user's own"):
            act()
    began = time.monotonic()
    assert theirs.wait().text == "mine" and time.monotonic() - began < 10
    with pytest.raises(cli.OpenCodeTimedOut, match="of the user's own"):
        theirs.send("FAKE:say behind it", timeout=2)
    assert theirs.session_id == identity and not (place.project / "theirs.txt").exists()
    place.see("Allow once")
    place.person.press("Enter")
    assert theirs.wait().text == "behind it" and (place.project / "theirs.txt").exists()


def test_a_prompt_behind_one_of_the_persons_that_they_refuse_is_answered(theirs, place):
    def is_held():
        try:
            with find(place.fact("pane_id"), Settings.load()).lock(0, time.sleep):
                return False
        except TmuxError:
            return True
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(theirs.turn, "FAKE:say behind it")
        place.until(is_held)
        place.person.press("Escape")
        assert sent.result() == "behind it"
    assert not (place.project / "theirs.txt").exists()


def test_a_prompt_of_the_persons_that_waits_behind_ours_is_not_lost_by_an_interrupt(anew, place):
    one = anew()

    def behind_it():
        one.submit("FAKE:say behind it")
        one.interrupt()
    joined(one, place, "FAKE:say to the person", "ended.txt", [one.interrupt, one.reset, behind_it])
    assert one.wait().text == "behind it"
    assert "to the person" in str(one.messages())


@pytest.mark.real
def test_an_answer_after_the_conversation_was_compacted_is_the_turns(anew, model):
    session = anew()
    model.counts.clear()
    session.turn("FAKE:say before")
    reply = session.send("FAKE:overflow")
    assert (reply.text, reply.finish, reply.note) == ("AFTER OVERFLOW", "stop", "")
    assert session.wait() == reply and session.turn("FAKE:say after") == "after"


def test_each_caller_gets_the_answer_to_its_own_prompt(session, place):
    other = OpenCodeSession(place.project).start()
    first = session.submit("FAKE:say mine")
    assert other.turn("FAKE:say another's") == "another's"
    assert session.wait().text == "mine" == other.wait(turn=first).text
    turns = [session.submit("FAKE:slow n=20 delay=0.05"), *map(session.submit, ("FAKE:say 2", "FAKE:say 3"))]
    texts = [session.wait(turn=turn).text for turn in turns]
    assert texts[0].endswith("SLOW-DONE") and texts[2] == "3" and texts[1] in ("2", "3")


@pytest.mark.real
def test_what_a_turn_did_to_files_is_told_and_the_conversation_can_be_read(anew, place, line, version):
    session = anew()
    file = {"filePath": str(place.project / "made.txt"), "content": "one\ntwo\n"}
    with pytest.raises(OpenCodePermissionNeeded) as caught:
        session.send(f"FAKE:tool write {json.dumps(file)}")
    assert "+one" in caught.value.diff or line == "2"
    session.answer("once")
    (change,) = session.wait().files
    assert Path(change.path).name == "made.txt"
    assert "+one\n+two" in change.diff or version < (1, 14)  # which tell numbers alone
    assert (change.added, change.removed) == (2, 0)
    assert session.send("FAKE:say nothing was changed").files == []
    roles = [one["role"] for one in session.messages() if one["role"] != "idle"]
    assert roles == ["user", "assistant", "assistant", "user", "assistant"]
    assert place.project.name in repr(session) and session.session_id in repr(session)


def test_files_go_with_a_prompt(session, place, model):
    (place.project / "notes.txt").write_text("the moon is far\n")
    session.send("FAKE:say seen", files=["notes.txt"])
    assert "the moon is far" in json.dumps(model.requests[-1]["messages"])
    session.send("FAKE:say seen", files=[place.project])
    count = len(session.messages())
    with pytest.raises(cli.OpenCodeError, match=r"no file .*none.txt"):
        session.submit("FAKE:say never", files=["none.txt"])
    assert len(session.messages()) == count


def test_permissions_are_the_conversations(anew, place, line, version):
    anew()
    for wrong in ({"bahs": "ask"}, {"bash": "perhaps"}, {"bash": {"*": None}}):
        with pytest.raises(cli.OpenCodeError, match=r"no permission 'bahs'|is no rule for bash"):
            OpenCodeSession(place.project, permissions=wrong)
    ruled = OpenCodeSession(place.project, permissions={"bash": {"echo *": "allow", "echo no": "ask"}}).start()
    if version < (1, 4):
        with pytest.raises(cli.OpenCodeTurnFailed, match=r"only as a conversation begins. reset\(\)"):
            ruled.send("FAKE:bash echo yes")
        ruled.reset()
    assert "yes" in ruled.turn("FAKE:bash echo yes")
    ruled.reset()  # the next one has them too
    with pytest.raises(OpenCodePermissionNeeded, match="echo no"):
        ruled.send("FAKE:bash echo no")
    ruled.answer("once")
    ruled.wait()
    anew()


@pytest.mark.only("1")
def test_a_command_is_run_as_if_the_person_had_typed_it(anew, place, model):
    session = anew()
    assert session.command("echoed", "one two").text == "one two and more"
    with pytest.raises(OpenCodePermissionNeeded, match="touch commanded"):
        session.command("touching", "commanded")
    session.answer("once")
    assert session.wait().finish == "stop" and (place.project / "commanded").exists()
    with pytest.raises(cli.OpenCodeTurnFailed, match=r"no command nope; it has .*'init'"):
        session.command("nope")
    assert session.command("compact").finish == "stop" and session.messages()[-1]["summary"]
    assert session.turn("FAKE:say after it") == "after it"


@pytest.mark.only("2")
def test_a_command_of_line_2_is_left_to_the_person(session):
    with pytest.raises(cli.OpenCodeError, match=r"which prompt a command has made.*type /init"):
        session.command("init")


@pytest.mark.only("1")
def test_what_subagents_did_and_the_list_of_a_turn_are_told(anew):
    session = anew()
    task = {"description": "d", "prompt": "FAKE:say sub", "subagent_type": "general"}
    session.turn(f"FAKE:tool task {json.dumps(task)}")
    session.turn(f"FAKE:tool todowrite {json.dumps({'todos': [TODO]})}")
    answers = [one for one in session.messages() if one["role"] == "assistant"]
    (child,) = answers[0]["children"]
    assert session.messages(child)[-1]["parts"][1]["text"] == "sub"
    assert [one["todo"] for one in answers] == [[], [], [TODO], []]


TODO = {"content": "a", "status": "pending", "priority": "high"}


@pytest.mark.only("1")
def test_what_stands_unanswered_is_no_part_of_the_next_turn(anew, place):
    """Context of another client's, and a prompt that could not begin."""
    session = anew()
    session.turn("FAKE:say first")
    wire = session._now()[1]
    for more in ({"noReply": True}, {"model": {"providerID": "fake", "modelID": "nope"}}):
        wire.call(f"/session/{wire.session}/prompt_async", {"parts": [{"type": "text", "text": "CONTEXT"}], **more})
        place.until(lambda: session.messages()[-1]["role"] == "user" and session.status == "idle")
        with pytest.raises(OpenCodePermissionNeeded):
            session.send("FAKE:bash echo mine")
        assert not session.status.theirs
        session.interrupt()
        assert session.wait().finish in ("aborted", "rejected")
    assert session.turn("FAKE:say with the model that answered") == "with the model that answered"


@pytest.mark.only("1")
def test_what_the_person_sent_and_then_ended_is_no_part_of_the_next_turn(anew, place, slowly):
    def escaped():
        place.person.press("Escape")
        time.sleep(0.4)  # two at once are one Alt-Escape
        return place.record() and session.status == "idle"
    slowly(400)
    session = OpenCodeSession(place.project).adopt()
    place.type("FAKE:say passed over", "Enter")
    place.see("QUEUED")
    place.until(escaped)
    with pytest.raises(OpenCodePermissionNeeded):
        session.send("FAKE:bash echo mine")
    assert not session.status.theirs
    session.interrupt()
    session.wait()
    session.reset()


@pytest.mark.only("1")
def test_a_conversation_that_cannot_be_read_is_told_at_once_and_left_by_reset(anew, version):
    if version < (1, 4):
        pytest.skip("it can be read")
    session = anew()
    turn = session.submit("FAKE:say first")
    wire = session._now()[1]
    asked = {"type": "json_schema", "schema": {"type": "object"}}
    body = {"format": asked, "parts": [{"type": "text", "text": "FAKE:say {}"}]}
    wire.call(f"/session/{wire.session}/prompt_async", body)
    time.sleep(1)
    began = time.monotonic()
    for act in (lambda: session.wait(turn=turn), lambda: session.send("hello")):
        with pytest.raises(cli.OpenCodeTurnFailed, match=r"answers 400.*reset"):
            act()
    assert "answers 400" in session.status.description and time.monotonic() - began < 10
    session.reset()
    assert session.turn("FAKE:say anew") == "anew"


FIELDS = [
    {"key": "name", "type": "string", "description": "Your name?"},
    {"key": "sure", "type": "boolean"},
    {"key": "count", "type": "integer", "title": "How many?"},
    {"key": "why", "type": "string", "when": {"key": "sure", "op": "eq", "value": False}}]


@pytest.mark.only("2")
def test_a_form_is_answered_by_the_types_of_its_fields(session):
    with pytest.raises(cli.OpenCodeQuestionAsked) as caught:
        session.send(f"FAKE:tool form {json.dumps({'fields': FIELDS})}")
    asked = [one["question"] for one in caught.value.questions]
    assert asked[:3] == ["Your name?", "sure (boolean)", "How many? (integer)"]
    assert asked[3] == "why ('-' unless sure eq False)"
    for wrong in (["Ann", "perhaps", "3", "-"], ["Ann", "true", "3.5", "-"]):
        with pytest.raises(cli.OpenCodeError, match=r"(sure|count) does not take"):
            session.answer(*wrong)
    session.answer("Ann", "true", "3", "-")
    assert json.loads(session.wait().text.partition(": ")[2]) == {"name": "Ann", "sure": True, "count": 3}
    page = {"title": "Log in", "mode": "url", "url": "http://nowhere"}
    with pytest.raises(cli.OpenCodeQuestionAsked, match=r"Log in \(page\) http://nowhere"):
        session.send(f"FAKE:tool form {json.dumps(page)}")
    session.answer("reject")
    session.wait()


@pytest.mark.only("2")
def test_a_form_that_an_mcp_server_asks_of_nobody_is_found(session):
    form = {"sessionID": "global", "title": "Log in", "fields": FIELDS[:1]}
    for answer, text in (("Ann", '{"name": "Ann"}'), ("reject", "{}")):
        with pytest.raises(cli.OpenCodeQuestionAsked, match=r"Your name\?"):
            session.send(f"FAKE:tool form {json.dumps(form)}")
        session.answer(answer)
        assert session.wait().text.endswith(text)


@pytest.mark.only("2")
def test_what_a_conversation_asks_that_was_moved_to_another_directory_is_found(anew, place):
    session = anew()
    (elsewhere := place.root / "elsewhere").mkdir()
    session._now()[1]._here("/move", {"directory": str(elsewhere)})
    with pytest.raises(OpenCodePermissionNeeded, match="touch moved"):
        session.send("FAKE:bash touch moved")
    session.answer("once")
    session.wait()
    assert (elsewhere / "moved").exists()


@pytest.mark.only("2")
def test_a_turn_that_is_stopped_in_a_retry_is_over_at_once(session, place, model):
    model.counts.clear()
    session.submit("FAKE:error 429")
    place.until(lambda: session.status == "retrying")
    session.interrupt()
    began = time.monotonic()
    assert session.wait().finish == "aborted" and time.monotonic() - began < 10


@pytest.mark.only("2")
def test_what_a_subagent_in_the_background_asks_is_found_and_hinders_no_answer(session, place):
    task = {"prompt": "FAKE:bash echo behind", "background": True}
    assert "in the background" in session.turn(f"FAKE:tool task {json.dumps(task)}")
    place.until(lambda: session.status == "needs permission")
    assert "in the background" in session.wait().text
    session.answer("once")
    place.until(lambda: session.status == "idle")


@pytest.mark.only("2")
def test_a_server_that_hangs_is_told_in_lines_of_progress(session, place, capsys, monkeypatch):
    assert 2 * http_wire.REQUEST_LIMIT <= reply.PROGRESS
    monkeypatch.setattr(reply, "PROGRESS", 0.5)
    monkeypatch.setattr(http_wire.HttpWire.call, "__defaults__", (None, 1.0, ""))  # its limit
    served = next(pid for pid, row in place.processes().items() if " serve " in row and "helpers" not in row)
    with stopped(served), pytest.raises(cli.OpenCodeTimedOut):
        session.wait(timeout=3, turn="msg_none")
    assert "waits for OpenCode's server" in capsys.readouterr().out


def test_progress_is_printed(session, monkeypatch, capsys):
    monkeypatch.setattr("python.helpers.opencode.reply.PROGRESS", 0.2)
    monkeypatch.setattr("python.helpers.opencode.waiting.SILENCE", 0.1)
    session.send("FAKE:slow n=3 delay=0.3")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 2 and all(line.startswith("opencode: busy") for line in lines)
    session.send("FAKE:slow n=1 delay=0.3", progress=False)
    assert capsys.readouterr().out == ""


def test_two_callers_take_turns(session, place, model, monkeypatch):
    said, count = {}, len(model.requests)
    prompt = "FAKE:slow n=10 delay=0.05"
    other = threading.Thread(target=lambda: said.update(one=session.turn(prompt)))
    other.start()
    place.until(lambda: len(model.requests) > count)
    assert OpenCodeSession().start().turn("FAKE:say two") == "two"
    other.join()
    assert said["one"].endswith("w10 SLOW-DONE")
    session.submit(prompt)
    assert session.turn("FAKE:say mine") == "mine"  # queued, and answered for itself
    monkeypatch.setattr(session, "timeout", 0.3)
    with find(place.fact("pane_id"), Settings.load()).lock(10, time.sleep):
        with pytest.raises(cli.OpenCodeError, match=r"another caller .* try again"):
            session.submit("hello?")


def test_another_process_adopts_the_conversation(session):
    session.turn("Please remember the number 99.")
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from python.helpers.opencode_cli import OpenCodeSession; "
    code += "one = OpenCodeSession().start(); print(one.session_id); print(one.turn('What number?'))\n"
    code += "one.submit('FAKE:say later')"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.stdout.split("\n")[:2] == [session.session_id, "The number is 99."], out.stderr
    assert str(OpenCodeSession().start().wait()) == "later"


@pytest.mark.real
def test_the_password_is_nowhere_to_be_seen_and_the_api_is_locked_on_loopback(session, place):
    there, wire = session._now()
    password, port = there.password, int(there.address.rpartition(":")[2])
    screen = place.tmux("capture-pane", "-p", "-S", "-", "-t", "=shared:")
    commands = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    place.person.press("PPage")  # only who is attached can be shown the log
    log = place.tmux("show-messages")
    assert f"{record.OPTION}address" in log  # what is set stands there
    said = log + place.tmux("show-options", "-p", "-t", "=shared:")
    for text in (screen, commands, said, place.tmux("show-buffer", check=False)):
        assert len(password) == 32 and password not in text
    files = [path for path in place.root.rglob("*") if path.is_file() and path.suffix != ".db"]
    kept = [path for path in files if password.encode() in path.read_bytes()]
    assert kept == [Path(there.folder, "password")]
    modes = [path.stat().st_mode & 0o777 for path in (kept[0], kept[0].parent)]
    assert modes == [0o600, 0o700]
    with open("/proc/net/tcp") as table:
        ends = [row.split()[1] for row in table if f":{port:04X} " in row and " 0A " in row]
    assert ends == [f"0100007F:{port:04X}"]
    with pytest.raises(cli.OpenCodeTurnFailed, match="answers 401"):
        replace(wire, password="").begin()


def test_a_model_or_agent_is_used_and_a_wrong_one_is_named(session, line):
    session.turn("FAKE:say right")
    count = len(session.messages())
    for wrong in ({"model": "fake/nope"}, {"model": "fake/4"}, {"agent": "nope"}):
        with pytest.raises(cli.OpenCodeTurnFailed, match=r"no (model fake|agent nope).*it has .*'(plan|fake/fake-1)'"):
            OpenCodeSession(**wrong).start().send("hello")
    assert len(session.messages()) == count and session.turn("FAKE:say still right") == "still right"
    planner = OpenCodeSession(agent="plan", model="fake/fake-1").start()
    assert planner.turn("FAKE:say planned") == "planned"
    session.turn("FAKE:say goes to the agent of the prompt before")
    answers = [one for one in session.messages() if one["role"] == "assistant"]
    assert answers[-1]["agent"] == "plan"


@pytest.mark.real
@pytest.mark.only("1")
def test_the_terminal_is_a_tool_of_its_model_by_mcp(session, place, model):
    place.tmux("new-window", "-dn", "beside", "-t", "=shared:", "bash --norc --noprofile")
    call = {"text": "echo $((6*7)) from the terminal", "pane": "shared:beside"}
    reply = session.send(f"FAKE:tool terminal_run {json.dumps(call)}")
    assert "ready (shell) after" in reply.text and "42 from the terminal" in reply.text
    assert "42 from the terminal" in place.screen("shared:beside")
    offered = {tool["function"]["name"] for tool in model.requests[-1]["tools"]}
    assert {"terminal_run", "terminal_send", "terminal_wait_ready", "terminal_open"} <= offered
    place.tmux("kill-window", "-t", "=shared:beside")


def rows(desk):
    """What the shell shows and showed since the last start, without empty rows and a logo."""
    # What OpenCode itself says where it still colours a text as it ends.
    shown = desk.tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "=shared:")
    shown = re.sub(r"Code highlighting failed.*\n(?: +at .*\n)*", "", shown)
    shown = shown[shown.rindex(record.LINE) :]
    return [row for row in map(str.strip, shown.splitlines()) if not set(row) <= set("▄█▀ ")]


@pytest.mark.real
def test_its_end_leaves_a_clean_shell(anew, place):
    """The last test of the module: the conversation is over then."""
    session = anew()
    session.turn("FAKE:say goodbye")
    identity = session.session_id
    place.type("a draft")
    place.see("a draft")
    assert session.exit() == identity == session.exit()
    assert session.status == "gone" and place.is_clean()
    # The line that started it, OpenCode's farewell, also of TUIs that were replaced, the prompt.
    line, *own, title, resume, prompt = rows(place)
    assert line.startswith(record.LINE), place.screen()
    assert all(row.startswith(("Session ", "Continue ")) for row in own), own
    assert title.startswith("Session") and resume.endswith(f"-s {identity}")
    assert prompt.endswith(("$", "#"))
    with pytest.raises(cli.OpenCodeGone, match=identity):
        session.wait()
