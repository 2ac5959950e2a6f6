"""fish parses all man pages in the background when it first starts in a home: seconds of CPU."""

from __future__ import annotations

from pathlib import Path


def has_read_manuals(data: Path) -> None:
    """Makes fish believe that this was done; `data`: its data folder (XDG_DATA_HOME)."""
    (data / "fish/generated_completions").mkdir(parents=True, exist_ok=True)
