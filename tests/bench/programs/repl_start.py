"""$PYTHONSTARTUP of the REPL scenario: `work(seconds)` computes, and notes the moment it was over."""


def work(seconds):
    import os
    import time

    truth = os.open(os.environ["TRUTH"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    os.write(truth, b"%d\n" % time.monotonic_ns())
