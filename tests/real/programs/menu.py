"""A menu on the ordinary screen, moved by Up and Down and chosen by Enter; q leaves it."""

import sys
import termios
import tty

ROWS = ["Cancel", "Rename", "Delete all"]
at = 0
saved = termios.tcgetattr(0)
tty.setcbreak(0)
print("What now?")
try:
    while True:
        for number, row in enumerate(ROWS):
            print(f"\r{'>' if number == at else ' '} {row}\033[K")
        sys.stdout.flush()
        key = sys.stdin.read(1)
        if key in "\nq":
            break
        if key == "\033":
            key = sys.stdin.read(2)[1]
            at = max(0, min(2, at + (key == "B") - (key == "A")))
        print(f"\033[{len(ROWS)}A", end="")
finally:
    termios.tcsetattr(0, termios.TCSADRAIN, saved)
print(f"chosen: {ROWS[at]}")
