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
    records: list[dict] = []
    versions: dict[str, str] = {}
    missing: dict[str, str] = {}
    for mode in (mode for mode in modes if mode.types):
        count = ours if mode.tool == "ours" else peers
        texts = [("hard", name, text) for name, text in HARD.items()]
        texts += [("random", str(number), random_text(seed, number)) for number in range(count)]
        got: list[dict] = []
        try:
            with Lane() as lane, Tool(lane, mode) as tool:
                versions[mode.tool] = tool.version
                pending = list(texts)
                while pending:
                    with Reader(lane, tool) as reader:
                        while pending:
                            part, name, text = pending.pop(0)
                            record = {
                                "tool": mode.tool,
                                "part": part,
                                "text": name,
                                **reader.deliver(text),
                            }
                            got.append(record)
                            if mode.tool == "ours" and not record["exact"]:
                                print(f"    NOT EXACT: {record}, {text!r:.200}", flush=True)
                            if len(got) % 200 == 0:
                                print(f"    {mode.tool}: {len(got)} of {len(texts)}", flush=True)
                            if not record["exact"]:
                                break  # what is left of it must not count against the next one
        except RuntimeError as problem:
            missing[mode.tool] = str(problem)
        records += got
        exact = {
            part: f"{sum(r['exact'] for r in got if r['part'] == part)} of {sum(r['part'] == part for r in got)}"
            for part in ("hard", "random")
        }
        print(
            f"{mode.tool}: {exact['hard']} hard, {exact['random']} random exact; "
            f"{sum(r['said_ok'] and not r['exact'] for r in got)} false receipts",
            flush=True,
        )
    return {"versions": versions, "missing": missing, "records": records}


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
        said = self.tool.ask("type", text=text)
        wanted, end, last, since = (
            self.seen + len(text.encode()) + 1,
            time.monotonic() + ARRIVES,
            -1,
            time.monotonic(),
        )
        while time.monotonic() < end:
            size = self.file.stat().st_size
            if size != last:
                last, since = size, time.monotonic()
            if size >= wanted and time.monotonic() - since > (
                0.01 if self.tool.mode.tool == "ours" else QUIET
            ):
                break
            time.sleep(0.004)
        came = self.file.read_bytes()[self.seen :]
        self.seen += len(came)
        exact = same(text, came)
        return {"exact": exact, "said_ok": said.ok} | (
            {} if exact else {"came": repr(came[:60]), "said": said.value[:120]}
        )
