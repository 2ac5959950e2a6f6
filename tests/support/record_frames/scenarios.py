"""All scenarios."""

from __future__ import annotations

from . import libraries, lines, screens

SCENARIOS = (*libraries.SCENARIOS, *lines.SCENARIOS, *screens.SCENARIOS)
