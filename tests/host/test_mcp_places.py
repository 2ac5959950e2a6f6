"""The MCP server in each place it is installed to, over ssh, from its start to its end."""

import os
import shlex
import sys

import pytest

from tests.conftest import DEADLINE, poll
from tests.host import host_tree
from tests.support.devbox import devbox, is_there
from tests.support.mcp_sdk import connected, text
from tests.support.mcp_wire import CLIENT, Wire
from tests.support.run import TMUX_TOOL, run


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
