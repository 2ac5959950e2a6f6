"""The rows of a prompt above its last one: which they are, and output without them. Pure.

They are known from the line editor's memory if that can be read. Otherwise they are the rows above
every visible prompt of the shell: equal rows, or rows that show a directory and begin alike, since
the rest of them (a branch, a status) changes. Output that ends alike (`=== 2 passed`) is neither.
"""

from __future__ import annotations

from collections.abc import Sequence

from .prompts import begins, same

TALLEST = 4  # rows of a prompt above its last one
ALIKE = 3  # characters that the prompts of one shell have in common: fish's holds a status
_ANYWHERE = "~"  # any directory, as `same` compares


def seen_rows(
    above: Sequence[str], prompts: Sequence[str], directory: Sequence[str] = ()
) -> list[str] | None:
    """The upper rows of the prompt below `above`, by the earlier prompts in it; None if these do
    not show them. `prompts`: the present one, then older ones; `directory`: names of the directory
    in a prompt."""
    alike = [prompt for prompt in prompts if prompt[:ALIKE] == prompts[0][:ALIKE]]
    starts = [at for at, row in enumerate(above) if begins(row, alike)]
    own = above[starts[-1] + 1 :] if starts else []
    if not own:
        return None  # directly below a command it may be a similar continuation prompt
    return min((_common(own, above[:at], directory) for at in starts), key=len)


def _common(rows: Sequence[str], earlier: Sequence[str], directory: Sequence[str]) -> list[str]:
    """The rows, as they are stored, at the end of `rows` that are also at the end of `earlier`."""
    found: list[str] = []
    for row, other in zip(rows[: -TALLEST - 1 : -1], reversed(earlier), strict=False):
        shown = _shows_directory(row, directory) and is_alike(row, other, directory)
        if row.strip().isdecimal() or not (shown or row == other):
            break
        found.insert(0, _remembered(row, directory))
    return found


def _shows_directory(row: str, directory: Sequence[str]) -> bool:
    words = row.replace("[", " ").replace("]", " ").split()
    return any(word in directory or word.startswith(("~", "/")) for word in words)


def without_rows(body: list[str], upper: Sequence[str], directory: Sequence[str] = ()) -> list[str]:
    """`body` without those rows of `upper` that are at its end. The first of them may follow output
    without a line break."""
    for row in reversed(upper):
        if not body:
            break
        if not is_alike(body[-1], row, directory):
            return [*body[:-1], body[-1].removesuffix(row)]
        body = body[:-1]
    return body


def is_alike(row: str, other: str, directory: Sequence[str] = ()) -> bool:
    """Whether both are the same upper row."""
    first, second = (_remembered(text, directory).split()[:1] for text in (row, other))
    return first == second or bool(first and second and same(first[0], second[0]))


def _remembered(row: str, directory: Sequence[str]) -> str:
    """`row` as it is stored: if it begins with the bare name of the directory, with a sign for any
    directory in its place."""
    name = next(iter(row.split()), "/")
    bare = name in directory and not name.startswith(("~", "/"))
    return row.replace(name, _ANYWHERE, 1) if bare else row
