"""The MCP server under too much, cancelled, at its end, and under lines of every kind."""

import json
import os
import signal
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from python.helpers.tmux.arguments import ACTIONS
from tests.conftest import DEADLINE, poll
from tests.support.examples import examples
from tests.support.mcp_wire import ENVELOPE, Wire
from tests.support.run import TMUX_TOOL, run

PARAMS, PARSE = -32602, -32700


@pytest.fixture
def wire(bare):
    with Wire() as one:
        yield one


# what is too much


def test_a_huge_line_is_refused_without_being_kept(wire):
    for _ in range(40):
        wire.put(b"x" * 1024 * 1024)
    wire.put(b"\n")
    wire.begin("ping")
    while "error" in (answer := wire.hear()):
        assert answer["error"]["code"] == PARSE and answer["id"] is None
    assert answer["result"] == {}
    status = Path(f"/proc/{wire.process.pid}/status").read_text()
    [peak] = [int(row.split()[1]) for row in status.split("\n") if row.startswith("VmHWM")]
    assert peak < 60 * 1024, f"{peak} KiB"


def test_a_long_line_within_the_limit_is_answered(wire):
    answer = wire.ask("tools/call", name="read", arguments={"pane": "é" * 300_000})
    assert answer["result"]["isError"]


@pytest.mark.parametrize("ids", [range(70), [7] * 70], ids=["each its own", "all the same"])
def test_more_calls_than_are_carried_out_at_once_are_refused(terminal, wire, ids):
    params = {"name": "run", "arguments": {"text": "sleep 1000", "timeout": 500}}
    for id in ids:  # one waits for its program, 63 for their turn
        wire.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    answers = [wire.hear() for _ in range(6)]
    assert {answer["error"]["code"] for answer in answers} == {PARAMS}
    wire.alive()
    wire.process.stdin.close()
    assert wire.process.wait(DEADLINE) == 0


def test_the_id_of_a_cancelled_call_can_be_used_again(terminal, wire):
    id = wire.begin("tools/call", name="wait_ready", arguments={"until": "never", "timeout": 500})
    wire.tell("notifications/cancelled", requestId=id)
    wire.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "list"}})
    assert wire.hear()["result"]["structuredContent"]["verdict"] == "list"


def test_nothing_is_sent_for_a_cancelled_call_not_even_progress(terminal, wire):
    id = wire.begin(
        "tools/call", name="run", arguments={"text": "while sleep 0.1; do echo x; done", "timeout": 900},
        _meta={"progressToken": "t"},
    )
    progress = wire.hear()
    assert progress["method"] == "notifications/progress"
    assert progress["params"]["progressToken"] == "t"
    wire.tell("notifications/cancelled", requestId=id)
    wire.send({"jsonrpc": "2.0", "id": "after", "method": "ping"})
    while "id" not in (message := wire.hear()):
        assert message["method"] == "notifications/progress"  # was on its way
    assert message["id"] == "after"
    terminal.call("interrupt")
    wire.alive()


def test_without_a_good_token_there_is_no_progress(terminal, wire):
    call = {"name": "wait_ready", "arguments": {"until": "never", "timeout": 1.5}}
    tokens = (None, {"a": 1}, [1], 1.5)
    ids = {wire.begin("tools/call", **call, _meta={"progressToken": one}) for one in tokens}
    assert {wire.hear()["id"] for _ in tokens} == ids


# the end


def test_nothing_but_the_protocol_has_the_two_descriptors(wire):
    for descriptor in (0, 1):
        assert os.readlink(f"/proc/{wire.process.pid}/fd/{descriptor}") == os.devnull


def test_the_end_of_input_ends_the_calls_that_wait_for_their_turn_too(terminal, wire):
    wire.begin("tools/call", name="run", arguments={"text": "sleep 1"})
    wire.begin("tools/call", name="run", arguments={"text": "echo never-typed"})
    poll(lambda: terminal.fact("pane_current_command") == "sleep")
    wire.process.stdin.close()
    assert wire.process.wait(DEADLINE) == 0
    poll(lambda: terminal.fact("pane_current_command") == "bash")
    terminal.ready()
    assert "never-typed" not in terminal.screen()


def test_an_interrupt_ends_it_without_a_traceback(wire):
    wire.process.send_signal(signal.SIGINT)
    assert wire.process.wait(DEADLINE) == 0
    assert wire.process.stderr.read() == b""


def test_with_its_input_closed_from_the_start_it_ends_at_once_and_quietly(bare):
    done = run("sh", "-c", '"$0" mcp <&-', TMUX_TOOL)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_an_unfinished_line_at_the_end_is_ignored(wire):
    wire.put(b'{"jsonrpc": "2.0", "id": 1, "method": "pi')
    wire.process.stdin.close()
    assert wire.hear() is None
    assert wire.process.wait(DEADLINE) == 0


# anything at all

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
METHODS = "initialize ping server/discover tools/list tools/call resources/list resources/read"
PARAMETERS = {
    "protocolVersion": st.sampled_from(["2024-11-05", "2026-07-28"]) | JSON, "_meta": st.just(ENVELOPE) | JSON,
    "uri": st.just("skill://cli-orchestration") | JSON,
    "name": st.just("list") | JSON.filter(lambda name: name not in list(ACTIONS)), "arguments": JSON,
}
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": st.sampled_from(METHODS.split()) | JSON},
    optional={
        "id": st.integers(0, 5) | JSON, "params": st.fixed_dictionaries({}, optional=PARAMETERS) | JSON, "result": JSON,
    },
)
WHOLE = (MESSAGES | MESSAGES | st.lists(MESSAGES, max_size=3) | JSON).map(json.dumps)
CUT = st.builds(lambda text, at: text[:at], WHOLE, st.integers(0, 40))
LINES = (WHOLE | CUT).map(str.encode) | st.binary(max_size=50).map(lambda b: b.replace(b"\n", b""))


def well_formed(message: object) -> bool:
    match message:
        case [_, *_]:
            return all(map(well_formed, message))
        case {"jsonrpc": "2.0", "error": {"code": int(), "message": str()}}:
            return True
        case {"jsonrpc": "2.0", "result": dict(), "id": str() | int()}:
            return "error" not in message
    return False


def test_any_lines_are_answered_well_formed_and_none_ends_the_server(terminal):
    answers = []

    with Wire() as wire:

        @examples(120)
        @example([b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}', b"{"])  # a result and an error
        @given(st.lists(LINES, max_size=5))
        @example([b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'])  # at least one has a result
        def holds(some):
            wire.put(b"".join(line + b"\n" for line in some))
            poll(lambda: not wire.threads_of_calls(), what="an end of the calls")
            end = {"jsonrpc": "2.0", "id": "the end of this example", "method": "ping"}
            wire.send(end)
            while (message := wire.hear()) != {"jsonrpc": "2.0", "id": end["id"], "result": {}}:
                assert well_formed(message), message
                answers.append(message)

        holds()
        wire.process.stdin.close()
        assert wire.process.wait(DEADLINE) == 0
        assert wire.process.stderr.read() == b""
    kinds = {"error" if "error" in a else "result" for a in answers if isinstance(a, dict)}
    assert kinds == {"error", "result"}
