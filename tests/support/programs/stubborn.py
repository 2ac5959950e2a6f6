"""stubborn: works on, whatever C-c says."""

import signal
import time

signal.signal(signal.SIGINT, signal.SIG_IGN)
print("working", flush=True)
time.sleep(600)
