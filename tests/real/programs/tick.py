import time

for i in range(100):
    print("tick", i, flush=True)
    time.sleep(0.5)
