"""The MCP server in each place it is installed to, over ssh, from its start to its end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import DEADLINE, poll
from tests.host import hosts
from tests.support.mcp_sdk import connected, text
from tests.support.mcp_wire import CLIENT, TOOL, Wire


@pytest.mark.parametrize("layout", hosts.LAYOUTS)
def test_it_is_the_same_in_each_place_of_installation(layout, bare, tmp_path):
    hosts.build(tmp_path, layout)
    hosts.install(tmp_path)
    said = []
    for tool in (TOOL, tmp_path / hosts.COMMAND[layout]):
        with Wire(version=None, tool=tool) as wire:
            said.append(
                [
                    wire.ask("initialize", protocolVersion="2025-06-18", **CLIENT)["result"],
                    wire.ask("resources/list")["result"],
                    wire.ask("tools/list")["result"],
                ]
            )
    assert said[0] == said[1]


def test_the_start_imports_nothing_that_is_slow_or_not_needed(bare):
    """150 ms to the first answer; what costs time is what is imported."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", TOOL, "mcp"],
        input=b"",
        capture_output=True,
        timeout=60,
    )
    imported = {line.rpartition(b"|")[2].strip().decode() for line in done.stderr.split(b"\n")}
    assert "python.helpers.tmux_cli.mcp" in imported and done.returncode == 0
    slow = {"asyncio", "urllib.request", "http.client", "http.server", "ssl", "email", "logging"}
    assert not imported & slow
    assert not [name for name in imported if "opencode" in name]


@pytest.fixture
def ssh(bare, tmp_path):
    """The words before a command that runs it on this machine through an sshd of its own."""
    if os.geteuid() or not (sshd := shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin")):
        pytest.skip("needs root and sshd")
    keys = tmp_path / "ssh"
    keys.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", keys / name], check=True
        )
    os.makedirs("/run/sshd", exist_ok=True)
    options = {
        "ListenAddress": "127.0.0.1",
        "HostKey": keys / "host",
        "AuthorizedKeysFile": keys / "user.pub",
        "StrictModes": "no",
        "UsePAM": "no",
        "PidFile": "none",
        "PermitRootLogin": "prohibit-password",
    }
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    config = keys / "config"
    config.touch()
    port = 22_000 + os.getpid() % 10_000
    daemon = subprocess.Popen([sshd, "-D", "-e", "-f", config, "-p", str(port), *words])
    user = ["-i", keys / "user", "-F", "none", "-p", port, "-o", "StrictHostKeyChecking=no"]
    command = ["ssh", *map(str, user), "-o", f"UserKnownHostsFile={keys / 'known'}", "127.0.0.1"]
    poll(lambda: subprocess.run([*command, "true"], capture_output=True).returncode == 0)
    yield command
    daemon.terminate()
    daemon.wait()


async def test_another_machine_is_reached_by_ssh_as_the_command(terminal, ssh):
    names = ("TMUX_TMPDIR", "HOME", "LANG")
    remote = ["env", *(f"{name}={os.environ[name]}" for name in names), str(TOOL), "mcp"]
    async with connected(command=ssh[0], args=(*ssh[1:], *remote)) as client:
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
