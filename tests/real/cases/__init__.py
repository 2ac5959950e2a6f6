"""All cases, by theme."""

from . import (
    ai,
    answers,
    databases,
    early,
    fullscreen,
    installers,
    raw,
    relays,
    remote,
    repls,
    shells,
    tools,
    typed,
)

CASES = [
    case
    for theme in (
        shells,
        early,
        raw,
        repls,
        databases,
        relays,
        remote,
        fullscreen,
        installers,
        tools,
        ai,
        answers,
        typed,
    )
    for case in theme.CASES
]
