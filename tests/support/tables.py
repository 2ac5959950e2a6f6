"""The tables of a test module are a TOML file beside it.

TABLES = Tables(__file__) FORMS = TABLES["FORMS"]

@TABLES.rows("line, known, expected") def test_the_text_after_a_prompt(line, known, expected):    # of the table without
`test_`
"""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


class Tables(dict[str, Any]):
    """By name: lists and dicts, whose rows are tuples, and texts."""
    def __init__(self, module: str) -> None:
        text = Path(module).with_suffix(".toml").read_text(encoding="utf-8")
        super().__init__({name: _table(table) for name, table in tomllib.loads(text).items()})

    def rows(self, names: str, of: str = "") -> Callable:
        """An item for each row of the table `of`; what a row leaves out at its end is None. Of a table of tables the
        rows of each, the name of theirs in front of them."""
        width = names.count(",") + 1

        def decorate(test: Callable) -> Callable:
            table = self[of or test.__name__.removeprefix("test_")]
            if isinstance(table, dict) and isinstance(next(iter(table.values())), dict):
                groups = table.items()
                table = {name: (group, *row) for group, rows in groups for name, row in rows.items()}
                assert len(table) == sum(len(rows) for _, rows in groups), "two rows have one name"
            ids, table = (table, table.values()) if isinstance(table, dict) else (None, table)
            rows = [(*row, *[None] * (width - len(row))) if width > 1 else row for row in table]
            return pytest.mark.parametrize(names, rows, ids=ids)(test)

        return decorate


def _table(table: Any) -> Any:
    if isinstance(table, str):
        return table
    if isinstance(table, dict):
        return {name: _table(row) if isinstance(row, dict) else _row(row) for name, row in table.items()}
    return [_row(row) for row in table]


def _row(row: Any) -> Any:
    return tuple(row) if isinstance(row, list) else row
