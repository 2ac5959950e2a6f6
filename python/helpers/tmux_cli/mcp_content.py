"""What the MCP server offers, made from the table of actions, the prompt and the skill."""

from __future__ import annotations

import re
from pathlib import Path

from ..tmux.answer import Answer
from ..tmux.arguments import ACTIONS, DEFAULTS
from ..tmux.settings import Settings
from ..tmux.words import Evidence, Word
from .layout import HERE, PROMPT, version
from .mcp_message import Json

SERVER = {"name": "tmux-tool", "title": "Shared terminal", "version": version()}
MARKDOWN = "text/markdown"

# This file is in ROOT/python/helpers/tmux_cli, or in helpers/tmux_cli of a host's usr or a plugin.
_ROOTS = HERE.parents[2:4]
_SKILL = "cli-orchestration"
_SCHEME = f"skill://{_SKILL}"

# "load skill … with skills_tool", "the host refuses …"
_HOSTS_LINE = re.compile(r".*\b(\w+_tool|terminal_agent|open_app|the host)\b.*\n?")
_HOSTS_SECRET = re.compile(r"(?<=: )[^,;\n]*§§[^,;\n]*[,;] (or )?")  # "send §§secret(NAME), or "
_SKILLS_NAME = re.compile(rf"\A---\n(?:(?!---).*\n)*?name: *{_SKILL}\n")  # in the front matter
_SKILLS_DESCRIPTION = re.compile(r"^description: *(.*)$", re.M)

OUTPUT: Json = {
    "type": "object",
    "properties": {
        "text": {
            "type": "string",
            "description": "the whole answer; its first line is the verdict",
        },
        "verdict": {"type": "string", "enum": [word.value for word in Word]},
        "evidence": {
            "type": "string",
            "enum": [evidence.value for evidence in Evidence],
            "description": "what shows that a prompt is there",
        },
        "detail": {"type": "string", "description": "the question, the program, the error"},
        "seconds": {"type": "number", "description": "since the wait began"},
        "exit_status": {
            "type": "integer",
            "description": "of the command, where the shell tells it",
        },
        "pane": {"type": "string"},
        "cut": {"type": "integer", "description": "characters left out of the text"},
    },
    "required": ["text", "verdict"],
    "additionalProperties": False,
}


def tools(settings: Settings | None) -> list[Json]:
    return [
        {
            "name": name,
            "description": f"Shared terminal (tmux): {action.description}",
            "inputSchema": action.schema(settings or DEFAULTS),
            "outputSchema": OUTPUT,
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
    text = answer.text
    known = {
        "text": text,
        "verdict": answer.word.value,
        "evidence": answer.evidence and answer.evidence.value,
        "detail": answer.detail or None,
        "seconds": None if answer.seconds is None else round(answer.seconds, 3),
        "exit_status": answer.exit_status,
        "pane": answer.pane or None,
        "cut": answer.cut or None,
    }
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": {name: value for name, value in known.items() if value is not None},
        "isError": answer.word == Word.ERROR,
    }


def about() -> Json:
    """What a client learns first, in each version."""
    return {"capabilities": {"tools": {}, "resources": {}}, "instructions": instructions()}


def instructions() -> str:
    """The prompt that another host's agent reads, without what only that host has."""
    head = f"Each action below is a tool. Read {_SCHEME} before driving interactive programs.\n"
    for root in _ROOTS:
        file = root / PROMPT
        if file.is_file():
            text = file.read_text(encoding="utf-8").partition("\nusage:")[0]
            return head + _HOSTS_SECRET.sub("", _HOSTS_LINE.sub("", text)).strip() + "\n"
    return head


def resources() -> list[Json]:
    found = []
    for uri, file in _skill_files().items():
        described = _SKILLS_DESCRIPTION.search(_text(file)) if uri == _SCHEME else None
        found.append(
            {
                "uri": uri,
                "name": _SKILL if uri == _SCHEME else uri.removeprefix(_SCHEME + "/"),
                "mimeType": MARKDOWN,
                **({"description": described[1]} if described else {}),
            }
        )
    return found


def resource(uri: str) -> str | None:
    """The text of a resource that `resources` lists."""
    file = _skill_files().get(uri)
    return _text(file) if file else None


def _skill_files() -> dict[str, Path]:
    """By URI: skill://cli-orchestration, skill://cli-orchestration/references/clis.md ..."""
    for root in _ROOTS:
        for skill in sorted([*root.glob("skills/*/SKILL.md"), *root.glob("usr/skills/*/SKILL.md")]):
            if _SKILLS_NAME.match(_text(skill)):
                folder = skill.parent
                more = sorted(file for file in folder.rglob("*.md") if file != skill)
                uris = {f"{_SCHEME}/{file.relative_to(folder).as_posix()}": file for file in more}
                return {_SCHEME: skill, **uris}
    return {}


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")
