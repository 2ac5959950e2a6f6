"""What the engine is judged by: bodies, remote turns, two typists, random commands.

    python3 -m tests.acceptance.bodies --help
    python3 -m tests.acceptance.remote_turns --help
    TYPISTS=100 tests/run tests/terminal/test_two_typists.py      COMMANDS=1000 … test_commands.py

They use nothing of the tool but its calls, so they judge any edition of it.
`TMUX_TOOL_TEST_WORLD=yama` closes the line editor's memory.
"""
