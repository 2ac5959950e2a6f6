"""The six MCP clients of today, set up by `mcp install`, each with a scripted model: twelve calls, and what the model
was offered and told. They play side by side: a wait of 70 s is one of the calls."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from python.helpers.tmux.arguments import ACTIONS
from python.helpers.tmux_cli import clients, mcp_content
from tests.conftest import poll
from tests.support.fake_vendors import FakeVendors
from tests.support.mcp_wire import typed_there
from tests.support.played import played
from tests.support.run import TMUX_TOOL
from tests.support.tables import Tables

TABLES = Tables(__file__)
FOLDERS = os.environ.get("TMUX_TOOL_TEST_CLIENTS", "")  # of their programs
SCRIPT = [(tool, json.loads(arguments)) for tool, arguments, _ in TABLES["CALLS"]]
LIMIT = 300  # seconds for a conversation on a busy machine
TRIES = 3  # a client on one may ask its model before our server has told its tools
each = pytest.mark.parametrize("name", clients.CLIENTS)
WRAPPED = [  # what clients put around an answer
    re.compile(r"Wall time: [\d.]+ seconds\nOutput:\n(.*)", re.DOTALL),
    re.compile(r"<untrusted_context>\n(.*)\n</untrusted_context>", re.DOTALL),
    re.compile(r"(.*?)\n\n<system-reminder>.*", re.DOTALL),
]


class Conversation:
    """A client's home, its model, and what it printed."""

    def __init__(self, name: str, home: Path, script=SCRIPT):
        self.name, self.home = name, home
        self.model = FakeVendors(script)
        for folder in ("work", "tmux"):
            (home / folder).mkdir(parents=True)
        self.env = {
            "HOME": str(home), "PATH": f"{FOLDERS}:{os.environ['PATH']}", "LANG": "C.UTF-8", "TERM": "xterm-256color",
            "SHELL": shutil.which("bash") or "", "SSH_AUTH_SOCK": "/tmp/agent", "TMUX_TMPDIR": str(home / "tmux"),
            "TMUX_TOOL_WIDTH": "120", "TMUX_TOOL_LINE_EDITOR": "true",
        }
        self.said = self.run(TMUX_TOOL, "mcp", "install", name)

    def run(self, *words, **env) -> str:
        done = subprocess.run(
            words, env=self.env | env, cwd=self.home / "work", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=LIMIT)
        return done.stdout

    def play(self):
        words, env = getattr(self, f"_{self.name}")(self.model.url)
        for _ in range(TRIES):
            self.said += self.run(*words, **env)
            if self.model.tools:
                break
        shown = self.run("tmux", "show-environment", "-g")
        self.passed = dict(line.partition("=")[::2] for line in shown.splitlines())
        self.run("tmux", "kill-server")
        self.model.end()
        return self

    def _codex(self, url):
        fake = f'model_providers.fake={{name="fake",base_url="{url}/v1",wire_api="responses"}}'
        patient = "mcp_servers.shared.required=true"  # else a busy machine's first question may be without our tools
        words = ["codex", "exec", "--skip-git-repo-check"]
        for one in ('model_provider="fake"', fake, patient):
            words += ["-c", one]
        return [*words, "-m", "gpt-5", "go"], {}

    def _claude(self, url):
        env = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "x", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        return ["claude", "-p", "go", "--model", "claude-sonnet-4-5", "--allowedTools", "mcp__shared"], env

    def _gemini(self, url):
        settings = self.home / ".gemini/settings.json"
        key = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        settings.write_text(json.dumps(json.loads(settings.read_text()) | key))
        env = {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "x"}
        return ["gemini", "-p", "go", "-m", "gemini-2.5-pro", "--skip-trust"], env

    def _qwen(self, url):
        env = {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "x", "OPENAI_MODEL": "fake-1"}
        return ["qwen", "-p", "go", "--auth-type", "openai"], env

    def _copilot(self, url):
        env = {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_MODEL": "fake-1", "COPILOT_OFFLINE": "true"}
        return ["copilot", "-p", "go", "--allow-tool", "shared"], env

    def _opencode(self, url):
        options = {"baseURL": f"{url}/v1", "apiKey": "x"}
        fake = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"fake-1": {}}}
        config = json.dumps({"provider": {"fake": fake}, "model": "fake/fake-1"})
        env = {"OPENCODE_CONFIG_CONTENT": config, "OPENCODE_DISABLE_MODELS_FETCH": "1"}
        return ["opencode", "run", "go"], env


@pytest.fixture(scope="module")
def conversations(request, tmp_path_factory):
    """Name -> what a conversation was, once it has ended."""
    def play(name: str):
        return shutil.which(name, path=FOLDERS) and Conversation(name, tmp_path_factory.mktemp(name)).play()

    with played(request, play, len(clients.CLIENTS)) as each:
        yield each


@pytest.fixture
def had(name, conversations):
    return conversations(name) or pytest.skip(f"not installed: {name}")


def without_wrapping(answer: str) -> str:
    for wrapping in WRAPPED:
        if found := wrapping.fullmatch(answer):
            answer = found[1]
    return answer


@pytest.mark.thorough
@pytest.mark.timeout(2 * LIMIT)
@each
def test_twelve_calls_are_right_and_the_model_is_given_the_text_and_all_that_it_needs(name, had):
    given = [without_wrapping(answer) for answer in had.model.answers]
    assert len(given) == len(SCRIPT), had.said
    for (tool, _, expected), answer in zip(TABLES["CALLS"], given, strict=True):
        assert re.fullmatch(expected, answer, re.DOTALL), (had.name, tool, answer)

    offered = {name: about for name, (_, about) in had.model.tools.items()}
    assert set(offered) == set(ACTIONS)
    for tool, about in offered.items():
        assert ACTIONS[tool].description in about["description"], (had.name, tool)
        [schema] = [about[key] for key in ("parameters", "input_schema", "parametersJsonSchema") if key in about]
        own = {"wait_for_previous"}  # Gemini CLI's
        assert set(schema.get("properties", {})) - own == set(ACTIONS[tool].arguments), (had.name, tool)

    indent = f"\\n{' ' * 4}"  # OpenCode's
    told = json.dumps(mcp_content.about()["instructions"].strip(), ensure_ascii=False)[1:-1]
    if had.name != "copilot":  # it names the server alone
        assert any(told in text.replace(indent, "\\n") for text in had.model.texts), had.name
    assert had.passed["SSH_AUTH_SOCK"] == "/tmp/agent", "what the client keeps from a server is passed on"
    assert f"{had.home}/tmux" in given[0] and "120x50" in given[0]


@pytest.mark.thorough
@pytest.mark.timeout(2 * LIMIT)
@each
def test_it_is_set_up_once_and_leaves_nothing_of_its_own(name, had):
    client = clients.CLIENTS[had.name]
    [file] = list((had.home / client.home[1]).glob(client.file))
    before = file.read_text()
    assert f"from its next start on: {file}" in had.said and client.says in had.said
    assert had.run(TMUX_TOOL, "mcp", "install", had.name).endswith(f" already: {file}\n")
    assert file.read_text() == before
    assert had.run(TMUX_TOOL, "mcp", "uninstall", had.name).endswith(f" any more: {file}\n")
    assert "tmux" not in file.read_text().lower().replace(str(had.home).lower(), ""), file.read_text()
    assert "no server of ours" in had.run(TMUX_TOOL, "mcp", "uninstall", had.name)


ASKS = [("run", {"text": "read -rsp 'Password: ' x; echo got ${#x}"}), ("wait_ready", {"person": True, "timeout": 90})]


@pytest.mark.thorough
@pytest.mark.timeout(2 * LIMIT)
def test_claude_shows_the_page_to_who_sits_before_it_and_the_model_is_told_what_came_of_the_password(tmp_path):
    """Two of the clients show a person an address; this one makes its call again with what they said (`input_required`
    of 2026-07-28). What is typed on the page is in nothing that the client shows, keeps or tells its model."""
    if not shutil.which("claude", path=FOLDERS):
        pytest.skip("not installed: claude")
    had = Conversation("claude", tmp_path / "home", ASKS)
    file, key = had.home / ".claude.json", "sk-ant-x"
    told = {"hasCompletedOnboarding": True, "customApiKeyResponses": {"approved": [key], "rejected": []}}
    told["projects"] = {f"{had.home}/work": {"hasTrustDialogAccepted": True}}
    file.write_text(json.dumps(json.loads(file.read_text()) | told))
    words, env = had._claude(had.model.url)
    outer = ["tmux", "-S", f"{had.home}/outer", "-f", "/dev/null"]
    sits = [*outer, "new-session", "-dx", "130", "-y", "45", "env", "-u", "TMUX", "claude", *words[3:]]
    had.run(*sits, **env | {"ANTHROPIC_API_KEY": key})

    def shown() -> str:
        return had.run(*outer, "capture-pane", "-pJ")

    def types(text: str, *keys: str) -> None:
        had.run(*outer, "send-keys", "-l", text)
        poll(lambda: text in shown(), what=shown)
        had.run(*outer, "send-keys", *keys)

    def until_taken(button: str) -> bool:  # a key too soon after the box came is none for it
        if button in shown():
            had.run(*outer, "send-keys", "Enter")
        return button not in shown()

    try:
        poll(lambda: "❯" in shown(), LIMIT, shown)
        types("/mcp", "Enter")
        poll(lambda: "9 tools" in shown(), LIMIT, shown)
        had.run(*outer, "send-keys", "Escape")
        poll(lambda: "9 tools" not in shown(), what=shown)
        types("go", "Enter")
        found = poll(lambda: re.search(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", shown()), LIMIT, shown)
        assert "neither the agent nor this program sees a password" in shown()
        typed_there(found[0], "%0", "s3cr3t")
        poll(lambda: until_taken("❯ Open in browser"), what=shown)
        poll(lambda: until_taken("❯ I'm done"), what=shown)
        poll(had.model.done.is_set, LIMIT, shown)
        assert without_wrapping(had.model.answers[1]).endswith(", exit status 0\nPassword: got 6")
        everywhere = shown() + "".join(had.model.texts)
        kept = [path.read_bytes() for path in had.home.rglob("*") if path.is_file()]
        assert "s3cr3t" not in everywhere and not any(b"s3cr3t" in one for one in kept)
    finally:
        had.run(*outer, "kill-server")
        had.run("tmux", "kill-server")
        had.model.end()
