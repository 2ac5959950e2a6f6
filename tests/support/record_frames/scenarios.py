"""All scenarios."""

from __future__ import annotations

from . import ai, full_screens, lines, node_libraries, python_libraries, windows

PARTS = (ai, full_screens, lines, node_libraries, python_libraries, windows)
SCENARIOS = tuple(scenario for part in PARTS for scenario in part.SCENARIOS)
