"""All scenarios."""

from __future__ import annotations

from . import libraries, screens

SCENARIOS = (*libraries.SCENARIOS, *screens.SCENARIOS)
