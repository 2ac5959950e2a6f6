"""The other panes: what `list` tells of each, and what a window of the agent's own has printed.

A person who watches sees all of them, the agent only the one that it asks about. So each answer has
one line about each window of its own in which something came: a server that has said `Listening`,
or failed. It is told once, and never instead of what an answer about that window shows.
"""

import time
from collections.abc import Iterator

from ..base.answer import quoted
from ..base.client import rows_of, tmux
from ..facts.line import is_known
from ..facts.look import OPENED, PAGE, Look, digest, look
from ..facts.place import since
from ..facts.state import load
from ..turn.watch import Watch

GLANCE = 0.02  # seconds in which a pane's state must be sure
_JUST_NOW = 5.0  # seconds for which a list's look, that is one of all panes, is one of now
_TOLD = "@tmux_tool_told"  # on a pane: digest of its last line that was told beside another pane's
_MOST = 200  # characters of such a line
_LOOKED = 15  # seconds for which a page that has looked counts as open


def people() -> str:
    """`nobody attached`, `2 people attached, somebody looks at the page`."""
    clients = [tty for tty in rows_of("list-clients", "-F", "#{client_tty}") if tty]
    who = "nobody"
    if clients:
        who = f"{len(clients)} people"

    if len(clients) == 1:
        who = "1 person"

    page = "".join(rows_of("show-options", "-gqv", PAGE))
    looks = page.isdigit() and time.time() - int(page) < _LOOKED
    if looks:
        return f"{who} attached, somebody looks at the page"
    return f"{who} attached"


def described(watch: Watch) -> str:
    """`160x50 bash /root: ready (shell), a half-typed line 'ls'`."""
    here = watch.turn(GLANCE, fresh=_JUST_NOW)
    seen = watch.seen
    verdict = here.verdict
    size = f"{seen.width}x{seen.height}"
    folder = seen.pane_current_path.replace("\n", " ")
    if seen.pane_dead:
        return f"{size}: its program has ended (exit status {seen.pane_dead_status or 'unknown'})"

    state = ["running"]
    if verdict:
        state = [f"{verdict.word} ({verdict.evidence or verdict.detail})"]

    if here.own:
        state.append(f"your half-typed line {quoted(here.own)}")

    if here.persons:
        state.append(f"a half-typed line {quoted(here.persons)}")

    if seen.mode:
        state.append(seen.mode)

    if seen.opened:
        state.append("opened by the agent")
    return f"{size} {here.program} {folder}: {', '.join(state)}"


def last_lines(session: str, beside: Look) -> Iterator[str]:
    """Of each window of the agent's own in the session, except the pane `beside`, the last line
    that no answer has shown: `shared:web: Listening on 8080`. Each is told once."""
    others = len(beside.own.split())
    if beside.opened:
        others -= 1

    if not others:
        return

    own = f"#{{?{OPENED},#{{pane_id}} #{{{_TOLD}}},}}"
    for row in rows_of("list-panes", "-s", "-t", f"={session}:", "-F", own):
        id, _, told = row.partition(" ")
        if not id or id == beside.id:
            continue

        seen = look(id)
        line = _last_line(seen)
        mark = str(digest(line))
        if line and mark != told:
            tmux("set-option", "-p", "-t", id, _TOLD, mark)
            yield f"{session}:{seen.opened}: {line[:_MOST]}"


def _last_line(seen: Look) -> str:
    """The last line on the ordinary screen that no answer has shown, and that is no prompt; "" if
    there is none."""
    state = load(seen)
    place = state.sent.place or state.place
    if seen.alternate_on or not place:
        return ""

    lines, _ = since(place, seen)
    prompts = state.prompt_texts
    new = [text.strip() for _, text in lines if text.strip()]
    if new and is_known(new[-1], prompts):
        new.pop()

    if new:
        return new[-1]
    return ""
