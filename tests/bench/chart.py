"""The chart of the readiness figures: for each way to wait, how late its right answers are, and how many were wrong.

SVG without a library: it is a few lines of text, and the colours can follow the reader's light or dark background.
"""

import math
from html import escape
from pathlib import Path

from .results import OURS
from .tables import readiness_rows

LEFT, WIDTH, ROW, TOP = 270, 380, 21, 70
RIGHT = LEFT + WIDTH + 30  # where the counts stand
DECADES = (1, 10, 100, 1000, 10000)  # milliseconds
STYLE = "\n" + Path(__file__).with_suffix(".css").read_text().rstrip()
COUNTS = ("early", "timeout", "failed")


def svg(readiness: dict) -> str:
    rows = readiness_rows(readiness)
    height = TOP + ROW * len(rows) + 18
    box = f'viewBox="0 0 {RIGHT + 175} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img">',
        f"<title>Readiness: how late, and how often wrong</title><style>{STYLE}</style>",
        _text(8, 18, 'Seconds from "it is your turn" to the answer', "head"),
        _text(8, 35, "dot: median; bar: up to the 99th percentile; right answers only", "dim"),
    ]
    for column, word in enumerate((*COUNTS, "of")):
        parts.append(_middle(RIGHT + 46 * column, TOP - 12, word, "dim"))
    for decade in DECADES:
        x = _x(decade)
        parts.append(f'<line x1="{x:.0f}" x2="{x:.0f}" y1="{TOP - 6}" y2="{height - 16}"/>')
        parts.append(_middle(x, TOP - 12, f"{decade / 1000:g}", "dim"))
    for number, row in enumerate(rows):
        parts += _row(row, TOP + ROW * number + 12)
    return "\n".join([*parts, "</svg>", ""])


def _row(row: dict, y: int) -> list[str]:
    parts = [_text(8, y + 4, row["label"], "ours" if row["label"].startswith(OURS) else "")]
    good = "" if any(row[word] for word in COUNTS) else "good"
    if row["lag"]["n"]:
        low, high = _x(row["lag"]["median"]), _x(row["lag"]["p99"])
        ends = f'x1="{low:.1f}" x2="{max(high, low + 1):.1f}" y1="{y}" y2="{y}"'
        parts.append(f'<line class="{good} range" {ends}/>')
        parts.append(f'<circle class="{good}" cx="{low:.1f}" cy="{y}" r="5"/>')
    for column, word in enumerate(COUNTS):
        parts.append(_middle(RIGHT + 46 * column, y + 4, str(row[word]), "bad" if row[word] else "good"))
    return [*parts, _middle(RIGHT + 46 * len(COUNTS), y + 4, str(row["n"]), "dim")]


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.0f}" y="{y}">{escape(text)}</text>'


def _middle(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.0f}" y="{y}" text-anchor="middle">{escape(text)}</text>'


def _x(milliseconds: float) -> float:
    low, high = math.log10(DECADES[0]), math.log10(DECADES[-1])
    return LEFT + WIDTH * (math.log10(max(milliseconds, DECADES[0])) - low) / (high - low)
