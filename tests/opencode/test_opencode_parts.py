"""Single parts against stand-ins: what is told of a screen, a database, a run. No process."""

import time
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from python.helpers.opencode import launch, run, turns
from python.helpers.opencode.http_channel import HttpChannel
from python.helpers.opencode.instance import SENDING, UP, Instance
from python.helpers.opencode.reply import (
    OpenCodeError,
    OpenCodePermissionNeeded,
    OpenCodeTurnFailed,
    Status,
    labels_of,
)
from python.helpers.opencode.screen import Frame, folded_lines
from python.helpers.opencode.screen_channel import ScreenChannel
from python.helpers.opencode.turns import Turn
from python.helpers.opencode_cli import OpenCodeSession, OpenCodeStartFailed
from python.helpers.tmux.terminal.view import placed

PROMPT = {"info": {"id": "msg_1", "role": "user", "time": {"created": 1}}, "parts": []}


class Tui:
    """An idle OpenCode whose input takes keys; what it shows as a Frame."""

    def __init__(self, input):
        self.input = input

    def press(self, keys):
        assert set(keys) == {"BSpace"}
        self.input = self.input[: -len(keys)]

    def frame(self):
        above = ["     an answer", "     ▣  Build · Fake One · 1s", "", "  ┃", f"  ┃  {self.input}"]
        below = ["  ┃", "  ┃  Build · Fake One Fake", "  ╹▀▀▀", "   /place   ctrl+p commands"]
        at = {"cursor_x": 5 + len(self.input), "cursor_y": len(above) - 1}
        facts = {"width": 120, "cursor_visible": True, **at}
        return Frame(SimpleNamespace(lines=(*above, *below), **facts))


def channel(tui, **facts):
    one = ScreenChannel.__new__(ScreenChannel)
    instance = Instance(terminal=tui, session="ses_1")
    one.__dict__.update(instance=instance, terminal=tui, _frame=tui.frame, _began=0.0)
    one.__dict__.update(database=SimpleNamespace(**facts))
    return one


UNSENT = [
    ("ok", "ok", True),
    ("ok", "[Pasted ~40 lines]", False),
    ("\n".join("abcd"), "[Pasted ~4 lines]", True),
    ("\n".join("abcd"), "[Pasted ~5 lines]", False),
    ("y", "my draft, really", False),
    ("🙂", "🎉 draft", False),
]


@pytest.mark.parametrize(("prompt", "holds", "ours"), UNSENT)
def test_of_an_earlier_callers_prompt_only_the_whole_input_is_taken_back(prompt, holds, ours):
    tui = Tui(holds)
    one = channel(tui, find=lambda turn: [], newest=lambda session: None)
    folded = folded_lines(prompt)
    one.instance.turn = Turn(prompt=turns.prompt_key(prompt), at=0.0, folded=folded)
    one.instance.phase = SENDING
    if ours and folded:
        tui.press = lambda keys: setattr(tui, "input", "" if len(keys) == 2 else tui.input)
    if ours:
        one.prepare("next")
    else:
        with pytest.raises(OpenCodeError, match="nothing was typed"):
            one.prepare("next")
    assert tui.input == ("" if ours else holds)


def test_an_earlier_callers_first_prompt_whose_enter_is_under_way_is_waited_for():
    """Else the next one would be typed into the page that is about to go."""
    tui, taken = Tui("ok"), time.monotonic() + 0.3
    one = channel(
        tui,
        find=lambda turn: [("ses_1", "msg_1")] if time.monotonic() > taken else [],
        newest=lambda session: None,
    )
    one.instance.session, one.instance.phase = None, SENDING
    one.instance.turn = Turn(prompt="ok", at=0.0)
    one.prepare("next")
    assert time.monotonic() > taken


def test_a_draft_is_not_taken_for_a_prompt_that_its_own_caller_has_taken_back():
    """However much it looks like it: that caller lives, so nothing of its prompt is left."""
    tui = Tui("[Pasted ~4 lines]")
    one = channel(tui, find=lambda turn: [], newest=lambda session: None)
    one.instance.turn = Turn(prompt="a b c d", at=0.0, folded=4)
    with pytest.raises(OpenCodeError, match="nothing was typed"):
        one.prepare("next")
    assert tui.input == "[Pasted ~4 lines]"


def test_a_prompt_that_is_not_drawn_in_time_may_still_come(monkeypatch):
    """So its end is not known: the error is none that says that nothing of it is left."""
    monkeypatch.setattr("python.helpers.opencode.screen_channel.TYPED_LIMIT", 0.1)
    tui = Tui("")
    tui.type = lambda text, **how: None
    with pytest.raises(OpenCodeError, match="nothing was sent") as caught:
        channel(tui)._type("late")
    assert not isinstance(caught.value, OpenCodeTurnFailed)
    tui.type = lambda text, **how: setattr(tui, "input", f"a draft {text}")
    with pytest.raises(OpenCodeTurnFailed, match="nothing was sent"):
        channel(tui)._type("ours")
    assert tui.input == "a draft "


@pytest.mark.parametrize(
    ("agent", "flags", "exact", "fits"),
    [
        ("plan", [], False, False),
        ("plan", ["--agent", "build"], False, False),
        ("plan", ["-m", "a/b", "--agent", "plan"], False, True),
        (None, ["--agent", "plan"], False, True),
        ("plan", [], True, True),
    ],
)
def test_an_agent_that_a_running_opencode_cannot_take_is_refused(agent, flags, exact, fits):
    """On the screen channel its prompts would go to another one."""
    front = SimpleNamespace(group=5)
    running = Instance(terminal=SimpleNamespace(front=lambda: front), group=5, flags=flags)
    refused = nullcontext() if fits else pytest.raises(OpenCodeStartFailed, match="agent")
    with refused:
        OpenCodeSession(agent=agent)._must_fit(running, None, exact)


PROVIDERS = [
    {"id": "a", "name": "A", "models": {"one": {"name": "One"}, "two": {"name": "Two"}}},
    {"id": "b", "name": "B", "models": {"x": {"name": "Same"}, "y": {"name": "Same"}}},
]
STARTED = ["-m", "a/one", "--agent", "plan"]


@pytest.mark.parametrize(
    ("label", "given", "agent", "model"),
    [
        ("Build · Two A", {}, "build", "a/two"),
        ("My-Own · Two A · high", {}, "my-own", "a/two"),
        ("Build · Two A", {"agent": "plan", "model": "a/one"}, "plan", "a/one"),
        ("Build · Same B", {}, "build", "a/one"),  # of two it cannot be told which
        ("Shell", {}, "plan", "a/one"),
        ("a dialog over it · and more", {}, "plan", "a/one"),
    ],
)
def test_a_turn_goes_to_what_was_asked_for_else_is_shown_else_was_begun(label, given, agent, model):
    rows = ("  ┃", "  ┃", "  ┃", f"  ┃  {label}", "  ╹▀▀▀", "   /place   ctrl+p commands")
    facts = {"width": 120, "cursor_visible": True, "cursor_x": 5, "cursor_y": 1}
    view = SimpleNamespace(lines=rows, **facts)
    one = HttpChannel(Instance(terminal=SimpleNamespace(look=lambda: view), flags=STARTED), **given)
    agents = [{"name": name} for name in ("build", "my-own", "plan")]
    one.get = lambda path: {"/agent": agents, "/config/providers": {"providers": PROVIDERS}}[path]
    provider, name = model.split("/")
    choice = {"agent": agent, "model": {"providerID": provider, "modelID": name}}
    assert one._chosen() == choice


def test_a_record_of_another_edition_is_read_as_far_as_it_goes():
    """`up` and `ending` stood for the phase before it had a word."""
    kept = '{"shell": 5, "group": 7, "port": 9, "turn": null, "up": true, "ending": false}'
    one = Instance.load(SimpleNamespace(get_option=lambda name: kept))
    assert (one.group, one.port, one.phase) == (7, 9, UP)


def test_a_record_of_before_has_a_turn_that_is_not_folded():
    assert Turn(**{"prompt": "x", "at": 1.0, "id": "", "changed": False}).folded == 0


def test_the_turn_of_a_prompt_that_two_conversations_got_is_nobodys():
    one = channel(
        Tui(""),
        find=lambda turn: places,
        messages=lambda session, turn: [(session, turn)][: bool(session)],
    )
    one.instance.session, places = None, [("ses_1", "msg_1"), ("ses_2", "msg_2")]
    assert one.messages(Turn(prompt="ok", at=0.0)) == [] and one.instance.session is None


@pytest.mark.parametrize(("age", "status"), [(-1, "busy"), (1, "idle")])
def test_an_open_answer_of_an_opencode_that_has_ended_is_no_turn(age, status):
    """`age`: seconds that the answer is older than the OpenCode that runs."""
    now = time.time()
    info = {"role": "assistant", "time": {"created": (now - age) * 1000}}
    one = channel(Tui(""), newest=lambda session: {"info": info, "parts": []})
    one._began = now
    assert one.status() == Status(status)


ASKS = ["  ┃  △ Permission required", "  ┃    # Shell command", "  ┃", "  ┃  $ rm -r a", "  ┃"]
ASKS += ["  ┃   Allow once   Allow always   Reject          enter confirm", "  ┃"]


@pytest.mark.parametrize(
    ("commands", "told"),
    [
        (["ls", "rm -r a", "rm"], "rm -r a"),
        (["ls"], "ls"),  # its words may be cut off
        (["ls", "pwd"], "# Shell command $ rm -r a"),
        ([], None),
    ],
)
def test_of_several_tools_that_run_the_one_is_told_that_the_screen_asks_about(commands, told):
    tools = [{"tool": "bash", "state": {"input": {"command": one}}} for one in commands]
    view = SimpleNamespace(lines=ASKS, width=120, cursor_visible=False, cursor_x=0, cursor_y=0)
    one = channel(Tui(""), running_tools=lambda session: tools)
    one._frame, one._last_answer = lambda: Frame(view), lambda: None
    request = one.status().request
    assert told == (request and OpenCodePermissionNeeded(request).command)


def message(id, role, text, parent="", finish="stop", **part):
    info = {"id": id, "role": role, "parentID": parent, "finish": finish}
    info["time"] = {"created": 1, "completed": 2}
    return {"info": info, "parts": [{"type": "text", "text": text, **part}]}


@pytest.mark.parametrize(
    ("later", "note"),
    [
        (message("msg_3", "user", "and mine?"), "'and mine?'"),
        (message("msg_3", "user", "Continue if you have next steps", synthetic=True), ""),
    ],
    ids=["somebody's prompt", "OpenCode's own"],
)
def test_an_answer_to_a_later_prompt_too_is_noted(later, note):
    begun = message("msg_2", "assistant", "", "msg_1", "tool-calls")
    reply = turns.reply_of(
        [PROMPT, begun, later, message("msg_4", "assistant", "both", "msg_3")], 1
    )
    assert reply.text == "both" and reply.note.endswith(note) and bool(reply.note) is bool(note)


EPILOGUE = ["$ opencode", "  Session   A title", "  Continue  opencode -s ses_old", "$ clear"]
AGAIN = [f"$ {launch.LINE}"]


@pytest.mark.parametrize(
    ("lines", "session"),
    [
        (EPILOGUE, "ses_old"),
        ([*EPILOGUE, *AGAIN, "$ "], None),
        ([*AGAIN, "  Continue  opencode -s ses_new", *AGAIN, *EPILOGUE, "$ "], "ses_old"),
    ],
    ids=["none of ours", "above the launch", "below the launch"],
)
def test_only_what_stands_below_the_launch_names_the_conversation(lines, session):
    view = SimpleNamespace(joined=placed(lines, 0, 34))  # the launch line takes two rows
    terminal = SimpleNamespace(front=lambda: SimpleNamespace(view=view))
    assert Instance(terminal=terminal).last_session() == session


REPLIES = ["", "11;rgb:0000/0000/0000", "]11;rgb:0/0/0]10;rgb:c0c0/c0c0/c0c0", "1R", "[2;1R"]
REPLIES += [
    "1;2c",
    "[?62;4c",
    "[?2026;2$y",
    "2026;2$y",
    "?0u",
    ">|tmux 3.3a\x1b\\",
    "P>|tmux 3.8\\",
]
REPLIES += [f"{launch.LINE}>|tmux 3.3a"]


@pytest.mark.parametrize("text", REPLIES)
def test_a_terminals_answers_at_the_prompt_are_known(text):
    assert launch._REPLIES.fullmatch(text)


@pytest.mark.parametrize("text", ["rm -rf ", "c", "ls 1R", "11;rgb:0/0/0 ls", "cd ..", "> x", "y"])
def test_a_persons_words_are_no_terminals_answer(text):
    assert not launch._REPLIES.fullmatch(text)


@pytest.mark.parametrize("prompt", [None, 123, b"abc", ["a"], "", " \n"])
def test_what_is_no_prompt_is_refused_before_anything_is_begun(prompt):
    session = OpenCodeSession()
    for send in (session.send, session.submit, session.turn, run.opencode_run):
        with pytest.raises(OpenCodeError, match=r"the prompt is (empty|.*it is a string)"):
            send(prompt)


@pytest.mark.parametrize("timeout", ["5", float("nan"), -1, [5]])
def test_what_is_no_time_is_refused_before_anything_is_begun(timeout):
    session = OpenCodeSession()
    calls = [lambda: session.send("x", timeout), lambda: session.turn("x", timeout=timeout)]
    calls += [lambda: session.wait(timeout), lambda: OpenCodeSession(timeout=timeout)]
    calls += [lambda: run.opencode_run("x", timeout=timeout)]
    for call in calls:
        with pytest.raises(OpenCodeError, match=r"timeout is .*number of seconds"):
            call()


GOOD = [
    (("A",), 1, [["A"]]),
    (("A", "B"), 1, [["A", "B"]]),
    ((["A", "B"],), 1, [["A", "B"]]),
    (("A", ["B", "C"]), 2, [["A"], ["B", "C"]]),
    (("reject",), 2, [["reject"]]),
]


@pytest.mark.parametrize(("choices", "count", "labels"), GOOD)
def test_answers_are_labels_for_each_question(choices, count, labels):
    assert labels_of(choices, count) == labels


BAD = [((), 1), (([],), 1), (([[]],), 1), ((5,), 1), ((None,), 2), (([None],), 1), (("A", 5), 2)]
BAD += [
    ((["A", "B"],), 2),
    (([["A", "B"]],), 1),
    (("A",), 2),
    (("A", "B", "C"), 2),
    (({"A": 1},), 1),
]


@pytest.mark.parametrize(("choices", "count"), BAD)
def test_what_is_no_answer_is_refused(choices, count):
    with pytest.raises(OpenCodeError, match="answer"):
        labels_of(choices, count)


def write(**state):
    file = {"filePath": "/place/kept.txt", "content": "x"}
    return {"type": "tool", "tool": "write", "state": {"input": file, **state}}


def test_a_permission_to_write_names_its_file():
    assert OpenCodePermissionNeeded(turns.request_of(write())).command == "/place/kept.txt"


@pytest.fixture
def ran(monkeypatch, tmp_path):
    """A run that printed `words`, and whose conversation holds `messages` behind the prompt."""

    def prepare(words, *messages):
        def stand_in(command, place, files, deadline):
            files[1].write(words.encode())
            return SimpleNamespace(messages=lambda session, turn: [prompt, *messages]), 0

        prompt = {**PROMPT, "parts": [{"type": "text", "text": "hello"}]}
        prompt["info"] = {**prompt["info"], "time": {"created": time.time() * 1000 + 9000}}
        monkeypatch.setattr(run, "program", lambda: "/bin/true")
        monkeypatch.setattr(run, "_ran", stand_in)

    return prepare


def test_a_run_without_a_turn_says_what_it_printed(ran):
    ran('{"sessionID":"ses_1"} there is no such model')
    with pytest.raises(OpenCodeTurnFailed, match="no such model") as caught:
        run.opencode_run("hello")
    assert "screen" not in str(caught.value)


def test_a_run_that_may_not_write_names_the_file(ran):
    error = "The user rejected permission to use this specific tool call."
    info = {"id": "msg_2", "role": "assistant", "parentID": "msg_1", "finish": "tool-calls"}
    info["time"] = {"created": 1, "completed": 2}
    ran('"sessionID":"ses_1"', {"info": info, "parts": [write(status="error", error=error)]})
    with pytest.raises(OpenCodePermissionNeeded) as caught:
        run.opencode_run("hello")
    assert (caught.value.tool, caught.value.command) == ("write", "/place/kept.txt")
