"""Real agents as MCP clients: a scripted model calls a tool, and gets its answer to read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.fake_apis import REQUESTS, serving
from tests.support.run import ROOT, TMUX_TOOL, run

sys.path.append(str(ROOT / "tests/opencode"))

from fake_model import FakeModel, text_of  # type: ignore[import-not-found]
from hermetic import environment, find_opencode  # type: ignore[import-not-found]

CALL = json.dumps({"text": "echo $((6*7)) from the terminal"})
PROMPT = f"FAKE:tool mcp__shared__run {CALL}"
LIMIT = 100  # seconds for an agent's whole turn on a busy machine

# Looked for before a test has a home of its own.
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tmux-tool-tests"
SEARCHED = f"{os.environ['PATH']}:{CACHE / 'ai-npm/node_modules/.bin'}"
OPENCODE = find_opencode() or ""
CLAUDE = shutil.which("claude", path=SEARCHED) or ""
CODEX = shutil.which("codex", path=SEARCHED) or ""


def carry_out(words: list[str], folder: Path, **more) -> None:
    environment = {**os.environ, **more.pop("env")}
    done = run(*words, cwd=folder, env=environment, timeout=LIMIT, **more)
    assert done.returncode == 0, done.stdout + done.stderr


def reads_the_answer(received: str, terminal) -> None:
    assert "ready (shell) after" in received and "42 from the terminal" in received
    assert "42 from the terminal" in terminal.screen()


@pytest.mark.skipif(not OPENCODE, reason="opencode is not installed")
def test_opencode(terminal, tmp_path):
    server = {"type": "local", "command": [str(TMUX_TOOL), "mcp"], "enabled": True}
    with FakeModel() as model:
        home = environment(tmp_path / "oc", model.url, mcp={"shared": server})
        prompt = f"FAKE:tool shared_run {CALL}"  # an argument's quotes would be escaped
        words = [OPENCODE, "run", "--format", "json"]
        carry_out(words, tmp_path, env=home, input=prompt)
    offered = {tool["function"]["name"] for tool in model.requests[0]["tools"]}
    assert {"shared_run", "shared_send", "shared_wait_ready", "shared_open"} <= offered
    reads_the_answer(text_of(model.requests[-1]["messages"][-1]), terminal)


@pytest.mark.skipif(not CLAUDE, reason="claude is not installed")
def test_claude_code(terminal, tmp_path):
    servers = {"mcpServers": {"shared": {"command": str(TMUX_TOOL), "args": ["mcp"]}}}
    (tmp_path / "mcp.json").write_text(json.dumps(servers))
    with serving() as url:
        environment = {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "not-a-secret",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        words = [CLAUDE, "-p", PROMPT, "--mcp-config", "mcp.json", "--strict-mcp-config"]
        words += ["--allowedTools", "mcp__shared__run"]
        carry_out(words, tmp_path, env=environment, stdin=subprocess.DEVNULL)
    turns = [request for request in REQUESTS if request.get("tools")]
    assert "skill://cli-orchestration" in json.dumps(turns), "the server's instructions"
    [part] = turns[-1]["messages"][-1]["content"]
    reads_the_answer(json.dumps(part["content"]), terminal)


@pytest.mark.skipif(not CODEX, reason="codex is not installed")
def test_codex(terminal, tmp_path):
    home = tmp_path / "codex"
    home.mkdir()
    with serving() as url:
        # Codex gives a server few variables, others are named; and begins without one that is not
        # there yet, unless it is required.
        (home / "config.toml").write_text(f"""
            model = "scripted"
            model_provider = "loopback"
            approval_policy = "never"
            [model_providers.loopback]
            name = "loopback"
            base_url = "{url}/v1"
            wire_api = "responses"
            [mcp_servers.shared]
            command = "{TMUX_TOOL}"
            args = ["mcp"]
            env_vars = ["TMUX_TMPDIR"]
            required = true
            default_tools_approval_mode = "approve"
        """)
        words = [CODEX, "exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", PROMPT]
        carry_out(words, tmp_path, env={"CODEX_HOME": str(home)}, stdin=subprocess.DEVNULL)
    assert "skill://cli-orchestration" in json.dumps(REQUESTS[0])
    [output] = [i for i in REQUESTS[-1]["input"] if i["type"] == "function_call_output"]
    reads_the_answer(json.dumps(output), terminal)
