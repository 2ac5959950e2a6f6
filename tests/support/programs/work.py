"""work KIND SECONDS: work as programs do, then write down the moment of the end into $TRUTH and
end. It is started a thousand times: what costs time to import is imported where it is needed."""

import os
import sys
import time

kind, seconds = sys.argv[1], float(sys.argv[2])
end = time.monotonic() + seconds
out = sys.stdout


def until(moment):
    time.sleep(max(moment - time.monotonic(), 0))


if kind == "silent":
    until(end)
elif kind == "burn":
    while time.monotonic() < end:
        pass
elif kind == "pause":  # output, a silence, output
    print("first half", flush=True)
    until(end)
    print("second half", flush=True)
elif kind == "bar":  # a progress bar drawn over itself that ends in 100%
    for step in range(11):
        out.write(f"\r{'#' * step * 3:30} {step * 10}%")
        out.flush()
        until(end - seconds * (10 - step) / 11)
    until(end)
    print()
elif kind == "accept":  # blocked in the network
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(seconds)
        try:
            server.accept()
        except TimeoutError:
            pass
elif kind == "child":  # another process does it
    import subprocess

    subprocess.run(["sleep", str(seconds)], check=True)
elif kind == "lines":
    while time.monotonic() < end:
        print("line", time.monotonic(), flush=True)
        time.sleep(0.03)
elif kind == "raw":  # keys are taken while it works, as node and many a full-screen program do
    import subprocess

    subprocess.run(["stty", "-icanon", "-echo"], check=True)
    until(end)
    subprocess.run(["stty", "icanon", "echo"], check=True)
else:  # work TEXT SECONDS: the text without a line break, then silence
    out.write(kind)
    out.flush()
    until(end)
    print()
with open(os.environ["TRUTH"] + ".new", "w") as file:
    file.write(str(time.monotonic_ns()))
os.replace(os.environ["TRUTH"] + ".new", os.environ["TRUTH"])
