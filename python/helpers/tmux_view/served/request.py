"""What a page may ask for, whichever way it comes."""

from __future__ import annotations

from typing import Any

from ...tmux.settings import Settings
from .feed import Answer, Feed

_feeds: dict[str, Feed] = {}  # of this process, by session


def answer(settings: Settings, event: str, data: Any) -> Answer | None:
    """To `tmux_look` {pane, top, have, page} and `tmux_type` {pane, items}; None to others.

    A look takes up to 8 seconds. What is of a wrong type counts as missing.
    """
    if event not in ("tmux_look", "tmux_type"):
        return None
    if settings.view == "off":
        return {"refused": "the view is switched off in the plugin's settings"}
    if event == "tmux_type" and settings.view == "look":
        return {"refused": "this page only shows the terminal"}
    feed = _feeds.setdefault(settings.session, Feed(settings.session))
    data = data if isinstance(data, dict) else {}
    pane = data["pane"] if isinstance(data.get("pane"), str) else ""
    if event == "tmux_type":
        return feed.type(pane, data.get("items"))
    top, have, page = (_number(data.get(name)) for name in ("top", "have", "page"))
    return feed.look(pane, top, have or 0, page or 0)


def _number(came: Any) -> int | None:
    return came if isinstance(came, int) else None
