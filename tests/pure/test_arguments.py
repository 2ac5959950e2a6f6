"""The agent's arguments: which are accepted; any other is named in an error, and nothing is typed."""

import inspect
import math
from dataclasses import dataclass

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from python.helpers.tmux.actions import Call
from python.helpers.tmux.arguments import ACTIONS, BadValue, check
from python.helpers.tmux.facts.pattern import Searcher
from tests.conftest import poll
from tests.support.examples import examples
from tests.support.tables import Tables

TABLES = Tables(__file__)


def checked(action: str, **arguments) -> dict:
    return check({"action": action, **arguments})[1]


NEEDED = TABLES["NEEDED"]

# what is accepted

WAITING = dict.fromkeys(("prompt_pattern", "until", "answers", "lines"))
DEFAULTS = {
    "run": {"text": "x", "timeout": 30.0, **WAITING}, "send": {"text": "x", "enter": True, "timeout": 10.0, **WAITING},
    "keys": {"keys": ["x"], "timeout": 10.0, "until": None, "answers": None, "lines": None},
    "wait_ready": {"timeout": 10.0, **WAITING, "person": False}, "read": {"lines": 100, "new": False},
    "interrupt": {"timeout": 3.0, "answers": None, "lines": None}, "list": {},
    "open": {"name": "x", "directory": None, "text": None, "timeout": 30.0, **WAITING}, "close": {"pane": "shared:x"}}


def test_the_actions_and_their_defaults_are_the_contracts():
    assert list(ACTIONS) == list(DEFAULTS)
    for action, defaults in DEFAULTS.items():
        pane = {} if action in ("list", "open", "close") else {"pane": None}
        assert checked(action, **NEEDED.get(action, {})) == defaults | pane


@pytest.mark.parametrize("action", ACTIONS)
def test_each_argument_is_one_of_its_method(action):
    taken = dict(inspect.signature(getattr(Call, f"_{action}")).parameters)
    if taken.pop("patterns", None):
        taken |= {"lines": "all answers are shortened in one place"}
        taken |= inspect.signature(Searcher).parameters
    assert set(ACTIONS[action].arguments) <= set(taken) - {"self"}, "nobody consumes it"


@dataclass
class Settings:
    run_timeout: float = 55.0
    wait_timeout: float = 7.0


def test_the_settings_give_the_timeouts():
    for action, seconds in {"run": 55.0, "send": 7.0, "keys": 7.0, "wait_ready": 7.0}.items():
        came = {"action": action, **NEEDED.get(action, {})}
        assert check(came, Settings())[1]["timeout"] == seconds
        assert ACTIONS[action].schema(Settings())["properties"]["timeout"]["default"] == seconds
        assert check({**came, "timeout": 3}, Settings())[1]["timeout"] == 3.0


def test_text_is_typed_as_it_came_answers_keep_their_order_and_a_window_s_name_its_form():
    for came, text in TABLES["TEXTS"]:
        assert checked("run", text=came)["text"] == text
        assert checked("send", text=came)["text"] == text
        line = text.partition("\n")[0]
        assert checked("run", text="x", answers={"Sure": line + "\n"})["answers"] == {"Sure": line}
    answers = {"Continue": "y", "[Pp]assword": "s3cret", ".": ""}
    for action in ("run", "send", "wait_ready"):
        found = checked(action, **NEEDED.get(action, {}), answers=answers)["answers"]
        assert list(found.items()) == list(answers.items())
    for name in ["web", "dev-server", "web_2", "2nd", "x" * 40, "_", "A"]:
        assert checked("open", name=name)["name"] == name


def test_keys_are_a_list_or_a_string_of_names_and_an_action_is_known_in_any_case_and_with_spaces():
    assert checked("keys", keys="C-c Enter") == checked("keys", keys=["C-c", "Enter"])
    assert checked("keys", keys="C-c Enter")["keys"] == ["C-c", "Enter"]
    assert checked("keys", keys=[" ", "Ctrl+C", "esc"])["keys"] == ["Space", "C-c", "Escape"]
    for name in (" read\n", "READ", "Read "):
        assert check({"action": name})[0] == "read"
    assert check({"action": "Wait Ready"})[0] == "wait_ready"


def test_a_number_and_a_flag_as_a_model_writes_them_and_null_or_an_empty_text_is_absent():
    for came in (5, "5", " 5 ", 5.0, "5.0"):
        lines = checked("read", lines=came)["lines"]
        assert lines == 5 and type(lines) is int
        seconds = checked("run", text="x", timeout=came)["timeout"]
        assert seconds == 5 and type(seconds) is float
    assert checked("read", lines=1)["lines"] == 1
    for came, seconds in {"0.5": 0.5, "1e2": 100, 1e-9: 1e-9, 0: 0, "0": 0}.items():
        assert checked("wait_ready", timeout=came)["timeout"] == seconds
    for came, value in {True: True, False: False, "true": True, "False": False, " TRUE ": True}.items():
        assert checked("send", text="x", enter=came)["enter"] is value
        assert checked("read", new=came)["new"] is value
        assert checked("wait_ready", person=came)["person"] is value
    for action, described in ACTIONS.items():
        needed = NEEDED.get(action, {})
        for absent in (None, ""):
            came = dict.fromkeys(set(described.arguments) - set(needed), absent)
            assert checked(action, **came, **needed) == checked(action, **needed)
    assert checked("list", pane=None, lines=None) == {}, "of no argument too"


# what programs that call a model make of the schemas

# What OpenAI's function calling and llama.cpp's grammars take; of `pattern` too, but without lookaround.
KEYWORDS = {"type", "description", "properties", "required", "additionalProperties", "items", "anyOf", "enum"}
KEYWORDS |= {"minimum", "maximum", "minItems", "maxItems", "default"}


def keywords(schema):
    for name, value in schema.items():
        yield name
        inner = value.values() if name == "properties" else value if name == "anyOf" else [value]
        for one in inner:
            if isinstance(one, dict):
                yield from keywords(one)


@pytest.mark.parametrize("action", ACTIONS)
def test_each_schema_is_taken_by_strict_backends_and_says_what_becomes_of_a_number_as_text(action):
    schema = ACTIONS[action].schema()
    assert set(keywords(schema)) <= KEYWORDS
    llguidance = pytest.importorskip("llguidance")
    grammar = llguidance.LLMatcher.grammar_from_json_schema(schema)
    assert llguidance.LLMatcher.validate_grammar(grammar) == ""
    if action in ("run", "send"):
        assert "a number as JSON writes it" in schema["properties"]["text"]["description"]


# what is not

WRONG = [  # what came, what the answer must name
    *((came, parts.split("|")) for came, parts in TABLES["WRONG"]),
    ({"action": "send", "text": "a\x07"}, ["control character '\\x07' at position 1; allowed:"]),
    ({"action": "send", "text": "\x03"}, ['line breaks. Keys are pressed with keys, e.g. "keys": ["C-c"]']),
    ({"action": "run", "text": "x" * 1_000_000}, ["'text'", "1000000 characters, allowed: 200000"]),
    ({"action": "send", "text": "\ud800"}, ["control character '\\ud800' at position 0"]),
    ({"action": "read", "lines": "x" * 80}, [f"got '{'x' * 80}', allowed"]),
    ({"action": "read", "lines": "x" * 81}, ["got '[… 81 more characters]', allowed"]),
    (["read"], ["a call: got ['read'], allowed: an object of arguments"]),
    ({"action": None}, ["'action'", "None", "run, send, keys"]),
    ({"action": "send", "text": None}, ["'text'", "missing"]),
    ({"action": "send", "text": "\ud83d"}, ["'text'", "\\ud83d"]),
    ({"action": "read", "lines": 10**400}, ["'lines'"]),
    ({"action": "run", "text": "x", "answers": {"a": None}}, ["'answers'", "the answer to 'a': got None"]),
    ({"action": "wait_ready", "answers": {"Sure": "\ud83d"}}, ["'answers'", "\\ud83d"]),
    ({"action": "wait_ready", "answers": {"Sure": "y\nls"}}, ["'answers'", "the answer to 'Sure'", "several lines"]),
    ({"action": "send", "text": "x", "pane": "\ud800"}, ["pane"]),
    ({"action": "wait_ready", "until": "\ud800("}, ["until"]),
    ({"action": "wait_ready", "until": "(" * 999}, ["until"]),
    ({"action": "wait_ready", "until": "x" * 1001}, ["until"])]
LATER = ({"action": "send", "text": "", "enter": False}, ["'text'", "''"])


def fault(came: object, parts: list[str] = ()) -> str:
    """What is wrong with the answer to a wrong call, "" for nothing."""
    try:
        answer = Call().answer(came).text
    except Exception as problem:
        return f"raised {problem!r}"
    if not isinstance(answer, str) or not answer.startswith("error: ") or len(answer) > 16_000:
        return repr(answer)[:200]
    missing = [part for part in parts if part not in answer]
    return f"{answer!r} does not name {missing}" if missing else ""


def test_a_wrong_argument_is_named_with_what_came_and_what_is_allowed_and_nothing_is_typed(reader):
    faults = {str(came): fault(came, parts) for came, parts in [*WRONG, LATER]}
    assert {came: wrong for came, wrong in faults.items() if wrong} == {}
    reader.nothing_more()
    for name in ("text", "pane", "timeout", "no_argument"):
        with pytest.raises(BadValue, match=f"'{name}': got a value that is too long"):
            checked("run", **{"text": "x", name: 10**5000})


# anything at all

NAMES = st.sampled_from(
    "text enter keys lines new timeout prompt_pattern until pane action name directory answers person".split()
)
NUMBERS = st.one_of(st.integers(-3, 3), st.sampled_from([0.02, -0.5, 1e400, -1e400, math.nan, 1e-9, 0.0, 10**400]))
ODD = ["", " ", "Escape y", "[$#] $", "\x1b[A", "\0", "\ud800", "one\ntwo"]
ODD += "shared shared: %0 nowhere x; 0.02 1 -1 true False null C-x Up F99 ( a* -t".split()
STRINGS = st.text(max_size=20) | st.sampled_from(ODD)
ANY = st.recursive(
    st.none() | st.booleans() | NUMBERS | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=5)
FITTING = {
    "text": STRINGS, "enter": st.booleans() | st.sampled_from(["true", "false"]),
    "keys": st.lists(STRINGS, max_size=3) | STRINGS, "lines": st.integers(-1, 30), "new": st.booleans(),
    "timeout": st.sampled_from([0.02, "0.01", 0, -1]),
    "pane": st.sampled_from(["shared", "%0", "shared:0.0", "nowhere", None, ""]), "prompt_pattern": STRINGS,
    "until": STRINGS, "answers": st.dictionaries(STRINGS, STRINGS | NUMBERS, max_size=3),
    "person": st.booleans() | st.sampled_from(["true", "false"]), "name": STRINGS | st.sampled_from(["web", "2", "-1"]),
    "directory": st.sampled_from(["/", "/nowhere", "", "\0"])}


@st.composite
def calls(draw):
    """A call with nearly right arguments, so that every check is come to; waits are short."""
    action = draw(st.sampled_from(list(ACTIONS)))
    came = {"action": action}
    for name in ACTIONS[action].arguments:
        how = draw(st.integers(0, 11))
        if how == 0:
            came[name] = draw(ANY)
        elif how < 5 or name in ("text", "keys") and how < 11:
            came[name] = draw(FITTING[name])
    if draw(st.integers(0, 7)) == 0:
        came[draw(NAMES | st.text(max_size=5))] = draw(ANY)
    if "timeout" in ACTIONS[action].arguments:
        came["timeout"] = draw(FITTING["timeout"])
    return came


def test_any_json_is_answered_never_raised_and_an_error_types_nothing(bare, reader):
    answered = []
    carried_out = set()

    @examples(60)
    @given(calls() | ANY)
    @example({"action": "send", "text": "x", "timeout": 0})
    @example({"action": "keys", "keys": "x Up", "timeout": "0"})
    @example({"action": "read"})
    @example({"action": "list"})
    def answers(came):
        answer = Call().answer(came).text
        assert isinstance(answer, str) and answer and len(answer) <= 16_000
        answered.append(answer.split()[0])
        if answered[-1] != "error:":
            carried_out.add(came["action"].strip())
        # bytes keep their order: what came before it is the call's
        bare.tmux("send-keys", "-t", "=shared:", "C-b")
        poll(lambda: reader.all[reader.seen :].endswith(b"\x02"), what="the person's C-b")
        typed, reader.seen = reader.all[reader.seen : -1], len(reader.all)
        if answered[-1] in ("error:", "read", "opened", "closed"):
            assert typed == b"", (came, answer)

    answers()
    assert "error:" in answered and {"send", "keys", "read", "list"} <= carried_out


# the table, for programs


def test_an_action_has_a_valid_schema_of_its_arguments():
    for action, described in ACTIONS.items():
        schema = described.schema()
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(NEEDED.get(action, {}), schema)
        assert list(schema["properties"]) == list(described.arguments)
        assert schema["additionalProperties"] is False
        defaults = {n: p["default"] for n, p in schema["properties"].items() if "default" in p}
        jsonschema.validate({**defaults, **NEEDED.get(action, {})}, schema)
        rows = [described.description, *(p["description"] for p in schema["properties"].values())]
        assert all(row and "\n" not in row and len(row) <= 130 for row in rows), rows
