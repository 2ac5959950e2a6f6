"""How often a wait reads the kernel and looks at the screen. Pure."""

from __future__ import annotations

_HEARTBEAT = 1.0  # seconds between two looks when nothing moves, so that a dead server is noticed
_YOUNG_SHARE = 5  # looks may take a fifth of the time while the wait is young,
_OLD_SHARE = 60  # and a sixtieth when it is old
_OLD = 10.0  # seconds after which a wait is old
SETTLES = 0.01  # seconds in which a waiting program settles: an earlier look is wasted
ECHO = 0.05  # seconds until all of an echo is drawn, once what was typed has been read


def look_is_due(
    *,
    may_be_over: bool,  # a program may be waiting, so the screen counts
    unsettled: float,  # seconds since two kernel readings were equal; 0: the last two are
    turned: bool,  # the kernel's facts have changed since the last look
    stale: bool,  # the pane may have printed since
    taken: bool,  # the program has acted on what was typed
    since_look: float,  # seconds
    cost: float,  # seconds that one look takes
    elapsed: float,  # seconds since this wait began
) -> bool:
    """Whether to look at the screen now. At once when the kernel has settled on new facts or new
    output; as often as looks may cost while it does not settle; else at the heartbeat, which is
    faster until the program has acted on what was typed."""
    young = elapsed < _HEARTBEAT and not taken
    if since_look > (ECHO if young else _HEARTBEAT):
        return True
    if not (may_be_over and (turned or stale)):
        return False
    if not unsettled:
        return True
    share = _OLD_SHARE if elapsed > _OLD else _YOUNG_SHARE
    return unsettled > SETTLES and since_look > cost * share


def pause(elapsed: float, turned: bool) -> float:
    """Seconds to the next reading of the kernel: a hundredth of the wait so far, 3 to 90 ms.
    `turned`: its facts have just changed, so a second reading may settle them."""
    if turned:
        return 0.001 if elapsed < _OLD else 0.005
    return min(max(elapsed / 100, 0.003), 0.09)
