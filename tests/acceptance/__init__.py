"""What the engine is judged by: bodies, two typists, random commands.

    tests/run tests/terminal/test_bodies.py     TYPISTS=100 … test_two_typists.py
    COMMANDS=1000 … test_commands.py

They use only the tool's calls, so they can judge any edition of it.
`TMUX_TOOL_TEST_WORLD=yama` closes the line editor's memory.
"""
