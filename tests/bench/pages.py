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
    return f"""## Whose turn is it?

![how late, and how often wrong](reference.svg)

Early: the answer said "ready" before the program was. Timeout: no answer within 12 s (20 s for a \
random command). Failed: the command never ran, or an error. The lag in milliseconds is from the \
moment that the program itself noted to a right answer. Named: it distinguishes question, password \
and pager. Given: the caller must know that text beforehand.

Nine scenarios, ours in four shells, the others in bash:

{tables.nine(part)}

Random commands in bash, zsh, fish and dash (prints, prompt look-alikes, silences, busy loops, \
progress bars, clears, partial lines); in brackets the early ones that printed the shell's exact \
prompt:

{tables.random(part)}

Ours by shell, both parts, in milliseconds; target: median / p99:

{tables.shells(part)}

Not measured, because their documentation rules it out: {tables.skipped(part)}.

{tables.conditions(part)}"""
