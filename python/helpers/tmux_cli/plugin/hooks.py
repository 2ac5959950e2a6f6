"""Agent Zero's watchdog sees only this file of a plugin's code, so `tmux-tool install` writes it
last: a running host then sees a new or updated plugin at once."""

from pathlib import Path


def install() -> None:
    """The host calls it when it has unpacked the plugin, from a zip without modes."""
    (Path(__file__).parents[5] / "bin/tmux-tool").chmod(0o755)
