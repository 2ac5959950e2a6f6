"""How quick the session is, in both channels: `python3 tests/opencode/measure.py [TURNS]`. It
prints, and judges nothing."""

import statistics
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).parent)]

from fake_model import FakeModel  # noqa: E402
from hermetic import Desk, find_opencode  # noqa: E402

from python.helpers.opencode_cli import OpenCodeSession  # noqa: E402


def main(turns):
    with FakeModel() as model:
        for channel in ("http", "screen"):
            desk = Desk(model, find_opencode())
            try:
                began = time.time()
                session = OpenCodeSession(str(desk.project), channel=channel).start()
                start, late = time.time() - began, []
                for i in range(turns):
                    session.send(("FAKE:say hello %d", "FAKE:slow n=10 delay=0.05 x=%d")[i % 2] % i)
                    late.append(1000 * (time.time() - model.ended[-1]))
                session.submit("FAKE:slow n=200 delay=0.05")
                while "w9" not in desk.screen():
                    time.sleep(0.05)
                began = time.time()
                session.interrupt()
                stop, began = time.time() - began, time.time()
                session.exit()
                first, rest = late[0], late[1:]
                print(
                    f"{channel}: start {start:.1f} s; end of turn noticed after {statistics.median(rest):.0f} ms (median), "
                    f"{max(rest):.0f} worst, {first:.0f} first; interrupt {stop:.2f} s; exit {time.time() - began:.2f} s"
                )
            finally:
                desk.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 21)
