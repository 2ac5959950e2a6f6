"""The official Python SDK as a client of `tmux-tool mcp`."""

import asyncio
import os
import sys
from contextlib import asynccontextmanager

from tests.support.run import TMUX_TOOL


@asynccontextmanager
async def connected(mode="auto", command=sys.executable, args=(str(TMUX_TOOL), "mcp"), env=None):
    import mcp  # half a second, in every worker

    parameters = mcp.StdioServerParameters(command=command, args=list(args), env={**os.environ, **(env or {})})
    async with asyncio.timeout(60), mcp.Client(parameters, mode=mode) as client:
        yield client


def text(result) -> str:
    return result.content[0].text
