"""What a page may ask for, whichever way it comes."""

from __future__ import annotations

from typing import Any

from ...tmux.settings import Settings
from .feed import Feed

Answer = dict[Any, Any]  # as JSON knows it

_feeds: dict[str, Feed] = {}  # of this process, by session


def answer(settings: Settings, event: str, data: dict[str, Any]) -> Answer | None:
    """To `tmux_look` {page, pane, top, have} and `tmux_type` {pane, items}; None to others.

    A look takes up to 4 seconds.
    """
    if settings.view == "off":
        return {"refused": "the view is switched off in the plugin's settings"}
    feed = _feeds.setdefault(settings.session, Feed(settings.session))
    try:
        if event == "tmux_look":
            return feed.look(data["page"], data["pane"], data["top"], data["have"])
        if event != "tmux_type":
            return None
        if settings.view == "look":
            return {"refused": "this page only shows the terminal"}
        return feed.type(data["pane"], data["items"])
    except (AttributeError, LookupError, TypeError, ValueError) as problem:
        return {"refused": f"not understood: {problem}"}
