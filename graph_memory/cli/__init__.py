"""The command line, `graph-memory`; the only part that knows Typer."""

import os
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; see `graph_memory.cli.app`.

    A harness waits for its hooks: the command `hook` starts without the other commands.
    """
    from graph_memory.cli import hook

    # Read by numpy at its import. Our matrix products are small: a second thread does not make them
    # faster, and OpenBLAS keeps its core busy for milliseconds after each.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    given = sys.argv[1:] if arguments is None else list(arguments)
    if (code := hook.main(given)) is not None:
        return code
    from graph_memory.cli import app

    return app.main(arguments)
