"""The generated sections of README.md and tests/bench/README.md."""

from pathlib import Path

from . import tables
from .chart import svg
from .results import HERE, REFERENCE

BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
README = HERE.parents[1] / "README.md"


def write(reference: dict) -> list[Path]:
    """Writes the chart and both sections; their files."""
    chart = REFERENCE.with_suffix(".svg")
    chart.write_text(svg(reference))
    pages = {README: short(reference), HERE / "README.md": whole(reference)}
    for page, section in pages.items():
        text = page.read_text()
        head, begin, rest = text.partition(BEGIN)
        _, end, tail = rest.partition(END)
        if not begin or not end:
            raise SystemExit(f"{page} has no {BEGIN} … {END}")
        page.write_text(f"{head}{BEGIN}\n{section}\n{END}{tail}")
    return [chart, *pages]


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
