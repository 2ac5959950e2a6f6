"""The agent's arguments: what is accepted, and that everything else is answered with its name and types nothing."""

from __future__ import annotations

import json
import math
import os

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from python.helpers.tmux.actions import Call
from python.helpers.tmux.arguments import ACTIONS, BadArgument, check
from tests.conftest import poll
from tests.support.reader import Reader

FUZZ = int(os.environ.get("FUZZ", "1"))
RANDOM = {
    "deadline": None,
    "derandomize": FUZZ == 1,
    "database": None,
    "suppress_health_check": list(HealthCheck),
}


def checked(action: str, **arguments) -> dict:
    return check({"action": action, **arguments})[1]


# what is accepted


def test_the_defaults_are_the_contracts():
    assert checked("send", text="x") == {"text": "x", "enter": True, "pane": "shared"}
    assert checked("keys", keys="x") == {"keys": ["x"], "pane": "shared"}
    assert checked("read") == {"lines": 100, "new": False, "pane": "shared"}
    assert checked("wait_ready") == {
        "timeout": 10.0,
        "prompt_pattern": None,
        "until": None,
        "pane": "shared",
    }
    assert checked("run", text="x") == {
        "text": "x",
        "timeout": 30.0,
        "prompt_pattern": None,
        "until": None,
        "pane": "shared",
    }
    assert checked("interrupt") == {"pane": "shared"}
    assert checked("list") == {}
    assert set(ACTIONS) == {"send", "keys", "read", "wait_ready", "run", "interrupt", "list"}


@pytest.mark.parametrize(
    ("came", "value"),
    [(5, 5), ("5", 5), (" 5 ", 5), (5.0, 5), ("5.0", 5), (1, 1), (10**9, 10**9)],
    ids=repr,
)
def test_a_count_as_a_model_writes_it(came, value):
    lines = checked("read", lines=came)["lines"]
    assert lines == value and type(lines) is int


@pytest.mark.parametrize(
    ("came", "value"),
    [(5, 5), ("5", 5), (0.5, 0.5), ("0.5", 0.5), ("1e2", 100), (1e-9, 1e-9)],
    ids=repr,
)
def test_seconds_as_a_model_writes_them(came, value):
    assert checked("run", text="x", timeout=came)["timeout"] == value


@pytest.mark.parametrize(
    ("came", "value"),
    [(True, True), (False, False), ("true", True), ("False", False), (" TRUE ", True)],
    ids=repr,
)
def test_a_flag_as_a_model_writes_it(came, value):
    assert checked("send", text="x", enter=came)["enter"] is value
    assert checked("read", new=came)["new"] is value


@pytest.mark.parametrize("absent", [None, ""])
def test_null_and_an_empty_optional_argument_are_absent(absent):
    optional = {
        "wait_ready": ["timeout", "prompt_pattern", "until", "pane"],
        "read": ["lines", "new", "pane"],
        "send": ["enter", "pane"],
        "interrupt": ["pane"],
        "keys": ["pane"],
        "run": ["timeout", "prompt_pattern", "until", "pane"],
    }
    for action, names in optional.items():
        needed = {"send": {"text": "x"}, "run": {"text": "x"}, "keys": {"keys": "x"}}.get(
            action, {}
        )
        assert checked(action, **needed, **dict.fromkeys(names, absent)) == checked(
            action, **needed
        )
    assert checked("list", pane=None, lines=None) == {}


def test_an_action_is_known_with_blanks_around_it():
    assert check({"action": " read\n"})[0] == "read"


# what is not

WRONG = [
    # came, what the answer must name
    ({}, ["'action'", "None", "send, keys, read, wait_ready, run, interrupt, list"]),
    ({"action": None}, ["'action'", "None", "send, keys, read"]),
    ({"action": ""}, ["'action'", "''", "send, keys, read"]),
    ({"action": "type"}, ["'action'", "'type'", "send, keys, read"]),
    ({"action": "SEND", "text": "x"}, ["'action'", "'SEND'"]),
    ({"action": "_type"}, ["'action'", "'_type'"]),
    ({"action": ["send"]}, ["'action'", "['send']"]),
    ({"action": 5}, ["'action'", "5"]),
    ({"action": "send"}, ["'text'", "missing"]),
    ({"action": "send", "text": None}, ["'text'", "missing"]),
    ({"action": "send", "text": 5}, ["'text'", "5", "a string"]),
    ({"action": "send", "text": ["x"]}, ["'text'", "['x']", "a string"]),
    ({"action": "send", "text": "x", "enter": 1}, ["'enter'", "1", "true or false"]),
    ({"action": "send", "text": "x", "enter": "yes"}, ["'enter'", "'yes'", "true or false"]),
    ({"action": "send", "text": "x", "enter": []}, ["'enter'", "[]", "true or false"]),
    ({"action": "send", "text": "", "enter": False}, ["'text'", "''"]),
    ({"action": "send", "text": "x", "pane": 5}, ["'pane'", "5", "a string"]),
    (
        {"action": "send", "text": "x", "keys": "y"},
        ["'keys'", "'y'", "send takes text, enter, pane"],
    ),
    (
        {"action": "send", "text": "x", "timeout": 5},
        ["'timeout'", "5", "send takes text, enter, pane"],
    ),
    ({"action": "send", "text": "x", "Text": "y"}, ["'Text'", "'y'", "send takes"]),
    ({"action": "send", "text": "x", "": "y"}, ["''", "'y'", "send takes"]),
    ({"action": "send", "text": "a\x1b[A"}, ["'text'", "\\x1b", "position 1", "action keys"]),
    ({"action": "send", "text": "a\x03"}, ["'text'", "\\x03", "action keys"]),
    ({"action": "send", "text": "\0"}, ["'text'", "\\x00", "action keys"]),
    ({"action": "send", "text": "\x7f"}, ["'text'", "\\x7f", "action keys"]),
    ({"action": "send", "text": "\x9b31m"}, ["'text'", "\\x9b", "action keys"]),
    ({"action": "send", "text": "\ud83d"}, ["'text'", "\\ud83d"]),
    ({"action": "keys"}, ["'keys'", "missing"]),
    ({"action": "keys", "keys": ""}, ["'keys'", "''", "a list of key names"]),
    ({"action": "keys", "keys": []}, ["'keys'", "[]", "a list of key names"]),
    ({"action": "keys", "keys": 5}, ["'keys'", "5", "a list of key names"]),
    ({"action": "keys", "keys": ["y", 5]}, ["'keys'", "['y', 5]", "a list of key names"]),
    ({"action": "keys", "keys": {"C": "c"}}, ["'keys'", "{'C': 'c'}"]),
    ({"action": "keys", "keys": ["y", "Entr"]}, ["'keys'", "'Entr'", "Enter"]),
    ({"action": "keys", "keys": "ls Enter"}, ["'keys'", "'ls'", "action send"]),
    ({"action": "read", "lines": 0}, ["'lines'", "0", "from 1 on"]),
    ({"action": "read", "lines": -5}, ["'lines'", "-5", "from 1 on"]),
    ({"action": "read", "lines": 2.5}, ["'lines'", "2.5", "a whole number"]),
    ({"action": "read", "lines": "ten"}, ["'lines'", "'ten'", "a whole number"]),
    ({"action": "read", "lines": True}, ["'lines'", "True", "a whole number"]),
    ({"action": "read", "lines": math.inf}, ["'lines'", "inf"]),
    ({"action": "read", "lines": math.nan}, ["'lines'", "nan"]),
    ({"action": "read", "lines": "1e999"}, ["'lines'", "'1e999'"]),
    ({"action": "read", "lines": 10**400}, ["'lines'"]),
    ({"action": "read", "lines": {}}, ["'lines'", "{}"]),
    ({"action": "read", "new": 0}, ["'new'", "0", "true or false"]),
    ({"action": "read", "text": "x"}, ["'text'", "read takes lines, new, pane"]),
    ({"action": "wait_ready", "timeout": 0}, ["'timeout'", "0", "a positive number"]),
    ({"action": "wait_ready", "timeout": -1}, ["'timeout'", "-1", "a positive number"]),
    ({"action": "wait_ready", "timeout": "soon"}, ["'timeout'", "'soon'", "a positive number"]),
    ({"action": "wait_ready", "timeout": math.nan}, ["'timeout'", "nan", "a positive number"]),
    ({"action": "wait_ready", "timeout": math.inf}, ["'timeout'", "inf", "a positive number"]),
    (
        {"action": "wait_ready", "timeout": "Infinity"},
        ["'timeout'", "'Infinity'", "a positive number"],
    ),
    ({"action": "wait_ready", "timeout": True}, ["'timeout'", "True", "a positive number"]),
    ({"action": "wait_ready", "timeout": [5]}, ["'timeout'", "[5]", "a positive number"]),
    ({"action": "wait_ready", "until": "("}, ["until", "'('", "regular expression"]),
    ({"action": "wait_ready", "until": 5}, ["'until'", "5", "a string"]),
    (
        {"action": "wait_ready", "prompt_pattern": "*"},
        ["prompt_pattern", "'*'", "regular expression"],
    ),
    ({"action": "run", "text": "x", "until": "[a"}, ["until", "'[a'", "regular expression"]),
    (
        {"action": "run", "text": "x", "prompt_pattern": "(?P<"},
        ["prompt_pattern", "regular expression"],
    ),
    ({"action": "run", "text": "x\x03"}, ["'text'", "\\x03"]),
    ({"action": "run"}, ["'text'", "missing"]),
    (
        {"action": "run", "text": "x", "enter": True},
        ["'enter'", "run takes text, timeout, prompt_pattern, until, pane"],
    ),
    ({"action": "interrupt", "keys": "C-c"}, ["'keys'", "interrupt takes pane"]),
    ({"action": "list", "pane": "shared"}, ["'pane'", "list takes no arguments"]),
    ({"action": "send", "text": "x", "pane": "a\0b"}, ["pane"]),
    ({"action": "send", "text": "x", "pane": "\ud800"}, ["pane"]),
    ({"action": "wait_ready", "until": "\ud800("}, ["until"]),
]


@pytest.fixture
def reader(bare, tmp_path):
    return Reader(bare, tmp_path / "typed").start()


def fault(came: object, named: list[str] = ()) -> str:
    """What is wrong with the answer to a wrong call, "" for nothing."""
    try:
        answer = Call().perform(came)
    except Exception as problem:
        return f"raised {problem!r}"
    if not isinstance(answer, str) or not answer.startswith("error: ") or len(answer) > 16_000:
        return repr(answer)[:200]
    return (
        "" if all(name in answer for name in named) else f"{answer!r} does not name all of {named}"
    )


def test_every_wrong_argument_is_named_with_what_came_and_what_is_allowed(reader):
    faults = {repr(came): fault(came, named) for came, named in WRONG}
    assert {came: wrong for came, wrong in faults.items() if wrong} == {}
    reader.nothing_more()


@pytest.mark.parametrize(
    "came",
    [
        None,
        [],
        "read",
        5,
        True,
        ["read"],
        [["action", "read"]],
        {5: "read"},
        {None: 1, "action": "read"},
    ],
    ids=repr,
)
def test_what_is_no_object_of_arguments_is_an_error_too(bare, came):
    assert fault(came) == ""


LONG = "x" * 100_000


@pytest.mark.parametrize(
    "came",
    [
        {"action": LONG},
        {"action": "read", LONG: 1},
        {"action": "read", "lines": LONG},
        {"action": "keys", "keys": [LONG]},
        {"action": "keys", "keys": "F" * 50_000},
        {"action": "read", "pane": LONG},
        {"action": "wait_ready", "until": "(" + LONG},
        {"action": "wait_ready", "prompt_pattern": "[" + LONG},
        {"action": "read", "pane": "%" + LONG},
        {"action": "read", "pane": "é" * 200_000},
    ],
    ids=lambda c: "-".join(f"{k[:9]} {str(v)[:9]}" for k, v in c.items()),
)
def test_an_overlong_wrong_argument_is_answered_briefly(terminal, came):
    assert fault(came) == ""


def test_a_thousand_keys_are_pressed_and_answered_briefly(bare, reader):
    answer = bare.call("keys", keys=["x"] * 5000)
    assert isinstance(answer, str) and len(answer) <= 16_000
    if answer.startswith("error: "):
        reader.nothing_more()
    else:
        reader.expect(b"x" * 5000)


def test_a_slow_pattern_cannot_hang_the_tool(terminal):
    terminal.call("run", text="echo " + "a" * 60)
    answer = terminal.call("wait_ready", prompt_pattern="(a|a|aa)+(a|aa)+$x", timeout=20)
    assert answer.startswith("error: prompt_pattern takes longer than") or not answer.startswith(
        "error"
    )
    answer = terminal.call(
        "run", text="echo " + "a" * 60, until="^(a|aa)+(a|aa)+(a|aa)+b$", timeout=20
    )
    assert answer.startswith("error: until takes longer than"), answer


# anything at all

NAMES = st.sampled_from(
    [
        "text",
        "enter",
        "keys",
        "lines",
        "new",
        "timeout",
        "prompt_pattern",
        "until",
        "pane",
        "action",
    ]
)
NUMBERS = st.one_of(
    st.integers(-3, 3), st.sampled_from([0.02, -0.5, 1e400, -1e400, math.nan, 1e-9, 0.0, 10**400])
)
STRINGS = st.text(max_size=20) | st.sampled_from(
    [
        "",
        " ",
        "shared",
        "shared:",
        "%0",
        "nowhere",
        "x;",
        "0.02",
        "1",
        "-1",
        "true",
        "False",
        "null",
        "C-x",
        "Up",
        "Escape y",
        "F99",
        "(",
        "a*",
        "[$#] $",
        "\x1b[A",
        "\0",
        "\ud800",
        "one\ntwo",
        "-t",
    ]
)
ANY = st.recursive(
    st.none() | st.booleans() | NUMBERS | STRINGS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
FITTING = {
    "text": STRINGS,
    "enter": st.booleans() | st.sampled_from(["true", "false"]),
    "keys": st.lists(STRINGS, max_size=3) | STRINGS,
    "lines": st.integers(-1, 30),
    "new": st.booleans(),
    "timeout": st.sampled_from([0.02, "0.01", 0, -1]),
    "pane": st.sampled_from(["shared", "%0", "shared:0.0", "nowhere", None, ""]),
    "prompt_pattern": STRINGS,
    "until": STRINGS,
}


@st.composite
def calls(draw):
    """A call with nearly right arguments, so that every check is come to; waits are short."""
    action = draw(st.sampled_from(list(ACTIONS)))
    came = {"action": action}
    for name in ACTIONS[action]:
        how = draw(st.integers(0, 11))
        if how == 0:
            came[name] = draw(ANY)
        elif how < 5 or name in ("text", "keys") and how < 11:
            came[name] = draw(FITTING[name])
    if draw(st.integers(0, 7)) == 0:
        came[draw(NAMES | st.text(max_size=5))] = draw(ANY)
    if "timeout" in ACTIONS.get(came["action"] if isinstance(came["action"], str) else "", {}):
        came["timeout"] = draw(FITTING["timeout"])
    return came


@settings(max_examples=600 * FUZZ, **RANDOM)
@given(calls() | st.dictionaries(st.text(max_size=8) | NAMES, ANY, max_size=5))
@example({"action": "send", "text": "x", "enter": "\x1b"})
def test_any_arguments_are_checked_or_named(came):
    """Pure: no terminal is needed to say what is wrong."""
    try:
        action, arguments = check(came)
    except BadArgument as problem:
        assert str(problem).startswith("argument ")
        return
    assert set(arguments) == set(ACTIONS[action])
    for name, value in arguments.items():
        kind = {
            "text": str,
            "enter": bool,
            "keys": list,
            "lines": int,
            "new": bool,
            "timeout": float,
            "pane": str,
        }.get(name)
        assert isinstance(value, kind) if kind else value is None or isinstance(value, str)


def test_any_json_is_answered_never_raised_and_an_error_types_nothing(bare, reader):
    answered = []

    @settings(max_examples=150 * FUZZ, **RANDOM)
    @given(calls() | ANY)
    def answers(came):
        answer = Call().perform(came)
        assert isinstance(answer, str) and answer and len(answer) <= 16_000
        answered.append(answer.split()[0])
        bare.tmux(
            "send-keys", "-t", "=shared:", "C-b"
        )  # bytes keep their order: what came before it is the call's
        poll(lambda: reader.all[reader.seen :].endswith(b"\x02"), what="the person's C-b")
        typed, reader.seen = reader.all[reader.seen : -1], len(reader.all)
        if answered[-1] not in (
            "sent",
            "pressed",
            "interrupt",
            "needs",
            "ready",
            "quiet",
            "unfinished",
        ):
            assert typed == b"", (came, answer)

    answers()
    assert {"error:", "sent", "pressed", "read", "1"} <= set(answered), (
        "the examples came to good and bad calls"
    )


def test_a_call_that_went_through_json_is_the_same(terminal):
    """As the host delivers it: a model's JSON, numbers and flags as strings."""
    came = json.loads(
        '{"action": "run", "text": "echo $((40+2))", "timeout": "20", "until": null, "prompt_pattern": "",'
        ' "pane": null}'
    )
    assert Call().perform(came).split("\n")[1:] == ["42"]
