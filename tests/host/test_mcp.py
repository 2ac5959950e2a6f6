"""The MCP server and the official Python SDK as its client, in both kinds of protocol."""

import asyncio
import re
from itertools import pairwise

import jsonschema
import pytest

from python.helpers.tmux.arguments import ACTIONS
from tests.conftest import DEADLINE, ROOT
from tests.support.mcp_wire import connected, text, typed_there
from tests.support.run import TMUX_TOOL
from tests.support.still import until_still

VERSIONS = ["legacy", "2026-07-28"]  # the newest with a handshake, and the one without


def facts(result) -> dict:
    return result.meta["tmux-tool/facts"]


def running(client, text: str, **more) -> asyncio.Task:
    return asyncio.create_task(client.call_tool("run", {"text": text, "timeout": 60, **more}))


async def until(true, deadline: float = DEADLINE) -> None:
    async with asyncio.timeout(deadline):
        while not true():
            await asyncio.sleep(0.02)


# what it offers


async def test_each_tool_has_valid_schemas_and_true_hints(bare):
    async with connected() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert list(tools) == list(ACTIONS)
    for tool in tools.values():
        assert tool.meta == {"anthropic/alwaysLoad": True}
        assert tool.title == f"Shared terminal: {tool.name.replace('_', ' ')}"
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert ACTIONS[tool.name].description in tool.description
    assert {name for name, tool in tools.items() if tool.annotations.read_only_hint} == {"read", "list"}
    destructive = {name for name, tool in tools.items() if tool.annotations.destructive_hint}
    assert destructive == {"run", "send", "keys", "wait_ready", "interrupt", "open", "close"}
    assert {name for name, tool in tools.items() if not tool.annotations.open_world_hint} == {"list", "close"}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_instructions_are_the_prompt_without_what_only_its_host_has(bare, mode):
    async with connected(mode) as client:
        instructions = client.instructions
    title, _, rest = (ROOT / "prompts/agent.system.tool.tmux.md").read_text().partition("\n")
    ours, _, hosts = rest.partition("<!-- host -->")
    [schemas] = [part for part in ours.split("\n\n") if part.startswith("flat arguments")]
    assert set(ours.replace(schemas, "").split("\n")) <= set(instructions.split("\n"))
    assert len(instructions) <= 2048, "Claude Code cuts the rest"
    assert instructions.index("- `ready") < instructions.index("- `error`") < instructions.index("`until`: regex")
    assert hosts.strip() and title not in instructions and "- run: " not in instructions
    assert not re.search(r"§§|_tool\b|terminal_agent|open_app|tool_args|~~~|the host", instructions)
    assert "skill://cli-orchestration" in instructions


NOT_LISTED = ["skill://cli-orchestration/", "skill://cli-orchestration/../../../README.md"]
NOT_LISTED += ["skill://cli-orchestration/SKILL.md", "file:///etc/passwd", "/etc/passwd", ""]


@pytest.mark.parametrize("mode", VERSIONS)
async def test_the_skill_and_its_references_are_resources_and_nothing_else_is(bare, mode):
    skill = ROOT / "usr/skills/cli-orchestration"
    async with connected(mode) as client:
        listed = {r.uri: r for r in (await client.list_resources()).resources}
        assert next(iter(listed)) == "skill://cli-orchestration"
        for uri in listed:
            [content] = (await client.read_resource(uri)).contents
            path = uri.removeprefix("skill://cli-orchestration").lstrip("/") or "SKILL.md"
            assert content.text == (skill / path).read_text()
            assert content.mime_type == listed[uri].mime_type == "text/markdown"
            assert listed[uri].description in content.text and len(listed[uri].description) > 5
        assert len(listed) == len(list(skill.rglob("*.md")))
        assert (await client.list_resource_templates()).resource_templates == []
        for uri in NOT_LISTED:
            with pytest.raises(Exception) as problem:
                await client.read_resource(uri)
            assert problem.value.error.code == -32602, uri


# the actions


@pytest.mark.parametrize("mode", VERSIONS)
async def test_every_action_is_called_and_its_facts_stand_beside_its_text(terminal, mode):
    async with connected(mode) as client:
        verdicts = {}

        async def call(name, /, **arguments):
            result = await client.call_tool(name, arguments)
            assert not result.is_error, text(result)
            assert result.structured_content is None, "clients give it to the model, escaped, in place of the text"
            verdicts[name] = facts(result)["verdict"]
            return text(result)

        ready = facts(await client.call_tool("run", {"text": "echo x"}))
        assert ready["verdict"] == "ready" and ready["evidence"] == "shell"
        assert ready["seconds"] == round(ready["seconds"], 2) and ready["pane"] and "detail" not in ready
        assert (ready["exit_status"], ready["rule"]) == (0, "editor of a shell")
        listed = facts(await client.call_tool("list", {}))
        assert {"evidence", "seconds", "exit_status"} & set(listed) == set()
        answer = await call("run", text="echo $((6*7)); read -p 'Continue? [y/N] ' x; echo got $x")
        assert answer.startswith("needs input after ") and "42" in answer
        await call("send", text="yes please")
        assert (await call("wait_ready")).startswith("ready (")
        assert "got yes please" in await call("read", lines=5)
        await call("keys", keys=["C-l"])
        assert verdicts["send"] in ("sent", "ready") and verdicts["keys"] in ("pressed", "ready")
        rest = {name: verdicts[name] for name in verdicts.keys() - {"send", "keys"}}
        assert rest == {"run": "needs input", "wait_ready": "ready", "read": "read"}
        await client.call_tool("run", {"text": "sleep 100", "timeout": 0.1})
        assert (await call("interrupt")).startswith("ready (")
        assert "shared:0.0" in await call("list")
        assert (await call("open", name="web")).startswith("opened shared:web")
        assert (await call("run", pane="shared:web", text="echo there")).endswith("there")
        assert (await call("close", pane="shared:web")).startswith("closed shared:web")
        assert [verdicts[name] for name in ("list", "open", "close")] == ["list", "opened", "closed"]


@pytest.mark.parametrize(
    "name, arguments, part", [("run", {"text": "x", "txet": "y"}, "'txet'"), ("read", {"pane": "nowhere"}, "nowhere")]
)
async def test_an_error_is_an_answer_that_a_model_reads(terminal, name, arguments, part):
    async with connected() as client:
        result = await client.call_tool(name, arguments)
    assert result.is_error and text(result).startswith("error: ") and part in text(result)
    assert facts(result)["verdict"] == "error"


async def test_the_settings_of_the_environment_reach_the_schemas_and_the_calls(terminal):
    """A wrong one is an error of each call."""
    async with connected(env={"TMUX_TOOL_RUN_TIMEOUT": "0.7"}) as client:
        [run] = [t for t in (await client.list_tools()).tools if t.name == "run"]
        assert run.input_schema["properties"]["timeout"]["default"] == 0.7
        limit = re.match(r"run timed out after (\d+\.\d)s", text(await client.call_tool("run", {"text": "sleep 100"})))
        assert limit and 0.7 <= float(limit[1]) < 15
    async with connected(env={"TMUX_TOOL_RUN_TIMEOUT": "soon"}) as client:
        result = await client.call_tool("run", {"text": "echo x"})
    assert result.is_error and "run_timeout" in text(result).lower()


# while a call waits


@pytest.mark.parametrize("mode", VERSIONS)
async def test_progress_is_reported_while_a_call_waits(terminal, tmp_path, mode):
    heard = []
    go = tmp_path / "go"

    async def progress(value, total, message):
        heard.append((value, message))
        if len(heard) == 2:
            go.touch()

    command = f"echo working; until [ -e {go} ]; do sleep 0.2; echo still at it; done"
    async with connected(mode) as client:
        result = await client.call_tool("run", {"text": command, "timeout": 40}, progress_callback=progress)
    assert text(result).startswith("ready")
    assert all(later[0] > earlier[0] for earlier, later in pairwise(heard))
    assert "still at it" in heard[-1][1] and "\n" not in heard[-1][1]


@pytest.mark.parametrize("mode", VERSIONS)
async def test_a_cancelled_call_ends_at_once_and_frees_the_pane(terminal, mode):
    terminal.person("", "C-l")
    until_still(terminal.screen, int(terminal.fact("pane_pid")), 0.3)  # a later key would be somebody's
    async with connected(mode) as client:
        waiting = running(client, "sleep 1000; echo over")
        await until(lambda: terminal.fact("pane_current_command") == "sleep")
        await until(lambda: '"enter": true' in terminal.tmux("show-options", "-pqv", "-t", "shared:", "@tmux_tool"))
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert terminal.fact("pane_current_command") == "sleep", "the program itself goes on"
        assert text(await client.call_tool("interrupt")).startswith("ready")
        assert text(await client.call_tool("run", {"text": "echo next"})).endswith("next")


async def test_calls_on_two_panes_run_side_by_side_and_one_that_waits_is_read_and_interrupted(terminal, tmp_path):
    terminal.tmux("new-window", "-d", "-t", "shared:", "-n", "two", "bash --norc --noprofile")
    go = tmp_path / "go"
    async with connected() as client:
        first = running(client, f"until [ -e {go} ]; do sleep 0.1; done", pane="shared:0")
        second = await client.call_tool("run", {"text": f"touch {go}", "pane": "shared:two"})
        assert text(second).startswith("ready") and text(await first).startswith("ready")
        waiting = running(client, "sleep 500")
        await until(lambda: terminal.fact("pane_current_command") == "sleep")
        assert "sleep in front" in text(await client.call_tool("read", {"lines": 1}))
        await client.call_tool("interrupt")
        assert text(await waiting).startswith("ready")


async def test_a_call_that_is_cancelled_before_its_turn_types_nothing(terminal, tmp_path):
    go = tmp_path / "go"
    async with connected() as client:
        first = running(client, f"until [ -e {go} ]; do sleep 0.1; done")
        await until(lambda: terminal.fact("pane_current_command") == "sleep")
        second, third = running(client, "echo never-typed"), running(client, "echo third")
        await asyncio.sleep(0.3)
        second.cancel()
        await asyncio.sleep(0.1)
        go.touch()
        assert text(await first).startswith("ready")
        assert text(await third).endswith("third")
    assert "never-typed" not in terminal.screen()


# what is to be answered by the person


@pytest.mark.parametrize("mode", VERSIONS)
async def test_a_client_that_opens_addresses_is_offered_the_page_where_the_person_answers(terminal, mode):
    """The model is told what came of it, and no client sees the password."""
    import mcp.types as types

    offered = []

    async def opens(context, params):
        offered.append(params)
        await asyncio.to_thread(typed_there, params.url, "%0", "s3cr3t")
        return types.ElicitResult(action="accept")

    ask = "read -rsp 'Password: ' x; echo; read -p 'Name: ' y; echo $x | tr a-z A-Z"
    async with connected(mode, elicitation_callback=opens) as client:
        assert "needs password" in text(await client.call_tool("run", {"text": ask}))
        told = text(await client.call_tool("wait_ready", {"person": True, "timeout": 30}))
        assert told.startswith("needs input after") and "Name:" in told
        assert (await client.call_tool("send", {"text": "x"})).content[0].text.endswith("S3CR3T")
        await client.call_tool("wait_ready", {"timeout": 1})
    [one] = offered
    assert one.mode == "url" and re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", one.url)
    assert "neither the agent nor this program sees a password" in one.message


@pytest.mark.parametrize("mode", VERSIONS)
async def test_where_the_page_is_refused_or_typing_there_is_off_it_is_waited_as_ever(terminal, mode, monkeypatch):
    import mcp.types as types

    offered = []

    async def refuses(context, params):
        offered.append(params)
        terminal.person("yes", "Enter")
        return types.ElicitResult(action="decline")

    ask = {"text": "read -p 'Go on? ' x; echo got $x"}
    async with connected(mode, elicitation_callback=refuses) as client:
        await client.call_tool("run", ask)
        told = text(await client.call_tool("wait_ready", {"person": True, "timeout": 30}))
        assert told.startswith("ready") and told.endswith("got yes") and len(offered) == 1
    async with connected(mode, env={"TMUX_TOOL_VIEW": "look"}, elicitation_callback=refuses) as client:
        await client.call_tool("run", ask)
        told = text(await client.call_tool("wait_ready", {"person": True, "timeout": 0.5}))
        assert "Go on?" in told and len(offered) == 1
        await client.call_tool("interrupt")


async def test_a_server_that_only_looks_has_three_tools_and_no_way_to_type(terminal):
    async with connected(args=(str(TMUX_TOOL), "mcp", "--look")) as client:
        tools = {tool.name: tool.input_schema["properties"] for tool in (await client.list_tools()).tools}
        assert set(tools) == {"wait_ready", "read", "list"} and "answers" not in tools["wait_ready"]
        assert text(await client.call_tool("read", {"lines": 1})).startswith("read 1 line")
        for name, arguments in (("run", {"text": "echo x"}), ("wait_ready", {"answers": {"x": "y"}})):
            with pytest.raises(Exception) as problem:
                await client.call_tool(name, arguments)
            assert problem.value.error.code == -32602, name
