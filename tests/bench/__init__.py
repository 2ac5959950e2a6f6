"""The figures in the README, measured on demand: `python3 -m tests.bench --help`. Nothing here is
collected by pytest."""
