"""Delivery: what arrives in a raw program, byte for byte, and whether the tool's receipt is
true."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from .lane import PROGRAMS, Lane, Room
from .peers import Mode
from .strings import HARD, random_text, same
from .tool import Tool

ARRIVES = 3.0  # seconds in which a text has arrived or never will
QUIET = 0.15  # seconds without another byte: it is over


def measure(modes: list[Mode], seed: int, ours: int, peers: int) -> dict:
    """`ours`, `peers`: random texts, after the hard ones."""
    figures: dict = {"versions": {}, "missing": {}, "records": []}
    for mode in (mode for mode in modes if mode.types):
        count = ours if mode.tool == "ours" else peers
        texts = [("hard", name, text) for name, text in HARD.items()]
        texts += [("random", str(number), random_text(seed, number)) for number in range(count)]
        records: list[dict] = []
        try:
            with Lane() as lane, Tool(lane, mode) as tool:
                figures["versions"][mode.tool] = tool.version
                while len(records) < len(texts):
                    _deliver(lane, tool, texts, records)
        except RuntimeError as problem:
            figures["missing"][mode.tool] = str(problem)
        figures["records"] += records
        print(f"{mode.tool}: {_tally(records)}", flush=True)
    return figures


def _deliver(
    lane: Lane, tool: Tool, texts: list[tuple[str, str, str]], records: list[dict]
) -> None:
    """The texts that have no record yet, up to the first that does not arrive: what is left of it
    must not count against the next one."""
    with Reader(lane, tool) as reader:
        for part, name, text in texts[len(records) :]:
            record = {"tool": tool.mode.tool, "part": part, "text": name, **reader.deliver(text)}
            records.append(record)
            if tool.mode.tool == "ours" and not record["exact"]:
                print(f"    NOT EXACT: {record}, {text!r:.200}", flush=True)
            if len(records) % 200 == 0:
                print(f"    {tool.mode.tool}: {len(records)} of {len(texts)}", flush=True)
            if not record["exact"]:
                return


def _tally(records: list[dict]) -> str:
    exact = {
        part: [record["exact"] for record in records if record["part"] == part]
        for part in ("hard", "random")
    }
    counts = (f"{sum(values)} of {len(values)} {part}" for part, values in exact.items())
    false = sum(record["receipt"] and not record["exact"] for record in records)
    return f"{', '.join(counts)} exact; {false} false receipts"


class Reader:
    """A pane (or a terminal of the tool's own) with the raw reader in it."""

    def __init__(self, lane: Lane, tool: Tool):
        self.tool, self.seen = tool, 0
        self.room = Room(lane, "reader")
        self.file: Path = self.room.folder / "came"
        self.room.argv = [sys.executable, "-SE", str(PROGRAMS / "raw_reader.py"), str(self.file)]

    def __enter__(self) -> Reader:
        if not self.tool.mode.own_terminal:
            self.room.start()
        opened = self.tool.ask("open", place=self.room.place)
        if not opened.ok:
            raise RuntimeError(f"cannot be opened: {opened.value}")
        end = time.monotonic() + 20
        while not self.file.exists():
            if time.monotonic() > end:
                raise RuntimeError("the raw reader did not start")
            time.sleep(0.01)
        return self

    def __exit__(self, *_) -> None:
        self.room.__exit__()

    def deliver(self, text: str) -> dict:
        """`exact`: what arrived is `text`; `receipt`: the tool confirms that it was sent."""
        reply = self.tool.ask("type", text=text)
        self._wait(self.seen + len(text.encode()) + 1)
        came = self.file.read_bytes()[self.seen :]
        self.seen += len(came)
        exact = same(text, came)
        more = {} if exact else {"came": repr(came[:60]), "answer": reply.value[:120]}
        return {"exact": exact, "receipt": reply.ok, **more}

    def _wait(self, size: int) -> None:
        """Until the file has `size` bytes and no more come."""
        quiet = 0.01 if self.tool.mode.tool == "ours" else QUIET
        end = time.monotonic() + ARRIVES
        last, since = -1, time.monotonic()
        while time.monotonic() < end:
            now = self.file.stat().st_size
            if now != last:
                last, since = now, time.monotonic()
            if now >= size and time.monotonic() - since > quiet:
                return
            time.sleep(0.004)
