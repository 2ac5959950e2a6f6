"""burn.py SECONDS: computes."""

import sys
import time

end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    pass
