"""gate: ends once the file `open` lies beside $TRUTH, which it removes. So a program of a test lasts as long
as the test wants, on a busy machine too."""

import os
import time

place = os.path.join(os.path.dirname(os.environ["TRUTH"]), "open")
while not os.path.exists(place):
    time.sleep(0.02)
os.unlink(place)
