"""Records the frames again: python -m tests.support.record_frames [PART OF A NAME…], or all."""

from __future__ import annotations

import json
import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..fake_apis import serve
from .recorder import HOMES, NPM, PROGRAMS, NotShown, Recorder
from .scenarios import SCENARIOS
from .steps import Scenario

FRAMES = Path(__file__).resolve().parents[2] / "pure" / "frames"
MODELS = 4099  # the port of the scripted model, as programs/*-on-loopback have it
AT_ONCE = 3  # scenarios side by side: mostly they wait


def record(scenario: Scenario) -> str:
    """Writes one scenario's pictures, and says how it went."""
    for old in FRAMES.glob(f"{scenario.name}.*.json"):
        old.unlink()
    count = 0
    try:
        with Recorder(scenario) as recorder:
            for name, picture in recorder.play():
                text = json.dumps(picture, ensure_ascii=False, indent=1)
                (FRAMES / f"{name}.json").write_text(text + "\n", encoding="utf-8")
                count += 1
    except NotShown as problem:
        return f"FAILED {problem}"
    return f"{scenario.name}: {count}"


def main(parts: list[str]) -> int:
    """Records every scenario whose name contains one of `parts`; 1 where one failed."""
    FRAMES.mkdir(exist_ok=True)
    shutil.copy(PROGRAMS / "ask.mjs", NPM)
    chosen = [s for s in SCENARIOS if not parts or any(part in s.name for part in parts)]
    models = serve(MODELS)
    threading.Thread(target=models.serve_forever, daemon=True).start()
    failed = False
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for report in pool.map(record, chosen):
            print(report, flush=True)
            failed |= report.startswith("FAILED")
    models.shutdown()
    shutil.rmtree(HOMES, ignore_errors=True)
    return int(failed)


sys.exit(main(sys.argv[1:]))
