"""All cases: those that are written out, a TOML file for each theme, and the products."""

import tomllib
from dataclasses import replace
from pathlib import Path

from .. import table
from ..table import Case, Step, numbered
from . import products


def _step(action: str, *arguments, **more) -> Step:
    return getattr(table, action)(*arguments, **more)


def _case(row: dict) -> Case:
    """A row of a file; of a file of the case's, a number means that many numbered lines."""
    steps = []
    for action, *arguments in row.pop("steps"):
        more = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
        steps.append(_step(action, *arguments, **more))
    files = row.pop("files", {})
    texts = {name: numbered(it) if isinstance(it, int) else it for name, it in files.items()}
    lists = {name: tuple(it) if isinstance(it, list) else it for name, it in row.items()}
    return Case(steps=steps, files=texts, **lists)


def _cases(row: dict) -> list[Case]:
    """A case for each of `shells`, by name, where a row has several."""
    if "shells" not in row:
        return [_case(row)]
    case = _case({key: it for key, it in row.items() if key != "shells"})
    shells = row["shells"]
    return [replace(case, name=f"{case.name}, {s}", shell=products.SHELLS[s]) for s in shells]


def _written() -> list[Case]:
    files = sorted(Path(__file__).parent.glob("*.toml"))
    rows = [row for path in files for row in tomllib.loads(path.read_text())["case"]]
    return [case for row in rows for case in _cases(row)]


CASES = [*_written(), *products.CASES]
