"""`mcp install` and `uninstall` with a stand-in for each client's own command; the real ones: test_clients.py."""

import json
import os
import shlex
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from python.helpers.tmux.base.settings import PREFIX, Settings
from python.helpers.tmux_cli import clients
from tests.host import host_tree
from tests.support.run import TMUX_TOOL

# It writes as the clients do; `mcp remove` of a name that is not there fails.
STAND_IN = """import json, pathlib, sys
words = [word for word in sys.argv[1:] if word not in ("-s", "user", "--")]
file = pathlib.Path.home() / {file!r}
file.parent.mkdir(parents=True, exist_ok=True)
text = file.read_text() if file.exists() else ""
if {toml}:
    begin = "[mcp_servers.shared]\\n"
    text, found, _ = text.partition(begin)
    if words[1] == "add":
        text += begin + f'command = {{json.dumps(words[3])}}\\nargs = ["mcp"]\\n'
    elif not found:
        sys.exit("no such server")
    file.write_text(text)
else:
    settings = json.loads(text or "{{}}")
    servers = settings.setdefault({table!r}, {{}})
    if words[1] == "add":
        one = {{"command": words[3], "args": words[4:]}}
        servers[words[2]] = one if {table!r} != "mcp" else {{"command": words[3:]}}
    else:
        del servers[words[2]]
    file.write_text(json.dumps(settings, indent=2, ensure_ascii=False))
"""
FILES = {
    "codex": (".codex/config.toml", "mcp_servers"), "claude": (".claude.json", "mcpServers"),
    "gemini": (".gemini/settings.json", "mcpServers"), "opencode": (".config/opencode/opencode.jsonc", "mcp"),
    "qwen": (".qwen/settings.json", "mcpServers"), "copilot": (".copilot/mcp-config.json", "mcpServers")}


@pytest.fixture(params=FILES)
def client(request, bare, monkeypatch):
    """A client's name and its settings."""
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "QWEN_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    file, table = FILES[request.param]
    program = bare.server.bin / request.param
    source = program.with_suffix(".py")
    source.write_text(STAND_IN.format(file=file, table=table, toml=file.endswith("toml")))
    program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, str(source)])} "$@"\n')
    program.chmod(0o755)
    path = Path(os.environ["HOME"]) / file
    path.parent.mkdir(parents=True, exist_ok=True)
    return request.param, path


def says(*words) -> str:
    return host_tree.tmux_tool("mcp", *words).stdout


def doctor(tmp_path) -> str:
    return host_tree.tmux_tool("doctor", tmp_path).stdout


def test_a_client_is_set_up_once_a_killed_install_is_mended_and_nothing_is_left(client, tmp_path):
    name, file = client
    theirs = {"theme": {"shared": {"a": 1}}}  # another thing of that name
    file.write_text("[theme.shared]\na = 1\n" if file.suffix == ".toml" else json.dumps(theirs))
    assert says("uninstall", name) == f"error: {name} has no server of ours\n"
    assert f"could be in {name}:" in doctor(tmp_path)
    assert says("install", name).startswith(f"{name} has the server `shared` from its next start on: {file}\n")
    whole = file.read_text()
    assert str(TMUX_TOOL) in whole
    assert says("install", name) == f"{name} has the server `shared` already: {file}\n" and file.read_text() == whole
    assert f"set up in {name}" in doctor(tmp_path)

    ours = ("trust", "approv", "timeout")
    half = "\n".join(line for line in whole.split("\n") if not any(word in line for word in ours))
    file.write_text(half)
    if half != whole:
        assert f"{name}: its settings of our server are not whole" in doctor(tmp_path)
    file.write_text(half.replace(str(TMUX_TOOL), "/gone/tmux-tool"))
    assert f"{name}: its settings of our server are not whole" in doctor(tmp_path)
    assert "from its next start on" in says("install", name) and file.read_text() == whole

    assert says("uninstall", name) == f"{name} has no server `shared` any more: {file}\n"
    assert "tmux" not in file.read_text()
    left = clients._parsed(file, file.read_text())
    assert {key: value for key, value in left.items() if key == "theme"} == theirs


def test_what_is_the_users_is_told_and_left_as_it_is(client, tmp_path):
    name, file = client
    table = FILES[name][1]
    file.write_text(f"[{table}.shared]\ncommand = 'other'\n" if file.suffix == ".toml" else json.dumps(
        {table: {"shared": {"command": "other"}}}))
    for what in ("install", "uninstall"):
        assert says(what, name).startswith(f"error: another server of {name} is called shared ({file})")
    for broken in ("{[", f'{{"{table}": 5}}' if file.suffix != ".toml" else f"{table} = 5"):
        file.write_text(broken)
        for what in ("install", "uninstall"):
            assert says(what, name).startswith(f"error: {file} cannot be read: ")
        assert file.read_text() == broken
        assert f"do  MCP          {name}: {file} cannot be read" in doctor(tmp_path)


def test_comments_and_other_servers_of_opencode_stay(bare, monkeypatch):
    """It has no command that takes a server out."""
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    program = bare.server.bin / "opencode"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    file = Path(os.environ["HOME"]) / ".config/opencode/opencode.jsonc"
    file.parent.mkdir(parents=True, exist_ok=True)
    ours = '"shared": {"type": "local", "command": ["/x/tmux-tool", "mcp"], "environment": {"A": "//x"}}'
    for servers, left in (
        (f'{ours}, // ours\n "other": {{"url": "http://x/"}},', ' // ours\n "other": {"url": "http://x/"},'),
        (f'"other": {{}},\n {ours}', '"other": {}'), (ours, ""),
    ):
        file.write_text(f'{{ /* mine */ "mcp": {{{servers}}}, }}')
        assert "any more" in says("uninstall", "opencode"), servers
        assert file.read_text() == f'{{ /* mine */ "mcp": {{{left}}}, }}'


def test_a_client_that_is_not_known_or_not_there_is_an_error(bare, monkeypatch):
    assert says("install", "vim") == (
        "error: no client 'vim' is known; there are codex, claude, gemini, opencode, qwen, copilot\n")
    with monkeypatch.context() as here:
        here.setenv("PATH", str(bare.server.bin))
        assert says("uninstall", "codex") == "error: codex is not installed here, or not in PATH\n"
    assert says("install").startswith("error: not understood: mcp install")


def test_all_settings_are_passed_on_by_a_client_that_passes_on_what_is_named():
    named = clients.CLIENTS["codex"].needs["env_vars"]
    settings = {f"{PREFIX}{field.name.upper()}" for field in fields(Settings)}
    assert set(named) == settings | {"TMUX_TMPDIR", "SSH_AUTH_SOCK"}
