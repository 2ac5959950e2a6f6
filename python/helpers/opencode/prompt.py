"""What a caller asks: words and files, or a command, and under which rules."""

import mimetypes
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .reply import OpenCodeError

Rule = tuple[str, str, str]  # of a permission: its name, a pattern of what it is for, the action

_ACTIONS = ("allow", "ask", "deny")
# What either line's configuration knows, by the line's own name.
_NAMES = """* bash shell edit read glob grep list task subagent skill lsp question todoread
    todowrite webfetch websearch codesearch external_directory doom_loop""".split()
# What a model sees as it is; all else is text, as for `opencode run -f`.
_SEEN = ("image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf")


@dataclass(frozen=True, kw_only=True)
class Prompt:
    text: str  # arrives exactly; of a command: what follows its name
    files: Iterable[Any] = ()  # paths
    command: str = ""  # its name, without a slash
    model: str | None = None  # provider/model; None: the one that answered last
    agent: str | None = None

    def __post_init__(self) -> None:
        if not (self.text or self.command):
            raise OpenCodeError("the prompt is empty")

    def paths(self, directory: str) -> list[Path]:
        """Of its files and directories. Raises OpenCodeError if one is not there."""
        found = [Path(directory, file).expanduser().resolve() for file in self.files]
        for path in found:
            if not path.exists():
                raise OpenCodeError(f"there is no file {path}", "nothing was sent")
        return found


def mime_of(path: Path) -> str:
    """As what OpenCode is to read it."""
    if path.is_dir():
        return "application/x-directory"

    guess = mimetypes.guess_type(path.name)[0]
    return guess if guess in _SEEN else "text/plain"


def rules_of(permissions: Mapping[str, Any]) -> list[Rule]:
    """Those of {"edit": "deny", "bash": {"*": "ask", "git *": "allow"}}, as in OpenCode's
    configuration: the last one that matches counts. Raises OpenCodeError for any other."""
    rules = []
    for name, given in permissions.items():
        # A tool of an MCP server is called terminal_run.
        if not (name in _NAMES or "_" in name or "*" in name):
            raise OpenCodeError(f"OpenCode has no permission {name!r}", f"it has {_NAMES}")

        patterns = given if isinstance(given, dict) else {"*": given}
        for pattern, action in patterns.items():
            if action not in _ACTIONS:
                raise OpenCodeError(f"{action!r} is no rule for {name}", f"one of {_ACTIONS} is")
            rules.append((name, pattern, action))

    return rules
