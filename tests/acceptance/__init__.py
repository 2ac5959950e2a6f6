"""What the engine is judged by: bodies and two typists.

    tests/run tests/terminal/test_bodies.py     TYPISTS=100 … test_two_typists.py

They use only the tool's calls, so they can judge any edition of it.
`TMUX_TOOL_TEST_WORLD=yama` closes the line editor's memory.
"""
