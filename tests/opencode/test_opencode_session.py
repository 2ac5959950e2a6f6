"""One OpenCode in the pane, driven over its API: everything a turn can come to, each provoked for
real."""

import json
import subprocess
import sys
import threading

import pytest
from fake_model import MARKDOWN
from hermetic import ROOT

from python.helpers.opencode.screen import Frame
from python.helpers.opencode.terminal import Terminal
from python.helpers.opencode_cli import (
    OpenCodeError,
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeSession,
    OpenCodeStartFailed,
    OpenCodeTimedOut,
)
from python.helpers.tmux_cli.conversation import conversation

CHANNEL = "http"


def test_two_turns_remember_and_the_person_sees_them(session, place):
    assert session.turn("Please remember the number 4711.") == "I will remember 4711."
    reply = session.send("What number was it?")
    assert (str(reply), reply.finish, reply.channel) == ("The number is 4711.", "stop", "http")
    assert reply.session_id == session.session_id and session.session_id.startswith("ses_")
    assert reply.tokens["total"] == 110 and reply.cost == 0 and 0 < reply.duration < 10
    place.until(
        lambda: "What number was it?" in place.screen() and "The number is 4711." in place.screen()
    )
    assert session.status == "idle"


@pytest.mark.parametrize(
    "prompt",
    [
        "/exit",
        "exit",
        "!echo x",
        "see @p.txt",
        "/nosuch",
        "  outer blanks  ",
        "a\ttab",
        "one\r\ntwo",
        "#{pid} $(id) `id` ;",
        "🙂‍↕️ é 漢字 \u200b",
        "ESC \x1b[201~ [31m",
        "\n".join(f"line {i}" for i in range(300)),
        "x y " * 50_000,
    ],
    ids=lambda p: repr(p[:12]),
)
def test_prompts_arrive_exactly(session, model, prompt):
    session.reset()
    session.send(prompt)
    assert model.prompts()[-1] == prompt


def test_an_empty_prompt_is_an_error(session, model):
    count = len(model.requests)
    for prompt in ("", " \n"):
        with pytest.raises(OpenCodeError, match="empty"):
            session.send(prompt)
    assert len(model.requests) == count


def test_markdown_comes_as_it_was_written(session):
    assert str(session.send("FAKE:markdown")) == MARKDOWN


def test_a_silent_pause_is_not_the_end(session):
    assert str(session.send("FAKE:pause 2.5")) == "BEFORE AFTER"


def test_permission_is_needed_and_given(session, place):
    with pytest.raises(OpenCodePermissionNeeded) as caught:
        session.send("FAKE:bash echo given > proof.txt")
    assert (caught.value.tool, caught.value.command) == (
        "bash",
        "echo given > proof.txt",
    ) and caught.value.patterns
    assert session.status == "needs permission" and not (place.project / "proof.txt").exists()
    session.answer("once")
    assert str(session.wait()).startswith("TOOL SAID:")
    assert (place.project / "proof.txt").read_text() == "given\n"


def test_what_the_status_has_shown_may_be_answered(session, place):
    session.submit("FAKE:bash echo given > shown.txt")
    place.until(lambda: session.status == "needs permission")
    session.answer("once")
    assert str(session.wait()).startswith("TOOL SAID:")


def test_permission_is_needed_and_refused(session, place):
    with pytest.raises(OpenCodePermissionNeeded):
        session.send("FAKE:bash touch never.txt")
    session.answer("reject")
    assert session.wait().finish == "rejected" and not (place.project / "never.txt").exists()


def test_a_nonsensical_answer_is_refused(session):
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
    place.until(lambda: "Allow once" in place.screen())
    place.press("Enter")
    watcher = OpenCodeSession().adopt()
    place.until(lambda: watcher.status.request not in (None, first.value.request))
    with pytest.raises(OpenCodePermissionNeeded) as second:
        session.answer("once")
    assert {first.value.command[-5:], second.value.command[-5:]} == {"1.txt", "2.txt"}
    assert len(list(place.project.glob("[12].txt"))) == 1
    session.answer("once")
    session.wait()
    assert len(list(place.project.glob("[12].txt"))) == 2


def test_a_permission_to_write_names_the_file(session, place):
    file = str(place.project / "new.txt")
    with pytest.raises(OpenCodePermissionNeeded) as caught:
        session.send("FAKE:tool write " + json.dumps({"filePath": file, "content": "x"}))
    assert caught.value.command.endswith("new.txt")


def test_a_permission_is_asked_for_and_given_on_the_command_line(
    session, place, capsys, monkeypatch
):
    monkeypatch.chdir(place.project)
    assert conversation(["FAKE:bash", "echo", "answered"]) == 1
    asked = "error: OpenCode needs permission for bash: echo answered. tmux-tool opencode --answer"
    assert f"{asked} once|always|reject\n" in capsys.readouterr().out
    assert conversation(["--answer"]) == 1 and session.status == "needs permission"
    assert "--answer once|always|reject" in capsys.readouterr().out
    assert conversation(["--answer", "once"]) == 0
    assert "TOOL SAID: answered" in capsys.readouterr().out


def test_a_prompt_from_another_folder_is_refused_on_the_command_line(
    session, model, place, capsys, monkeypatch
):
    count = len(model.requests)
    monkeypatch.chdir(place.root)
    assert conversation(["what does this repo do?"]) == 1
    refused = f"error: this pane already runs OpenCode in {place.project}. "
    assert capsys.readouterr().out == f"{refused}tmux-tool opencode --exit ends it\n"
    assert len(model.requests) == count


def test_a_subagents_permission_counts_as_its_own(session):
    task = {"description": "d", "prompt": "FAKE:bash echo sub", "subagent_type": "general"}
    with pytest.raises(OpenCodePermissionNeeded, match="echo sub"):
        session.send("FAKE:tool task " + json.dumps(task))
    session.answer("once")
    assert "TOOL SAID: sub" in str(session.wait())


def test_interrupt_with_a_pending_permission_leaves_it_ready(session):
    with pytest.raises(OpenCodePermissionNeeded):
        session.send("FAKE:bash sleep 77")
    session.interrupt()
    assert session.status == "idle" and str(session.send("FAKE:say next")) == "next"


def test_a_question_is_asked_and_answered(session):
    with pytest.raises(OpenCodeQuestionAsked) as caught:
        session.send("FAKE:question")
    assert caught.value.question == "Which one?" and caught.value.options == ["Alpha", "Beta"]
    assert session.status == "needs answer"
    session.answer("Beta")
    assert '"Which one?"="Beta"' in str(session.wait())


def test_a_question_is_dismissed(session):
    with pytest.raises(OpenCodeQuestionAsked):
        session.send("FAKE:question")
    session.answer("reject")
    assert session.wait().finish == "rejected"


def test_the_models_length_limit_is_said(session):
    reply = session.send("FAKE:length")
    assert (reply.text, reply.finish) == ("as far as it went", "length")


def test_the_person_aborts_at_the_keyboard(session, place, slowly):
    slowly(400)
    place.until(lambda: "w12" in place.screen())
    place.abort()
    reply = session.wait()
    assert reply.finish == "aborted" and "w12" in reply.text and "SLOW-DONE" not in reply.text


def test_a_timeout_carries_what_came_and_the_turn_goes_on(session, slowly):
    slowly(100)
    with pytest.raises(OpenCodeTimedOut) as caught:
        session.wait(timeout=0.3)
    assert caught.value.text.startswith("w1 ") and "SLOW-DONE" not in caught.value.text
    assert caught.value.status == "busy"
    assert str(session.wait()).endswith("SLOW-DONE")


@pytest.mark.thorough
def test_a_timeout_in_another_process_has_at_least_what_the_screen_shows(session, slowly):
    slowly(200)
    with pytest.raises(OpenCodeTimedOut) as caught:
        OpenCodeSession().start().wait(timeout=0.3)
    assert "w1 " in caught.value.text and "SLOW-DONE" not in caught.value.text
    assert session.wait().finish == "stop"


def test_interrupt_is_quick_and_the_next_prompt_works(session, place):
    session.submit("FAKE:slow n=200 delay=0.05")
    place.until(lambda: session.status == "busy")
    session.interrupt()
    assert session.wait().finish == "aborted"
    assert str(session.send("FAKE:say after")) == "after"


def test_a_prompt_queued_behind_the_persons_own_gets_its_own_answer(session, place):
    session.submit("FAKE:slow n=20 delay=0.05")
    assert str(session.send("FAKE:say mine")) == "mine"


def test_a_prompt_of_the_persons_that_takes_the_turn_over_is_noted(session, place):
    with pytest.raises(OpenCodePermissionNeeded):
        session.send("FAKE:bash while [ ! -e go.txt ]; do sleep 0.1; done")
    place.until(lambda: "Allow once" in place.screen())
    session.answer("once")
    place.until(lambda: Frame(Terminal("shared").look()).cursor_in_input)
    place.type("FAKE:say to the person")
    place.until(lambda: "FAKE:say to the person" in place.screen())
    place.press("Enter")
    place.until(lambda: "QUEUED" in place.screen())
    (place.project / "go.txt").touch()
    reply = session.wait()
    assert "to the person" in reply.text and "'FAKE:say to the person'" in reply.note
    assert not session.send("FAKE:say mine again").note


def test_a_draft_of_the_persons_is_left_alone(session, place):
    place.tmux("send-keys", "-t", "=shared:", "half a thought")
    place.until(lambda: "half a thought" in place.screen())
    assert str(session.send("FAKE:say exact")) == "exact"
    assert "half a thought" in place.screen()
    place.tmux("send-keys", "-t", "=shared:", "C-u")


def test_progress_is_printed(session, monkeypatch, capsys):
    monkeypatch.setattr("python.helpers.opencode.reply.PROGRESS", 0.3)
    session.send("FAKE:pause 1.2", progress=True)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 2 and all(line.startswith("opencode: busy") for line in lines)


def test_two_callers_take_turns(session, place, model):
    said, count = {}, len(model.requests)
    other = threading.Thread(
        target=lambda: said.update(one=str(session.send("FAKE:slow n=20 delay=0.05")))
    )
    other.start()
    place.until(lambda: len(model.requests) > count)
    second = OpenCodeSession().start()
    assert str(second.send("FAKE:say two")) == "two"
    other.join()
    assert said["one"].endswith("SLOW-DONE")


def test_another_process_adopts_the_conversation(session, place):
    session.turn("Please remember the number 99.")
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from python.helpers.opencode_cli import OpenCodeSession\n"
        "s = OpenCodeSession().start(); print(s.session_id); print(s.turn('What number?'))\ns.submit('FAKE:say later')"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert out.stdout.split("\n")[:2] == [session.session_id, "The number is 99."], out.stderr
    assert str(OpenCodeSession().start().wait()) == "later"


def test_reset_begins_a_new_conversation(session):
    session.turn("Please remember the number 5.")
    first = session.session_id
    session.reset()
    assert session.session_id is None
    assert session.turn("What number?") == "I know no number." and session.session_id != first


def test_an_old_conversation_is_shown_again(session):
    session.turn("Please remember the number 6.")
    first = session.session_id
    session.reset()
    session.turn("FAKE:say something else")
    again = OpenCodeSession().start(resume=first)
    assert again.turn("What number?") == "The number is 6."
    with pytest.raises(OpenCodeStartFailed, match="not found"):
        OpenCodeSession().start(resume="ses_000000000000dead0000000000")


def test_another_directory_is_refused_while_one_runs(session, place):
    with pytest.raises(OpenCodeStartFailed, match="already runs OpenCode in"):
        OpenCodeSession(str(place.root)).start()


def test_the_password_is_nowhere_to_be_seen(session, place):
    password = place.tmux("show-options", "-pqv", "-t", "=shared:", "@opencode_password").strip()
    assert len(password) == 32
    screen = place.tmux("capture-pane", "-p", "-S", "-", "-t", "=shared:")
    others = [row for row in place.options() if not row.startswith("@opencode_password")]
    commands = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    for text in (screen, commands, *others):
        assert password not in text
    files = [path for path in place.root.rglob("*") if path.is_file() and path.suffix != ".db"]
    assert not [path for path in files if password.encode() in path.read_bytes()]


def test_the_api_is_on_loopback_and_locked(session, place):
    port = place.record()["port"]
    with open("/proc/net/tcp") as table:
        ends = [row.split()[1] for row in table if f":{port:04X} " in row and " 0A " in row]
    assert ends == [f"0100007F:{port:04X}"]
    out = subprocess.run(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", f"http://127.0.0.1:{port}/session"],
        capture_output=True,
        text=True,
    )
    assert out.stdout == "401"


def test_a_model_or_agent_that_is_not_there_is_said(session):
    with pytest.raises(OpenCodeStartFailed, match=r"fake/nope.*fake/fake-1"):
        OpenCodeSession(model="fake/nope").start()
    with pytest.raises(OpenCodeStartFailed, match="no agent nope"):
        OpenCodeSession(agent="nope").start()
    assert session.status == "idle"


def test_the_plan_agent_answers_as_itself(session, model):
    planner = OpenCodeSession(agent="plan", model="fake/fake-1").start()
    assert str(planner.send("FAKE:say planned")).startswith("planned")
