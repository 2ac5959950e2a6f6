"""The figures in the README, measured by hand: `python3 -m tests.bench --help`. Nothing here is
collected by pytest."""
