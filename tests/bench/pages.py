"""The generated sections of README.md and tests/bench/README.md."""

from pathlib import Path

from . import tables
from .chart import svg
from .results import HERE, REFERENCE

README = HERE.parents[1] / "README.md"


def write(reference: dict) -> list[Path]:
    """Writes the chart and both sections; their files."""
    chart = REFERENCE.with_suffix(".svg")
    chart.write_text(svg(reference))
    pages = {README: short(reference), HERE / "README.md": whole(reference)}
    for page, section in pages.items():
        renew(page, "figures", section)
    return [chart, *pages]


def renew(page: Path, name: str, section: str) -> None:
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    head, found, rest = page.read_text().partition(begin)
    _, ends, tail = rest.partition(end)
    if not found or not ends:
        raise SystemExit(f"{page} has no {begin} … {end}")
    page.write_text(f"{head}{begin}\n{section}\n{end}{tail}")


def short(reference: dict) -> str:
    """At most 12 lines: the README has 120 in all."""
    return f"""![how late, and how often wrong](tests/bench/reference.svg)

{tables.short(reference)}

From the turn, as the program noted it, to the answer; *never*: none in time. \
[All figures](tests/bench/README.md)."""


def whole(part: dict) -> str:
    names = ("nine", "random", "shells", "skipped", "conditions")
    form = (HERE / "section.md").read_text().rstrip()
    return form.format(**{name: getattr(tables, name)(part) for name in names})
