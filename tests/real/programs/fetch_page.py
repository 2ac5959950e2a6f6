"""Prints the page of page.py."""

import urllib.request
from pathlib import Path

port = Path("port").read_text()
print(urllib.request.urlopen(f"http://127.0.0.1:{port}").read().decode())
