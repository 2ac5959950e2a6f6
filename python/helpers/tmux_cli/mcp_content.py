"""What the MCP server offers, made from the table of actions, the prompt and the skill."""

from __future__ import annotations

from ..tmux.answer import Answer
from ..tmux.arguments import ACTIONS, DEFAULTS
from ..tmux.settings import BadSetting, Settings
from ..tmux.words import Evidence, Word
from .layout import PROMPT, SKILL, TREE, version
from .mcp_wire import Json

SERVER = {"name": "tmux-tool", "title": "Shared terminal", "version": version()}
_HOST = "<!-- host -->"  # what follows it in the prompt is for Agent Zero alone
_SKILL = "skill://cli-orchestration"

_TEXT: Json = {"type": "string"}
_FACTS: dict[str, Json] = {
    "text": {**_TEXT, "description": "the whole answer; its first line is the verdict"},
    "verdict": {**_TEXT, "enum": list(Word)},
    "evidence": {**_TEXT, "enum": list(Evidence), "description": "what shows that it is a prompt"},
    "detail": {**_TEXT, "description": "the question, the program, the error"},
    "seconds": {"type": "number", "description": "since the wait began"},
    "exit_status": {"type": "integer", "description": "of the command, if the shell tells it"},
    "pane": _TEXT,
    "cut": {"type": "integer", "description": "characters left out of the text"},
}
_OUTPUT = {"type": "object", "properties": _FACTS, "required": ["text", "verdict"]}


def about() -> Json:
    """What a client learns first, in each version."""
    prompt = (TREE / PROMPT).read_text(encoding="utf-8").partition(_HOST)[0].partition("\n")[2]
    head = f"Each action below is a tool. Read {_SKILL} before driving interactive programs."
    instructions = f"{head}\n{prompt.strip()}\n"
    return {"capabilities": {"tools": {}, "resources": {}}, "instructions": instructions}


def tools() -> list[Json]:
    try:
        settings = Settings.load()
    except BadSetting:  # each call says what is wrong with them
        settings = DEFAULTS
    return [
        {
            "name": name,
            "description": f"Shared terminal (tmux): {action.description}",
            "inputSchema": action.schema(settings),
            "outputSchema": _OUTPUT,
            "annotations": {
                "readOnlyHint": action.read_only,
                "destructiveHint": action.destructive,
                "openWorldHint": not action.local,
            },
        }
        for name, action in ACTIONS.items()
    ]


def result(answer: Answer) -> Json:
    """Claude Code, Codex and OpenCode show a model `structuredContent` alone: text, too."""
    text = answer.text  # counts what it cuts
    facts = {name: getattr(answer, name, None) for name in _FACTS}
    facts |= {"text": text, "verdict": answer.word, "cut": answer.cut or None}
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": {k: fact for k, fact in facts.items() if fact not in (None, "")},
        "isError": answer.word is Word.ERROR,
    }


def pages() -> dict[str, str]:
    """The skill's pages by URI: skill://cli-orchestration, then .../references/clis.md ..."""
    paths = sorted((TREE / SKILL).rglob("*.md"))  # SKILL.md is first
    names = [f"{_SKILL}/{path.relative_to(TREE / SKILL)}" for path in paths]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return dict(zip([_SKILL, *names[1:]], texts, strict=True))
