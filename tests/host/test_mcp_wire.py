"""The MCP server's line protocol: versions, malformed messages, too much of them, its places and its end."""

import json
import os
import shlex
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from python.helpers.tmux.arguments import ACTIONS
from tests.conftest import DEADLINE, poll
from tests.host import host_tree
from tests.support.devbox import devbox, is_there
from tests.support.examples import examples
from tests.support.mcp_wire import CLIENT, ENVELOPE, Wire, connected, text
from tests.support.run import TMUX_TOOL, run
from tests.support.tables import Tables

TABLES = Tables(__file__)

RESERVED = "io.modelcontextprotocol/"
PARSE, REQUEST, METHOD, PARAMS, VERSION = -32700, -32600, -32601, -32602, -32022


@pytest.fixture
def wire(bare):
    with Wire() as one:
        yield one


@pytest.fixture
def unopened(bare):
    """A server to which nothing was said yet."""
    with Wire(version=None) as one:
        yield one


# versions


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_version_with_a_handshake_is_spoken_as_it_was_asked_for(unopened, version):
    result = unopened.ask("initialize", protocolVersion=version, **CLIENT)["result"]
    assert result["protocolVersion"] == version
    assert set(result) == {"protocolVersion", "capabilities", "serverInfo", "instructions"}
    unopened.tell("notifications/initialized")
    assert set(unopened.ask("tools/list")["result"]) == {"tools"}
    result = unopened.ask("tools/call", name="list", arguments={})["result"]
    assert set(result) == {"content", "_meta", "isError"}


@pytest.mark.parametrize("version", ["2023-01-01", "2026-07-28", "", None, 5, ["2025-06-18"]])
def test_any_other_version_is_answered_with_the_newest_that_has_a_handshake(unopened, version):
    result = unopened.ask("initialize", protocolVersion=version, **CLIENT)["result"]
    assert result["protocolVersion"] == "2025-11-25"


def test_a_request_that_names_its_version_needs_no_handshake_and_another_is_told_those_spoken(unopened):
    result = unopened.ask("server/discover", _meta=ENVELOPE)["result"]
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["resultType"] == "complete" and result["capabilities"]["tools"] == {}
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "tmux-tool"
    assert result["ttlMs"] == 0 and result["cacheScope"] == "private"
    result = unopened.ask("tools/call", name="list", _meta=ENVELOPE)["result"]
    assert result["resultType"] == "complete"
    assert "result" in unopened.ask("tools/list", _meta=ENVELOPE)
    assert "result" in unopened.ask("initialize", protocolVersion="2025-06-18", **CLIENT)
    assert set(unopened.ask("tools/list")["result"]) == {"tools"}
    assert "resultType" in unopened.ask("tools/list", _meta=ENVELOPE)["result"]
    for asked in ("2027-01-01", "2025-06-18", 2026):
        meta = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": asked}
        error = unopened.ask("tools/list", _meta=meta)["error"]
        assert error["code"] == VERSION
        assert error["data"] == {"supported": ["2026-07-28"], "requested": asked}


NO_METHODS = ("prompts/list", "logging/setLevel", "resources/subscribe", "completion/complete")
NO_METHODS += ("subscriptions/listen", "notifications/cancelled", "tools/Call", "", "x" * 100_000)
NO_CALLS = [{}, {"name": None}, {"name": ["run"]}, {"name": "runn"}, {"name": "_run"}]
NO_CALLS += [{"name": "list", "arguments": [1]}, {"name": "list", "arguments": "x"}]


def test_a_method_that_a_version_does_not_have_is_not_found_and_no_call_of_no_tool_is_made(wire):
    for method in NO_METHODS:
        for more in ({}, {"_meta": ENVELOPE}):
            error = wire.ask(method, **more)["error"]
            assert error["code"] == METHOD and len(error["message"]) < 200, method[:30]
    wire.alive()
    for params in NO_CALLS:
        assert wire.ask("tools/call", **params)["error"]["code"] == PARAMS, params


OPENS = {"elicitation": {"form": {}, "url": {}}}


@pytest.mark.parametrize("name, offered", [("another", True), ("copilot-cli", False)])
def test_a_client_without_a_handshake_is_asked_to_offer_the_page_unless_it_is_known_to_fail(wire, name, offered):
    """Copilot CLI 1.0.102 says that it opens addresses, and takes the question for a failed call."""
    meta = ENVELOPE | {f"{RESERVED}clientCapabilities": OPENS, f"{RESERVED}clientInfo": {"name": name, "version": "1"}}
    call = {"name": "wait_ready", "arguments": {"person": True, "timeout": 0}}
    result = wire.ask("tools/call", **call, _meta=meta)["result"]
    assert (result["resultType"] == "input_required") is offered, result
    if offered:
        assert result["inputRequests"]["page"]["params"]["mode"] == "url"
        accepted = {"page": {"action": "accept"}}
        again = wire.ask("tools/call", **call, _meta=meta, inputResponses=accepted)["result"]
        assert again["resultType"] == "complete"


# what is malformed


MALFORMED = {
    **{name: (line.encode("latin-1"), PARSE) for name, line in TABLES["PARSE"].items()},
    **{name: (line.encode("latin-1"), REQUEST) for name, line in TABLES["REQUEST"].items()},
    "UTF-16": ('{"jsonrpc": "2.0", "id": 1, "method": "ping"}'.encode("utf-16"), PARSE),
    "too deep": (b"[" * 100_000, PARSE), "a number too long": (b'{"id": ' + b"9" * 5000 + b"}", PARSE)}
NO_ANSWER = [line.encode("latin-1") for line in TABLES["NO_ANSWER"]]


def test_a_malformed_message_is_an_error_the_next_is_answered_and_what_has_no_answer_has_none(wire):
    for name, (line, code) in MALFORMED.items():
        wire.put(line + b"\n")
        answer = wire.hear()
        assert [answer["jsonrpc"], answer["id"], answer["error"]["code"]] == ["2.0", None, code], name
        assert isinstance(answer["error"]["message"], str)
        wire.alive()
    for line in NO_ANSWER:
        wire.put(line + b"\n")
        wire.alive()


def test_a_message_may_come_byte_by_byte_and_all_characters_come_back_as_they_went(wire):
    """It may end with a carriage return."""
    for byte in b'{"jsonrpc": "2.0", "id": "\xc3\xa9", "method": "ping"}\r\n':
        wire.put(bytes([byte]))
    assert wire.hear()["id"] == "é"
    for id in ("é 你 🙂 \u2028 \ud800 \0 \x1b", "a\nb", "", -5, 10**30):
        wire.send({"jsonrpc": "2.0", "id": id, "method": "ping"})
        assert wire.hear()["id"] == id


# what is too much


def test_a_huge_line_is_refused_without_being_kept_and_a_long_one_within_the_limit_is_answered(wire):
    for begin, end, *ids in TABLES["LONG"]:
        id = ids[0] if ids else None
        wire.put(begin.encode())
        for _ in range(40 if id is None else 4):
            wire.put(b'x\\", \\"id\\": 3}' * 70_000)
        wire.put(end.encode() + b"\n")
        answer = wire.hear()
        assert answer["error"]["code"] == PARSE and answer["id"] == id, begin
        wire.alive()
    status = Path(f"/proc/{wire.process.pid}/status").read_text()
    [peak] = [int(row.split()[1]) for row in status.split("\n") if row.startswith("VmHWM")]
    assert peak < 60 * 1024, f"{peak} KiB"
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


def test_there_is_no_progress_without_a_good_token_nor_of_a_cancelled_call_whose_id_can_be_used_again(terminal, wire):
    id = wire.begin("tools/call", name="wait_ready", arguments={"until": "never", "timeout": 500})
    wire.tell("notifications/cancelled", requestId=id)
    wire.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "list"}})
    assert wire.hear()["result"]["_meta"]["tmux-tool/facts"]["verdict"] == "list"
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
    call = {"name": "wait_ready", "arguments": {"until": "never", "timeout": 1.5}}
    tokens = (None, {"a": 1}, [1], 1.5)
    ids = {wire.begin("tools/call", **call, _meta={"progressToken": one}) for one in tokens}
    assert {wire.hear()["id"] for _ in tokens} == ids


# the end


def test_nothing_but_the_protocol_has_the_two_descriptors_and_an_interrupt_ends_it_quietly(wire):
    for descriptor in (0, 1):
        assert os.readlink(f"/proc/{wire.process.pid}/fd/{descriptor}") == os.devnull
    wire.process.send_signal(signal.SIGINT)
    assert wire.process.wait(DEADLINE) == 0
    assert wire.process.stderr.read() == b""


def test_the_end_of_input_ends_the_calls_that_wait_for_their_turn_too(terminal, wire):
    wire.begin("tools/call", name="run", arguments={"text": "sleep 1"})
    wire.begin("tools/call", name="run", arguments={"text": "echo never-typed"})
    poll(lambda: terminal.fact("pane_current_command") == "sleep")
    wire.process.stdin.close()
    assert wire.process.wait(DEADLINE) == 0
    poll(lambda: terminal.fact("pane_current_command") == "bash")
    terminal.ready()
    assert "never-typed" not in terminal.screen()


def test_with_its_input_closed_from_the_start_it_ends_quietly_and_an_unfinished_line_is_ignored(bare, wire):
    done = run("sh", "-c", '"$0" mcp <&-', TMUX_TOOL)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    wire.put(b'{"jsonrpc": "2.0", "id": 1, "method": "pi')
    wire.process.stdin.close()
    assert wire.hear() is None
    assert wire.process.wait(DEADLINE) == 0


# anything at all

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner), max_leaves=8)
METHODS = "initialize ping server/discover tools/list tools/call resources/list resources/read"
PARAMETERS = {
    "protocolVersion": st.sampled_from(["2024-11-05", "2026-07-28"]) | JSON, "_meta": st.just(ENVELOPE) | JSON,
    "uri": st.just("skill://cli-orchestration") | JSON,
    "name": st.just("list") | JSON.filter(lambda name: name not in list(ACTIONS)), "arguments": JSON}
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


# where it is installed, from its start to its end


@pytest.mark.parametrize("layout", host_tree.LAYOUTS)
def test_it_is_the_same_in_each_place_of_installation(layout, bare, tmp_path):
    host_tree.build(tmp_path, layout)
    host_tree.install(tmp_path)
    said = []
    for tool in (TMUX_TOOL, tmp_path / host_tree.COMMAND[layout]):
        with Wire(version=None, tool=tool) as wire:
            begun = wire.ask("initialize", protocolVersion="2025-06-18", **CLIENT)["result"]
            listed = [wire.ask(f"{kind}/list")["result"] for kind in ("resources", "tools")]
            said.append([begun, *listed])
    assert said[0] == said[1]


def test_the_start_imports_nothing_that_is_slow_or_not_needed(bare):
    """150 ms to the first answer; what costs time is what is imported."""
    done = run(sys.executable, "-X", "importtime", TMUX_TOOL, "mcp", input="")
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.split("\n")}
    assert "python.helpers.tmux_cli.mcp" in imported and done.returncode == 0
    assert not imported & {"asyncio", "urllib.request", "http.client", "http.server", "ssl", "email", "logging"}
    assert not [name for name in imported if "opencode" in name]


@pytest.mark.skipif(not is_there(), reason="no sshd")
async def test_another_machine_is_reached_by_ssh_as_the_command(terminal, tmp_path):
    names = ("TMUX_TMPDIR", "HOME", "LANG")
    remote = [shlex.join(["env", *(f"{name}={os.environ[name]}" for name in names), str(TMUX_TOOL), "mcp"])]
    with devbox(tmp_path / "devbox", forced=False) as folder:
        async with connected(command=f"{folder}/ssh", args=("devbox", *remote)) as client:
            result = await client.call_tool("run", {"text": "echo $((6*7)) from there"})
    assert text(result).startswith("ready (shell)") and text(result).endswith("42 from there")


@pytest.mark.parametrize("closed", ["stdin", "stdout"])
def test_the_end_of_a_channel_ends_the_server_and_no_child_stays(terminal, closed):
    with Wire() as wire:
        command = {"text": "echo abc; sleep 1000", "until": "(b+)+d", "timeout": 900}
        wire.begin("tools/call", name="run", arguments=command)
        poll(lambda: terminal.fact("pane_current_command") == "sleep")
        poll(wire.children, what="the child that searches for the pattern")
        children = wire.children()
        if closed == "stdin":
            wire.process.stdin.close()
        else:
            wire.deaf()
            wire.tell("notifications/nothing")
            wire.begin("ping")
        assert wire.process.wait(DEADLINE) == 0
        assert wire.process.stderr.read() == b""
        poll(lambda: not [pid for pid in children if os.path.exists(f"/proc/{pid}")])
    assert terminal.fact("pane_current_command") == "sleep", "the program goes on"
