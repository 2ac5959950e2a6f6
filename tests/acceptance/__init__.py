"""What the engine is judged by: bodies, two typists, random commands. Tables, and a script each.

    python3 -m tests.acceptance.bodies --help
    python3 -m tests.acceptance.typists --help
    python3 -m tests.acceptance.commands --help

They use nothing of the tool but its calls, so the same script judges any edition of it.
`TMUX_TOOL_TEST_WORLD=yama` closes the line editor's memory.
"""
