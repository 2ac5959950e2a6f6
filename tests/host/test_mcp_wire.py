"""The MCP server's line protocol: versions, malformed messages, odd but valid ones."""

import pytest

from tests.support.mcp_wire import CLIENT, ENVELOPE, Wire
from tests.support.tables import Tables

TABLES = Tables(__file__)

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
    assert set(result) == {"content", "structuredContent", "isError"}


@pytest.mark.parametrize("version", ["2023-01-01", "2026-07-28", "", None, 5, ["2025-06-18"]])
def test_any_other_version_is_answered_with_the_newest_that_has_a_handshake(unopened, version):
    result = unopened.ask("initialize", protocolVersion=version, **CLIENT)["result"]
    assert result["protocolVersion"] == "2025-11-25"


def test_a_request_that_names_its_version_needs_no_handshake(unopened):
    result = unopened.ask("server/discover", _meta=ENVELOPE)["result"]
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["resultType"] == "complete" and result["capabilities"]["tools"] == {}
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "tmux-tool"
    assert result["ttlMs"] == 0 and result["cacheScope"] == "private"
    result = unopened.ask("tools/call", name="list", _meta=ENVELOPE)["result"]
    assert result["resultType"] == "complete"


def test_both_kinds_are_served_on_one_connection(unopened):
    assert "result" in unopened.ask("tools/list", _meta=ENVELOPE)
    assert "result" in unopened.ask("initialize", protocolVersion="2025-06-18", **CLIENT)
    assert set(unopened.ask("tools/list")["result"]) == {"tools"}
    assert "resultType" in unopened.ask("tools/list", _meta=ENVELOPE)["result"]


KEY = "io.modelcontextprotocol/"


@pytest.mark.parametrize("asked", ["2027-01-01", "2025-06-18", 2026])
def test_another_version_is_refused_with_those_that_are_spoken(unopened, asked):
    meta = {KEY + "protocolVersion": asked, KEY + "clientCapabilities": {}}
    error = unopened.ask("tools/list", _meta=meta)["error"]
    assert error["code"] == VERSION
    assert error["data"] == {"supported": ["2026-07-28"], "requested": asked}


NO_METHODS = ("prompts/list", "logging/setLevel", "resources/subscribe", "completion/complete")
NO_METHODS += ("subscriptions/listen", "notifications/cancelled", "tools/Call", "", "x" * 100_000)


def test_a_method_that_a_version_does_not_have_is_not_found(wire):
    for method in NO_METHODS:
        for more in ({}, {"_meta": ENVELOPE}):
            error = wire.ask(method, **more)["error"]
            assert error["code"] == METHOD and len(error["message"]) < 200, method[:30]
    wire.alive()


# what is malformed


MALFORMED = {
    **{name: (line.encode("latin-1"), PARSE) for name, line in TABLES["PARSE"].items()},
    **{name: (line.encode("latin-1"), REQUEST) for name, line in TABLES["REQUEST"].items()},
    "UTF-16": ('{"jsonrpc": "2.0", "id": 1, "method": "ping"}'.encode("utf-16"), PARSE),
    "too deep": (b"[" * 100_000, PARSE), "a number too long": (b'{"id": ' + b"9" * 5000 + b"}", PARSE),
}


def test_a_malformed_message_is_an_error_and_the_next_is_answered(wire):
    for name, (line, code) in MALFORMED.items():
        wire.put(line + b"\n")
        answer = wire.hear()
        assert [answer["jsonrpc"], answer["id"], answer["error"]["code"]] == ["2.0", None, code], name
        assert isinstance(answer["error"]["message"], str)
        wire.alive()


NO_ANSWER = [line.encode("latin-1") for line in TABLES["NO_ANSWER"]]


def test_what_has_no_answer_has_none(wire):
    for line in NO_ANSWER:
        wire.put(line + b"\n")
        wire.alive()


NO_CALLS = [{}, {"name": None}, {"name": ["run"]}, {"name": "runn"}, {"name": "_run"}]
NO_CALLS += [{"name": "list", "arguments": [1]}, {"name": "list", "arguments": "x"}]


def test_a_call_of_no_tool_or_with_no_arguments_object_is_refused(wire):
    for params in NO_CALLS:
        assert wire.ask("tools/call", **params)["error"]["code"] == PARAMS, params


def test_a_message_may_come_byte_by_byte_and_end_with_a_carriage_return(wire):
    for byte in b'{"jsonrpc": "2.0", "id": "\xc3\xa9", "method": "ping"}\r\n':
        wire.put(bytes([byte]))
    assert wire.hear()["id"] == "é"


def test_characters_of_every_kind_come_back_as_they_went(wire):
    for id in ("é 你 🙂 \u2028 \ud800 \0 \x1b", "a\nb", "", -5, 10**30):
        wire.send({"jsonrpc": "2.0", "id": id, "method": "ping"})
        assert wire.hear()["id"] == id
