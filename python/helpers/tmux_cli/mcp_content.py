"""What the MCP server offers, made from the table of actions, the prompt and the skill."""

import re

from ..tmux.arguments import ACTIONS, DEFAULTS
from ..tmux.base.answer import Answer
from ..tmux.base.settings import BadValue, Settings
from ..tmux.base.words import Word
from .layout import PROMPT, SKILL, TREE, version
from .mcp_wire import INVALID_PARAMS, Json, Refused

_LOOKS = ["wait_ready", "read", "list"]  # without `answers` these type nothing
SERVER = {"name": "tmux-tool", "title": "Shared terminal", "version": version()}
_HOST = "<!-- host -->"  # the rest of the prompt is for Agent Zero alone
_SKILL = "skill://cli-orchestration"

_MARKDOWN = "text/markdown"
_FACTS = "tmux-tool/facts"
_SCHEMAS = "\nflat arguments;"  # the prompt's lines that repeat them, to the next empty line
_ABOUT = re.compile("^(?:description: |# )(.+)", re.M)  # a page's first words about itself
_VERDICTS = "answers show what is new"  # what the model must know first: clients cut the end


def about() -> Json:
    """The first facts for a client, in every version."""
    ours = (TREE / PROMPT).read_text("utf-8").partition(_HOST)[0].partition("\n")[2]
    intro, _, rest = ours.partition(_SCHEMAS)
    patterns, mark, verdicts = rest.partition("\n\n")[2].partition(_VERDICTS)
    head = f"Read {_SKILL} before driving interactive programs.\n"
    told = f"{head}{intro}\n{mark}{verdicts}\n{patterns}"
    return {"capabilities": {"tools": {}, "resources": {}}, "instructions": told}


def names(look: bool) -> list[str]:
    """Of the tools; `look`: of those that type nothing."""
    return _LOOKS if look else list(ACTIONS)


def tools(look: bool) -> list[Json]:
    try:
        settings = Settings.load()
    except BadValue:  # each call reports the error
        settings = DEFAULTS

    found: list[Json] = [
        {
            "name": name,
            "title": f"Shared terminal: {name.replace('_', ' ')}",
            "description": f"Shared terminal (tmux): {action.description}",
            "inputSchema": action.schema(settings),
            "annotations": {
                "readOnlyHint": action.read_only,
                "destructiveHint": not action.read_only,
                "openWorldHint": not action.local,
            },
            "_meta": {"anthropic/alwaysLoad": True},  # else its search for tools finds half of them
        }
        for name, action in ACTIONS.items()
        if name in names(look)
    ]
    if look:
        for tool in found:
            tool["inputSchema"]["properties"].pop("answers", None)

    return found


def result(answer: Answer) -> Json:
    """The result for an answer. What clients do not give to a model is in `_meta`: of a
    `structuredContent` Claude Code and Codex give it the JSON, in place of the text."""
    facts = {
        "verdict": answer.word,
        "evidence": answer.evidence,
        "rule": answer.rule,
        "detail": answer.detail,
        "pane": answer.pane,
        "exit_status": answer.exit_status,
        "seconds": answer.seconds and round(answer.seconds, 2),
    }
    return {
        "content": [{"type": "text", "text": answer.text}],
        "_meta": {_FACTS: {k: fact for k, fact in facts.items() if fact not in (None, "")}},
        "isError": answer.word is Word.ERROR,
    }


def resources() -> list[Json]:
    """The pages, each with what it says about itself."""
    return [
        {
            "uri": uri,
            "name": uri.removeprefix("skill://"),
            "description": "".join(_ABOUT.findall(text)[:1]),
            "mimeType": _MARKDOWN,
        }
        for uri, text in pages().items()
    ]


def page(uri: str) -> Json:
    """One page. Raises Refused."""
    text = pages().get(uri)
    if text is None:
        raise Refused(INVALID_PARAMS, "there is no such resource", {"uri": uri})
    return {"uri": uri, "mimeType": _MARKDOWN, "text": text}


def pages() -> dict[str, str]:
    """The skill's pages by URI: skill://cli-orchestration, then .../references/clis.md ..."""
    folder = TREE / SKILL
    return {
        f"{_SKILL}/{page.relative_to(folder)}".removesuffix("/SKILL.md"): page.read_text("utf-8")
        for page in sorted(folder.rglob("*.md"))
    }
