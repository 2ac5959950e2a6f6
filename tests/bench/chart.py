"""The chart of the readiness figures: for each way to wait, how late its right answers are, and how
many were wrong.

SVG by hand: some lines of text need no library, and the colours can follow the reader's light or
dark background.
"""

from __future__ import annotations

import math
from html import escape

from .tables import readiness_rows

LEFT, WIDTH, ROW, TOP = 270, 380, 21, 70
RIGHT = LEFT + WIDTH + 30  # where the counts stand
DECADES = (1, 10, 100, 1000, 10000)  # milliseconds
STYLE = """
text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #24292f } .head, .ours { font-weight:
600 } .dim { fill: #57606a } .bad { fill: #b42318 } .good { fill: #1a7f37 } circle { fill: #57606a }
line
{ stroke: #d0d7de } .range { stroke: #8c959f; stroke-width: 5 } .good.range { stroke: #2da44e }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .dim { fill: #9198a1 } .bad { fill: #ff7b72 } .good { fill: #56d364 } circle
{ fill: #c9d1d9 } line { stroke: #3d444d } .range { stroke: #6e7681 } .good.range { stroke: #3fb950
} }"""


def svg(readiness: dict) -> str:
    rows = readiness_rows(readiness)
    height = TOP + ROW * len(rows) + 18
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {RIGHT + 175} {height}" role="img">',
        f"<title>Readiness: how late, and how often wrong</title><style>{STYLE}</style>",
        '<text class="head" x="8" y="18">Seconds from "it is your turn" to the answer</text>',
        '<text class="dim" x="8" y="35">dot: median; bar: up to the 99th percentile; right answers only</text>',
        *(
            _label(RIGHT + 46 * at, TOP - 12, word, "dim")
            for at, word in enumerate(("early", "timeout", "failed", "of"))
        ),
    ]
    for decade in DECADES:
        x = _x(decade)
        out.append(f'<line x1="{x:.0f}" x2="{x:.0f}" y1="{TOP - 6}" y2="{height - 16}"/>')
        out.append(
            f'<text class="dim" x="{x:.0f}" y="{TOP - 12}" text-anchor="middle">{decade / 1000:g}</text>'
        )
    for at, row in enumerate(rows):
        y = TOP + ROW * at + 12
        good = "good" if not (row["early"] or row["timeout"] or row["failed"]) else ""
        ours = "ours" if row["label"].startswith("ours") else ""
        out.append(f'<text class="{ours}" x="8" y="{y + 4}">{escape(row["label"])}</text>')
        if row["lag"]["n"]:
            low, high = _x(row["lag"]["median"]), _x(row["lag"]["p99"])
            out.append(
                f'<line class="{good} range" x1="{low:.1f}" x2="{max(high, low + 1):.1f}" y1="{y}" y2="{y}"/>'
            )
            out.append(f'<circle class="{good}" cx="{low:.1f}" cy="{y}" r="5"/>')
        out.append(_label(RIGHT + 46 * 3, y + 4, str(row["n"]), "dim"))
        for column, word in enumerate(("early", "timeout", "failed")):
            out.append(
                _label(RIGHT + 46 * column, y + 4, str(row[word]), "bad" if row[word] else "good")
            )
    return "\n".join([*out, "</svg>", ""])


def _label(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.0f}" y="{y}" text-anchor="middle">{text}</text>'


def _x(milliseconds: float) -> float:
    low, high = math.log10(DECADES[0]), math.log10(DECADES[-1])
    return LEFT + WIDTH * (math.log10(max(milliseconds, DECADES[0])) - low) / (high - low)
