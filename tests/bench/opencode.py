"""OpenCode: starting, noticing the end of a turn, interrupting and leaving, with the real binary
and a scripted model that notes when its last token left."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from .results import spread

_TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_TESTS.parent), str(_TESTS / "opencode")]
SLOW = "FAKE:slow n=300 delay=0.1"  # half a minute of answer, to be interrupted
BEFORE_INTERRUPT = 1.0  # seconds into it
TURNS_A_START = 5


def measure(turns: int) -> dict:
    from fake_model import FakeModel
    from hermetic import Desk, find_opencode

    binary = find_opencode()
    if not binary:
        missing = {"opencode": "it is not installed: tests/run installs it, or $OPENCODE_BIN"}
        return {"version": "", "channels": {}, "missing": missing}
    binary = os.path.abspath(binary)
    channels, missing = {}, {}
    by_hand: list[float] = []
    with FakeModel() as model:
        desk = Desk(model, binary)
        try:
            by_hand = [_started_by_hand(desk) for _ in range(max(2, turns // TURNS_A_START))]
            channels["http"] = _session(desk, model, turns)
        except (RuntimeError, AssertionError) as problem:  # a desk's wait asserts
            missing["http"] = f"{type(problem).__name__}: {problem}"
            print(missing["http"], flush=True)
        finally:
            desk.close()
    version = subprocess.run(
        [binary, "--version"], capture_output=True, text=True, timeout=60
    ).stdout.strip()
    return {
        "version": version,
        "channels": channels,
        "by_hand": spread(by_hand),
        "missing": missing,
    }


def _started_by_hand(desk) -> float:
    """Seconds from Enter to its input box, as a person would see it: OpenCode's own start, without
    us."""
    shell = desk.fact("pane_current_command")
    desk.type(f"opencode {desk.project}", "Enter")
    took = _timed(lambda: desk.see("Ask anything"))
    desk.type("/exit")
    time.sleep(0.2)  # OpenCode takes text and Enter in one go for a paste
    desk.person.press("Enter")
    desk.until(lambda: desk.fact("pane_current_command") == shell)
    print(f"started by hand: {took:.2f} s", flush=True)
    return took


def _session(desk, model, turns: int) -> dict:
    from python.helpers.opencode_cli import OpenCodeSession

    took: dict[str, list[float]] = {name: [] for name in ("start", "noticed", "interrupt", "exit")}
    exact = words = done = 0
    while done < turns:
        session = OpenCodeSession(desk.project, timeout=60)
        took["start"].append(_timed(session.start))
        for _ in range(min(TURNS_A_START, turns - done)):
            done += 1
            text = f"Answer {done}: " + "all is well. " * done
            reply = session.send(f"FAKE:say {text.strip()}")
            took["noticed"].append(time.time() - model.ended[-1])
            words += str(reply).split() == text.split()
            if str(reply) == text.strip():
                exact += 1
            else:
                print(f"    NOT EXACT: {text.strip()!r} came as {str(reply)!r}", flush=True)
            print(
                f"turn {done} of {turns}, noticed after {took['noticed'][-1]:.2f} s",
                flush=True,
            )
        session.submit(SLOW)
        time.sleep(BEFORE_INTERRUPT)
        took["interrupt"].append(_timed(session.interrupt))
        took["exit"].append(_timed(session.exit))
    row = {"turns": done, "exact": exact, "same_words": words} | {
        name: spread(values) for name, values in took.items()
    }
    print(row, flush=True)
    return row


def _timed(what: Callable[[], object]) -> float:
    began = time.monotonic()
    what()
    return time.monotonic() - began
