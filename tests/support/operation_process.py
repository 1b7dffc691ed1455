"""Run one operation in a process of its own, which a test kills.

The process reads a line of JSON: the settings, the name of the operation, and the stage. It prints
`ready` once the database and the model are open, waits for a line, and prints `done` and the
seconds that the operation took, or `failed` and the error.
"""

import asyncio
import json
import sys
import time
from datetime import timedelta
from pathlib import Path

from graph_memory import GraphMemory, read_settings
from graph_memory.errors import GraphMemoryError
from tests.conftest import TODAY
from tests.support.operations import OPERATIONS, Stage


async def main() -> None:
    """Run the operation that the first line of the input names."""
    asked = json.loads(sys.stdin.readline())
    async with GraphMemory.open(read_settings(**asked["settings"])) as memory:
        memory.context.clock = lambda: TODAY + timedelta(days=365)
        await memory.context.embedder.embed_query_tokens("ready")
        stage = Stage(memory, **asked["stage"] | {"backup": Path(asked["stage"]["backup"])})
        print("ready", flush=True)
        sys.stdin.readline()
        began = time.monotonic()
        try:
            await OPERATIONS[asked["operation"]].act(memory, stage)
            print("done", time.monotonic() - began, flush=True)
        except GraphMemoryError as error:
            print("failed", error, flush=True)
        sys.stdin.readline()  # the end of the input, or a signal


if __name__ == "__main__":
    asyncio.run(main())
