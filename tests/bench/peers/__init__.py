"""The tools under measurement. Each is driven in a process of its own by a small adapter in this folder, with its
author's Python API where there is one, so that no transport (MCP, a command line's start) counts against it."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mode:
    """One way to use a tool. `skips`: shells and scenarios that its documentation rules out; reported, not counted."""

    tool: str
    name: str
    signal: str  # what it goes by, for the table
    package: str = ""  # a PyPI requirement; "" runs in this Python
    nine_only: bool = False  # a variant that matters only in the nine scenarios
    skips: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f"{self.tool} {self.name}"


def _mode(tool: str, name: str, signal: str, package: str = "", more: dict | None = None) -> Mode:
    facts = more or {}
    return Mode(tool, name, signal, package, facts.get("nine_only", False), tuple(facts.get("skips", ())))


MODES = [_mode(*row) for row in tomllib.loads(Path(__file__).with_name("modes.toml").read_text())["MODES"]]


def chosen(only: str) -> list[Mode]:
    """`only`: tools or labels, separated by commas; an unknown one is an error."""
    names = [word.strip() for word in only.split(",")]
    unknown = [name for name in names if not any(name in (m.tool, m.label) for m in MODES)]
    if unknown:
        tools = ", ".join(dict.fromkeys(mode.tool for mode in MODES))
        raise SystemExit(f"--only: {', '.join(unknown)} is none of: {tools}")
    return [mode for mode in MODES if mode.tool in names or mode.label in names]
