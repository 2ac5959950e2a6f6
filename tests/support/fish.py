"""fish parses all man pages in the background when it first starts in a home: seconds of CPU."""

from __future__ import annotations

from pathlib import Path


def has_read_manuals(data: Path) -> None:
    """Lets fish, whose data folder is `data` (XDG_DATA_HOME), find that done."""
    (data / "fish/generated_completions").mkdir(parents=True, exist_ok=True)
