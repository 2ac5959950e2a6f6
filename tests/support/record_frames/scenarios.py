"""All scenarios."""

from __future__ import annotations

from . import ai, libraries, lines, screens

SCENARIOS = (*ai.SCENARIOS, *libraries.SCENARIOS, *lines.SCENARIOS, *screens.SCENARIOS)
