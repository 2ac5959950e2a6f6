"""The house: rooms that import one way, each with a first page; programs named in one file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from python.helpers.tmux import programs

HOUSE = Path(__file__).parents[2] / "python" / "helpers" / "tmux"
ROOMS = ("", "report", "typing", "turn", "transcript", "terminal", "evidence")  # from the top
SHARED = {"output", "words", "settings", "pattern", "answer"}  # read by every room
FILES = sorted(path for path in HOUSE.rglob("*.py") if path.name != "__init__.py")


def room_of(path: Path) -> str:
    parts = path.relative_to(HOUSE).parts
    return parts[0] if len(parts) > 1 else ""


def imported(path: Path) -> list[Path]:
    """The files of the house that `path` imports, by relative imports."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            names = [base / alias.name for alias in node.names]
            found += [one.with_suffix(".py") for one in (base, *names)]
    return [one for one in found if one.is_file() and HOUSE in one.parents]


def test_rooms_import_only_from_those_behind():
    order = {room: at for at, room in enumerate(ROOMS)}
    back = [
        f"{path.relative_to(HOUSE)} imports {other.relative_to(HOUSE)}"
        for path in FILES
        for other in imported(path)
        if order[room_of(other)] < order[room_of(path)] and other.stem not in SHARED
    ]
    assert not back, back


def test_no_two_files_import_each_other():
    imports = {path: set(imported(path)) for path in FILES}
    both = [(a, b) for a in FILES for b in imports[a] if a in imports.get(b, ())]
    assert not both, both


def test_every_room_has_a_first_page():
    rooms = {path.parent for path in FILES}
    missing = [room for room in rooms if len((room / "__init__.py").read_text().splitlines()) < 8]
    assert not missing, missing


def test_no_other_file_names_a_program():
    """In its code; a comment may say where a rule was measured."""
    names = {name for names in programs._ROWS for name in names.split()}
    names = {name for name in names if len(name) > 2} - {"tmux", "python"}
    named = []
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and node.value in names:
                named.append(f"{path.relative_to(HOUSE)}: {node.value}")
    assert not [one for one in named if not one.startswith("evidence/programs.py")], named


@pytest.mark.parametrize(
    "name, known_as",
    [("python3.11", "python"), (".opencode", "opencode"), ("tmux: client", "tmux:client")],
)
def test_a_program_is_known_by_the_name_that_the_kernel_gives_it(name, known_as):
    assert programs.of(name) == programs.of(known_as) != programs.of("no such program")
