"""What the MCP server offers, made from the table of actions, the prompt and the skill."""

from ..tmux.arguments import ACTIONS, DEFAULTS
from ..tmux.base.answer import Answer
from ..tmux.base.settings import BadValue, Settings
from ..tmux.base.words import Word
from .layout import PROMPT, SKILL, TREE, version
from .mcp_wire import Json

SERVER = {"name": "tmux-tool", "title": "Shared terminal", "version": version()}
_HOST = "<!-- host -->"  # the rest of the prompt is for Agent Zero alone
_SKILL = "skill://cli-orchestration"

# Of an answer, beside its text.
_FIELDS = ("evidence", "rule", "detail", "pane", "exit_status", "seconds")


def about() -> Json:
    """The first facts for a client, in every version."""
    ours = (TREE / PROMPT).read_text("utf-8").partition(_HOST)[0].partition("\n")[2]
    head = f"Each action below is a tool. Read {_SKILL} before driving interactive programs.\n"
    return {"capabilities": {"tools": {}, "resources": {}}, "instructions": head + ours}


def tools() -> list[Json]:
    try:
        settings = Settings.load()
    except BadValue:  # each call reports the error
        settings = DEFAULTS
    return [
        {
            "name": name,
            "description": f"Shared terminal (tmux): {action.description}",
            "inputSchema": action.schema(settings),
            "annotations": {
                "readOnlyHint": action.read_only,
                "destructiveHint": not action.read_only,
                "openWorldHint": not action.local,
            },
        }
        for name, action in ACTIONS.items()
    ]


def result(answer: Answer) -> Json:
    """The result for an answer. Claude Code, Codex and OpenCode show a model `structuredContent`
    alone, so the text is in there too."""
    text = answer.text
    facts = {"text": text, "verdict": answer.word}
    facts |= {name: getattr(answer, name) for name in _FIELDS}
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": {k: fact for k, fact in facts.items() if fact not in (None, "")},
        "isError": answer.word is Word.ERROR,
    }


def pages() -> dict[str, str]:
    """The skill's pages by URI: skill://cli-orchestration, then .../references/clis.md ..."""
    folder = TREE / SKILL
    return {
        f"{_SKILL}/{page.relative_to(folder)}".removesuffix("/SKILL.md"): page.read_text("utf-8")
        for page in sorted(folder.rglob("*.md"))
    }
